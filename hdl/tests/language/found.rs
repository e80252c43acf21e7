//! What fuzzing found, each as a small test.
#![allow(missing_docs)]

use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

ports! {
    struct ShiftPorts() {
        input x: Signal = bits(8),
        input n: Signal = bits(40),
        output left: Signal = bits(8),
        output right: Signal = bits(8),
        output arithmetic: Signal = bits(8),
        output constant: Signal = bits(8),
    }
}

/// Verilator rejects shift amounts of more than 32 bits that are constant.
#[test]
#[module]
fn shifts_by_wide_amounts() {
    let m = Module::new("shifts");
    let io = ShiftPorts::new(m);
    io.left.set(io.x << io.n);
    io.right.set(io.x >> io.n);
    io.arithmetic.set(io.x.sra(io.n));
    io.constant.set(io.x.sra(m.lit(1u64 << 63, 64)));
    let design = m.finish(io).unwrap();
    let text = verilog(&design, &Options::default()).single();
    assert!(!text.contains("64'h"), "{text}");
    assert!(text.contains("32'hffffffff : n[31:0]"), "{text}");
    let mut sim = Simulator::new(&design);
    for (n, left, right, signed) in [(0, 0x96, 0x96, 0x96), (3, 0xb0, 0x12, 0xf2), (1 << 32, 0, 0, 0xff)] {
        sim.poke(0, 0x96);
        sim.poke(1, n);
        assert_eq!([2, 3, 4, 5].map(|port| sim.peek(port)), [left, right, signed, 0xff], "by {n}");
    }
}

