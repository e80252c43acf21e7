//! Parts that keep words by their addresses, or from one clock to another.

use super::words::WordPorts;
use super::{Engine, Proof};
use crate::checkers::{Side, keeps_words_in_order_between, sends_by_the_rules, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, bits, clog2, module};
use hw::memory::ram::{Collision, RamParams, RamPorts, ram};
use hw::stream::fifo::Style;
use hw::stream::fifo_two_clocks::fifo_two_clocks;

/// Flip-flops of each synchronizer; a reset lasts for as many edges of each clock at least.
pub const STAGES: u32 = 2;

/// A FIFO of two clocks, whose edges come in any order and at any distance, also together.
#[module]
fn two_clocks_proof(depth: usize, style: Style) -> Result<Design<()>, Errors> {
    let place = if style == Style::Block { "block" } else { "lut" };
    let m = Module::new(format!("prove_fifo_two_clocks_{place}_{depth}"));
    let io = WordPorts::new(m, 1);
    let (writer, reader) = (m.clock_domain("s_clk", "s_rst"), m.clock_domain("m_clk", "m_rst"));
    m.port_domain(io.s, writer);
    m.port_domain(io.m, reader);
    let part = m.instance(&fifo_two_clocks(1, depth, style, STAGES)?);
    part.s.set(io.s);
    io.m.set(part.m);
    m.in_domain(writer, || sends_by_the_rules(m, io.s, Side::Surroundings));
    m.in_domain(reader, || sends_by_the_rules(m, io.m, Side::Part));
    keeps_words_in_order_between(m, (writer, io.s), (reader, io.m), depth as u32, (STAGES + 1, depth == 4));
    Ok(m.finish(io)?.erase())
}

/// A RAM: any one lane of any one word (a prover chooses which) holds what was last written to it, and is read so.
#[module]
fn ram_proof(p: RamParams) -> Result<Design<()>, Errors> {
    let place = if p.style == Style::Block { "block" } else { "lut" };
    let m = Module::new(format!("prove_ram_{place}_{}x{}_{}", p.width, p.depth, p.lanes));
    let io = RamPorts::new(m, p);
    let part = m.instance(&ram(p)?);
    part.write_enable.set(io.write_enable);
    part.write_address.set(io.write_address);
    part.write_data.set(io.write_data);
    part.s.set(io.s);
    io.m.set(part.m);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    sends_by_the_rules(m, io.m, Side::Part);
    let (push, pop) = (io.s.transfer(), io.m.transfer());

    m.section("a word for each address");
    let waiting = m.reg_reset(bits(1), 0);
    m.when(push, || waiting.set(true)).elsewhen(pop, || waiting.set(false));
    m.assert(io.m.valid.eq(waiting), "a word stands at the output for each address, and no other");
    let moves = io.m.ready | !waiting;
    stalls_at_most(
        m,
        moves & !io.s.ready,
        0,
        "it takes an address whenever no word waits, or the one that does leaves",
    );

    m.section("any one lane of any one word");
    let (at, lane) = (m.anyconst(clog2(p.depth)), m.anyconst(clog2(p.lanes.max(2) as usize)));
    let there = if p.depth.is_power_of_two() { m.lit(1u32, 1) } else { at.lt(p.depth) };
    let width = p.width / p.lanes;
    let known = m.reg_reset(bits(1), 0).comment("it was written since the reset");
    let value = m.reg(bits(width));
    let (read_known, read) = (m.reg_reset(bits(1), 0), m.reg(bits(width)));
    let lanes = io.write_data.lanes(width).into_iter().zip(io.write_enable.lanes(1)).zip(io.m.payload.lanes(width));
    for (i, ((data, enable), out)) in lanes.enumerate() {
        m.when(lane.eq(i) & there, || {
            let written = enable & io.write_address.eq(at);
            m.when(written, || {
                known.set(true);
                value.set(data);
            });
            m.when(push, || {
                // what a read gives in the cycle of a write is only said of `Old`
                let said = if p.collision == Collision::Old { known } else { known & !written };
                read_known.set(said & io.s.payload.eq(at));
                read.set(value);
            });
            m.assert(!(waiting & read_known) | out.eq(read), "a word is read as it was last written");
            m.cover(pop & read_known & read.any() & value.ne(read), "a word is written anew while it waits");
        });
    }
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: FIFOs of two clocks and the RAM.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let mut list = vec![];
    for (style, place) in [(Style::Distributed, "lut"), (Style::Block, "block")] {
        for depth in [4, 8] {
            let part = format!("fifo_two_clocks, {place} RAM, width 1, depth {depth}, {STAGES} stages");
            let (name, design) = (format!("fifo_two_clocks_{place}_{depth}"), two_clocks_proof(depth, style)?);
            list.push(Proof { name, part, design, engine: Engine::Pdr, cover_depth: 16 + 2 * depth as u32 });
        }
        for (depth, lanes, collision) in [(4, 1, Collision::Old), (3, 2, Collision::Old), (4, 2, Collision::Any)] {
            let words = format!("{depth} words of {lanes} lanes");
            let part = format!("ram, {place} RAM, {words}, collision {}", format!("{collision:?}").to_lowercase());
            let name = format!("ram_{place}_{depth}x{lanes}_{collision:?}").to_lowercase();
            let design = ram_proof(RamParams { width: lanes, depth, lanes, style, collision })?;
            list.push(Proof { name, part, design, engine: Engine::Pdr, cover_depth: 12 });
        }
    }
    Ok(list)
}
