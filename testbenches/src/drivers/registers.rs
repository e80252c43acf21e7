//! A test of the registers behind AXI4-Lite, from their description.

use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design};
use hw::control::{Access, Register, RegisterMap};
use sim::bus::{AxiLiteMaster, Bench, BusError, Response, Stalls};

/// Bits of a register whose value is known here: all but those that hardware gives, and flags of an engine with several settings: what
/// is written anywhere may be a setting that it refuses to store.
fn known(map: &RegisterMap, register: &Register) -> u64 {
    let stores = map.registers.iter().any(|register| register.name == "setting");
    let given = |access: Access| access == Access::ReadOnly || (stores && access == Access::Sticky);
    let given = register.fields.iter().filter(|field| given(field.access));
    u64::from(!given.fold(0, |mask, field| mask | field.mask()))
}

/// The value after a write of some bytes; flags are clear and stay so.
fn written(register: &Register, before: u64, data: u64, strobes: u64) -> u64 {
    let bytes = (0..4).filter(|byte| strobes >> byte & 1 == 1).fold(0u64, |mask, byte| mask | 0xff << (8 * byte));
    let fields = register.fields.iter().filter(|field| matches!(field.access, Access::ReadWrite { .. }));
    let mask = bytes & fields.fold(0, |mask, field| mask | u64::from(field.mask()));
    (before & !mask) | (data & mask)
}

/// Resets, then reads and writes at random, also where there is no register. Nothing else may use the design meanwhile.
pub fn test<P, B: Bundle>(
    engine: &mut dyn Engine,
    design: &Design<P>,
    bus: &B,
    map: &RegisterMap,
    seed: u64,
) -> Result<(), String> {
    for (i, stalls) in [Stalls::Never, Stalls::Percent(60)].into_iter().enumerate() {
        let mut bench = Bench::new(engine, seed + i as u64);
        let master = AxiLiteMaster::new(&mut bench, design, bus, stalls);
        bench.reset().map_err(|e| e.to_string())?;
        let mut values: Vec<u64> = map.registers.iter().map(|register| register.reset().into()).collect();
        let mut rng = Rng::with_seed(seed + i as u64);
        all(&mut bench, &master, map, &values)?;
        // every byte of every register by itself
        for (register, strobe) in map.registers.iter().flat_map(|r| (0..4).map(move |byte| (r, 1 << byte))) {
            let (address, data) = (register.offset.into(), rng.u32(..).into());
            write(&mut bench, &master, map, &mut values, (address, data, strobe))?;
        }
        all(&mut bench, &master, map, &values)?;
        for _ in 0..400 {
            access(&mut bench, &master, map, &mut values, &mut rng)?;
        }
        queued(&mut bench, &master, map, &mut values, &mut rng)?;
        all(&mut bench, &master, map, &values)?;
        if stalls == Stalls::Never {
            pace(&mut bench, &master).map_err(|e| e.to_string())??;
        }
    }
    Ok(())
}

/// Reads all registers.
fn all(bench: &mut Bench, master: &AxiLiteMaster, map: &RegisterMap, values: &[u64]) -> Result<(), String> {
    for (register, value) in map.registers.iter().zip(values) {
        let (response, read) = master.read(bench, register.offset.into()).map_err(|e| e.to_string())?;
        if response != Response::Okay || (read ^ value) & known(map, register) != 0 {
            return Err(format!("`{}` reads {read:#x} ({response:?}), not {value:#x}", register.name));
        }
    }
    Ok(())
}

/// One access at a random address, more often than not that of a register.
fn access(
    bench: &mut Bench,
    master: &AxiLiteMaster,
    map: &RegisterMap,
    values: &mut [u64],
    rng: &mut Rng,
) -> Result<(), String> {
    let space = 1 << map.address_width();
    let address = if rng.u8(0..3) == 0 { rng.u64(0..space) } else { 4 * rng.u64(0..values.len() as u64) };
    let index = at(map, address);
    let error = |what: &str| format!("{what} at {address:#x}");
    if rng.bool() {
        let (response, read) = master.read(bench, address).map_err(|e| e.to_string())?;
        let right = match index {
            None => response == Response::SlaveError && read == 0,
            Some(i) => response == Response::Okay && (read ^ values[i]) & known(map, &map.registers[i]) == 0,
        };
        return if right { Ok(()) } else { Err(error("wrong read")) };
    }
    let (data, strobes) = (u64::from(rng.u32(..)), rng.u64(0..16));
    write(bench, master, map, values, (address, data, strobes))
}

/// The register at an address.
fn at(map: &RegisterMap, address: u64) -> Option<usize> {
    map.registers.iter().position(|register| u64::from(register.offset) == address)
}

/// Writes some bytes at an address, and looks at the response.
fn write(
    bench: &mut Bench,
    master: &AxiLiteMaster,
    map: &RegisterMap,
    values: &mut [u64],
    (address, data, strobes): (u64, u64, u64),
) -> Result<(), String> {
    let response = master.write_strobed(bench, address, data, strobes).map_err(|e| e.to_string())?;
    let right = write_model(map, values, (address, data, strobes));
    if response == right { Ok(()) } else { Err(format!("wrong response to a write at {address:#x}")) }
}

/// What a write does to the values, and its response.
fn write_model(map: &RegisterMap, values: &mut [u64], (address, data, strobes): (u64, u64, u64)) -> Response {
    let Some(i) = at(map, address).filter(|i| map.registers[*i].is_writable()) else { return Response::SlaveError };
    values[i] = written(&map.registers[i], values[i], data, strobes);
    Response::Okay
}

/// Writes that follow one another without waiting for responses: each is done and answered, in order.
fn queued(
    bench: &mut Bench,
    master: &AxiLiteMaster,
    map: &RegisterMap,
    values: &mut [u64],
    rng: &mut Rng,
) -> Result<(), String> {
    let before = master.write_responses(bench).map_err(|e| e.to_string())?.len();
    let mut right = vec![];
    for _ in 0..40 {
        let (address, data, strobes) = (4 * rng.u64(0..=values.len() as u64), rng.u32(..).into(), rng.u64(0..16));
        master.queue_write(bench, address, data, strobes);
        right.push(write_model(map, values, (address, data, strobes)));
    }
    master.finish(bench).map_err(|e| e.to_string())?;
    let responses = master.write_responses(bench).map_err(|e| e.to_string())?;
    if responses[before..] == right { Ok(()) } else { Err("wrong responses to queued writes".into()) }
}

/// A read takes 2 cycles, a write 3.
fn pace(bench: &mut Bench, master: &AxiLiteMaster) -> Result<Result<(), String>, BusError> {
    let start = bench.cycle();
    master.read(bench, 0)?;
    let middle = bench.cycle();
    master.write(bench, 0, 0)?;
    let (read, write) = (middle - start, bench.cycle() - middle);
    Ok(if (read, write) == (2, 3) { Ok(()) } else { Err(format!("a read takes {read} cycles, a write {write}")) })
}