ports! {
    struct DelayPorts() {
        input c: Signal = bits(1),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// A delay that is first asked for inside `otherwise` is a statement of the module; the `else` still finds its `if`.
#[test]
#[module]
fn a_delay_inside_otherwise() {
    let m = Module::new("delays");
    let io = DelayPorts::new(m);
    let p = m.pipeline("p");
    let (c, x) = p.enter((io.c, io.x));
    let chosen = m.wire(bits(8));
    let late = c.next();
    m.when(late, || chosen.set(7)).elsewhen(!late & late, || chosen.set(8)).otherwise(|| chosen.set(x.next()));
    io.y.set(p.leave(chosen));
    let mut sim = Simulator::new(&m.finish(io).unwrap());
    for (c, want) in [(1, 7), (0, 42)] {
        sim.poke(0, c);
        sim.poke(1, 42);
        sim.step();
        assert_eq!(sim.peek(2), want);
    }
}

ports! {
    struct ConstantPorts() {
        input x: Signal = bits(8),
        output overridden: Signal = bits(8),
        output parts: Signal = bits(8),
        output branch: Signal = bits(8),
        output arm: Signal = bits(8),
        output sum: Signal = bits(8),
    }
}

/// `always @*` never runs if it reads nothing that changes: what is constant must be an `assign`.
#[test]
#[module]
fn constant_assignments() {
    let m = Module::new("constants");
    let io = ConstantPorts::new(m);
    let (yes, three) = (m.lit(1u32, 1), m.lit(3u32, 2));
    io.overridden.set(0);
    m.when(io.x.any(), || io.overridden.set(io.x));
    m.when(yes, || io.overridden.set(1));
    io.parts.set(0);
    io.parts.bits(6, 3).set(9);
    io.parts.part(m.lit(2u32, 3), 2).set(3);
    io.branch.set(4);
    m.when(yes & !yes.eq(0), || io.branch.bits(1, 0).set(2)).otherwise(|| io.branch.set(io.x));
    io.arm.set(4);
    m.switch(three, |s| {
        s.case(2, || io.arm.set(5));
        s.case(three.zeros(2) + 3, || io.arm.set(6));
        s.default(|| io.arm.set(7));
    });
    io.sum.set((m.lit(200u32, 8) + 100) ^ (three.sext(8) & 0xf0));
    let design = m.finish(io).unwrap();
    let text = verilog(&design, &Options::default()).single();
    assert!(!text.contains("always"), "{text}");
    assert!(text.contains("assign sum = 8'hdc;"), "{text}");
    let mut sim = Simulator::new(&design);
    sim.poke(0, 0x55);
    assert_eq!([1, 2, 3, 4, 5].map(|port| sim.peek(port)), [1, 0b0100_1100, 6, 6, 0xdc], "{text}");
}

ports! {
    struct WritePorts() {
        input addr: Signal = bits(3),
        input x: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// Verilog orders the write ports of a memory only inside one process.
#[test]
#[module]
fn two_write_ports_in_their_order() {
    let m = Module::new("writes");
    let io = WritePorts::new(m);
    let ram = m.memory(bits(8), 8);
    ram.write(io.addr, io.x, io.go);
    let between = m.reg(bits(8));
    between.set(io.x + 1);
    let product = (between * between).trunc(8);
    ram.write(io.addr, product, !io.go | io.x.bit(0));
    io.y.set(ram.read(io.addr));
    let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
    let (first, second) = (text.find("ram[addr] <= x").unwrap(), text.find("ram[addr] <= product").unwrap());
    assert!(first < second && !text[first..second].contains("always"), "{text}");
}

ports! {
    struct PartlyPorts() {
        input x: Signal = bits(8),
        output y: Signal = bits(4),
    }
}

/// Bits of a signal that are lost behind its entry into a pipeline are gathered as unused, or lint tools complain.
#[test]
fn bits_lost_in_a_pipeline_are_unused() {
    let m = Module::new("partly");
    let io = PartlyPorts::new(m);
    let p = m.pipeline("p");
    io.y.set(p.leave(p.enter(io.x).trunc(4).next()));
    let design = m.finish(io).expect("legal");
    let text = verilog(&design, &Options::default()).single();
    assert!(text.contains("wire unused_ok = &{1'b0, x[7:4]};"), "{text}");
}

ports! {
    struct IndexPorts() {
        input at: Signal = bits(3),
        input x: Signal = bits(8),
        input go: Signal = bits(1),
        output word: Signal = bits(8),
        output flag: Signal = bits(1),
        output place: Signal = bits(8),
    }
}

/// Icarus computes `ram[at - 3'h1]` with more than 3 bits: arithmetic in an index stands under a name.
#[test]
#[module]
fn arithmetic_in_an_index() {
    let m = Module::new("indices");
    let io = IndexPorts::new(m);
    let ram = m.memory(bits(8), 8);
    ram.write(io.at + 3, io.x, io.go);
    io.word.set(ram.read(io.at - 1));
    io.flag.set(io.x.part(!io.at, 1));
    io.place.set(0);
    io.place.part(io.at ^ 5, 1).set(io.go);
    let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
    let indices: Vec<&str> = text.split('[').skip(1).filter_map(|rest| rest.split(']').next()).collect();
    assert!(indices.iter().filter(|index| index.starts_with("_t")).count() == 4, "{text}");
    assert!(!indices.iter().any(|index| index.contains(" - ") || index.contains('^') || index.contains('~')), "{text}");
}

ports! {
    struct OrderPorts() {
        input c: Signal = bits(1),
        input e: Signal = bits(1),
        input x: Signal = bits(3),
        output y: Signal = bits(3),
    }
}

/// In `if (c) begin if (e) r <= x; r[1] <= c; end`, Yosys 0.70 takes `x[1]`: the part has to stand in an `if` of its own.
#[test]
#[module]
fn a_part_after_a_condition() {
    let m = Module::new("order");
    let io = OrderPorts::new(m);
    let r = m.reg(bits(3));
    m.when(io.c, || {
        m.when(io.e, || r.set(io.x));
        r.bit(1).set(io.c);
    });
    io.y.set(r);
    let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
    assert!(text.contains("if (1'b1) r[1] <= c;"), "{text}");
}

ports! {
    struct AwayPorts() {
        input x: Signal = bits(8),
        input one: Signal = bits(1),
        input n: Signal = bits(4),
        output y: Vector<Signal> = vector(bits(8), 6),
        output gray: Signal = bits(1),
    }
}

/// Shifts by as many bits as there are, and by more: 0, or copies of the sign, whether the amount is a number or a signal.
#[test]
#[module]
fn shifts_of_all_bits() {
    let m = Module::new("shifts_of_all_bits");
    let io = AwayPorts::new(m);
    let away = [io.x << 8, io.x >> 9, io.x.sra(m.lit(8u32, 4)), io.x << io.n, io.x >> io.n, io.x.sra(io.n)];
    for (y, shifted) in io.y.into_iter().zip(away) {
        y.set(shifted);
    }
    io.gray.set(io.one ^ (io.one >> 1)); // as for any width
    let design = m.finish(io).unwrap();
    let ports = design.ports;
    let mut sim = Simulator::new(&design);
    sim.poke(ports.one, 1);
    assert_eq!(sim.peek(ports.gray), 1);
    for (x, sign) in [(0x96, 0xff), (0x69, 0)] {
        sim.poke(ports.x, x);
        for n in 8..16 {
            sim.poke(ports.n, n);
            assert_eq!([0, 1, 2, 3, 4, 5].map(|i| sim.peek(ports.y[i])), [0, 0, sign, 0, 0, sign], "{x:x} by {n}");
        }
    }
    let text = verilog(&design, &Options::default()).single();
    assert!(text.contains("assign y_0 = 8'h0;") && text.contains("assign gray = one ^ 1'h0;"), "{text}");
}
