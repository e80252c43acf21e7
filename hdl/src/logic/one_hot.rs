//! One-hot signals: of several bits, at most one is 1.

use crate::build::{Bundle, Value, cat, clog2, refuse};
use crate::ir::Signal;
use hdl::module;
use std::panic::Location;

/// One bit for each of `count` numbers: that with the number `index` (`clog2(count)` bits) is 1. None is, where `index` is beyond
/// the last. Combinational.
///
/// 4, 16 and 64 LUT4 for 4, 16 and 32 bits.
#[track_caller]
pub fn one_hot(index: Signal, count: usize) -> Signal {
    let (wanted, width) = (clog2(count), count.clamp(1, 1 << 20) as u32);
    if index.width != wanted || count != width as usize {
        let help = "1 to 1048576 bits, by an index of `clog2(count)`; cut or widen it with `trunc` or `zext`";
        let wrong = |index: String| format!("{index} is no index of one of {count} bits: that has {wanted} bits");
        index.fail(|b, id| wrong(b.describe(id)), Some(help));
        return index.poison(width);
    }
    index.lit(1u32, width) << index
}

/// The number of the bit that is 1, `clog2` of the width bits wide; 0 if none is. If several are, the OR of their numbers.
/// Combinational.
///
/// 2, 3, 35, 21 and 47 LUT4 for 4, 8, 16, 32 and 64 bits.
#[track_caller]
#[module]
pub fn index_of_one_hot(one_hot: Signal) -> Signal {
    let index = bits_of_index(one_hot);
    cat(&index)
}

/// The bits of the index, the highest first.
#[track_caller]
fn bits_of_index(one_hot: Signal) -> Vec<Signal> {
    let width = one_hot.width();
    let mut bits = vec![];
    for bit in (0..clog2(width as usize)).rev() {
        // that of a single bit is 0, and the bit is read all the same
        let mut any = if width == 1 { one_hot & one_hot.zeros(1) } else { one_hot.bit(1 << bit) };
        for place in (1 << bit) + 1..width {
            if place >> bit & 1 == 1 {
                any = any | one_hot.bit(place);
            }
        }
        bits.push(any);
    }
    bits
}

/// The option whose bit of `select` is 1 (bit 0 for the first); 0 if none is, the OR if several are. Combinational.
///
/// With an index instead of a one-hot signal, it is [`at`](crate::Elements::at).
///
/// 40, 88, 168 and 344 LUT4 for 8, 16, 32 and 64 options of 8 bits.
///
/// # Panics
/// If there are no options.
#[track_caller]
pub fn mux1h<B: Bundle>(select: Signal, options: &[B]) -> B {
    let count = options.len();
    let Some(first) = options.first() else {
        refuse(Location::caller(), "`mux1h` of no options", "choose from one or more");
    };
    if select.width() as usize != count {
        let help = "one bit for each option, that of the first is bit 0";
        select.fail(|b, id| format!("{} cannot choose one of {count} options", b.describe(id)), Some(help));
        return *first;
    }
    let mut chosen: Vec<Signal> = vec![];
    for (i, option) in options.iter().enumerate() {
        first.zip_each(&(*option).like(first), &mut |_, _, _| {}); // of one shape
        let (bit, mut fields) = (select.bit(i as u32), vec![]);
        option.each(&mut |_, _, s| fields.push(s));
        for (at, field) in fields.into_iter().enumerate() {
            let masked = field & bit.repeat(field.width());
            match chosen.get_mut(at) {
                Some(any) => *any = *any | masked,
                None => chosen.push(masked),
            }
        }
    }
    let mut chosen = chosen.into_iter();
    first.map(&mut |_, _, s| chosen.next().unwrap_or(s))
}
