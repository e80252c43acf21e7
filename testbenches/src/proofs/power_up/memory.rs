//! What moves bytes to and from memory.

use super::super::Proof;
use super::super::bursts::{mover, narrow};
use super::super::copies::of;
use hdl::Errors;
use hw::memory::axi_read_arbiter::axi_read_arbiter;
use hw::memory::axi_write_arbiter::axi_write_arbiter;
use hw::memory::burst_reader::burst_reader;
use hw::memory::burst_splitter::burst_splitter;
use hw::memory::burst_writer::burst_writer;
use hw::memory::mover::MoverParams;
use hw::memory::read_aligner::read_aligner;
use hw::memory::write_aligner::write_aligner;

pub(super) fn proofs() -> Result<Vec<Proof>, Errors> {
    let least = MoverParams { outstanding: 1, ..mover(4) };
    Ok(vec![
        of("axi_read_arbiter", axi_read_arbiter("read_arbiter", 2, narrow(0))).proof()?,
        of("axi_write_arbiter", axi_write_arbiter("write_arbiter", 2, narrow(0))).seldom("").for_cycles(12).proof()?,
        of("burst_splitter", burst_splitter(mover(4))).without_its_own().proof()?,
        of("read_aligner", read_aligner(4)).during("m_", "m_valid").proof()?,
        of("write_aligner", write_aligner(mover(4)))
            .during("ends_command", "ends")
            .during("ended", "ended_valid")
            .proof()?,
        // words come from block RAM
        of("burst_reader", burst_reader("burst_reader", least))
            .without_its_own()
            .leaving_out("m_axis_tdata")
            .leaving_out("m_axis_tkeep")
            .leaving_out("m_axis_tlast")
            .leaving_out("m_axis_tuser")
            .seldom("")
            .for_cycles(16)
            .proof()?,
        of("burst_writer", burst_writer("burst_writer", least))
            .without_its_own()
            .leaving_out("m_axi_wdata")
            .leaving_out("m_axi_wstrb")
            .seldom("")
            .for_cycles(16)
            .proof()?,
    ])
}
