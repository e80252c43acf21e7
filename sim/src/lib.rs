//! What drives and checks kvforge's hardware, in software.
//!
//! - [`golden`]: models that the hardware must agree with, bit by bit, and the float64 mathematics behind them
//! - [`data`]: readers of recorded keys and values (safetensors and npy)
//! - [`kvq`]: files of quantized keys and values
//! - [`verilator`]: Verilog as a running model, driven as the built-in simulator is; [`tools`] finds the program
//! - [`profile`]: the threshold profiler, which turns recordings into the thresholds that the hardware is loaded with
//! - [`vq`]: the trainer of codebooks, and what packs keys, values and weights with them
//! - [`lad`]: what LAD attention is worth on a recording
//! - [`h2m2_model`]: how long a decode iteration takes on H2M2 and on what it is compared with
//! - [`burst_bench`]: the burst reader and writer with a memory behind them
//! - [`sdram_bench`]: an SDRAM controller between a chip and a master of AXI4
//! - [`h2m2_migration_bench`]: the migration engine of H2M2 between two memories, with accelerators that use the pages
//! - [`h2m2_mmu_bench`]: the MMU of H2M2 with requesters, a page table and a memory
//! - [`h2m2_event_bench`]: the event controller with a driver and two accelerators around it
//! - [`oaken_mmu_bench`]: the MMU of Oaken with a memory behind it
//! - [`oaken_bench`]: the Oaken engines with everything around them, with random stalls and checks
//! - [`vq_benches`]: the units of vector quantization with everything around them
//! - [`softmax_bench`]: a softmax with the scores of queries
//! - [`merge_bench`]: the merging of partial results of attention, with parts and their vectors
//! - [`axi_unit`]: a unit with registers and with buses to memory, and what is around it
//! - [`merge_axi_bench`]: the merging over AXI with a memory behind it
//! - [`lad_apid_bench`]: LAD's APID with scores, bounds and records of positions
//! - [`lad_centres_bench`]: LAD's centres of keys with lists of dot products
//! - [`lad_md_bench`]: LAD's MD with everything that answers it: scores, keys, rows of counters
//! - [`lad_score_bench`]: LAD's scores with queries and keys
//! - [`lad_sums_bench`]: LAD's sums with coefficients, values and outputs
//! - [`surrounded`]: an engine with something at its ports that goes with it; [`mod@with_memory`], [`mod@with_sdram`]: a memory at one of its
//!   buses, an SDRAM chip at its pins
//! - [`oaken_run`]: sends vectors through the Oaken engines
//! - [`oaken_storage`]: what it costs to keep Oaken records by head, in slices and pages

pub mod axi_unit;
mod binary16;
pub mod burst_bench;
pub mod bus;
pub mod data;
pub mod golden;
pub mod h2m2_event_bench;
pub mod h2m2_migration_bench;
pub mod h2m2_mmu_bench;
pub mod h2m2_model;
pub mod kvq;
pub mod lad;
pub mod lad_apid_bench;
pub mod lad_centres_bench;
pub mod lad_md_bench;
pub mod lad_score_bench;
pub mod lad_sums_bench;
pub mod link_bench;
pub mod merge_axi_bench;
pub mod merge_bench;
pub mod oaken_bench;
pub mod oaken_mmu_bench;
pub mod oaken_run;
pub mod oaken_storage;
pub mod profile;
pub mod sdram_bench;
pub mod softmax_bench;
pub mod surrounded;
pub mod tools;
pub mod uart_pins;
pub mod verilator;
pub mod vq;
pub mod vq_benches;
pub mod with_memory;
pub mod with_sdram;

/// The example of the page about designs of one's own is a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/own-design.md")]
pub struct OwnDesign;
