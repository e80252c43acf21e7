//! The edge to AXI4-Stream: the bundle with its signals, and the way from and to [`Stream`].
//!
//! ```
//! use hdl::*;
//! use hw::stream::axi_stream::{AxiStream, axi_stream};
//! use hw::stream::register_slice::register_slice_after;
//!
//! ports! {
//!     pub struct BufferPorts(bytes: u32) {
//!         input s_axis: AxiStream = axi_stream(bytes),
//!         output m_axis: AxiStream = axi_stream(bytes),
//!     }
//! }
//!
//! #[module]
//! fn buffer(bytes: u32) -> Result<Design<BufferPorts>, Errors> {
//!     let m = Module::new("buffer");
//!     let io = BufferPorts::new(m, bytes);
//!     let held = register_slice_after(m, io.s_axis.stream())?;
//!     io.m_axis.set(AxiStream::from(held));
//!     m.finish(io)
//! }
//! # assert!(verilog(&buffer(4)?, &Options::default()).single().contains("input  wire [31:0] s_axis_tdata"));
//! # Ok::<(), Errors>(())
//! ```

use super::Beat;
use hdl::{Bundle, Signal, Stream, bits};

/// The signals of AXI4-Stream. A transfer is `tvalid && tready` at a clock edge.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct AxiStream {
    /// The bytes, the first in the low bits.
    pub tdata: Signal,
    /// One bit for each byte: it is there.
    pub tkeep: Signal,
    /// The packet ends with this beat.
    pub tlast: Signal,
    /// What the beat is for, where that is said.
    pub tuser: Option<Signal>,
    /// The beat is there.
    pub tvalid: Signal,
    /// The receiver takes it.
    #[flip]
    pub tready: Signal,
}

/// The shape of an AXI4-Stream of `bytes` bytes.
pub fn axi_stream(bytes: u32) -> AxiStream {
    let (tdata, tkeep) = (bits(8 * bytes), bits(bytes));
    AxiStream { tdata, tkeep, tlast: bits(1), tuser: None, tvalid: bits(1), tready: bits(1) }
}

impl AxiStream {
    /// The shape with a `tuser` of so many bits, or without one.
    pub fn with_user(self, width: Option<u32>) -> AxiStream {
        AxiStream { tuser: width.map(bits), ..self }
    }
    /// The same signals as a stream of beats, but for `tuser`.
    pub fn stream(self) -> Stream<Beat> {
        let payload = Beat { data: self.tdata, keep: self.tkeep, last: self.tlast };
        Stream { valid: self.tvalid, ready: self.tready, payload }
    }
}

impl From<Stream<Beat>> for AxiStream {
    fn from(s: Stream<Beat>) -> AxiStream {
        let Beat { data, keep, last } = s.payload;
        AxiStream { tdata: data, tkeep: keep, tlast: last, tuser: None, tvalid: s.valid, tready: s.ready }
    }
}
