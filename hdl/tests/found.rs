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
        output signed: Signal = bits(8),
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
    io.signed.set(io.x.sra(io.n));
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
