//! Beats of the channels of AXI4, as numbers.

use hdl::bus::{Beat, StreamPorts};
use hdl::{BigUint, Bundle, Design};

/// A response code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Response {
    /// Done.
    Okay,
    /// Done, of an exclusive access.
    ExclusiveOkay,
    /// The slave failed.
    Slave,
    /// There is no slave at this address.
    Decode,
}

impl Response {
    /// From the two bits of a bus.
    pub fn from_code(code: u64) -> Response {
        [Response::Okay, Response::ExclusiveOkay, Response::Slave, Response::Decode][(code & 3) as usize]
    }
    /// The two bits.
    pub fn code(self) -> u64 {
        self as u64
    }
}

/// How the address goes on from beat to beat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BurstKind {
    /// It stays.
    Fixed,
    /// It goes up.
    Incrementing,
    /// It goes up, and wraps at the burst's own size.
    Wrapping,
    /// The code 3, which no burst has.
    Reserved,
}

/// A request: a beat of AR or AW.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Transaction ID; data or the response come back with it. 0 where the port has none.
    pub id: u64,
    /// Byte address of the first beat.
    pub address: u64,
    /// Beats less 1.
    pub len: u64,
    /// Bytes of a beat, as a power of two.
    pub size: u64,
    /// How the address goes on.
    pub burst: BurstKind,
    /// AxCACHE.
    pub cache: u64,
}

impl Request {
    /// Beats.
    pub fn beats(&self) -> u64 {
        self.len + 1
    }
    /// The first byte and the number of bytes of beat `i`, which lie in one beat of the bus.
    pub fn bytes_of(&self, i: u64) -> (u64, u64) {
        let size = 1u64 << self.size;
        let aligned = self.address & !(size - 1);
        let address = match self.burst {
            BurstKind::Fixed | BurstKind::Reserved => self.address,
            _ if i == 0 => self.address,
            BurstKind::Incrementing => aligned.wrapping_add(i * size),
            BurstKind::Wrapping => {
                let whole = size * self.beats();
                let bottom = self.address / whole * whole;
                bottom + (aligned + i * size - bottom) % whole
            }
        };
        (address, size - address % size)
    }
}

/// A beat of R.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadBeat {
    /// That of the request.
    pub id: u64,
    /// The bytes of the bus.
    pub data: BigUint,
    /// How it went.
    pub response: Response,
    /// The burst ends with it.
    pub last: bool,
}

/// A beat of W.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteBeat {
    /// The bytes of the bus.
    pub data: BigUint,
    /// A bit for each byte that is written.
    pub strobes: u64,
    /// The burst ends with it.
    pub last: bool,
}

/// A beat of B.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteResponse {
    /// That of the request.
    pub id: u64,
    /// How it went.
    pub response: Response,
}

/// The ports of one channel, and where its fields are in a beat.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The ports.
    pub ports: StreamPorts,
    names: Vec<String>,
}

impl Channel {
    /// The channel `prefix` (`ar`, `r`, `aw`, `w` or `b`) of a bundle with the signals of AXI4.
    ///
    /// # Panics
    /// If signals of the channel are missing, or are not ports of the design.
    pub fn of<P, B: Bundle>(design: &Design<P>, bus: &B, prefix: &str) -> Channel {
        let ports = StreamPorts::channel(design, bus, prefix);
        let names = ports.payload.iter().map(|field| field.name[prefix.len()..].to_string()).collect();
        Channel { ports, names }
    }
    /// Bits of a field; 0 if the channel has none of this name.
    pub fn width(&self, name: &str) -> u32 {
        self.at(name).map_or(0, |i| self.ports.payload[i].width)
    }
    fn at(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }
    /// A field of a beat; 0 if the channel has none of this name.
    fn field(&self, beat: &Beat, name: &str) -> u64 {
        self.at(name).map_or(0, |i| beat.field(i))
    }
    /// A beat of these fields, the others 0.
    fn beat(&self, fields: &[(&str, BigUint)]) -> Beat {
        let value = |name: &String| fields.iter().find(|(n, _)| n == name).map_or(BigUint::ZERO, |(_, v)| v.clone());
        Beat(self.names.iter().map(value).collect())
    }
    /// A beat of AR or AW.
    pub fn request(&self, beat: &Beat) -> Request {
        let kinds = [BurstKind::Fixed, BurstKind::Incrementing, BurstKind::Wrapping, BurstKind::Reserved];
        Request {
            id: self.field(beat, "id"),
            address: self.field(beat, "addr"),
            len: self.field(beat, "len"),
            size: self.field(beat, "size"),
            burst: kinds[self.field(beat, "burst") as usize & 3],
            cache: self.field(beat, "cache"),
        }
    }
    /// A beat for AR or AW.
    pub fn request_beat(&self, x: &Request) -> Beat {
        let fields = [
            ("id", x.id),
            ("addr", x.address),
            ("len", x.len),
            ("size", x.size),
            ("burst", x.burst as u64),
            ("cache", x.cache),
        ];
        self.beat(&fields.map(|(name, value)| (name, value.into())))
    }
    /// A beat of W.
    pub fn write_beat(&self, beat: &Beat) -> WriteBeat {
        let data = self.at("data").map_or(BigUint::ZERO, |i| beat.0[i].clone());
        WriteBeat { data, strobes: self.field(beat, "strb"), last: self.field(beat, "last") == 1 }
    }
    /// A beat for W, of whole bytes.
    pub fn write_data(&self, bytes: &[u8], last: bool) -> Beat {
        let strobes = BigUint::from(u64::MAX >> (64 - bytes.len()));
        self.beat(&[("data", BigUint::from_bytes_le(bytes)), ("strb", strobes), ("last", u64::from(last).into())])
    }
    /// A beat for W with any strobes.
    pub fn strobed_data(&self, x: &WriteBeat) -> Beat {
        self.beat(&[("data", x.data.clone()), ("strb", x.strobes.into()), ("last", u64::from(x.last).into())])
    }
    /// A beat of R.
    pub fn read_beat(&self, beat: &Beat) -> ReadBeat {
        let data = self.at("data").map_or(BigUint::ZERO, |i| beat.0[i].clone());
        let response = Response::from_code(self.field(beat, "resp"));
        ReadBeat { id: self.field(beat, "id"), data, response, last: self.field(beat, "last") == 1 }
    }
    /// A beat for R.
    pub fn read_data(&self, x: &ReadBeat) -> Beat {
        let last = u64::from(x.last).into();
        self.beat(&[("id", x.id.into()), ("data", x.data.clone()), ("resp", x.response.code().into()), ("last", last)])
    }
    /// A beat of B.
    pub fn write_response(&self, beat: &Beat) -> WriteResponse {
        WriteResponse { id: self.field(beat, "id"), response: Response::from_code(self.field(beat, "resp")) }
    }
    /// A beat for B.
    pub fn response_beat(&self, x: &WriteResponse) -> Beat {
        self.beat(&[("id", x.id.into()), ("resp", x.response.code().into())])
    }
}
