//! The registers of a block with its parameters, for what is written beside its Verilog.

use super::block::Block;
use super::parameter::Values;
use super::{
    cache_board_params, engine_params, head_params, merge_axi_params, mmu_params, oaken_cache_params, oaken_mmu_params,
    system_params, tiles_params,
};
use crate::control::RegisterMap;
use crate::oaken::{dequantizer_axi, quantizer_axi};
use crate::soc::oaken_cache::params::CacheParams;
use crate::soc::oaken_cache::registers as cache_registers;
use crate::soc::oaken_system::{DEQUANTIZER, QUANTIZER};
use crate::soc::system_params::SystemParams;
use crate::soc::system_registers;
use crate::vq::attention_tiles::{TilesParams, WINDOW};
use crate::{attention, h2m2, oaken, vq};

/// Registers, and where they begin among the addresses of the block.
#[derive(Clone, Debug)]
pub struct RegisterWindow {
    /// Byte address of the first.
    pub base: u64,
    /// The registers.
    pub map: RegisterMap,
}

impl Block {
    /// The registers of the block with these values, in the order of their addresses; none where it has none. `name` is that of the
    /// top module: the first map has it, too, and others begin with it.
    pub fn registers(&self, name: &str, v: &Values) -> Vec<RegisterWindow> {
        let map = match self.name {
            "oaken_quantizer" => quantizer_axi::registers(name, engine_params(v)),
            "oaken_dequantizer" => dequantizer_axi::registers(name, engine_params(v)),
            "oaken_mmu" => oaken::mmu::unit_axi::registers(name, oaken_mmu_params(v)),
            "h2m2_mmu" => h2m2::mmu_axi::registers(name, mmu_params(v)),
            "attention_merge_axi" => attention::merge_axi::registers(name, merge_axi_params(v)),
            "vq_attention_head" => vq::attention_head::registers(name, head_params(v)),
            "vq_attention_tiles" => return of_tiles(name, tiles_params(v)),
            "oaken_system" | "oaken_board" => return of_system(name, system_params(v)),
            "oaken_cache" => return of_cache(name, oaken_cache_params(v)),
            "oaken_cache_board" => return of_cache(name, cache_board_params(v).system.cache),
            _ => return vec![],
        };
        vec![RegisterWindow { base: 0, map }]
    }
}

/// Those of the heads, and behind them those of the merging.
fn of_tiles(name: &str, p: TilesParams) -> Vec<RegisterWindow> {
    let heads = (0..p.tiles).map(|i| vq::attention_head::registers(&format!("{name}_head_{i}"), p.head()));
    let merge = attention::merge_axi::registers(&format!("{name}_merge"), p.merge());
    let bases = (0u64..).map(|i| i * u64::from(WINDOW));
    heads.chain([merge]).zip(bases).map(|(map, base)| RegisterWindow { base, map }).collect()
}

/// The addresses are those of the link.
fn of_system(name: &str, p: SystemParams) -> Vec<RegisterWindow> {
    let mut own = system_registers::registers(p);
    own.name = name.into();
    let quantizer = || quantizer_axi::registers(&format!("{name}_quantizer"), p.engine);
    let dequantizer = || dequantizer_axi::registers(&format!("{name}_dequantizer"), p.engine);
    let windows = [
        Some((0, own)),
        p.engines.quantizes().then(|| (QUANTIZER, quantizer())),
        p.engines.dequantizes().then(|| (DEQUANTIZER, dequantizer())),
    ];
    windows.into_iter().flatten().map(|(base, map)| RegisterWindow { base: base.into(), map }).collect()
}

/// The addresses are those of the link.
fn of_cache(name: &str, p: CacheParams) -> Vec<RegisterWindow> {
    let windows = cache_registers::windows(name, p);
    windows.into_iter().map(|(base, map)| RegisterWindow { base: base.into(), map }).collect()
}
