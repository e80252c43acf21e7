//! A table of the MMU: block RAM with one port to write and one to read, which two readers share.
//!
//! | port | |
//! | --- | --- |
//! | `first`, `second` | addresses to read; the first one goes before: `second_ready` is 0 while it asks |
//! | `word` | the word, in the cycle behind: the output of the RAM, for a register |
//! | `write` | in the cycle of `valid`, a word is written |
//!
//! - A word that is written in the cycle in which it is read is either of both.
//! - A deep table is made of narrow RAMs, each with a lane of every word: of wide ones there would be several, with a multiplexer behind them.
//! - Parameters: the shape of a word, and bits of the address. Combinational paths: `first_valid` to `second_ready`.

use hdl::*;

ports! {
    /// Ports of a shared table.
    pub struct SharedTablePorts(width: u32, address_bits: u32) {
        /// An address to read, before the other one.
        input first: Stream = stream(bits(address_bits)),
        /// An address to read.
        input second: Stream = stream(bits(address_bits)),
        /// What was read in the cycle before.
        output word: Signal = bits(width),
        /// A word is written.
        input write: Stream<Write> = stream(Write { address: bits(address_bits), word: bits(width) }),
    }
}

/// A word that is written.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Write {
    /// Where to.
    pub address: Signal,
    /// The word.
    pub word: Signal,
}

/// A table of `2^address_bits` words.
#[module]
pub fn shared_table(width: u32, address_bits: u32) -> Result<Design<SharedTablePorts>, Errors> {
    let m = Module::new(format!("oaken_mmu_table_{width}x{}", 1u64 << address_bits));
    m.doc("A table that two readers share.");
    let io = SharedTablePorts::new(m, width, address_bits);
    let address = io.first.valid.mux(io.first.payload, io.second.payload);
    let Write { address: to, word } = io.write.payload;
    let lane_bits = lane_bits(width, address_bits);
    let lane = |low: u32| {
        let high = (low + lane_bits).min(width) - 1;
        let words = m.memory(bits(high - low + 1), 1 << address_bits).style(RamStyle::Block);
        words.attribute("no_rw_check", "");
        words.write(to, word.bits(high, low), io.write.valid);
        words.read_sync(address)
    };
    let mut lanes: Vec<Signal> = (0..width).step_by(lane_bits as usize).map(lane).collect();
    lanes.reverse();
    io.word.set(cat(&lanes));
    io.write.ready.set(true);
    io.first.ready.set(true);
    io.second.ready.set(!io.first.valid);
    io.second.valid.unused(); // what nobody asked for is read, too
    m.finish(io)
}

/// Bits of a lane: what a block RAM of 16 kbit has beside each other when it is as deep as the table. Up to 2,048 words synthesis does that by
/// itself.
fn lane_bits(width: u32, address_bits: u32) -> u32 {
    match address_bits {
        ..12 => width,
        12 => 4,
        13 => 2,
        _ => 1,
    }
}
