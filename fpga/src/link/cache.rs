//! An Oaken cache behind the link (docs/blocks/oaken_cache.md): what it says of itself, and its commands.

use super::host::{Host, HostError};
use super::line::Line;
use hw::memory::axi::AxiParams;
use hw::oaken::mmu::params::MmuParams;
use hw::soc::oaken_cache::commands::{ANSWER_BYTES, COMMAND_BYTES, operation};
use hw::soc::oaken_cache::params::CacheParams;
use hw::soc::oaken_cache::registers::windows;
use thiserror::Error;

/// What the register `id` of every Oaken cache holds.
pub const ID: u32 = 0x4b56_4643;
/// The register that holds a CRC-32 of the settings that this program stored.
const SETTINGS_HASH: &str = "scratch";
/// The flag of the cache itself that is about vectors.
const HISTORY: &str = "history";
/// How often a packet is asked for while none comes, and put while there is no room.
const TIMES: u32 = 200;
/// The most that another host left: packets, or takes.
const LEFT: u32 = 100_000;

/// How a command ended that was not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Refused {
    /// A number that the cache does not have.
    #[error("there is no such request, layer, head or setting")]
    Address,
    /// The request has not begun.
    #[error("the request is not open")]
    Closed,
    /// It has begun already.
    #[error("the request is open already")]
    Open,
    /// It is full.
    #[error("the request has as many tokens as it may")]
    Tokens,
    /// Memory is full.
    #[error("there might not be enough pages for the vector")]
    Pages,
    /// The memory answered with an error.
    #[error("the memory answered with an error")]
    Bus,
    /// What the quantizer made is no record.
    #[error("the record was malformed")]
    Record,
    /// Another version of the commands.
    #[error("the board does not understand the command")]
    NotUnderstood,
    /// The vector has another length than the cache's.
    #[error("the vector has another length than the board's")]
    Length,
    /// An outcome that the page does not have.
    #[error("outcome {0}, which the page does not have")]
    Unknown(u8),
}

impl Refused {
    fn of(outcome: u8) -> Option<Refused> {
        Some(match outcome {
            0 => return None,
            1 => Refused::Address,
            2 => Refused::Closed,
            3 => Refused::Open,
            4 => Refused::Tokens,
            5 => Refused::Pages,
            6 => Refused::Bus,
            7 => Refused::Record,
            8 => Refused::NotUnderstood,
            9 => Refused::Length,
            other => Refused::Unknown(other),
        })
    }
}

/// Why a cache has no result.
#[derive(Debug, Error)]
pub enum CacheError {
    /// The host has none.
    #[error(transparent)]
    Host(#[from] HostError),
    /// Another bitstream.
    #[error("the board answers, and is no Oaken cache: its id is {0:#010x}")]
    OtherSystem(u32),
    /// The command was not done.
    #[error("{what}: {why}")]
    Refused {
        /// The command.
        what: String,
        /// Why.
        why: Refused,
    },
    /// No answer to a command.
    #[error("{0}: no answer comes")]
    Lost(String),
    /// What is in the pages was quantized with other thresholds.
    #[error("the board has vectors under other thresholds, which would lose their meaning")]
    OtherSettings,
    /// Something is wrong with vectors that were appended or read.
    #[error("the board flags {0}")]
    Flagged(String),
    /// An answer to another command.
    #[error("{what}: what came is {came:02x?}")]
    OtherAnswer {
        /// The command.
        what: String,
        /// The packet.
        came: Vec<u8>,
    },
}

/// Keys or values of a layer of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// Number of the request.
    pub request: u8,
    /// Number of the layer.
    pub layer: u8,
    /// Values, else keys.
    pub value: bool,
}

