//! Bits and parts of a register or wire at a place that a signal gives: the Verilog decodes the writes, in a loop where they are many.

use hdl::*;

ports! {
    pub struct DecodedPorts() {
        input write: Signal = bits(1),
        input clear: Signal = bits(1),
        input to: Signal = bits(5),
        input word: Signal = bits(8),
        output used: Signal = bits(32),
        output counts: Signal = bits(128),
        output fives: Signal = bits(132),
        output off: Signal = bits(14),
        output single: Signal = bits(16),
        output mark: Signal = bits(32),
        output read: Signal = bits(10),
    }
}

#[module]
pub fn decoded() -> Result<Design<DecodedPorts>, Errors> {
    let m = Module::new("decoded");
    let io = DecodedPorts::new(m);

    m.section("32 single bits, written at two places");
    let used = m.reg_reset(bits(32), 0);
    m.when(io.write, || used.part(io.to, 1).set(1)).elsewhen(io.clear, || used.part(!io.to, 1).set(0));
    io.used.set(used);

    m.section("32 parts side by side, of which some are written over");
    let counts = m.reg_reset(bits(128), 0);
    let at = io.to.cat(io.to.zeros(2));
    m.when(io.write, || {
        counts.part(at, 4).set(io.word.trunc(4));
        m.when(io.clear, || counts.bits(9, 6).set(io.word.drop_low(4)));
    });
    io.counts.set(counts);

    m.section("8 parts of 5 bits, 9 apart: places that are a product");
    let fives = m.reg_reset(bits(132), 0);
    let place = (io.to.trunc(3) * io.to.lit(9u32, 4)).zext(8);
    m.when(!io.clear, || fives.part(place, 5).set(io.word.trunc(5)));
    io.fives.set(fives);

    m.section("what a parameter switched off keeps its reset value");
    let never = m.lit(0u32, 1);
    let off = m.reg_reset(bits(8), 5);
    m.when(never, || off.set(io.word));
    let elements = m.reg_reset(vector(bits(2), 3), 1);
    m.when(never, || elements[1].set(io.word.trunc(2)));
    elements[0].set(io.word.trunc(2));
    elements[2].set(io.word.trunc(2));
    io.off.set(off.cat(elements.pack()));

    m.section("a memory of one word: address 1 is none");
    let single = m.memory(bits(8), 1);
    single.write(io.to.trunc(1), io.word, io.write);
    let lanes = m.memory(bits(8), 1);
    lanes.write_lanes(io.to.trunc(1), io.word, io.clear.cat(io.write));
    let first = m.lit(0u32, 1);
    io.single.set(single.read(first).cat(lanes.read(first)));

    m.section("a wire");
    io.mark.set(0);
    m.when(io.write, || io.mark.part(io.to, 1).set(1));
    io.read.set(used.part(io.to, 1).cat(counts.part(at, 4)).cat(fives.part(place, 5)));
    m.finish(io)
}
