//! Vectors and arrays: as ports, wires, registers, words of memories, payloads and ports of instances; elements that a signal
//! chooses, on both sides; lengths of 1. The printed text is in tests/verilog/vectors. `BLESS=1` renews it.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, without_places};
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;

/// Compares the printed text with a file.
fn prints<P: Ports>(name: &str, design: &Design<P>) {
    let text = verilog(design, &Options::default()).single();
    compare("verilog/vectors", &format!("{name}.v"), &without_places(&text));
}

#[derive(Clone, Copy, Debug, Bundle)]
struct Entry {
    valid: Signal,
    tag: Signal,
}

fn entry(width: u32) -> Entry {
    Entry { valid: bits(1), tag: bits(width) }
}

ports! {
    struct TablePorts(width: u32, length: usize) {
        input write: Signal = bits(1),
        input clear: Signal = bits(1),
        input to: Signal = bits(clog2(length)),
        input from: Signal = bits(clog2(length)),
        input data: Entry = entry(width),
        output word: Entry = entry(width),
        output all: Vector<Entry> = vector(entry(width), length),
    }
}

/// Which registers the table is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Made {
    Apart,
    File,
}

#[module]
fn table(made: Made, width: u32, length: usize) -> Result<Design<TablePorts>, Errors> {
    let m = Module::new("entries_table");
    let io = TablePorts::new(m, width, length);
    let entries = match made {
        Made::Apart => m.reg_reset(vector(entry(width), length), 0),
        Made::File => m.reg_file_reset(entry(width), length, 0),
    };
    m.when(io.write, || entries.at(io.to).set(io.data));
    m.when(io.clear, || entries.at(io.to).valid.set(0));
    // a bit of a field
    m.when(io.clear & io.write, || entries.at(io.to).tag.bit(0).set(1));
    io.word.set(entries.at(io.from));
    io.all.set(entries);
    m.finish(io)
}

/// A port by its name.
fn port(sim: &Simulator, name: &str) -> usize {
    sim.port(name).unwrap_or_else(|| panic!("no port {name}"))
}

/// Random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Both kinds of tables do what a list does, also where the index is beyond the last element.
#[test]
fn tables_of_every_length() {
    for made in [Made::Apart, Made::File] {
        for (width, length) in
            [(1, 1), (8, 1), (1, 2), (3, 2), (8, 3), (3, 5), (5, 5), (1, 8), (20, 16), (7, 33), (64, 4)]
        {
            let mut sim = Simulator::new(&table(made, width, length).unwrap_or_else(|e| panic!("{e}")));
            let mut list = vec![(0, 0); length];
            let mut r = Random(hdl::bus::run_seed(1 + length as u64));
            let [write, clear, to, from] = ["write", "clear", "to", "from"].map(|name| port(&sim, name));
            let [valid, tag] = ["data_valid", "data_tag"].map(|name| port(&sim, name));
            let [word_valid, word_tag] = ["word_valid", "word_tag"].map(|name| port(&sim, name));
            sim.reset(1);
            for cycle in 0..400 {
                let places = 1 << clog2(length);
                let inputs =
                    [r.below(2), r.below(3) / 2, r.below(places), r.below(places), r.below(2), r.below(1 << 32)];
                let [w, c, t, f, v, x] = inputs;
                let x = x & (u64::MAX >> (64 - width));
                [(write, w), (clear, c), (to, t), (from, f), (valid, v), (tag, x)]
                    .iter()
                    .for_each(|(p, v)| sim.poke(*p, *v));
                let here = format!("{made:?}, {length} of {width} bits, cycle {cycle}");
                let read = list.get(f as usize).copied().unwrap_or((0, 0));
                assert_eq!((sim.peek(word_valid), sim.peek(word_tag)), read, "{here}: element {f}");
                for (i, element) in list.iter().enumerate() {
                    let all = [format!("all_{i}_valid"), format!("all_{i}_tag")].map(|name| port(&sim, &name));
                    assert_eq!((sim.peek(all[0]), sim.peek(all[1])), *element, "{here}: element {i}");
                }
                if let Some(element) = list.get_mut(t as usize) {
                    if w == 1 {
                        *element = (v, x);
                    }
                    if c == 1 {
                        element.0 = 0;
                    }
                    if w & c == 1 {
                        element.1 |= 1;
                    }
                }
                sim.step();
            }
        }
    }
}

