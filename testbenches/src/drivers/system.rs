//! An Oaken system, from the pins of its line.

use super::built::build;
use super::system_paths::Paths;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::soc::baud::MIN_CLOCKS_PER_BIT;
use hw::soc::board_top::BoardParams;
use hw::soc::oaken_system::{DEQUANTIZER, QUANTIZER, SystemPorts, oaken_system};
use hw::soc::system_addresses::SystemAddresses;
use hw::soc::system_params::{Engines, SystemParams};
use sim::link_bench::{Host, operation};

/// A host at the pins of a system, after its reset.
pub fn host_of(engine: &mut dyn Engine, ports: [usize; 2], clocks_per_bit: u32) -> Host {
    engine.poke(ports[0], 1);
    engine.reset(2);
    let mut host = Host::new(ports[0], ports[1], clocks_per_bit);
    host.rest(engine, 8);
    host
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

/// What the system says of itself; then vectors along each path, and disorder.
fn test(
    engine: &mut dyn Engine,
    line: [usize; 2],
    [alive, heard, error]: [usize; 3],
    p: SystemParams,
    effort: Effort,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    let addresses = SystemAddresses::new(p);
    let mut host = host_of(engine, line, p.clocks_per_bit);
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
    let mut illegal = vec![(addresses.own("id"), true), (end, false), (0x0800, false), (0x1100, false), (0x3000, true)];
    if p.engines != Engines::Both {
        let missing = if p.engines.quantizes() { DEQUANTIZER } else { QUANTIZER } as u16;
        illegal.extend([(missing, false), (missing, true), (missing + 8, true), (addresses.own("path"), true)]);
    }
    for (address, writes) in illegal {
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
    let rounds = if effort.long { 30 } else { 2 };
    let mut system = Paths { host, addresses, p };
    system.vectors(engine, &mut rng, rounds)?;
    system.disorder(engine, &mut rng, rounds.div_ceil(3))
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
