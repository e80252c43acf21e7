//! An Oaken cache, from the pins of its line, with a memory behind it.

use super::built::build;
use super::oaken::{random_thresholds, random_vector};
use super::sdram::chip;
use super::system::host_of;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Design, Signal};
use hw::memory::sdram::SdramPins;
use hw::soc::baud::MIN_CLOCKS_PER_BIT;
use hw::soc::cache_board::{CacheBoardParams, cache_board};
use hw::soc::cache_with_sdram::{CacheWithSdramParams, cache_with_sdram};
use hw::soc::oaken_cache::commands::operation;
use hw::soc::oaken_cache::oaken_cache;
use hw::soc::oaken_cache::params::CacheParams;
use hw::soc::oaken_cache::registers::windows;
use sim::bus::Stalls;
use sim::bus::axi4_memory::MemoryModel;
use sim::golden::oaken::{DenseBits, Thresholds};
use sim::golden::oaken_cache::{OakenCache, Shape};
use sim::link_bench::Host;
use sim::oaken_bench::to_bytes;
use sim::with_memory::with_memory;
use sim::with_sdram::with_sdram;

/// Settings that the test uses; the others are not set.
const SETTINGS: usize = 2;

/// A cache, behind its bus a memory that stalls.
pub fn cache_driver(name: impl Into<String>, p: CacheParams) -> Driver {
    let name = name.into();
    let design = build(oaken_cache(&name, p));
    let held = design.clone();
    let stalls = Stalls::Percent(20);
    let model = MemoryModel { latency: 12, jitter: 5, taking: stalls, giving: stalls, ..MemoryModel::default() };
    Driver::new(name, design, move |engine, effort| {
        let io = &held.ports;
        let ports = Ports::of(&held, [io.uart_rx, io.uart_tx], [io.heard, io.error]);
        let mut engine = with_memory(engine, &held, &io.m_axi, (model.clone(), effort.seed));
        test(&mut engine, ports, p, effort)
    })
}

/// A board top: the cache and the controller in it, with a faster line, and behind its pins a chip that fails where one of its times is
/// violated. What the top adds, a PLL, a reset and flip-flops of pins, is tested beside it.
pub fn cache_board_driver(name: impl Into<String>, p: CacheBoardParams) -> Driver {
    let name = name.into();
    let cache = CacheParams { clocks_per_bit: MIN_CLOCKS_PER_BIT, ..p.system.cache };
    let p = CacheWithSdramParams { cache, ..p.system };
    let design = build(cache_with_sdram(&name, p));
    let held = design.clone();
    Driver::new(name, design, move |engine, effort| {
        let io = &held.ports;
        let ports = Ports::of(&held, [io.uart_rx, io.uart_tx], [io.heard, io.error]);
        let chip = (chip(p.sdram, effort.seed), p.sdram.read_delay);
        let mut engine = with_sdram(engine, &held, &io.sdram, chip);
        test(&mut engine, ports, cache, effort)
    })
}

/// The whole of a board top, with a faster line: the chip is clocked by the inverted clock, so that it is half a cycle ahead, and the
/// flip-flops of the pins give a cycle later what it gives. For engines that have what the PLL and the pins stand for.
pub fn cache_board_pins_driver(name: impl Into<String>, p: CacheBoardParams) -> Driver {
    let name = name.into();
    let cache = CacheParams { clocks_per_bit: MIN_CLOCKS_PER_BIT, ..p.system.cache };
    let p = CacheBoardParams { system: CacheWithSdramParams { cache, ..p.system }, ..p };
    let design = build(cache_board(&name, p));
    let held = design.clone();
    Driver::new(name, design, move |engine, effort| {
        let io = &held.ports;
        let (chip_pins, data) = (io.sdram, io.sdram_dq);
        let pins = SdramPins {
            ras_n: chip_pins.ras_n,
            cas_n: chip_pins.cas_n,
            we_n: chip_pins.we_n,
            ba: chip_pins.ba,
            a: chip_pins.a,
            dqm: chip_pins.dqm,
            dq_out: data.out,
            dq_oe: data.enable,
            dq_in: data.input,
        };
        let port = |signal| held.port_index(signal).expect("a port");
        let ports = Ports { line: [io.uart_rx, io.uart_tx].map(port), lamps: Lamps::Leds(port(io.led)) };
        let mut engine = with_sdram(engine, &held, &pins, (chip(p.system.sdram, effort.seed), 0));
        test(&mut engine, ports, cache, effort)
    })
}