#[test]
fn tables_print() {
    prints("registers_apart", &table(Made::Apart, 8, 4).unwrap());
    prints("registers_of_three", &table(Made::Apart, 3, 3).unwrap());
    prints("register_file", &table(Made::File, 8, 4).unwrap());
    prints("register_file_of_five", &table(Made::File, 3, 5).unwrap());
    prints("registers_of_one", &table(Made::Apart, 3, 1).unwrap());
    prints("register_file_of_one", &table(Made::File, 3, 1).unwrap());
}

/// A bundle with everything in it.
#[derive(Clone, Copy, Debug, Bundle)]
struct Row {
    ways: Vector<Entry>,
    pair: [Signal; 2],
    lru: Signal,
}

fn row(ways: usize) -> Row {
    Row { ways: vector(entry(4), ways), pair: [bits(2); 2], lru: bits(ways as u32) }
}

ports! {
    struct RowPorts(ways: usize) {
        input x: Row = row(ways),
        input way: Signal = bits(clog2(ways)),
        input other: Signal = bits(1),
        output y: Row = row(ways),
        output entry: Entry = entry(4),
        output whole: Signal = bits(ways as u32 * 6 + 4),
    }
}

/// Rows through a register, a memory, `mux`, `pack` and `unpack`, and an instance of itself.
#[module]
fn rows(ways: usize, inner: Option<&Design<RowPorts>>) -> Result<Design<RowPorts>, Errors> {
    let m = Module::new("rows");
    let io = RowPorts::new(m, ways);
    let held = m.reg_reset(row(ways), 0);
    held.set(io.x);
    let memory = m.memory(row(ways), 1);
    memory.write(m.lit(0u32, 1), held, m.lit(1u32, 1));
    let word = memory.read(m.lit(0u32, 1));
    let packed = word.pack();
    let chosen = io.other.mux(held, word.unpack(packed));
    let changed = m.wire(row(ways));
    changed.set(chosen);
    // an element of a wire that a signal chooses, in a field of a bundle
    m.when(io.other, || changed.ways.at(io.way).tag.set(chosen.ways.at(io.way).tag + 1));
    match inner {
        Some(inner) => {
            let below = m.instance(inner);
            below.x.set(changed);
            below.way.set(io.way);
            below.other.set(io.other);
            below.whole.unused();
            below.entry.unpack(below.entry.pack()).valid.unused();
            io.y.set(below.y);
        }
        None => io.y.set(changed),
    }
    io.entry.set(changed.ways.at(io.way));
    io.whole.set(packed);
    m.finish(io)
}

#[test]
fn rows_print_and_run() {
    let inner = rows(3, None).unwrap_or_else(|e| panic!("{e}"));
    let design = rows(3, Some(&inner)).unwrap_or_else(|e| panic!("{e}"));
    prints("rows", &design);
    let mut sim = Simulator::new(&design);
    sim.reset(1);
    let set = |sim: &mut Simulator, name: &str, value| {
        let at = port(sim, name);
        sim.poke(at, value);
    };
    for i in 0..3 {
        set(&mut sim, &format!("x_ways_{i}_tag"), 5 + i);
        set(&mut sim, &format!("x_ways_{i}_valid"), i & 1);
    }
    set(&mut sim, "x_pair_0", 2);
    set(&mut sim, "x_pair_1", 1);
    set(&mut sim, "x_lru", 6);
    set(&mut sim, "way", 2);
    (0..4).for_each(|_| sim.step());
    // the first field in the high bits, of a vector the first element in the low ones
    let ways = 7 | 6 << 5 | 1 << 9 | 5 << 10;
    let ways = (ways & 0x1f) << 10 | ways & 0x3e0 | ways >> 10 & 0x1f;
    let packed = port(&sim, "whole");
    let low_first = 5 | (6 | 1 << 4) << 5 | 7 << 10;
    assert_eq!(ways, low_first);
    assert_eq!(sim.peek(packed), low_first << 7 | (1 << 2 | 2) << 3 | 6, "{:x}", sim.peek(packed));
    let tag = |sim: &mut Simulator, i: u64| {
        let at = port(sim, &format!("y_ways_{i}_tag"));
        sim.peek(at)
    };
    assert_eq!([0, 1, 2].map(|i| tag(&mut sim, i)), [5, 6, 7]);
    set(&mut sim, "other", 1);
    (0..4).for_each(|_| sim.step());
    // once outside, once inside
    assert_eq!([0, 1, 2].map(|i| tag(&mut sim, i)), [5, 6, 9]);
    set(&mut sim, "way", 3);
    (0..4).for_each(|_| sim.step());
    assert_eq!([0, 1, 2].map(|i| tag(&mut sim, i)), [5, 6, 7]);
    let entry = port(&sim, "entry_tag");
    assert_eq!(sim.peek(entry), 0);
}

