//! Several attention heads, each with a bus of its own, and what merges their results: the tokens of one key-value head are dealt out to them, and one
//! query attends to all. What it promises stands in `docs/blocks/vq_attention_tiles.md`.
//!
//! | port | |
//! | --- | --- |
//! | `s_axil` | registers of the heads, and behind them of the merging: each has [`WINDOW`] bytes of addresses |
//! | `m_axi_read` | AXI4 of 64 bits without IDs: those of the heads, then that of the merging; outputs are made of registers |
//! | `m_axi_write` | AXI4 of 64 bits without IDs: the same; outputs are made of registers |
//!
//! - Parameters: those of [`TilesParams`]. Jobs, throughput and latency: those of the [head](mod@super::attention_head) and of the
//!   [merging over AXI](mod@crate::attention::merge_axi). Heads work at the same time, and none waits for another.
//! - Software starts the heads, and the merging when their results are in memory.
//! - Combinational paths: none.
//! - After reset no job is under way; reset the memory with it.

use super::attention_head::{HeadParams, attention_head};
use crate::attention::merge_axi::{MergeAxiParams, merge_axi};
use crate::control::{AxiLite, Window, axi_lite, axil_router};
use crate::memory::axi::{AxiRead, AxiWrite, axi_read, axi_write};
use hdl::*;

/// Bytes of the addresses of a head's registers, and of those of the merging.
pub const WINDOW: u32 = 1 << WINDOW_BITS;
const WINDOW_BITS: u32 = 8;

/// The most heads.
pub const MAX_TILES: u32 = 8;

/// The parameters of attention tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TilesParams {
    /// The heads. They hand out partial results, whatever `partial` says.
    pub head: HeadParams,
    /// How many, 2 to 8.
    pub tiles: u32,
}

impl TilesParams {
    /// A head.
    pub fn head(self) -> HeadParams {
        HeadParams { partial: true, ..self.head }
    }
    /// The merging of their results.
    pub fn merge(self) -> MergeAxiParams {
        let HeadParams { address_bits, .. } = self.head;
        MergeAxiParams { parts: self.tiles, numbers: 4 * self.head.vector_words(), address_bits }
    }
    /// Bits of the addresses of registers.
    fn register_bits(self) -> u32 {
        WINDOW_BITS + clog2(self.tiles as usize + 1)
    }
    /// An error if a parameter is not legal; `module` is the unit.
    #[track_caller]
    pub fn check(self, module: &str) -> Result<(), Errors> {
        let TilesParams { head, tiles } = self;
        if !(2..=MAX_TILES).contains(&tiles) {
            let help = format!("from 2 to {MAX_TILES}: so many results are merged");
            return Err(Errors::parameter(module, format!("tiles = {tiles}"), help));
        }
        head.check(module)?;
        self.merge().check(module)
    }
}

ports! {
    /// Ports of attention tiles.
    pub struct AttentionTilesPorts(p: TilesParams) {
        /// Registers.
        input s_axil: AxiLite = axi_lite(p.register_bits()),
        /// Vectors, books and rows; the last one: partial results.
        output m_axi_read: Vector<AxiRead> = vector(axi_read(p.head.axi()), p.tiles as usize + 1),
        /// Rows and partial results; the last one: the result.
        output m_axi_write: Vector<AxiWrite> = vector(axi_write(p.head.axi()), p.tiles as usize + 1),
    }
}

/// Attention tiles; `name` is that of the Verilog module.
#[module]
pub fn attention_tiles(name: &str, p: TilesParams) -> Result<Design<AttentionTilesPorts>, Errors> {
    p.check(name)?;
    let m = Module::new(name);
    m.doc(&format!(
        "Attention of one query by {} heads, each to a part of the tokens, and the merging of what they give.",
        p.tiles
    ));
    let io = AttentionTilesPorts::new(m, p);
    let head = attention_head(&format!("{name}_head"), p.head())?;
    let merge = merge_axi(&format!("{name}_merge"), p.merge())?;
    let of_heads = head.ports.s_axil.awaddr.width();
    let of_merging = merge.ports.s_axil.awaddr.width();
    // of each window only the beginning has registers; what is behind them is answered by the router
    let bits = (0..=p.tiles).map(|i| if i < p.tiles { of_heads } else { of_merging });
    let windows: Vec<Window> = (0..).zip(bits).map(|(i, bits)| Window { base: i * WINDOW, bits }).collect();
    let router = m.instance(&axil_router(p.register_bits(), &windows)?);
    router.s_axil.set(io.s_axil);
    let buses = || router.m_axil.into_iter().zip(io.m_axi_read.into_iter().zip(io.m_axi_write));
    for (registers, (reads, writes)) in buses().take(p.tiles as usize) {
        let head = m.instance(&head);
        head.s_axil.set(registers.narrowed(of_heads));
        reads.set(head.m_axi_read);
        writes.set(head.m_axi_write);
    }
    for (registers, (reads, writes)) in buses().skip(p.tiles as usize) {
        let merge = m.instance(&merge);
        merge.s_axil.set(registers.narrowed(of_merging));
        reads.set(merge.m_axi_read);
        writes.set(merge.m_axi_write);
    }
    m.finish(io)
}

#[cfg(test)]
mod tests;