/// What a cache says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheInfo {
    /// Version of the hardware: first, second and third number.
    pub version: [u8; 3],
    /// Equal where all parameters are.
    pub configuration: u32,
    /// Elements a cycle.
    pub lanes: u32,
    /// Requests that may be open.
    pub requests: u32,
    /// Layers of the model.
    pub layers: u32,
    /// Heads of a layer's keys, and of its values.
    pub heads: u32,
    /// Elements of a head.
    pub head_elements: u32,
    /// The most tokens of a request.
    pub tokens: u32,
    /// Settings that each engine holds.
    pub settings: u32,
    /// Bits of a dense code.
    pub dense_bits: u32,
    /// Pages that there are.
    pub pages: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Frequency of its clock.
    pub clock_hertz: u32,
    /// Cycles of a bit of the line.
    pub clocks_per_bit: u32,
}

/// The registers at the same places whatever the parameters are.
fn any_params() -> CacheParams {
    let mmu = MmuParams {
        axi: AxiParams { data_bytes: 8, address_bits: 25, id_bits: 0 },
        page_bytes: 4096,
        pages: 4,
        requests: 1,
        layers: 1,
        heads: 1,
        head_elements: 64,
        key_bits: 4,
        value_bits: 4,
        tokens: 1,
        tag_bits: 1,
        outstanding: 1,
    };
    CacheParams { lanes: 1, mmu, clock_hertz: 1_000_000, clocks_per_bit: 16 }
}

/// Addresses of the registers of this name: the cache's own first, then those of the engines.
fn addresses(register: &str) -> impl Iterator<Item = u16> {
    windows("cache", any_params()).into_iter().filter_map(move |(base, map)| {
        let found = map.registers.iter().find(|r| r.name == register)?;
        u16::try_from(base + found.offset).ok()
    })
}

/// Address of a register of the cache itself.
fn own(register: &str) -> Result<u16, CacheError> {
    addresses(register).next().ok_or_else(|| CacheError::Lost(format!("register {register}")))
}

/// A cache at the other end of a line.
#[derive(Debug)]
pub struct Cache<L> {
    host: Host<L>,
    info: CacheInfo,
    tag: u8,
}

