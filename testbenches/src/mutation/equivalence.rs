//! Does a mutant do the same as the design, as far as the contracts of its ports go?
//!
//! Design and mutant get the same inputs. At the outer ports, streams offer a beat until it is taken. Where a stream's `valid` is 0, its payload means
//! nothing, and neither do words that `keep` leaves out; all other outputs must be equal in every cycle. ABC proves that without
//! bound, from reset on.

use super::cells::Design;
use super::place::Mutation;
use crate::drivers::Driver;
use crate::yosys;
use hdl::engine::PortInfo;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Larger modules are not tried: the proof would not end.
const MOST_CELLS: u64 = 2500;
/// Larger memories are not tried: they become flip-flops here.
const MOST_MEMORY_BITS: u64 = 8192;
/// Seconds of processor time for a proof: what is proved does not depend on what else the machine does.
const SECONDS: u32 = 60;

/// The module that is proved to do the same with the mutation as without it; `None` may also mean that the proof was too hard.
///
/// The module of the mutation is tried first, by itself: any inputs, all outputs equal in every cycle. What is equal there is equal
/// in every design around it. Else the module around it is tried, and so on up to the whole design, to which its contracts apply.
///
/// # Errors
/// Yosys' log, if it fails.
pub(super) fn proved(
    folder: &Path,
    driver: &Driver,
    design: &Design,
    mutation: &Mutation,
) -> Result<Option<String>, String> {
    let Some(abc) = yosys::abc() else { return Ok(None) };
    let clocks: Vec<_> = driver.design.clocks().collect();
    let (clock, reset) = match clocks[..] {
        [] => (None, None),
        [(clock, reset)] => (Some(clock), reset),
        _ => return Ok(None),
    };
    let work = folder.join(format!("equivalence_{}", mutation.number));
    std::fs::create_dir_all(&work).expect("a temporary folder");
    let mut level = mutation.module.as_str();
    loop {
        let top = level == driver.design.name();
        let compare = if top {
            pair(&driver.design.port_list(), clock, reset, Contract::Streams)
        } else {
            let mut ports = design.module(level).map(|module| module.ports.clone()).unwrap_or_default();
            let has = |name: &&str| ports.iter().any(|port| port.name == **name);
            let (clock, reset) = (clock.filter(has), reset.filter(has));
            ports.retain(|port| Some(&port.name[..]) != clock && Some(&port.name[..]) != reset);
            pair(&ports, clock, reset, Contract::Any)
        };
        std::fs::write(work.join("pair.v"), compare).expect("a temporary file");
        match try_module(&work, &abc, level, mutation)? {
            Outcome::Proved => return Ok(Some(level.to_string())),
            Outcome::TooLarge => return Ok(None),
            Outcome::Open if top => return Ok(None),
            // of several modules around it only the whole design has all
            Outcome::Open => {
                level = if let [parent] = design.parents(level)[..] { parent } else { driver.design.name() }
            }
        }
    }
}

/// What a try gave.
enum Outcome {
    Proved,
    /// Not proved, or not in time.
    Open,
    /// Not tried.
    TooLarge,
}

/// Tries to prove that a module does the same with the mutation; `pair.v` in the folder compares the two.
fn try_module(work: &Path, abc: &Path, module: &str, mutation: &Mutation) -> Result<Outcome, String> {
    // without the input that chooses: the mutation is there
    let command: Vec<&str> = mutation.command.split_whitespace().collect();
    let (before, after) = command.split_at(command.iter().position(|word| *word == "-ctrl").unwrap_or(command.len()));
    let mutate = [before, after.get(4..).unwrap_or_default()].concat().join(" ");
    let flat = |mutate: &str, name: &str| {
        format!(
            "read_rtlil ../plain.il; hierarchy -top {module}; {mutate}; setattr -mod -unset keep_hierarchy; flatten; \
             rename {module} {name}; write_rtlil {name}.il; tee -q -o {name}.txt stat; design -reset; "
        )
    };
    yosys::run(work, &(flat("", "plain") + &flat(&mutate, "mutant")))?;
    let stat =
        std::fs::read_to_string(work.join("plain.txt")).map_err(|error| format!("Yosys' statistics: {error}"))?;
    if figure(&stat, "cells") > MOST_CELLS || figure(&stat, "memory bits") > MOST_MEMORY_BITS {
        return Ok(Outcome::TooLarge);
    }
    // a chosen part of a word becomes `x` where it is beyond the word, which is seen by `techmap` only
    let script = "read_rtlil plain.il; read_rtlil mutant.il; read_verilog -formal pair.v; hierarchy -top pair; proc; flatten; \
         memory_map; opt_clean; async2sync; dffunmap; setundef -zero -init; techmap; setundef -zero; aigmap; opt_clean; \
         write_aiger -zinit pair.aig";
    yosys::run(work, script)?;
    let prove = "read_aiger pair.aig; strash; scorr; dprove -T 20; print_status";
    let limited = format!("ulimit -t {SECONDS}; exec \"$0\" -c \"$1\"");
    let output = Command::new("sh").current_dir(work).arg("-c").arg(limited).arg(abc).arg(prove).output();
    let log = output.map_err(|error| format!("cannot run ABC: {error}"))?.stdout;
    let proved = String::from_utf8_lossy(&log).contains("Status = 1 ");
    Ok(if proved { Outcome::Proved } else { Outcome::Open })
}

