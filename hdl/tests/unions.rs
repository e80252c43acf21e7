//! Tagged unions that share bits: each reads the fields of its own shape.
#![allow(missing_docs)]

use hdl::sim::Simulator;
use hdl::*;

tagged! {
    enum Split(low: u32, high: u32) {
        Pair { high: Signal = bits(high), low: Signal = bits(low) },
    }
}

tagged! {
    enum Other(low: u32) {
        Pair { high: Signal = bits(8 - low), low: Signal = bits(low) },
    }
}

ports! {
    struct Io() {
        input word: Signal = bits(9),
        output narrow: Signal = bits(2),
        output wide: Signal = bits(6),
        output other: Signal = bits(4),
    }
}

#[module]
fn two_readings() -> Result<Design<Io>, Errors> {
    let m = Module::new("two_readings");
    let io = Io::new(m);
    let (_, narrow) = Split::as_pair(Split::shape(2, 6).unpack(io.word));
    let (_, wide) = Split::as_pair(Split::shape(6, 2).unpack(io.word));
    let (_, other) = Other::as_pair(Other::shape(4).unpack(io.word));
    io.narrow.set(narrow);
    io.wide.set(wide);
    io.other.set(other);
    m.finish(io)
}

#[test]
fn of_the_same_bits() {
    let design = two_readings().unwrap();
    let io = design.ports;
    let mut sim = Simulator::new(&design);
    for word in [0x1ff, 0x0a5, 0x15a, 0x03c] {
        sim.poke(io.word, word);
        assert_eq!(sim.peek(io.narrow), word & 3);
        assert_eq!(sim.peek(io.wide), word & 63);
        assert_eq!(sim.peek(io.other), word & 15);
    }
}
