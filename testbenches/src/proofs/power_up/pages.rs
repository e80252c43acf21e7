//! Oaken's MMU.

use super::super::Proof;
use super::super::copies::of;
use super::super::oaken_tables::params;
use hdl::Errors;
use hw::memory::axi::AxiParams;
use hw::oaken::mmu::history_port::history_port;
use hw::oaken::mmu::history_reader::history_reader;
use hw::oaken::mmu::page_list::page_list;
use hw::oaken::mmu::params::MmuParams;
use hw::oaken::mmu::sequencer::sequencer;
use hw::oaken::mmu::shared_table::shared_table;
use hw::oaken::mmu::steps::steps;

pub(super) fn proofs() -> Result<Vec<Proof>, Errors> {
    let p = params();
    Ok(vec![
        of("history_port", history_port(MmuParams { axi: AxiParams { address_bits: 13, ..p.axi }, ..p }))
            .without_its_own()
            .leaving_out("m_axis_tdata")
            .leaving_out("m_axis_tkeep")
            .leaving_out("m_axis_tlast")
            .leaving_out("m_axis_tuser")
            .seldom("")
            .for_cycles(14)
            .proof()?,
        of("page_list", page_list(p)).without_its_own().without_payloads().proof()?,
        of("shared_table", shared_table(1, 1)).leaving_out("word").proof()?,
        of("sequencer", sequencer(p)).without_its_own().after("work_", "start", 1).leaving_out("work_turn").proof()?,
        of("steps", steps(p)).without_its_own().during("failed", "done").during("needed", "done").proof()?,
        of("history_reader", history_reader(p)).without_its_own().without_payloads().proof()?,
    ])
}
