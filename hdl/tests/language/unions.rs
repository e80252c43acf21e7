//! Tagged unions: what goes in comes out, on ports, in registers and memories; and unions that share bits.
#![allow(missing_docs)]

use crate::common;

use common::golden::compare;
use hdl::engine::Engine;
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

#[derive(Clone, Copy, State)]
#[repr(u8)]
#[state(width = 4)]
enum Opcode {
    Nop = 4,
    Add,
    Jump = 2 + 9,
}

tagged! {
    /// What a master asks for.
    enum Command(address_bits: u32) {
        /// Nothing.
        Idle,
        /// A word.
        Read {
            /// Which.
            address: Signal = bits(address_bits),
            tag: Signal = bits(2),
        },
        Write { address: Signal = bits(address_bits), word: (Signal, Signal) = (bits(3), bits(5)) },
        Control { code: StateSignal<Opcode> = state() },
        Nested { inner: TaggedSignal<Inner> = Inner::shape() },
    }
}
tagged! {
    #[state(encoding = "one_hot")]
    enum Inner() {
        Small { a: Signal = bits(1) },
        Large { a: Signal = bits(6) },
    }
}

ports! {
    struct CommandPorts() {
        input s: Stream<TaggedSignal<Command>> = stream(Command::shape(4)),
        output m: Stream<TaggedSignal<Command>> = stream(Command::shape(4)),
        input at: Signal = bits(2),
        output seen: TaggedSignal<Command> = Command::shape(4),
        output sum: Signal = bits(8),
        output read: Signal = bits(6),
        output writes: Signal = bits(1),
    }
}

/// Unions on ports, in a stream, a register, a memory and a mux.
#[module]
fn commands() -> Design<CommandPorts> {
    let m = Module::new("commands");
    let io = CommandPorts::new(m);
    m.section("a register");
    let held = m.reg_reset_to(Command::shape(4), Command::Control { code: Opcode::Jump.like(&state_of(io.at)) });
    let full = m.reg_reset(bits(1), 0);
    io.s.ready.set(!full | io.m.ready);
    m.when(io.s.ready, || {
        full.set(io.s.valid);
        held.set(io.s.payload);
    });
    io.m.valid.set(full);
    io.m.payload.set(held.is(CommandTag::Idle).mux(held, Command::Read { address: io.at.zext(4), tag: io.at }));

    m.section("a memory");
    let words = m.memory(Command::shape(4), 4);
    words.write(io.at, held, full);
    io.seen.set(words.read(io.at));

    m.section("fields");
    io.sum.set(0);
    m.match_tag(held, |command| match command {
        Command::Idle => (),
        Command::Read { address, tag } => io.sum.set(address.zext(8) + tag.zext(8)),
        Command::Write { word: (high, low), .. } => io.sum.set(high.cat(low)),
        Command::Control { code } => m.when(code.is(Opcode::Jump), || io.sum.set(0xff)).otherwise(|| io.sum.set(1)),
        Command::Nested { inner } => m.match_tag(inner, |inner| match inner {
            Inner::Small { a } => io.sum.set(a.zext(8)),
            Inner::Large { a } => io.sum.set(a.cat(a.zeros(2))),
        }),
    });
    let (address, tag) = Command::as_read(held);
    io.read.set(address.cat(tag));
    io.writes.set(held.tag().is(CommandTag::Write));
    m.finish(io).unwrap()
}

/// A state in the module of a signal.
fn state_of<E: State>(signal: Signal) -> StateSignal<E> {
    let shape = state::<E>();
    shape.unpack(signal.zeros(shape.total_width()))
}

/// What goes into a union comes out of it.
#[test]
fn unions() {
    let design = commands();
    for (file, text) in verilog(&design, &Options::default()).files() {
        compare("verilog/commands", &file, &text);
    }
    let mut sim = Simulator::new(&design);
    let port = |name: &str| design.port_list().iter().position(|p| p.name == name).unwrap();
    let [tag, payload, at] = ["s_tag", "s_payload", "at"].map(port);
    let widths: Vec<u32> = [tag, payload].map(|p| design.port_list()[p].width).to_vec();
    assert_eq!(widths, [3, 12]);
    sim.poke(port("s_valid"), 1);
    sim.poke(port("m_ready"), 1);
    sim.poke(at, 2);
    sim.reset(1);
    assert_eq!((sim.peek(port("sum")), sim.peek(port("m_tag"))), (0xff, 1)); // the value after reset
    let sums = [
        (0, 0xfff, 0),
        (1, 0b110111, 13 + 3),
        (2, 0b111110101010, 0b10101010),
        (3, 11, 0xff),
        (3, 4, 1),
        (4, 0b01_000001, 1),
        (4, 0b10_101101, 0b1011_0100),
        (4, 0b11_101101, 1),           // no legal tag inside: the first bit that is set
        (7, 0b10_101101, 0b1011_0100), // no legal tag: the last variant
    ];
    for (code, bits, sum) in sums {
        sim.poke(tag, code);
        sim.poke(payload, bits);
        sim.step();
        assert_eq!(sim.peek(port("sum")), sum, "{code} {bits:b}");
        assert_eq!(sim.peek(port("read")), bits & 0x3f);
        assert_eq!(sim.peek(port("writes")), u64::from(code == 2));
        let (m_tag, m_payload) = (sim.peek(port("m_tag")), sim.peek(port("m_payload")));
        assert_eq!((m_tag, m_payload), if code == 0 { (0, 0xfff) } else { (1, 0b001010) });
        sim.step();
        assert_eq!((sim.peek(port("seen_tag")), sim.peek(port("seen_payload"))), (code, bits));
    }
}

/// Values have zeros above their fields.
#[test]
fn values_of_unions() {
    let m = Module::new("values");
    let io = ValuePorts::new(m);
    io.y.set(Command::Idle);
    m.when(io.go, || io.y.set(Command::Write { address: m.lit(9u32, 4), word: (m.lit(5u32, 3), m.lit(3u32, 5)) }));
    m.when(!io.go & io.x, || io.y.set(Command::Nested { inner: Inner::Small { a: io.x }.like(&inner(io.x)) }));
    let design = m.finish(io).unwrap();
    let mut sim = Simulator::new(&design);
    for (go, x, tag, payload) in [(0, 0, 0, 0), (1, 0, 2, 0b100110100011), (0, 1, 4, 0b01000001)] {
        sim.poke(0, go);
        sim.poke(1, x);
        assert_eq!((sim.peek(2), sim.peek(3)), (tag, payload));
    }
}

ports! {
    struct ValuePorts() {
        input go: Signal = bits(1),
        input x: Signal = bits(1),
        output y: TaggedSignal<Command> = Command::shape(4),
    }
}

fn inner(signal: Signal) -> TaggedSignal<Inner> {
    Inner::shape().unpack(signal.zeros(8))
}