#[derive(Clone, Copy, Debug, Bundle)]
struct Tagged {
    odd: Signal,
    tag: Signal,
}

ports! {
    struct SwitchPorts(count: usize) {
        /// the inputs
        input s: Vector<Stream> = vector(stream(bits(8)), count),
        input from: Signal = bits(clog2(count)),
        input to: Signal = bits(clog2(count)),
        output m: Vector<Stream<Tagged>> = vector(stream(Tagged { odd: bits(1), tag: bits(8) }), count),
    }
}

/// A number of ports that is a parameter, chosen by signals in both directions of their handshakes.
#[module]
fn switch(count: usize) -> Result<Design<SwitchPorts>, Errors> {
    let m = Module::new("switch_matrix");
    let io = SwitchPorts::new(m, count);
    assert_eq!((io.s.len(), io.m.iter().count()), (count, count));
    for s in io.s {
        s.ready.set(0);
    }
    for (i, to) in io.m.into_iter().enumerate() {
        to.payload.set(Tagged { odd: m.lit(i as u32 & 1, 1), tag: io.s.at(io.from).payload });
        to.valid.set(0);
    }
    io.s.at(io.from).ready.set(io.m.at(io.to).ready);
    io.m.at(io.to).valid.set(io.s.at(io.from).valid);
    m.finish(io)
}

#[test]
fn streams_as_many_as_a_parameter_says() {
    prints("switch_matrix", &switch(3).unwrap_or_else(|e| panic!("{e}")));
    for count in [1, 2, 3, 5] {
        let mut sim = Simulator::new(&switch(count).unwrap_or_else(|e| panic!("{e}")));
        let [from, to] = ["from", "to"].map(|name| port(&sim, name));
        for (f, t) in (0..count).flat_map(|f| (0..count).map(move |t| (f, t))) {
            sim.poke(from, f as u64);
            sim.poke(to, t as u64);
            for i in 0..count {
                let ports =
                    [format!("s_{i}_valid"), format!("s_{i}_payload"), format!("m_{i}_ready")].map(|n| port(&sim, &n));
                sim.poke(ports[0], u64::from(i == f));
                sim.poke(ports[1], 10 + i as u64);
                sim.poke(ports[2], u64::from(i == t));
            }
            for i in 0..count {
                let ports =
                    [format!("m_{i}_valid"), format!("m_{i}_tag"), format!("s_{i}_ready")].map(|n| port(&sim, &n));
                let values = ports.map(|p| sim.peek(p));
                assert_eq!(
                    values,
                    [u64::from(i == t), 10 + f as u64, u64::from(i == f)],
                    "{f} to {t}, port {i} of {count}"
                );
            }
        }
    }
}

ports! {
    struct NestedPorts() {
        input set: Signal = bits(2),
        input way: Signal = bits(2),
        input tag: Signal = bits(4),
        input write: Signal = bits(1),
        input reads: [Signal; 2] = [bits(2); 2],
        /// a payload that is a vector
        input s: Stream<Vector> = stream(vector(bits(1), 2)),
        output m: Stream<Vector> = stream(vector(bits(1), 2)),
        output tags: Vector<Signal> = vector(bits(4), 2),
    }
}

/// A vector in each element of a register file, both chosen by signals, and a pipeline of a vector.
#[module]
fn nested() -> Result<Design<NestedPorts>, Errors> {
    let m = Module::new("nested");
    let io = NestedPorts::new(m);
    io.m.set(io.s.with(io.s.valid.mux(io.s.payload, vec![io.write, io.write])));
    let sets = m.reg_file(row(3), 4).named("table");
    sets.iter().for_each(|set| set.pair.set([m.lit(0u32, 2), m.lit(1u32, 2)]));
    sets.iter().for_each(|set| set.lru.set(set.pair[0].cat(set.pair[1].bit(0))));
    sets.iter().for_each(|set| set.ways.iter().for_each(|way| way.valid.set(set.lru.any())));
    m.when(io.write, || sets.at(io.set).ways.at(io.way).tag.set(io.tag));
    let p = m.pipeline("read");
    let read = Vector::of(io.reads.map(|set| sets.at(set).ways.at(io.way).tag));
    let found = p.enter(read).next();
    io.tags.set(p.leave(found));
    m.finish(io)
}

