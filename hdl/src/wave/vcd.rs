//! Value change dump (IEEE 1364-2005, section 18). No date, no version: the same run gives the same bytes.

use super::{Row, Wave};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Nanoseconds of a cycle; clocks are high in the first half.
const PERIOD: u64 = 10;

/// A level of the hierarchy: signals (index) by name, scopes by name.
#[derive(Default)]
struct Scope<'a> {
    signals: Vec<(&'a str, usize)>,
    scopes: BTreeMap<&'a str, Scope<'a>>,
}

impl Wave {
    /// The recording as VCD text. Instances are scopes; a cycle is 10 ns, values change at its beginning, where the
    /// clocks rise.
    pub fn vcd(&self) -> String {
        let mut out = String::from("$timescale 1ns $end\n$scope module top $end\n");
        for (i, clock) in self.clocks.iter().enumerate() {
            let _ = writeln!(out, "$var wire 1 {} {clock} $end", code(i));
        }
        let mut root = Scope::default();
        // A clock that is a named signal too is shown as the clock that ticks.
        for (i, row) in self.rows.iter().enumerate().filter(|(_, r)| !self.clocks.contains(&r.name)) {
            let mut path: Vec<&str> = row.name.split('.').collect();
            let name = path.pop().unwrap_or_default();
            let scope = path.into_iter().fold(&mut root, |scope, part| scope.scopes.entry(part).or_default());
            scope.signals.push((name, i));
        }
        self.declare(&root, &mut out);
        out.push_str("$upscope $end\n$enddefinitions $end\n");
        self.changes(&mut out);
        out
    }

    fn declare(&self, scope: &Scope, out: &mut String) {
        for &(name, i) in &scope.signals {
            let width = self.rows[i].width;
            let range = if width > 1 { format!(" [{}:0]", width - 1) } else { String::new() };
            let _ = writeln!(out, "$var wire {width} {} {name}{range} $end", code(self.clocks.len() + i));
        }
        for (name, inner) in &scope.scopes {
            let _ = writeln!(out, "$scope module {name} $end");
            self.declare(inner, out);
            out.push_str("$upscope $end\n");
        }
    }

    fn changes(&self, out: &mut String) {
        // Index of the next change of each row.
        let mut next = vec![0; self.rows.len()];
        for (cycle, edges) in self.edges.iter().enumerate() {
            let _ = writeln!(out, "#{}", cycle as u64 * PERIOD);
            let rising = (0..self.clocks.len()).filter(|c| edges >> c & 1 == 1);
            rising.clone().for_each(|c| _ = writeln!(out, "1{}", code(c)));
            for (i, row) in self.rows.iter().enumerate().filter(|(_, r)| !self.clocks.contains(&r.name)) {
                if row.cycles.get(next[i]) == Some(&(cycle as u64)) {
                    change(row, next[i], &code(self.clocks.len() + i), out);
                    next[i] += 1;
                }
            }
            let _ = writeln!(out, "#{}", cycle as u64 * PERIOD + PERIOD / 2);
            rising.for_each(|c| _ = writeln!(out, "0{}", code(c)));
        }
        let _ = writeln!(out, "#{}", self.cycles() * PERIOD);
    }
}

fn change(row: &Row, i: usize, code: &str, out: &mut String) {
    let value = row.value(i);
    let _ = match row.width {
        1 => writeln!(out, "{}{code}", value[0]),
        _ => writeln!(out, "b{} {code}", binary(value)),
    };
}

/// Binary, without leading zeros.
fn binary(value: &[u64]) -> String {
    let mut limbs = value.iter().rev().skip_while(|l| **l == 0);
    let first = limbs.next().map_or("0".into(), |l| format!("{l:b}"));
    limbs.fold(first, |text, l| format!("{text}{l:064b}"))
}

/// Identifier code: the printable characters `!` to `~` as digits.
fn code(mut i: usize) -> String {
    let mut text = String::new();
    loop {
        text.push((b'!' + (i % 94) as u8) as char);
        i /= 94;
        if i == 0 {
            return text;
        }
        i -= 1;
    }
}
