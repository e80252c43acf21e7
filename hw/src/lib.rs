//! The hardware of kvforge, one module a file.
//!
//! - [`stream`]: what moves words from module to module, and the AXI4-Stream edge
//! - [`memory`]: RAM behind a stream, and burst engines for AXI4
//! - [`float`]: arithmetic on narrow and floating point numbers
//! - [`oaken`]: the quantizer and dequantizer of the key-value cache
//! - [`h2m2`]: what two unlike memories need to work as one
//! - [`vq`]: what vector-quantized weights, keys and values are read with
//! - [`attention`]: what is between scores and values
//! - [`lad`]: attention that reads only keys and values whose score left its usual interval
//! - [`soc`]: clock and line of a system on a board
//! - [`control`]: registers behind AXI4-Lite, from one description
//! - [`catalogue`]: the blocks that can be configured by name

pub mod attention;
pub mod catalogue;
pub mod control;
pub mod float;
pub mod h2m2;
pub mod lad;
pub mod memory;
pub mod oaken;
pub mod soc;
pub mod stream;
pub mod vq;
