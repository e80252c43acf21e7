//! The Oaken engines: quantizer and dequantizer of the key-value cache (docs/oaken-format.md).

pub mod align;
pub mod beat_counter;
pub mod beat_reader;
pub mod classify;
pub mod compact;
mod copies;
pub mod decode;
mod dense_reader;
pub mod dequantizer;
pub mod dequantizer_axi;
mod dequantizer_back;
mod dequantizer_front;
pub mod encode;
pub mod guard;
pub mod half_steps;
pub mod level_writer;
pub mod maxima;
mod packet_ends;
mod packet_gate;
pub mod place;
mod promises;
pub mod quantizer;
pub mod quantizer_axi;
mod quantizer_back;
mod quantizer_front;
mod quantizer_settings;
pub mod record_join;
pub mod record_split;
pub mod record_walker;
pub mod scale;
pub mod scale_table;
pub mod setting_table;
pub mod settings;
pub mod side_table;
pub mod sparse_ring;
mod sparse_words;
pub mod sparse_writer;
pub mod step_unit;
pub mod types;
mod walker_maps;

#[cfg(test)]
mod tests;

pub use dequantizer::{DequantizerPorts, dequantizer};
pub use dequantizer_axi::{DequantizerAxiPorts, dequantizer_axi};
pub use quantizer::{QuantizerPorts, quantizer};
pub use quantizer_axi::{QuantizerAxiPorts, quantizer_axi};
pub use record_join::{RecordJoinPorts, record_join};
pub use record_split::{RecordSplitPorts, record_split};
pub use types::EngineParams;
