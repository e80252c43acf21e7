//! The bench of a head that was built, and its model. The tests beside the hardware make their own, as they see another build of it.

use super::HeadBench;
use crate::axi_unit::{AxiUnit, UnitPorts};
use crate::bus::axi4_memory::MemoryModel;
use crate::golden::vq::attention_head::HeadUnit;
use crate::golden::vq::tables::TableUnit;
use hdl::Design;
use hdl::engine::Engine;
use hw::vq::attention_head::{AttentionHeadPorts, HeadParams, registers};

/// Where a register of a head is, by its name: in all heads at the same place.
pub fn head_register(name: &str) -> u64 {
    let p = HeadParams { entries: 8, vector: 2, positions: 8, tokens: 8, address_bits: 32, partial: false };
    registers("head", p).offset(name)
}

impl HeadUnit {
    /// The model of a head with these parameters.
    pub fn of(p: HeadParams) -> HeadUnit {
        let [entries, vector, positions, max_tokens] = [p.entries, p.vector, p.positions, p.tokens].map(|x| x as usize);
        let table = TableUnit { entries, vector, positions, residuals: 1, queries: 1, max_tokens };
        HeadUnit { table, copies: p.copies() as usize, address_bits: p.address_bits, partial: p.partial }
    }
}

impl<'e> HeadBench<'e> {
    /// A head with these parameters, after a reset, and a memory.
    pub fn of(
        engine: &'e mut dyn Engine,
        design: &Design<AttentionHeadPorts>,
        p: HeadParams,
        (memory, seed): (MemoryModel, u64),
    ) -> HeadBench<'e> {
        let io = &design.ports;
        let (reads, writes) = (&[io.m_axi_read], &[io.m_axi_write]);
        let ports = UnitPorts { axil: &io.s_axil, reads, writes, address_bits: p.address_bits };
        HeadBench::new(AxiUnit::new(engine, design, ports, (memory, seed)), HeadUnit::of(p), head_register)
    }
}
