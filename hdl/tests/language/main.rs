//! The tests of the language, in one program: linked once, not once for each file.
#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

mod access;
mod clocks;
mod enabled;
mod enums;
mod errors;
mod errors_clocks;
mod errors_edges;
mod errors_effect;
mod errors_enabled;
mod errors_enums;
mod errors_foreign;
mod errors_held;
mod errors_late;
mod errors_latency;
mod errors_latency_enables;
mod errors_latency_instances;
mod errors_loops;
mod errors_moving;
mod errors_numbers;
mod errors_other_modules;
mod errors_parts;
mod errors_payload;
mod errors_pipelines;
mod errors_remembered;
mod errors_reset_clocks;
mod errors_resets;
mod errors_settings;
mod errors_shown;
mod errors_staged;
mod errors_unsaid;
mod errors_vectors;
mod errors_ways;
mod errors_when;
mod example_axi_reader;
mod example_sequencer;
mod example_tlb;
mod foreign;
mod found;
mod inside;
mod layers;
mod logic;
mod not_comparable;
mod optional;
mod pads;
mod pipelines;
mod power_up;
mod processes;
mod properties;
mod reset_between_edges;
mod unions;
mod vectors;
mod verilog;