/// A figure of Yosys' statistics, `  12 cells`; 0 if there is none.
fn figure(stat: &str, what: &str) -> u64 {
    let number = |line: &str| line.trim().strip_suffix(what)?.trim().parse().ok();
    stat.lines().rev().find_map(number).unwrap_or(0)
}

/// What the names of a stream's ports begin with, from that of its `valid`: `m_` of `m_valid`, `m_axis_t` of `m_axis_tvalid`; nothing of `valid`.
fn prefix(valid: &str) -> Option<&str> {
    valid.strip_suffix("valid")
}

/// What the surroundings of a module promise and look at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contract {
    /// Nothing; everything.
    Any,
    /// What the handshakes of streams say.
    Streams,
}

/// The text of the module that compares the two, as it grows.
struct Pair<'p> {
    ports: &'p [PortInfo],
    contract: Contract,
    clock: &'p str,
    /// Its ports.
    head: Vec<String>,
    body: String,
    /// The connections of the design and of the mutant.
    pins: [Vec<String>; 2],
    /// What must be true in every cycle.
    same: Vec<String>,
}

/// The module that compares the two. Without a clock they are combinational, and the surroundings have one.
fn pair(ports: &[PortInfo], clock: Option<&str>, reset: Option<&str>, contract: Contract) -> String {
    let own: Vec<String> = clock.into_iter().map(|clock| format!(".{clock}({clock})")).collect();
    let clock = clock.unwrap_or("pair_clock");
    let (head, body) = (vec![format!("input {clock}")], String::new());
    let mut pair = Pair { ports, contract, clock, head, body, pins: [own.clone(), own], same: vec![] };
    pair.line(&format!("reg started = 0;\n    always @(posedge {clock}) started <= 1;"));
    if let Some(reset) = reset {
        pair.head.push(format!("input {reset}"));
        pair.connect(reset, [&format!("{reset} | !started"); 2]);
    }
    for port in ports {
        if port.input { pair.input(port) } else { pair.output(port) }
    }
    pair.text()
}

fn range(port: &PortInfo) -> String {
    format!("[{}:0]", port.width - 1)
}

