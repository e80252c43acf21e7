//! The signals of AXI4: reading (AR, R) and writing (AW, W, B) apart, since a master that only reads has no write half.

use hdl::naming::{Layout, Nameable};
use hdl::{Bundle, Errors, Module, Signal, Stream, bits, clog2};
use std::panic::Location;

/// The widths of an AXI4 port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AxiParams {
    /// Bytes of a beat: 4, 8, 16, 32 or 64.
    pub data_bytes: u32,
    /// Bits of a byte address, 13 to 64.
    pub address_bits: u32,
    /// Bits of an ID, 0 to 16; with 0 there are no ID signals, as with a master that has one ID only.
    pub id_bits: u32,
}

impl AxiParams {
    /// Bits of the number of a byte in a beat.
    pub fn byte_bits(self) -> u32 {
        self.data_bytes.max(1).ilog2()
    }
    /// Bits of the number of a beat in 4 KiB, which no burst crosses.
    pub fn beat_bits(self) -> u32 {
        12_u32.saturating_sub(self.byte_bits())
    }
    /// Beats of the longest burst: 256, or what 4 KiB hold.
    pub fn longest_burst(self) -> u32 {
        256.min(4096 / self.data_bytes.max(1))
    }
    fn id(self) -> Option<Signal> {
        (self.id_bits > 0).then(|| bits(self.id_bits))
    }
    /// The bus behind so many masters with these ports.
    pub fn of_masters(self, masters: u32) -> AxiParams {
        AxiParams { id_bits: self.id_bits + clog2(masters as usize), ..self }
    }
    /// Are the widths of data and addresses legal?
    #[track_caller]
    pub(crate) fn check_widths(self, module: &str) -> Result<(), Errors> {
        let AxiParams { data_bytes, address_bits, .. } = self;
        let place = Location::caller();
        let wrong = |what: String, help: &str| Err(Errors::parameter_at(place, module, what, help));
        if !DATA_BITS.contains(&(8 * i128::from(data_bytes))) {
            return wrong(format!("data_bytes = {data_bytes}"), "4, 8, 16, 32 or 64: beats of 32 to 512 bits");
        }
        if !(ADDRESS_BITS.0..=ADDRESS_BITS.1).contains(&address_bits) {
            let help = format!("from {} to {}: more than a page of 4 KiB", ADDRESS_BITS.0, ADDRESS_BITS.1);
            return wrong(format!("address_bits = {address_bits} is out of range"), &help);
        }
        Ok(())
    }
    /// The parameters of an arbiter.
    #[track_caller]
    pub(super) fn check_masters(self, module: &str, masters: u32) -> Result<(), Errors> {
        let place = Location::caller();
        let wrong = |what: String, help: &str| Err(Errors::parameter_at(place, module, what, help));
        if !(2..=MASTERS).contains(&masters) {
            let help = format!("from 2 (1 would be a wire) to {MASTERS} (more are quicker in two levels)");
            return wrong(format!("masters = {masters} is out of range"), &help);
        }
        if self.id_bits > ID_BITS {
            return wrong(format!("id_bits = {} is out of range", self.id_bits), &format!("from 0 to {ID_BITS}"));
        }
        self.check_widths(module)
    }
}

/// Widths of a bus, in bits.
pub const DATA_BITS: [i128; 5] = [32, 64, 128, 256, 512];
/// Fewest and most bits of a byte address: more than a page of 4 KiB, and what AXI4 has.
pub const ADDRESS_BITS: (u32, u32) = (13, 64);
/// Most bits of a master's IDs.
pub const ID_BITS: u32 = 16;
/// The most masters of an arbiter.
pub const MASTERS: u32 = 16;

/// The ID of a request on the bus: the number of its master, and below it the master's own.
fn set_id(bus: Option<Signal>, master: Signal, own: Option<Signal>) {
    if let Some(bus) = bus {
        bus.set(own.map_or(master, |own| master.cat(own)));
    }
}

/// Who gets an answer of the bus: the master whose number stands above its own ID in `bus`. Sets `owns`, the IDs that the masters see; `readies`
/// says which of them take answers. Gives `ready` of the bus (1 for a number that no master has), and a bit for each master: it is its answer.
pub(super) fn deliver(
    m: Module,
    bus: Option<Signal>,
    owns: &[Option<Signal>],
    readies: &[Signal],
    p: AxiParams,
) -> (Signal, Vec<Signal>) {
    let bus = bus.expect("behind an arbiter there are IDs");
    let to = bus.drop_low(p.id_bits).named("to");
    let ready = m.wire(bits(1));
    ready.set(1); // an ID that nobody has
    let mut mine = vec![];
    for (i, (own, taken)) in owns.iter().zip(readies).enumerate() {
        let for_this = to.eq(i);
        m.when(for_this, || ready.set(*taken));
        if let Some(own) = own {
            own.set(bus.trunc(p.id_bits));
        }
        mine.push(for_this);
    }
    (ready, mine)
}

