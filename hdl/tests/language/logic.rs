//! The logic of `hdl::logic` against what it says it does: exhaustive where the inputs are few, at powers of two where they are
//! many, at odd sizes throughout. The printed text is in tests/verilog/logic. `BLESS=1` renews it.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, without_places};
use hdl::engine::Engine;
use hdl::logic::*;
use hdl::sim::Simulator;
use hdl::*;

const SIZES: [u32; 8] = [1, 2, 3, 5, 8, 16, 33, 64];

ports! {
    struct UnaryPorts(input_bits: u32, output_bits: u32) {
        input x: Signal = bits(input_bits),
        output y: Signal = bits(output_bits),
    }
}

/// A module around a function of one signal.
#[module]
fn unary(name: &str, width: u32, f: impl Fn(Signal) -> Signal) -> Design<UnaryPorts> {
    let build = |result: u32| {
        let m = Module::new(format!("{name}_{width}"));
        let io = UnaryPorts::new(m, width, result);
        let y = f(io.x);
        if y.width() == result {
            io.y.set(y);
        } else {
            io.y.set(0);
        }
        (y.width(), m.finish(io))
    };
    let (result, _) = build(1);
    build(result).1.unwrap_or_else(|e| panic!("{e}"))
}

/// Every number up to 16 bits; else those of one and of two ones, their complements, and random ones.
fn numbers(width: u32) -> Vec<u64> {
    if width <= 16 {
        return (0..1 << width).collect();
    }
    let ones = u64::MAX >> (64 - width);
    let pairs = (0..width).flat_map(|a| (0..width).map(move |b| 1 << a | 1 << b));
    let mut random = 1u64;
    let many = std::iter::repeat_with(move || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random ^ random >> 33) & ones
    });
    pairs.flat_map(|x| [x, x ^ ones]).chain([0, ones]).chain(many.take(2000)).collect()
}

/// Compares a module with a function, on all numbers.
fn agrees(design: &Design<UnaryPorts>, width: u32, wanted: impl Fn(u64) -> u64) {
    let mut sim = Simulator::new(design);
    for x in numbers(width) {
        sim.poke(0, x);
        assert_eq!(sim.peek(1), wanted(x), "{} of {x:#x}", design.name());
    }
}

/// Compares the printed text with a file.
fn prints<P>(design: &Design<P>) {
    let text = verilog(design, &Options::default()).single();
    compare("verilog/logic", &format!("{}.v", design.name()), &without_places(&text));
}

#[test]
fn number_of_ones() {
    for width in SIZES {
        let design = unary("popcount", width, popcount);
        assert_eq!(design.port_list()[1].width, clog2(width as usize + 1), "no wider than it needs");
        agrees(&design, width, |x| x.count_ones().into());
    }
    prints(&unary("popcount", 5, popcount));
}

#[test]
fn first_and_last() {
    for width in SIZES {
        let both = |found: Found| found.any.cat(found.index);
        let place =
            |found: bool, at: u32| (u64::from(found) << clog2(width as usize)) | (u64::from(at) * u64::from(found));
        let first = unary("first_one", width, |x| both(first_one(x)));
        agrees(&first, width, |x| place(x > 0, x.trailing_zeros()));
        let last = unary("last_one", width, |x| both(last_one(x)));
        agrees(&last, width, |x| place(x > 0, 63u32.saturating_sub(x.leading_zeros())));
        agrees(&unary("only_first_one", width, only_first_one), width, |x| x & x.wrapping_neg());
    }
    prints(&unary("first_one", 5, |x| first_one(x).any.cat(first_one(x).index)));
}

#[test]
fn one_hot_and_back() {
    for count in SIZES {
        let (index_bits, ones) = (clog2(count as usize), u64::MAX >> (64 - count));
        let one = |i: u64| if i < u64::from(count) { 1 << i } else { 0 };
        agrees(&unary("one_hot", index_bits, |x| one_hot(x, count as usize)), index_bits, one);
        let back = unary("index_of_one_hot", count, index_of_one_hot);
        let or = |x: u64| (0..u64::from(count)).filter(|i| x >> i & 1 == 1).fold(0, |a, b| a | b);
        agrees(&back, count, |x| or(x & ones));
    }
    prints(&unary("one_hot", 3, |x| one_hot(x, 5)));
    prints(&unary("index_of_one_hot", 5, index_of_one_hot));
}