impl Pair<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "    {text}");
    }

    fn connect(&mut self, name: &str, values: [&str; 2]) {
        self.pins.iter_mut().zip(values).for_each(|(pins, value)| pins.push(format!(".{name}({value})")));
    }

    /// The prefix of the stream of which a port is payload or ready, where streams are looked at.
    fn stream(&self, port: &PortInfo) -> Option<String> {
        let mut valids = self.ports.iter().filter(|p| p.width == 1 && p.input == port.input && p.name != port.name);
        let of = |valid: &&PortInfo| prefix(&valid.name).is_some_and(|prefix| port.name.starts_with(prefix));
        let valid = valids.find(|valid| of(valid)).filter(|_| self.contract == Contract::Streams)?;
        prefix(&valid.name).map(String::from)
    }

    /// Both have the same input; that of a stream stays until it is taken.
    fn input(&mut self, port: &PortInfo) {
        let (name, range, clock) = (&port.name, range(port), self.clock);
        self.head.push(format!("input {range} {name}"));
        let own = prefix(name).filter(|_| self.contract == Contract::Streams).map(String::from);
        let has_ready = |prefix: &String| self.ports.iter().any(|port| port.name == format!("{prefix}ready"));
        let held = self.stream(port).or(own).filter(|prefix| has_ready(prefix) && !name.ends_with("ready"));
        let Some(prefix) = held else { return self.connect(name, [name; 2]) };
        self.line(&format!(
            "reg {range} {name}_held = 0;\n    wire {range} {name}_now = {prefix}wait ? {name}_held : {name};"
        ));
        self.line(&format!("always @(posedge {clock}) {name}_held <= {name}_now;"));
        if name.ends_with("valid") {
            self.line(&format!("reg {prefix}wait = 0;"));
            self.line(&format!("always @(posedge {clock}) {prefix}wait <= {name}_now & !plain_{prefix}ready;"));
        }
        self.connect(name, [&format!("{name}_now"); 2]);
    }

    /// The outputs of both are equal, payloads while they are valid, and of those the words that are kept.
    fn output(&mut self, port: &PortInfo) {
        let name = &port.name;
        let [plain, mutant] = ["plain", "mutant"].map(|side| format!("{side}_{name}"));
        self.line(&format!("wire {0} {plain};\n    wire {0} {mutant};", range(port)));
        self.connect(name, [&plain, &mutant]);
        let equal = match self.stream(port).filter(|_| !name.ends_with("ready")) {
            None => format!("({plain} == {mutant})"),
            Some(prefix) => match self.keep(&prefix).filter(|_| name.ends_with("data")) {
                None => format!("(!plain_{prefix}valid | ({plain} == {mutant}))"),
                Some(keep) => {
                    let word = port.width / keep.width;
                    let lane = |i: u32| format!("{{{word}{{plain_{}[{i}]}}}}", keep.name);
                    let mask = (0..keep.width).rev().map(lane).collect::<Vec<_>>().join(", ");
                    format!("(!plain_{prefix}valid | ((({plain} ^ {mutant}) & {{{mask}}}) == 0))")
                }
            },
        };
        self.same.push(equal);
    }

    /// What says which words of a stream's data are kept.
    fn keep(&self, prefix: &str) -> Option<&PortInfo> {
        let named = |end: &str| self.ports.iter().find(|port| port.name == format!("{prefix}{end}"));
        named("keep").or(named("tkeep"))
    }

    fn text(&self) -> String {
        let [plain, mutant] = [0, 1].map(|side| self.pins[side].join(", "));
        let (head, body, same) = (self.head.join(",\n    "), &self.body, self.same.join(" & "));
        // wires before their use
        format!(
            "module pair (\n    {head}, output bad\n);\n{body}    plain plain_unit ({plain});\n    \
             mutant mutant_unit ({mutant});\n    assign bad = started & !({same});\nendmodule\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_statistics() {
        let stat = "=== m ===\n\n     1467 public wire bits\n        1 memories\n    16384 memory bits\n      255 cells\n        6   $add\n";
        assert_eq!((figure(stat, "cells"), figure(stat, "memory bits"), figure(stat, "processes")), (255, 16384, 0));
    }

    #[test]
    fn streams_hold_their_beats_and_unused_lanes_do_not_count() {
        let port = |name: &str, width, input| PortInfo::new(name, width, input);
        let ports = [
            port("s_valid", 1, true),
            port("s_ready", 1, false),
            port("s_data", 8, true),
            port("m_valid", 1, false),
            port("m_data", 16, false),
            port("m_keep", 2, false),
            port("level", 3, false),
        ];
        let text = pair(&ports, Some("clk"), Some("rst"), Contract::Streams);
        let has = |part: &str| assert!(text.contains(part), "no `{part}` in\n{text}");
        has("wire [7:0] s_data_now = s_wait ? s_data_held : s_data;");
        has("s_wait <= s_valid_now & !plain_s_ready;");
        has("(plain_s_ready == mutant_s_ready)");
        has(
            "(!plain_m_valid | (((plain_m_data ^ mutant_m_data) & {{8{plain_m_keep[1]}}, {8{plain_m_keep[0]}}}) == 0))",
        );
        has("(!plain_m_valid | (plain_m_keep == mutant_m_keep)) & (plain_level == mutant_level)");
        let text = pair(&ports, Some("clk"), Some("rst"), Contract::Any);
        assert!(!text.contains("held") && !text.contains("wait"), "{text}");
        let equal =
            ["s_ready", "m_valid", "m_data", "m_keep", "level"].map(|name| format!("(plain_{name} == mutant_{name})"));
        assert!(text.contains(&equal.join(" & ")), "{text}");
    }

    #[test]
    fn a_design_without_a_clock_is_compared_in_the_cycles_of_its_surroundings() {
        let port = |name: &str, input| PortInfo::new(name, 1, input);
        let text = pair(&[port("a", true), port("y", false)], None, None, Contract::Streams);
        let has = |part: &str| assert!(text.contains(part), "no `{part}` in\n{text}");
        has("always @(posedge pair_clock) started <= 1;");
        has("plain plain_unit (.a(a), .y(plain_y));");
        has("assign bad = started & !((plain_y == mutant_y));");
    }
}