/// What asks for a burst, to read or to write: AR and AW but for valid and ready.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct AxiRequest {
    /// Transaction ID.
    pub id: Option<Signal>,
    /// Byte address of the first beat.
    pub addr: Signal,
    /// Beats less 1.
    pub len: Signal,
    /// Bytes of a beat, as a power of two.
    pub size: Signal,
    /// How the address goes on.
    pub burst: Signal,
    /// Kind of memory.
    pub cache: Signal,
    /// Protection.
    pub prot: Signal,
}

impl AxiRequest {
    /// Asks for beats of `2^size` bytes of ordinary memory at addresses that go up, for data that are secure and without privilege. The ID is left
    /// to the caller.
    pub fn ask(self, address: Signal, len: Signal, size: u32) {
        self.addr.set(address);
        self.len.set(len);
        self.size.set(size);
        self.burst.set(1);
        self.cache.set(3);
        self.prot.set(0);
    }
    /// Asks for what a master asks for, on a bus where the IDs of this master have its number above them.
    pub(super) fn forward(self, x: AxiRequest, master: Signal) {
        set_id(self.id, master, x.id);
        self.addr.set(x.addr);
        self.len.set(x.len);
        self.size.set(x.size);
        self.burst.set(x.burst);
        self.cache.set(x.cache);
        self.prot.set(x.prot);
    }
}

/// The read half of AXI4, seen from the master: as an output port, requests go out and data come in.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct AxiRead {
    /// Transaction ID; data come back with it.
    pub arid: Option<Signal>,
    /// Byte address of the first beat.
    pub araddr: Signal,
    /// Beats less 1.
    pub arlen: Signal,
    /// Bytes of a beat, as a power of two.
    pub arsize: Signal,
    /// 1: the address goes up from beat to beat.
    pub arburst: Signal,
    /// 3: may be buffered and changed on its way, as an ordinary memory.
    pub arcache: Signal,
    /// Protection, 3 bits; 0 is secure data without privilege.
    pub arprot: Signal,
    /// The request is there.
    pub arvalid: Signal,
    /// The slave takes it.
    #[flip]
    pub arready: Signal,
    /// Whose data these are.
    #[flip]
    pub rid: Option<Signal>,
    /// Data that were read.
    #[flip]
    pub rdata: Signal,
    /// How it went: 0 OKAY, 2 SLVERR, 3 DECERR.
    #[flip]
    pub rresp: Signal,
    /// The burst ends with this beat.
    #[flip]
    pub rlast: Signal,
    /// The data are there.
    #[flip]
    pub rvalid: Signal,
    /// The master takes the data.
    pub rready: Signal,
}

impl AxiRead {
    /// AR.
    pub fn request(self) -> Stream<AxiRequest> {
        let AxiRead { arid: id, araddr: addr, arlen: len, arsize: size, arburst: burst, .. } = self;
        let payload = AxiRequest { id, addr, len, size, burst, cache: self.arcache, prot: self.arprot };
        Stream { valid: self.arvalid, ready: self.arready, payload }
    }
}

/// The shape of the read half.
pub fn axi_read(p: AxiParams) -> AxiRead {
    AxiRead {
        arid: p.id(),
        araddr: bits(p.address_bits),
        arlen: bits(8),
        arsize: bits(3),
        arburst: bits(2),
        arcache: bits(4),
        arprot: bits(3),
        arvalid: bits(1),
        arready: bits(1),
        rid: p.id(),
        rdata: bits(8 * p.data_bytes),
        rresp: bits(2),
        rlast: bits(1),
        rvalid: bits(1),
        rready: bits(1),
    }
}

