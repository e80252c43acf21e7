//! An Oaken system, from the pins of its line.

use super::built::build;
use super::oaken::{random_thresholds, random_vector};
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::soc::baud::MIN_CLOCKS_PER_BIT;
use hw::soc::board_top::BoardParams;
use hw::soc::oaken_system::{SystemPorts, oaken_system};
use hw::soc::system_addresses::SystemAddresses;
use hw::soc::system_params::SystemParams;
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};
use sim::link_bench::{Host, operation};
use sim::oaken_bench::to_bytes;

/// Sets both engines of a system.
///
/// # Errors
/// If a register does not answer.
pub fn set_up(
    addresses: &SystemAddresses,
    host: &mut Host,
    engine: &mut dyn Engine,
    n: usize,
    t: &Thresholds,
) -> Result<(), String> {
    let [s_low, t_low, t_high, s_high] = t.bits().map(u32::from);
    let settings = [("length", n as u32), ("s_low", s_low), ("t_low", t_low), ("t_high", t_high), ("s_high", s_high)];
    for (register, value) in settings.into_iter().chain([("enable", 1)]) {
        for address in addresses.both(register) {
            host.write(engine, address, value)?;
        }
    }
    Ok(())
}

/// A host at the pins of a system, after its reset.
pub fn host_of(engine: &mut dyn Engine, ports: [usize; 2], p: SystemParams) -> Host {
    engine.poke(ports[0], 1);
    engine.reset(2);
    let mut host = Host::new(ports[0], ports[1], p.clocks_per_bit);
    host.rest(engine, 8);
    host
}

/// What a vector becomes on its way through both engines.
pub fn there_and_back(v: &[u16], bits: DenseBits, t: &Thresholds) -> Vec<u16> {
    let record = encode(v, bits, t);
    decode(&record.dense, &record.sparse, v.len(), bits, t).unwrap_or_else(|e| panic!("{e}"))
}

/// The number of a port.
fn ports_of(design: &hdl::Design<SystemPorts>) -> ([usize; 2], [usize; 3]) {
    let io = &design.ports;
    let port = |signal| design.port_index(signal).expect("a port");
    ([port(io.uart_rx), port(io.uart_tx)], [port(io.alive), port(io.heard), port(io.error)])
}

/// A system.
pub fn system_driver(name: impl Into<String>, p: SystemParams) -> Driver {
    let name = name.into();
    let design = build(oaken_system(&name, p));
    let (line, lamps) = ports_of(&design);
    Driver::new(name, design, move |engine, effort| test(engine, line, lamps, p, effort))
}

/// A board top: the system in it, with a faster line. What the top adds, a PLL and a reset, is tested beside it.
pub fn board_driver(name: impl Into<String>, p: BoardParams) -> Driver {
    system_driver(name, SystemParams { clocks_per_bit: MIN_CLOCKS_PER_BIT, ..p.system })
}

/// What the system says of itself; then vectors, also more of them than find room.
fn test(
    engine: &mut dyn Engine,
    line: [usize; 2],
    [alive, heard, error]: [usize; 3],
    p: SystemParams,
    effort: Effort,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    let addresses = SystemAddresses::new(p);
    let mut host = host_of(engine, line, p);
    let lamps = |engine: &mut dyn Engine| [alive, heard, error].map(|port| engine.peek(port));
    let before = lamps(engine);
    host.open(engine)?;
    let after = lamps(engine);
    if (before, after) != ([0, 0, 0], [0, 1, 0]) {
        return Err(format!("alive, heard and error are {before:?}, then {after:?}"));
    }
    for register in &addresses.own_map().registers {
        let counts = register.fields.iter().any(|field| field.name == "cycles" || field.name == "frames");
        let found = host.read(engine, register.offset as u16)?;
        if (counts && found == 0) || (!counts && found != register.reset()) {
            return Err(format!("{} holds {found:#x}", register.name));
        }
    }
    let scratch = addresses.own("scratch");
    host.write(engine, scratch, 0x1234_5678)?;
    let end = 4 * addresses.own_map().registers.len() as u16;
    for (address, writes) in
        [(addresses.own("id"), true), (end, false), (0x0800, false), (0x1100, false), (0x3000, true)]
    {
        let payload = [&address.to_le_bytes()[..], &[0; 4]].concat();
        let (operation, length) = if writes { (operation::WRITE, 6) } else { (operation::READ, 2) };
        let answer = host.request(engine, operation, &payload[..length])?;
        if answer != (3, vec![]) {
            return Err(format!("an access to {address:#x}: {answer:x?}"));
        }
    }
    if host.read(engine, scratch)? != 0x1234_5678 {
        return Err("scratch does not hold what was written".into());
    }
    damaged_line(&mut host, engine, &addresses, error)?;
    if p.clocks_per_bit > 64 && !effort.long {
        return Ok(()); // a slow line: vectors take too many cycles
    }
    vectors(&mut host, engine, &addresses, p, &mut rng, if effort.long { 30 } else { 2 })
}

/// A damaged frame is flagged and counted, and does no harm.
fn damaged_line(
    host: &mut Host,
    engine: &mut dyn Engine,
    addresses: &SystemAddresses,
    error: usize,
) -> Result<(), String> {
    host.send(engine, &[0, 1, 2, 3, 0]);
    let (dropped, errors) = (host.read(engine, addresses.own("dropped"))?, host.read(engine, addresses.own("errors"))?);
    let lamp = engine.peek(error);
    host.write(engine, addresses.own("errors"), 1)?;
    let cleared = (host.read(engine, addresses.own("errors"))?, engine.peek(error));
    if (dropped, errors, lamp, cleared) != (1, 1, 1, (0, 0)) {
        return Err(format!("a damaged frame: {dropped} dropped, errors {errors:#x}, lamp {lamp}, then {cleared:?}"));
    }
    Ok(())
}

/// Random vectors, one after the other and then two at once.
fn vectors(
    host: &mut Host,
    engine: &mut dyn Engine,
    addresses: &SystemAddresses,
    p: SystemParams,
    rng: &mut Rng,
    rounds: usize,
) -> Result<(), String> {
    let bits = DenseBits::new(p.engine.dense_bits).map_err(|e| e.to_string())?;
    let (mut elements, mut vectors) = (0, 0);
    for _ in 0..rounds {
        let n = 64 * rng.usize(1..=2.min(p.engine.max_length as usize / 64));
        let t = random_thresholds(rng);
        set_up(addresses, host, engine, n, &t)?;
        for at_once in [1, 2] {
            let sent: Vec<Vec<u16>> = (0..at_once).map(|_| random_vector(rng, n, &t)).collect();
            for v in &sent {
                host.put(engine, &to_bytes(v))?;
            }
            for v in &sent {
                let found = host.take(engine)?;
                let expected = to_bytes(&there_and_back(v, bits, &t));
                if found != expected {
                    return Err(format!("{v:x?} became {found:x?} instead of {expected:x?}"));
                }
            }
            elements += n * at_once;
            vectors += at_once;
        }
    }
    let beats = (elements / p.engine.lanes as usize) as u32;
    let counters = ["taken", "given"].map(|name| host.read(engine, addresses.own(name)));
    let counted = addresses.both("vectors").map(|address| host.read(engine, address));
    let expected = ([Ok(beats), Ok(beats)], [Ok(vectors as u32), Ok(vectors as u32)]);
    if (&counters, &counted) != (&expected.0, &expected.1) {
        return Err(format!("counters {counters:?} and {counted:?} instead of {expected:?}"));
    }
    Ok(())
}
