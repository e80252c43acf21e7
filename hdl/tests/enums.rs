//! State enums and tagged unions: their codes, their names in the Verilog, and what a switch over them does with every code.

#![allow(non_snake_case)]

mod common;

use common::golden::compare;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

/// Compares the Verilog with tests/verilog/NAME.
#[track_caller]
fn prints<P>(name: &str, design: &Design<P>) {
    for (file, text) in verilog(design, &Options::default()).files() {
        compare(&format!("verilog/{name}"), &file, &text);
    }
}

mod read {
    #[derive(Clone, Copy, hdl::State)]
    pub enum Phase {
        Idle,
        Burst,
        Drain,
    }
}
mod write {
    #[derive(Clone, Copy, hdl::State)]
    pub enum Phase {
        Idle,
        Address,
        Data,
        Response,
    }
}

ports! {
    struct TwoPorts() {
        input go: Signal = bits(1),
        output reading: StateSignal<read::Phase> = state(),
        output writing: StateSignal<write::Phase> = state(),
    }
}

/// Two enums of one name in one module.
#[module]
fn two_of_one_name(first_write: bool) -> Design<TwoPorts> {
    use read::Phase as Read;
    use write::Phase as Write;
    let m = Module::new("two_phases");
    let io = TwoPorts::new(m);
    let registers = || (m.state(Read::Idle), m.state(Write::Idle));
    let (reading, writing) = if first_write {
        let writing = m.state(Write::Idle);
        (m.state(Read::Idle), writing)
    } else {
        registers()
    };
    m.switch(reading, |s| {
        s.case(Read::Idle, || m.when(io.go, || reading.set(Read::Burst)));
        s.case(Read::Burst, || reading.set(Read::Drain));
        s.case(Read::Drain, || reading.set(Read::Idle));
    });
    m.switch(writing, |s| {
        s.case(Write::Idle, || m.when(reading.is(Read::Drain), || writing.set(Write::Address)));
        s.case(Write::Address, || writing.set(Write::Data));
        s.case(Write::Data, || writing.set(Write::Response));
        s.case(Write::Response, || writing.set(Write::Idle));
    });
    io.reading.set(reading);
    io.writing.set(writing);
    m.finish(io).unwrap()
}

#[test]
fn enums_of_one_name_are_told_apart() {
    let design = two_of_one_name(false);
    prints("two_phases", &design);
    // the names do not depend on which is used first
    let text = verilog(&two_of_one_name(true), &Options::default()).single();
    for name in ["READ_PHASE_BURST = 2'h1", "WRITE_PHASE_RESPONSE = 2'h3"] {
        assert!(text.contains(&format!("localparam [1:0] {name};")), "{text}");
    }
    let mut sim = Simulator::new(&design);
    let [go, reading, writing] = ["go", "reading", "writing"].map(|p| sim.port(p).unwrap());
    sim.reset(1);
    sim.poke(go, 1);
    let states = [(1, 0), (2, 0), (0, 1), (1, 2), (2, 3), (0, 0)];
    for state in states {
        sim.step();
        assert_eq!((sim.peek(reading), sim.peek(writing)), state);
    }
}

ports! {
    struct NamePorts() {
        input A_B_C: Signal = bits(2),
        output y: Signal = bits(4),
    }
}