/// The write half of AXI4, seen from the master: as an output port, requests and data go out and responses come in.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct AxiWrite {
    /// Transaction ID; the response comes back with it.
    pub awid: Option<Signal>,
    /// Byte address of the first beat.
    pub awaddr: Signal,
    /// Beats less 1.
    pub awlen: Signal,
    /// Bytes of a beat, as a power of two.
    pub awsize: Signal,
    /// 1: the address goes up from beat to beat.
    pub awburst: Signal,
    /// 3: may be buffered and changed on its way, as an ordinary memory.
    pub awcache: Signal,
    /// Protection, 3 bits; 0 is secure data without privilege.
    pub awprot: Signal,
    /// The request is there.
    pub awvalid: Signal,
    /// The slave takes it.
    #[flip]
    pub awready: Signal,
    /// Data to write.
    pub wdata: Signal,
    /// One bit for each byte: write it.
    pub wstrb: Signal,
    /// The burst ends with this beat.
    pub wlast: Signal,
    /// The data are there.
    pub wvalid: Signal,
    /// The slave takes the data.
    #[flip]
    pub wready: Signal,
    /// Whose response this is.
    #[flip]
    pub bid: Option<Signal>,
    /// How it went: 0 OKAY, 2 SLVERR, 3 DECERR.
    #[flip]
    pub bresp: Signal,
    /// The response is there.
    #[flip]
    pub bvalid: Signal,
    /// The master takes the response.
    pub bready: Signal,
}

impl AxiWrite {
    /// AW.
    pub fn request(self) -> Stream<AxiRequest> {
        let AxiWrite { awid: id, awaddr: addr, awlen: len, awsize: size, awburst: burst, .. } = self;
        let payload = AxiRequest { id, addr, len, size, burst, cache: self.awcache, prot: self.awprot };
        Stream { valid: self.awvalid, ready: self.awready, payload }
    }
}

/// The shape of the write half.
pub fn axi_write(p: AxiParams) -> AxiWrite {
    AxiWrite {
        awid: p.id(),
        awaddr: bits(p.address_bits),
        awlen: bits(8),
        awsize: bits(3),
        awburst: bits(2),
        awcache: bits(4),
        awprot: bits(3),
        awvalid: bits(1),
        awready: bits(1),
        wdata: bits(8 * p.data_bytes),
        wstrb: bits(p.data_bytes),
        wlast: bits(1),
        wvalid: bits(1),
        wready: bits(1),
        bid: p.id(),
        bresp: bits(2),
        bvalid: bits(1),
        bready: bits(1),
    }
}

/// A whole AXI4 port, both halves under one name. They may differ in their IDs.
#[derive(Clone, Copy, Debug)]
pub struct Axi {
    /// AR and R.
    pub read: AxiRead,
    /// AW, W and B.
    pub write: AxiWrite,
}

/// The shape of a port whose halves have these parameters.
pub fn axi(read: AxiParams, write: AxiParams) -> Axi {
    Axi { read: axi_read(read), write: axi_write(write) }
}

// by hand, because the halves add nothing to the names of their signals
impl Bundle for Axi {
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
        self.read.each(f);
        self.write.each(f);
    }
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Axi {
        Axi { read: self.read.map(f), write: self.write.map(f) }
    }
    fn layouts(&self, f: &mut dyn FnMut(&str, Layout)) {
        self.read.layouts(f);
        self.write.layouts(f);
    }
}

impl Nameable for Axi {
    fn take_name(&self, name: &str) {
        self.read.take_name(name);
        self.write.take_name(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_parameters_out_of_range() {
        let p = AxiParams { data_bytes: 8, address_bits: 32, id_bits: 4 };
        let message = |checked: Result<(), Errors>| checked.expect_err("parameters out of range").0[0].message.clone();
        for bytes in [0, 2, 12, 128] {
            let checked = AxiParams { data_bytes: bytes, ..p }.check_widths("bus");
            assert_eq!(message(checked), format!("data_bytes = {bytes}"));
        }
        for bits in [12, 65] {
            let checked = AxiParams { address_bits: bits, ..p }.check_widths("bus");
            assert_eq!(message(checked), format!("address_bits = {bits} is out of range"));
        }
        for masters in [1, 17] {
            assert_eq!(message(p.check_masters("bus", masters)), format!("masters = {masters} is out of range"));
        }
        assert_eq!(message(AxiParams { id_bits: 17, ..p }.check_masters("bus", 2)), "id_bits = 17 is out of range");
        assert_eq!(message(AxiParams { data_bytes: 3, ..p }.check_masters("bus", 2)), "data_bytes = 3");
        for (data_bytes, address_bits, id_bits, masters) in [(4, 13, 0, 2), (64, 64, 16, 16)] {
            assert!(AxiParams { data_bytes, address_bits, id_bits }.check_masters("bus", masters).is_ok());
        }
    }
}
