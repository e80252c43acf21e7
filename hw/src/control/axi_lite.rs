//! The signals of AXI4-Lite.

use hdl::{Bundle, Signal, bits};

/// AXI4-Lite with 32 bits of data, seen from the slave: as an input port, requests come in and responses go out.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct AxiLite {
    /// Byte address to write.
    pub awaddr: Signal,
    /// Protection, 3 bits.
    pub awprot: Signal,
    /// The address is there.
    pub awvalid: Signal,
    /// The slave takes the address.
    #[flip]
    pub awready: Signal,
    /// Data to write.
    pub wdata: Signal,
    /// One bit for each byte: write it.
    pub wstrb: Signal,
    /// The data are there.
    pub wvalid: Signal,
    /// The slave takes the data.
    #[flip]
    pub wready: Signal,
    /// How the write went: 0 OKAY, 2 SLVERR.
    #[flip]
    pub bresp: Signal,
    /// The response is there.
    #[flip]
    pub bvalid: Signal,
    /// The master takes the response.
    pub bready: Signal,
    /// Byte address to read.
    pub araddr: Signal,
    /// Protection, 3 bits.
    pub arprot: Signal,
    /// The address is there.
    pub arvalid: Signal,
    /// The slave takes the address.
    #[flip]
    pub arready: Signal,
    /// Data that were read.
    #[flip]
    pub rdata: Signal,
    /// How the read went: 0 OKAY, 2 SLVERR.
    #[flip]
    pub rresp: Signal,
    /// The data are there.
    #[flip]
    pub rvalid: Signal,
    /// The master takes the data.
    pub rready: Signal,
}

impl AxiLite {
    /// The bus with the low bits of its addresses alone, as a slave behind a router has them.
    pub fn narrowed(self, address_width: u32) -> AxiLite {
        AxiLite { awaddr: self.awaddr.trunc(address_width), araddr: self.araddr.trunc(address_width), ..self }
    }
}

/// The shape of an AXI4-Lite port with addresses of `address_width` bits.
pub fn axi_lite(address_width: u32) -> AxiLite {
    let (bit, address, data, response, protection) = (bits(1), bits(address_width), bits(32), bits(2), bits(3));
    AxiLite {
        awaddr: address,
        awprot: protection,
        awvalid: bit,
        awready: bit,
        wdata: data,
        wstrb: bits(4),
        wvalid: bit,
        wready: bit,
        bresp: response,
        bvalid: bit,
        bready: bit,
        araddr: address,
        arprot: protection,
        arvalid: bit,
        arready: bit,
        rdata: data,
        rresp: response,
        rvalid: bit,
        rready: bit,
    }
}