/// Names that would be the same in capitals, names of the user, names of keywords, names that are not ASCII.
#[test]
#[module]
fn names_do_not_clash() {
    #[derive(Clone, Copy, State)]
    enum A {
        BC,
        Größe,
    }
    #[derive(Clone, Copy, State)]
    enum AB {
        C,
        #[allow(non_camel_case_types)]
        r#type,
    }
    let m = Module::new("clashes");
    let io = NamePorts::new(m);
    let (first, second, third) = (m.wire(state::<A>()), m.wire(state::<AB>()), m.wire(state::<AB>()));
    first.set(A::BC);
    m.when(io.A_B_C.bit(0), || first.set(A::Größe));
    second.set(AB::C);
    m.when(io.A_B_C.bit(1), || second.set(AB::r#type));
    third.set(second);
    {
        // another enum of the same path and name
        #[derive(Clone, Copy, State)]
        enum A {
            BC,
            D,
        }
        let other = m.wire(state::<A>());
        other.set(A::BC);
        m.when(io.A_B_C.bit(1), || other.set(A::D));
        let mine = other.is(A::BC).named("A_BC_1"); // as a localparam would be called
        io.y.set(cat(&[mine, other.code(), first.code(), third.code()]));
    }
    prints("clashes", &m.finish(io).unwrap());
}

#[derive(Clone, Copy, State)]
enum Three {
    Idle,
    Run,
    Flush,
}
#[derive(Clone, Copy, State)]
#[state(encoding = "one_hot")]
enum Hot {
    Idle,
    Load,
    Run,
    Flush,
}
#[derive(Clone, Copy, State)]
#[state(encoding = "gray")]
enum Gray {
    A,
    B,
    C,
    D,
    E,
}
#[derive(Clone, Copy, State)]
#[repr(u8)]
#[state(width = 4)]
enum Opcode {
    Nop = 4,
    Add,
    Jump = 2 + 9,
}
#[derive(Clone, Copy, State)]
enum Single {
    Only,
}

/// Codes and widths of the encodings.
#[test]
fn encodings() {
    fn codes<E: State>() -> (u32, Vec<u64>) {
        let code = |i| u64::try_from(E::ENCODING.code(i)).unwrap();
        (E::ENCODING.width(E::VARIANTS.len()), (0..E::VARIANTS.len()).map(code).collect())
    }
    assert_eq!(codes::<Three>(), (2, vec![0, 1, 2]));
    assert_eq!(codes::<Hot>(), (4, vec![1, 2, 4, 8]));
    assert_eq!(codes::<Gray>(), (3, vec![0, 1, 3, 2, 6]));
    assert_eq!(codes::<Opcode>(), (4, vec![4, 5, 11]));
    assert_eq!(codes::<Single>(), (1, vec![0]));
}

ports! {
    struct CodePorts() {
        input three: StateSignal<Three> = state(),
        input hot: StateSignal<Hot> = state(),
        input gray: StateSignal<Gray> = state(),
        input opcode: StateSignal<Opcode> = state(),
        input single: StateSignal<Single> = state(),
        output three_is: Signal = bits(4),
        output hot_is: Signal = bits(4),
        output gray_is: Signal = bits(4),
        output opcode_is: Signal = bits(4),
        output single_is: Signal = bits(4),
        output some_is: Signal = bits(4),
        output run: Signal = bits(1),
        output legal: Signal = bits(5),
    }
}

/// Which case each code takes: the number of the variant, 15 for a default.
#[module]
fn decoder() -> Design<CodePorts> {
    let m = Module::new("decoder");
    let io = CodePorts::new(m);
    m.switch(io.three, |s| {
        s.case(Three::Idle, || io.three_is.set(0));
        s.case(Three::Run, || io.three_is.set(1));
        s.case(Three::Flush, || io.three_is.set(2));
    });
    m.switch(io.hot, |s| {
        s.case(Hot::Load, || io.hot_is.set(1));
        s.case_any([Hot::Idle, Hot::Flush], || io.hot_is.set(0));
        s.case(Hot::Run, || io.hot_is.set(2));
    });
    m.switch(io.gray, |s| {
        s.case(Gray::C, || io.gray_is.set(2));
        s.case(Gray::D, || io.gray_is.set(3));
        s.case_any([] as [Gray; 0], || io.gray_is.set(9));
        s.case_any([Gray::B, Gray::A, Gray::E], || io.gray_is.set(1));
    });
    m.switch(io.opcode, |s| {
        s.case(Opcode::Nop, || io.opcode_is.set(0));
        s.case(Opcode::Add, || io.opcode_is.set(1));
        s.case(Opcode::Jump, || io.opcode_is.set(2));
        s.default(|| io.opcode_is.set(15)); // an illegal code
    });
    m.switch(io.single, |s| s.case(Single::Only, || io.single_is.set(0)));
    m.switch(io.hot, |s| {
        s.case(Hot::Load, || io.some_is.set(1));
        s.default(|| io.some_is.set(15));
    });
    io.run.set(io.hot.is(Hot::Run));
    io.legal.set(cat(&[
        io.three.is_legal(),
        io.hot.is_legal(),
        io.gray.is_legal(),
        io.opcode.is_legal(),
        io.single.is_legal(),
    ]));
    m.finish(io).unwrap()
}

/// Every code, also those that no variant has: as it is written in the documentation of `switch`.
#[test]
fn every_code_has_its_case() {
    let design = decoder();
    prints("decoder", &design);
    let mut sim = Simulator::new(&design);
    let port = |name: &str| design.port_list().iter().position(|p| p.name == name).unwrap();
    let mut check = |name: &str, code: u64, case: u64, legal: bool, bit: u32| {
        sim.poke(port(name), code);
        assert_eq!(sim.peek(port(&format!("{name}_is"))), case, "{name} {code}");
        assert_eq!(sim.peek(port("legal")) >> bit & 1, u64::from(legal), "{name} {code}");
        (sim.peek(port("some_is")), sim.peek(port("run")))
    };
    for (code, case) in [0, 1, 2, 2].into_iter().enumerate() {
        check("three", code as u64, case, code < 3, 4);
    }
    for code in 0..16u64 {
        // the first case whose bit is set; none: the last one
        let case = if code & 2 != 0 {
            1
        } else if code & 9 != 0 {
            0
        } else {
            2
        };
        let (some, run) = check("hot", code, case, code.count_ones() == 1, 3);
        assert_eq!((some, run), (if code & 2 != 0 { 1 } else { 15 }, code >> 2 & 1), "{code}");
    }
    for (code, case) in [1, 1, 3, 2, 1, 1, 1, 1].into_iter().enumerate() {
        check("gray", code as u64, case, [0, 1, 2, 3, 6].contains(&code), 2);
    }
    for code in 0..16 {
        let case = match code {
            4 => 0,
            5 => 1,
            11 => 2,
            _ => 15,
        };
        check("opcode", code, case, case != 15, 1);
    }
    check("single", 0, 0, true, 0);
    check("single", 1, 0, false, 0);
}

ports! {
    struct SelectorPorts() {
        input phase: StateSignal<Three> = state(),
        input x: Signal = bits(2),
        output y: Signal = bits(4),
        output z: Signal = bits(4),
    }
}

/// Bundles as selectors, also with a state in them: the rule of plain bits.
#[test]
#[module]
fn bundles_as_selectors() {
    let m = Module::new("selectors");
    let io = SelectorPorts::new(m);
    let both = (io.phase, io.x);
    let when = |phase: Three, x: u32| (phase.like(&io.phase), m.lit(x, 2));
    io.y.set(0);
    m.switch(both, |s| {
        s.case(when(Three::Run, 1), || io.y.set(1));
        s.case_any([when(Three::Idle, 3), when(Three::Flush, 3)], || io.y.set(2));
    });
    m.switch((io.x, io.x.bit(0)), |s| {
        s.case((m.lit(1u32, 2), m.lit(1u32, 1)), || io.z.set(1));
        s.default(|| io.z.set(7));
    });
    let design = m.finish(io).unwrap();
    let mut sim = Simulator::new(&design);
    for (phase, x, y, z) in [(1, 1, 1, 1), (0, 3, 2, 7), (2, 3, 2, 7), (1, 3, 0, 7), (3, 3, 0, 7), (0, 0, 0, 7)] {
        sim.poke(0, phase);
        sim.poke(1, x);
        assert_eq!((sim.peek(2), sim.peek(3)), (y, z), "{phase} {x}");
    }
}

/// A switch over a constant state, and one whose last case alone is left, have no condition in the Verilog.
#[test]
fn constant_states() {
    let m = Module::new("constant");
    let io = SelectorPorts::new(m);
    io.x.unused();
    m.switch(Three::Run.like(&io.phase), |s| {
        s.case(Three::Run, || io.y.set(5));
        s.default(|| io.y.set(6));
    });
    let zero = state::<Hot>().unpack(m.lit(0u32, 4));
    io.z.set(Hot::Run.like(&zero).is(Hot::Run).zext(4));
    io.phase.code().unused();
    let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
    assert!(text.contains("assign y = 4'h5;") && text.contains("assign z = 4'h1;"), "{text}");
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
    prints("commands", &design);
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