/// Numbers of ports.
#[derive(Clone, Copy)]
struct Ports {
    /// From and to the host.
    line: [usize; 2],
    lamps: Lamps,
}

/// Where a frame that was heard and an error are shown.
#[derive(Clone, Copy)]
enum Lamps {
    /// Each at a port of its own.
    Ports([usize; 2]),
    /// The second and the third LED of a board.
    Leds(usize),
}

impl Lamps {
    /// Heard, and an error.
    fn look(self, engine: &mut dyn Engine) -> [u64; 2] {
        match self {
            Lamps::Ports(ports) => ports.map(|port| engine.peek(port)),
            Lamps::Leds(port) => [1, 2].map(|led| engine.peek(port) >> led & 1),
        }
    }
}

impl Ports {
    fn of<P>(design: &Design<P>, line: [Signal; 2], lamps: [Signal; 2]) -> Ports {
        let port = |signal| design.port_index(signal).expect("a port");
        Ports { line: line.map(port), lamps: Lamps::Ports(lamps.map(port)) }
    }
}

/// What the cache says of itself, then commands, right and wrong ones, each answer as the model's.
fn test(engine: &mut dyn Engine, ports: Ports, p: CacheParams, effort: Effort) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    let mut host = host_of(engine, ports.line, p.clocks_per_bit);
    host.open(engine)?;
    says_what_it_is(&mut host, engine, p)?;
    let settings: Vec<Thresholds> = (0..SETTINGS).map(|_| random_thresholds(&mut rng)).collect();
    set_up(&mut host, engine, p, &settings)?;
    let mut cache = Cache { host, model: OakenCache::new(shape(p, settings.clone())), p, nonfinite: false };
    for _ in 0..if effort.long { 10 } else { 1 } {
        cache.commands(engine, &mut rng, &settings)?;
    }
    let lamps = ports.lamps.look(engine);
    // the last commands had a mistake
    if lamps != [1, 1] {
        return Err(format!("heard and error are {lamps:?}"));
    }
    let nonfinite = cache.nonfinite;
    flags(&mut cache.host, engine, p, nonfinite)?;
    let free = register(&mut cache.host, engine, p, "free")?;
    if free != p.mmu.pages {
        return Err(format!("{free} of {} pages are free at the end", p.mmu.pages));
    }
    Ok(())
}

/// Address of a register, and of the engines' ones of this name.
fn addresses(p: CacheParams, register: &str) -> Vec<u16> {
    let found = windows("cache", p).into_iter().filter_map(|(base, map)| {
        let register = map.registers.iter().find(|r| r.name == register)?;
        Some((base + register.offset) as u16)
    });
    found.collect()
}

/// What a register of the cache itself holds.
fn register(host: &mut Host, engine: &mut dyn Engine, p: CacheParams, name: &str) -> Result<u32, String> {
    host.read(engine, addresses(p, name)[0])
}

/// The flags of the cache and of its engines: a command was refused, and vectors held what is no finite number, or not; nothing else was wrong.
fn flags(host: &mut Host, engine: &mut dyn Engine, p: CacheParams, nonfinite: bool) -> Result<(), String> {
    let of_quantizer = if nonfinite { vec!["nonfinite"] } else { vec![] };
    for ((base, map), expected) in windows("cache", p).into_iter().zip([vec!["command"], of_quantizer, vec![]]) {
        let errors = map.registers.iter().find(|r| r.name == "errors").ok_or("no register errors")?;
        let found = host.read(engine, (base + errors.offset) as u16)?;
        let set = errors.fields.iter().filter(|field| found >> field.lsb & 1 == 1).map(|field| &field.name[..]);
        let set: Vec<&str> = set.collect();
        if set != expected {
            return Err(format!("{} flags {set:?} instead of {expected:?}", map.name));
        }
    }
    Ok(())
}