#[test]
fn vectors_in_vectors() {
    let design = nested().unwrap_or_else(|e| panic!("{e}"));
    prints("nested", &design);
    let mut sim = Simulator::new(&design);
    let set = |sim: &mut Simulator, list: &[(&str, u64)]| {
        for (name, value) in list {
            let at = port(sim, name);
            sim.poke(at, *value);
        }
    };
    for (s, w) in (0..4).flat_map(|s| (0..4).map(move |w| (s, w))) {
        set(&mut sim, &[("write", 1), ("set", s), ("way", w), ("tag", 3 * s + w)]);
        sim.step();
    }
    set(&mut sim, &[("write", 0)]);
    for (s, w) in (0..4).flat_map(|s| (0..4).map(move |w| (s, w))) {
        set(&mut sim, &[("way", w), ("reads_0", s), ("reads_1", 3 - s)]);
        sim.step();
        let [a, b] = ["tags_0", "tags_1"].map(|name| port(&sim, name));
        let wanted = |s: u64| if w < 3 { 3 * s + w } else { 0 };
        assert_eq!((sim.peek(a), sim.peek(b)), (wanted(s), wanted(3 - s)), "set {s}, way {w}");
    }
}

ports! {
    struct OnePorts(width: u32) {
        input at: Signal = bits(1),
        input x: Signal = bits(1),
        input set: Signal = bits(1),
        input word: Signal = bits(width),
        output chosen: Signal = bits(1),
        output held: Signal = bits(1),
        output read: Signal = bits(width),
        output read_sync: Signal = bits(width),
    }
}

/// A memory of one word, and a bit of one bit.
#[module]
fn ones() -> Result<Design<OnePorts>, Errors> {
    let m = Module::new("single");
    let io = OnePorts::new(m, 8);
    io.chosen.set(io.x.part(io.at, 1));
    let held = m.reg_reset(bits(1), 0);
    m.when(io.set, || held.part(io.at, 1).set(io.x));
    io.held.set(held);
    let memory = m.memory(bits(8), 1);
    memory.write(io.at, io.word, io.set);
    io.read.set(memory.read(io.at));
    io.read_sync.set(memory.read_sync(io.at));
    m.finish(io)
}

#[test]
fn one_is_no_special_case() {
    let design = ones().unwrap_or_else(|e| panic!("{e}"));
    prints("single", &design);
    let mut sim = Simulator::new(&design);
    sim.power_up(PowerUp::Zero);
    let ports = ["at", "x", "set", "word", "chosen", "held", "read", "read_sync"].map(|name| port(&sim, name));
    let [at, x, set, word, bit, held, read, read_sync] = ports;
    sim.reset(1);
    // address 1 names nothing: it reads as 0, and a write does nothing
    let steps = [(0, 1, 1, 7), (1, 0, 1, 9), (0, 0, 0, 3), (1, 1, 0, 3), (0, 0, 1, 4), (0, 1, 0, 5)];
    let (mut state, mut stored) = (0, 0);
    for (a, d, s, w) in steps {
        [(at, a), (x, d), (set, s), (word, w)].iter().for_each(|(port, value)| sim.poke(*port, *value));
        assert_eq!((sim.peek(bit), sim.peek(held)), (d & !a & 1, state));
        assert_eq!(sim.peek(read), if a == 0 { stored } else { 0 });
        let before = stored;
        if s == 1 && a == 0 {
            (state, stored) = (d, w);
        }
        sim.step();
        assert_eq!(sim.peek(read_sync), if a == 0 { before } else { 0 });
    }
    assert_eq!((state, stored), (0, 4));
}

ports! {
    struct TwicePorts() {
        input half: Signal = bits(1),
        input at: Signal = bits(3),
        input words: Vector<Signal> = vector(bits(3), 5),
        output low: Signal = bits(3),
        output word: Signal = bits(3),
    }
}

/// An index that stays within the vector, and then one that may go beyond its end.
#[module]
fn twice() -> Result<Design<TwicePorts>, Errors> {
    let m = Module::new("twice");
    let io = TwicePorts::new(m);
    io.low.set(io.words.at(io.half.zext(3)));
    io.word.set(io.words.at(io.at));
    m.finish(io)
}

#[test]
fn beyond_the_end_is_0_whatever_was_read_before() {
    let design = twice().unwrap();
    let mut sim = Simulator::new(&design);
    design.ports.words.into_iter().for_each(|word| sim.poke(word, 7));
    for at in 0..8 {
        sim.poke(design.ports.at, at);
        assert_eq!(sim.peek(design.ports.word), if at < 5 { 7 } else { 0 }, "element {at}");
    }
}
