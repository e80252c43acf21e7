//! A proof: what is claimed of which part, and how it is found.

use hdl::Design;

/// How a proof is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// ABC's property-directed reachability: for all cycles.
    Pdr,
    /// ABC's bounded model checking: for so many cycles from a reset on, and not a word about later ones.
    Bounded(u32),
}

/// A part, in one size, with what is claimed about it.
pub struct Proof {
    /// What it is called on the command line.
    pub name: String,
    /// The part and its parameters.
    pub part: String,
    /// The harness.
    pub design: Design<()>,
    /// What proves it.
    pub engine: Engine,
    /// Cycles within which each cover is shown.
    pub cover_depth: u32,
}

/// Proofs that take more than some ten seconds of a core, and for how many cycles from a reset on the short run of all looks at each.
const SLOW: &[(&str, u32)] = &[
    ("axi_write_arbiter", 10),
    ("burst_bytes", 8),
    ("burst_splitter_32", 10),
    ("codebook_cache", 14),
    ("events_2", 16),
    ("fifo_two_clocks_block_8", 16),
    ("fifo_two_clocks_lut_8", 20),
    ("h2m2_requester", 12),
    ("h2m2_tlb", 12),
    ("h2m2_wait_requester", 12),
    ("h2m2_walks", 14),
    ("oaken_answers", 12),
    ("oaken_tables", 32),
    ("page_list", 13),
    ("power_up_burst_writer", 10),
    ("power_up_history_port", 10),
    ("power_up_link", 9),
    ("power_up_packet_ends", 10),
    ("power_up_page_copier", 7),
    ("power_up_requester", 7),
    ("power_up_slice_framer", 6),
    ("power_up_sparse_writer", 12),
    ("power_up_tlb", 8),
    ("power_up_uart_receiver", 12),
    ("power_up_uart_transmitter", 12),
    ("power_up_walker", 7),
    ("power_up_walks", 7),
    ("power_up_words", 11),
    ("quantizer_settings", 13),
    ("vector_guard", 16),
];

impl Proof {
    /// The form of the short run: what takes long is not proved but looked at for some cycles from a reset on.
    #[must_use]
    pub fn short(self) -> Proof {
        let slow = SLOW.iter().find(|(name, _)| *name == self.name);
        let engine = slow.map_or(self.engine, |(_, cycles)| Engine::Bounded(*cycles));
        Proof { engine, ..self }
    }
}