impl<L: Line> Cache<L> {
    /// Opens the link, asks the cache what it is, and takes what another host left that was stopped.
    ///
    /// # Errors
    /// If nothing answers, or something that is no Oaken cache.
    pub fn connect(mut host: Host<L>) -> Result<Cache<L>, CacheError> {
        host.open()?;
        let mut read = |register: &str| -> Result<u32, CacheError> { Ok(host.read(own(register)?)?) };
        let id = read("id")?;
        if id != ID {
            return Err(CacheError::OtherSystem(id));
        }
        let version = read("version")?;
        let info = CacheInfo {
            version: [16, 8, 0].map(|low| (version >> low) as u8),
            configuration: read("configuration")?,
            lanes: read("lanes")?,
            requests: read("requests")?,
            layers: read("layers")?,
            heads: read("heads")?,
            head_elements: read("head_elements")?,
            tokens: read("tokens")?,
            settings: read("settings")?,
            dense_bits: read("dense_bits")?,
            pages: read("pages")?,
            page_bytes: read("page_bytes")?,
            clock_hertz: read("clock")?,
            clocks_per_bit: read("clocks_per_bit")?,
        };
        let mut cache = Cache { host, info, tag: 0 };
        // a command that another host left may wait for it
        cache.write("enable", 1)?;
        cache.recover()?;
        Ok(cache)
    }
    /// What it says of itself.
    pub fn info(&self) -> CacheInfo {
        self.info
    }
    /// The line.
    pub fn line(&mut self) -> &mut L {
        self.host.line()
    }
    /// A register of the cache itself.
    ///
    /// # Errors
    /// If there is none, or no answer comes.
    pub fn register(&mut self, name: &str) -> Result<u32, CacheError> {
        Ok(self.host.read(own(name)?)?)
    }
    /// Stores settings in both engines: numbers, and thresholds from the lowest to the highest, as bits of binary16. If the board has them
    /// already, nothing is done.
    ///
    /// # Errors
    /// If pages hold vectors under other settings, or no answer comes.
    pub fn set(&mut self, settings: &[(u8, [u16; 4])]) -> Result<(), CacheError> {
        let mut settings = settings.to_vec();
        settings.sort_unstable();
        let bytes = settings.iter().flat_map(|(number, thresholds)| {
            [u16::from(*number)].into_iter().chain(*thresholds).flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
        });
        let hash = crc32fast::hash(&bytes.collect::<Vec<u8>>());
        if self.register(SETTINGS_HASH)? == hash {
            return Ok(());
        }
        if self.register("free")? != self.info.pages {
            return Err(CacheError::OtherSettings);
        }
        // none, should it be stopped before the last one
        self.host.write(own(SETTINGS_HASH)?, 0)?;
        for (number, thresholds) in settings {
            let number = u32::from(number);
            let names = ["s_low", "t_low", "t_high", "s_high"];
            let values = names.into_iter().zip(thresholds.map(u32::from));
            for (register, value) in values.chain([("setting", number), ("setting", 1 << 8 | number)]) {
                self.write(register, value)?;
            }
        }
        Ok(self.host.write(own(SETTINGS_HASH)?, hash)?)
    }
    /// Clears the flags of what went wrong.
    ///
    /// # Errors
    /// If no answer comes.
    pub fn forget_flags(&mut self) -> Result<(), CacheError> {
        self.flags().map(drop)
    }
    /// Is any of them set? Then it is cleared.
    ///
    /// # Errors
    /// If one is, or no answer comes.
    pub fn check_flags(&mut self) -> Result<(), CacheError> {
        match self.flags()?.into_iter().next() {
            None => Ok(()),
            Some(flag) => Err(CacheError::Flagged(flag)),
        }
    }
    /// What the cache and its engines flag of vectors, which is cleared. Flags of the line are not among it: a damaged frame came again.
    fn flags(&mut self) -> Result<Vec<String>, CacheError> {
        let mut set = vec![];
        for (base, map) in windows("cache", any_params()) {
            let Some(errors) = map.registers.iter().find(|register| register.name == "errors") else { continue };
            let address =
                u16::try_from(base + errors.offset).map_err(|_| CacheError::Lost("register errors".into()))?;
            let found = self.host.read(address)?;
            let of_vectors = |name: &str| base != 0 || name == HISTORY;
            let fields = errors.fields.iter().filter(|field| found >> field.lsb & 1 == 1 && of_vectors(&field.name));
            set.extend(fields.map(|field| format!("{}: {}", field.name, field.doc)));
            self.host.write(address, found)?;
        }
        Ok(set)
    }
    /// Writes a register of both engines.
    fn write(&mut self, register: &str, value: u32) -> Result<(), CacheError> {
        Ok(addresses(register).try_for_each(|address| self.host.write(address, value))?)
    }
    /// Begins a request, empty.
    ///
    /// # Errors
    /// If it is refused, or no answer comes.
    pub fn open(&mut self, request: u8) -> Result<(), CacheError> {
        let what = format!("request {request} is opened");
        self.command(&what, operation::OPEN, Group { request, layer: 0, value: false }, [0; 4], &[]).map(drop)
    }
    /// Ends a request.
    ///
    /// # Errors
    /// If it is refused, or no answer comes.
    pub fn release(&mut self, request: u8) -> Result<(), CacheError> {
        let what = format!("request {request} is released");
        self.command(&what, operation::RELEASE, Group { request, layer: 0, value: false }, [0; 4], &[]).map(drop)
    }
    /// Appends a token's keys or values of a layer, all heads.
    ///
    /// # Errors
    /// If it is refused, or no answer comes.
    pub fn append(&mut self, group: Group, setting: u8, vector: &[u16]) -> Result<(), CacheError> {
        let what = format!("a vector is appended to {}", told(group));
        let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.command(&what, operation::APPEND, group, [0, 0, 0, setting], &bytes).map(drop)
    }
    /// The first tokens of a head (0: all), a vector each.
    ///
    /// # Errors
    /// If it is refused, or no answer comes.
    pub fn read(&mut self, group: Group, head: u8, tokens: u16, setting: u8) -> Result<Vec<Vec<u16>>, CacheError> {
        let what = format!("head {head} of {} is read", told(group));
        let [low, high] = tokens.to_le_bytes();
        let packets = self.command(&what, operation::READ, group, [head, low, high, setting], &[])?;
        let elements = |packet: Vec<u8>| packet.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
        Ok(packets.into_iter().map(elements).collect())
    }
    /// Sends a command, and gives the vectors that come before its answer.
    fn command(
        &mut self,
        what: &str,
        operation: u32,
        Group { request, layer, value }: Group,
        [head, low, high, setting]: [u8; 4],
        vector: &[u8],
    ) -> Result<Vec<Vec<u8>>, CacheError> {
        self.tag = self.tag.wrapping_add(1);
        let head = [operation as u8, self.tag, request, layer, u8::from(value), head, low, high, setting];
        self.host.put(&[&head[..], vector].concat(), TIMES)?;
        let mut vectors = vec![];
        loop {
            let packet = self.host.take_packet(TIMES)?.ok_or_else(|| CacheError::Lost(what.into()))?;
            if packet.len() == 2 * self.info.head_elements as usize {
                vectors.push(packet);
                continue;
            }
            if packet.len() != ANSWER_BYTES as usize {
                return Err(CacheError::OtherAnswer { what: what.into(), came: packet });
            }
            if packet[..2] != [operation as u8, self.tag]
                || usize::from(packet[3]) + 256 * usize::from(packet[4]) != vectors.len()
            {
                return Err(CacheError::OtherAnswer { what: what.into(), came: packet });
            }
            return match Refused::of(packet[2]) {
                None => Ok(vectors),
                Some(why) => Err(CacheError::Refused { what: what.into(), why }),
            };
        }
    }
    /// Ends what a host left that was stopped, and takes all that is for it.
    fn recover(&mut self) -> Result<(), CacheError> {
        // as many bytes as make no command of anything that was begun: too long, or with numbers that there are not
        let vector = 2 * self.info.heads * self.info.head_elements;
        self.put_and_take(&vec![0xff; (COMMAND_BYTES + vector) as usize])?;
        // three of them: that the host before was stopped behind the same three tags is not to be expected
        let tags = self.register("cycles")?.to_le_bytes();
        for tag in &tags[..3] {
            self.sync(*tag)?;
        }
        self.tag = tags[2];
        Ok(())
    }
    /// Takes all that comes before the answer to a `sync` with this tag.
    fn sync(&mut self, tag: u8) -> Result<(), CacheError> {
        self.put_and_take(&[operation::SYNC as u8, tag, 0, 0, 0, 0, 0, 0, 0])?;
        for _ in 0..LEFT {
            let packet = self.host.take_packet(TIMES)?.ok_or_else(|| CacheError::Lost("the first command".into()))?;
            // the first one may be the end of a vector, or of an answer
            if packet == [operation::SYNC as u8, tag, 0, 0, 0] {
                return Ok(());
            }
        }
        Err(CacheError::Lost("the first command".into()))
    }
    /// Puts a packet; while what was left in the link's buffer leaves no room for it, what comes is taken, for nobody.
    fn put_and_take(&mut self, packet: &[u8]) -> Result<(), CacheError> {
        for _ in 0..LEFT {
            match self.host.put(packet, 0) {
                Err(HostError::NoRoom) => self.host.take()?,
                other => return Ok(other?),
            };
        }
        Err(HostError::Endless.into())
    }
}

fn told(Group { request, layer, value }: Group) -> String {
    format!("the {} of layer {layer} of request {request}", if value { "values" } else { "keys" })
}