#[derive(Clone, Copy, Bundle)]
struct Word {
    flag: Signal,
    data: Signal,
}

ports! {
    struct SelectPorts(count: usize) {
        input select: Signal = bits(count as u32),
        input options: Vector<Word> = vector(Word { flag: bits(1), data: bits(7) }, count),
        output word: Word = Word { flag: bits(1), data: bits(7) },
    }
}

#[module]
fn selector(count: usize) -> Design<SelectPorts> {
    let m = Module::new(format!("mux1h_{count}"));
    let io = SelectPorts::new(m, count);
    io.word.set(mux1h(io.select, &io.options));
    m.finish(io).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn one_of_several() {
    for count in SIZES {
        let mut sim = Simulator::new(&selector(count as usize));
        let [select, flag, data] = ["select", "word_flag", "word_data"].map(|name| sim.port(name).unwrap());
        for i in 0..count {
            let ports = [format!("options_{i}_flag"), format!("options_{i}_data")].map(|name| sim.port(&name).unwrap());
            sim.poke(ports[0], u64::from(i & 1));
            sim.poke(ports[1], u64::from(i + 1));
        }
        sim.poke(select, 0);
        assert_eq!((sim.peek(flag), sim.peek(data)), (0, 0));
        for i in 0..count {
            sim.poke(select, 1 << i);
            assert_eq!((sim.peek(flag), sim.peek(data)), (u64::from(i & 1), u64::from(i + 1)), "{i} of {count}");
        }
        if count > 1 {
            sim.poke(select, 3);
            assert_eq!((sim.peek(flag), sim.peek(data)), (1, 1 | 2));
        }
    }
    prints(&selector(3));
}

ports! {
    struct AgePorts(ways: usize) {
        input used: Signal = bits(1),
        input way: Signal = bits(clog2(ways)),
        output victim: Signal = bits(clog2(ways)),
    }
}

#[module]
fn ages(ways: usize) -> Design<AgePorts> {
    let m = Module::new(format!("tree_plru_{ways}"));
    let io = AgePorts::new(m, ways);
    let plru = TreePlru::new(ways);
    let state = m.reg_reset(plru.state(), 0);
    m.when(io.used, || state.set(plru.used(state, io.way)));
    io.victim.set(plru.victim(state));
    m.finish(io).unwrap_or_else(|e| panic!("{e}"))
}

/// The victim of a tree of bits, as a walk over nodes 1, 2 and 3, 4 to 7 ...; a use turns the bits on its path.
struct Tree {
    bits: Vec<usize>,
}

impl Tree {
    fn victim(&self) -> usize {
        let ways = self.bits.len();
        let mut node = 1;
        while node < ways {
            node = 2 * node + self.bits[node];
        }
        node - ways
    }
    fn used(&mut self, way: usize) {
        let ways = self.bits.len();
        let mut node = way + ways;
        while node > 1 {
            self.bits[node / 2] = 1 - node % 2;
            node /= 2;
        }
    }
}

#[test]
fn least_recently_used() {
    for ways in [1, 2, 4, 8, 16, 64] {
        let mut sim = Simulator::new(&ages(ways));
        let mut tree = Tree { bits: vec![0; ways] };
        let mut random = 7u64;
        sim.reset(1);
        for use_number in 0..600 {
            // first every way by its turn as a victim, then any
            let way = if use_number < 2 * ways { tree.victim() } else { (random >> 40) as usize % ways };
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let used = random >> 50 & 3 > 0 || use_number < 2 * ways;
            [(0, u64::from(used)), (1, way as u64)].iter().for_each(|(port, value)| sim.poke(*port, *value));
            assert_eq!(sim.peek(2), tree.victim() as u64, "{ways} ways, use {use_number}");
            sim.step();
            if used {
                tree.used(way);
                assert!(ways == 1 || tree.victim() != way);
            }
        }
    }
    prints(&ages(4));
    prints(&ages(1));
}

/// From reset, replacing victim after victim takes every way once.
#[test]
fn every_way_has_its_turn() {
    for ways in [1, 2, 4, 8, 16, 64] {
        let mut sim = Simulator::new(&ages(ways));
        sim.reset(1);
        let mut seen = vec![0; ways];
        sim.poke(0, 1);
        for _ in 0..3 * ways {
            let victim = sim.peek(2);
            seen[victim as usize] += 1;
            sim.poke(1, victim);
            sim.step();
        }
        assert!(seen.iter().all(|n| *n == 3), "{ways} ways: {seen:?}");
    }
}

ports! {
    struct CountPorts(most: u32) {
        input up: Signal = bits(1),
        input down: Signal = bits(1),
        output level: Signal = bits(clog2(most as usize + 1)),
        output empty: Signal = bits(1),
        output full: Signal = bits(1),
        output wrong: Signal = bits(1),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Plain,
    Saturating,
    Checked,
}

#[module]
fn up_down(kind: Kind, most: u32, start: u32) -> Design<CountPorts> {
    let m = Module::new(format!("up_down_{most}"));
    let io = CountPorts::new(m, most);
    let count = UpDown::from(m, most, start);
    let wrong = match kind {
        Kind::Checked => count.checked(io.up, io.down),
        Kind::Saturating => {
            count.saturating(io.up, io.down);
            io.up & io.up.zeros(1)
        }
        Kind::Plain => {
            count.count(io.up, io.down);
            io.up & io.up.zeros(1)
        }
    };
    io.wrong.set(wrong);
    io.level.set(count.level);
    io.empty.set(count.is_empty());
    io.full.set(count.is_full());
    m.finish(io).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_counter_that_leaves_its_range_is_reported() {
    for (start, port, message) in
        [(5, 0, "a counter that is full does not rise"), (0, 1, "a counter that is empty does not fall")]
    {
        let mut sim = Simulator::new(&up_down(Kind::Plain, 5, start));
        sim.keep_failures(true);
        sim.reset(1);
        [0, 1].into_iter().for_each(|port| sim.poke(port, 1));
        sim.step();
        assert!(sim.failures().is_empty(), "up and down together are neither");
        sim.poke(1 - port, 0);
        sim.step();
        let messages: Vec<_> = sim.failures().iter().map(|failure| failure.property.message.clone()).collect();
        assert_eq!(messages, [message]);
    }
}

#[test]
fn counters() {
    for (kind, most) in [Kind::Plain, Kind::Saturating, Kind::Checked].into_iter().flat_map(|k| SIZES.map(|s| (k, s))) {
        for start in [0, most] {
            let mut sim = Simulator::new(&up_down(kind, most, start));
            sim.reset(1);
            let (mut level, mut random) = (start, 3u64);
            for cycle in 0..8 * most + 60 {
                // long runs to both ends
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let rising = cycle / (most + 3) % 2 == 0;
                let (mut up, mut down) = (rising || random >> 60 == 0, !rising || random >> 50 & 15 == 0);
                if kind == Kind::Plain {
                    up &= level < most;
                    down &= level > 0;
                }
                [(0, up), (1, down)].iter().for_each(|(port, value)| sim.poke(*port, u64::from(*value)));
                let wrong = (up && !down && level == most) || (down && !up && level == 0);
                let seen = [2, 3, 4, 5].map(|port| sim.peek(port));
                let wanted = [
                    level.into(),
                    u64::from(level == 0),
                    u64::from(level == most),
                    u64::from(wrong && kind == Kind::Checked),
                ];
                assert_eq!(seen, wanted, "{kind:?} to {most}, cycle {cycle}");
                match (up, down) {
                    _ if wrong => {}
                    (true, false) => level += 1,
                    (false, true) => level -= 1,
                    _ => {}
                }
                sim.step();
            }
        }
    }
    prints(&up_down(Kind::Checked, 5, 0));
    prints(&up_down(Kind::Plain, 1, 1));
}