/// The registers of the cache itself, as they are after a reset.
fn says_what_it_is(host: &mut Host, engine: &mut dyn Engine, p: CacheParams) -> Result<(), String> {
    let [(_, own), ..] = windows("cache", p);
    for register in &own.registers {
        let found = host.read(engine, register.offset as u16)?;
        let expected = match &register.name[..] {
            "cycles" | "frames" if found > 0 => continue,
            "free" => p.mmu.pages,
            _ => register.reset(),
        };
        if found != expected {
            return Err(format!("{} holds {found:#x} instead of {expected:#x}", register.name));
        }
    }
    Ok(())
}

/// Stores the settings in both engines, and lets vectors begin.
fn set_up(host: &mut Host, engine: &mut dyn Engine, p: CacheParams, settings: &[Thresholds]) -> Result<(), String> {
    let mut write = |register: &str, value: u32| {
        addresses(p, register).into_iter().try_for_each(|address| host.write(engine, address, value))
    };
    for (number, t) in settings.iter().enumerate() {
        for (register, value) in ["s_low", "t_low", "t_high", "s_high"].into_iter().zip(t.bits()) {
            write(register, value.into())?;
        }
        write("setting", number as u32)?;
        write("setting", 1 << 8 | number as u32)?;
    }
    write("enable", 1)
}

fn shape(p: CacheParams, settings: Vec<Thresholds>) -> Shape {
    let m = p.mmu;
    Shape {
        requests: m.requests as u8,
        layers: m.layers as u8,
        heads: m.heads as u8,
        head_elements: m.head_elements as usize,
        tokens: m.tokens as usize,
        bits: DenseBits::new(m.key_bits).unwrap_or(DenseBits::PAPER),
        settings,
    }
}

/// A cache with its host, and what it should answer.
struct Cache {
    host: Host,
    model: OakenCache,
    p: CacheParams,
    /// A vector has held an infinity or a NaN.
    nonfinite: bool,
}

impl Cache {
    /// Puts a packet, and compares everything that comes back.
    fn say(&mut self, engine: &mut dyn Engine, packet: &[u8]) -> Result<(), String> {
        self.host.put(engine, packet)?;
        for (i, expected) in self.model.answers(packet).into_iter().enumerate() {
            let found = self.host.take(engine)?;
            if found != expected {
                return Err(format!(
                    "packet {i} behind command {:x?}: {found:x?}, not {expected:x?}",
                    &packet[..packet.len().min(9)]
                ));
            }
        }
        Ok(())
    }
    /// A request begins, grows in two groups, is read and ends; in between come commands that are not legal.
    fn commands(&mut self, engine: &mut dyn Engine, rng: &mut Rng, settings: &[Thresholds]) -> Result<(), String> {
        let m = self.p.mmu;
        let request = rng.u32(0..m.requests) as u8;
        let layer = rng.u32(0..m.layers) as u8;
        let mut tag = 0;
        let mut command = |operation: u32, value: u8, head: u8, tokens: u8| {
            tag += 1;
            vec![operation as u8, tag, request, layer, value, head, tokens, 0, value]
        };
        let elements = (m.heads * m.head_elements) as usize;
        self.say(engine, &command(operation::OPEN, 0, 0, 0))?;
        for i in 0..4 {
            let value = i % 2;
            let vector = random_vector(rng, elements, &settings[usize::from(value)]);
            self.nonfinite |= vector.iter().any(|x| x & 0x7c00 == 0x7c00);
            let vector = to_bytes(&vector);
            let append = [command(operation::APPEND, value, 0, 0), vector].concat();
            self.say(engine, &append)?;
            if i == 2 {
                // cut, and too long: neither is appended
                self.say(engine, &append[..append.len() - 2])?;
                self.say(engine, &[&append[..], &[0; 3]].concat())?;
            }
        }
        for value in [0, 1] {
            let head = rng.u32(0..m.heads) as u8;
            self.say(engine, &command(operation::READ, value, head, 0))?;
            self.say(engine, &command(operation::READ, value, head, 1))?;
        }
        self.say(engine, &command(operation::SYNC, 0, 0, 0))?;
        self.say(engine, &command(operation::RELEASE, 0, 0, 0))?;
        self.say(engine, &command(operation::READ, 0, 0, 0))?;
        self.say(engine, &command(7, 0, 0, 0))?;
        self.say(engine, &[1, 2, 3])
    }
}
