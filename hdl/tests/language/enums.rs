//! State enums: their codes, their names in the Verilog, and what a switch over them does with every code.

#![allow(non_snake_case)]

use crate::common;

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

/// The reset of a register file is as wide as all its elements, and so no state of one.
#[test]
#[module]
fn register_files_of_states() {
    #[derive(Clone, Copy, State)]
    enum Side {
        Left,
        Right,
    }
    ports! { struct P() { input at: Signal = bits(1), output side: StateSignal<Side> = state() } }
    let m = Module::new("example");
    let io = P::new(m);
    let sides = m.reg_file_reset(state::<Side>(), 2, 0);
    m.when(io.at, || sides[0].set(Side::Right)).otherwise(|| sides[1].set(Side::Left));
    io.side.set(sides.at(io.at));
    let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
    assert!(text.contains("sides <= 2'h0;") && !text.contains("sides <= SIDE_LEFT"), "{text}");
}
