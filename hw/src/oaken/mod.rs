//! The Oaken engines: quantizer and dequantizer of the key-value cache (docs/oaken-format.md).

pub mod align;
pub mod classify;
pub mod compact;
pub mod encode;
pub mod exit;
pub mod guard;
pub mod maxima;
pub mod packer;
pub mod quantizer;
pub mod quantizer_axi;
pub mod scale;
pub mod settings;
pub mod step_unit;
pub mod types;

#[cfg(test)]
mod tests;

pub use quantizer::{QuantizerPorts, quantizer};
pub use types::EngineParams;
