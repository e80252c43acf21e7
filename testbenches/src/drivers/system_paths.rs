//! The paths through an Oaken system: vectors along each, and that whatever is put, taken and switched, draining puts it right.

use super::oaken::{random_thresholds, random_vector, there_and_back};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::soc::system_addresses::SystemAddresses;
use hw::soc::system_params::{Engines, SystemParams};
use hw::soc::system_registers::Path;
use sim::golden::oaken::{DenseBits, Thresholds, encode};
use sim::link_bench::{Host, operation};
use sim::oaken_bench::to_bytes;

/// Sets the engines of a system that are there.
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
        for address in addresses.engines(register) {
            host.write(engine, address, value)?;
        }
    }
    Ok(())
}

/// A system with its host.
pub(super) struct Paths {
    pub host: Host,
    pub addresses: SystemAddresses,
    pub p: SystemParams,
}

impl Paths {
    /// The paths that are there.
    fn paths(&self) -> Vec<Path> {
        Path::ALL.into_iter().filter(|path| path.is_in(self.p.engines)).collect()
    }
    fn choose(&mut self, engine: &mut dyn Engine, path: Path) -> Result<(), String> {
        let register = self.addresses.own("path");
        if self.p.engines == Engines::Both {
            self.host.write(engine, register, path as u32)?;
        }
        match self.host.read(engine, register)? & Path::MASK {
            found if found == path as u32 => Ok(()),
            found => Err(format!("path {path:?} was chosen, and is {found}")),
        }
    }
    /// Random vectors along each path, one after the other and then two at once.
    pub fn vectors(&mut self, engine: &mut dyn Engine, rng: &mut Rng, rounds: usize) -> Result<(), String> {
        let (mut quantized, mut dequantized) = ((0, 0), (0, 0));
        for round in 0..rounds {
            for path in self.paths() {
                let n = 64 * rng.usize(1..=2.min(self.p.engine.max_length as usize / 64));
                let t = random_thresholds(rng);
                set_up(&self.addresses, &mut self.host, engine, n, &t)?;
                self.choose(engine, path)?;
                let at_once = 1 + round % 2;
                self.some(engine, rng, path, (n, at_once), &t)?;
                for (on, sum) in
                    [(path != Path::Dequantize, &mut quantized), (path != Path::Quantize, &mut dequantized)]
                {
                    if on {
                        *sum = (sum.0 + n * at_once, sum.1 + at_once);
                    }
                }
            }
        }
        let beats = |elements: usize| (elements / self.p.engine.lanes as usize) as u32;
        let mut expected = vec![("taken", beats(quantized.0)), ("given", beats(dequantized.0))];
        let quantizer = self.addresses.quantizer("vectors").map(|address| (address, quantized.1 as u32));
        let dequantizer = self.addresses.dequantizer("vectors").map(|address| (address, dequantized.1 as u32));
        let own = expected.drain(..).map(|(name, count)| (self.addresses.own(name), count)).collect::<Vec<_>>();
        for (address, expected) in own.into_iter().chain(quantizer).chain(dequantizer) {
            let found = self.host.read(engine, address)?;
            if found != expected {
                return Err(format!("the counter at {address:#x} is {found} instead of {expected}"));
            }
        }
        Ok(())
    }
    /// So many vectors of `n` elements along a path.
    fn some(
        &mut self,
        engine: &mut dyn Engine,
        rng: &mut Rng,
        path: Path,
        (n, at_once): (usize, usize),
        t: &Thresholds,
    ) -> Result<(), String> {
        let bits = DenseBits::new(self.p.engine.dense_bits).map_err(|e| e.to_string())?;
        let sent: Vec<Vec<u16>> = (0..at_once).map(|_| random_vector(rng, n, t)).collect();
        for v in &sent {
            if path == Path::Dequantize {
                self.put_record(engine, v, bits, t)?;
            } else {
                self.host.put(engine, &to_bytes(v))?;
            }
        }
        for v in &sent {
            let expected = match path {
                Path::Quantize => record(v, bits, t),
                _ => vec![to_bytes(&there_and_back(v, bits, t))],
            };
            for expected in expected {
                let found = self.host.take(engine)?;
                if found != expected {
                    return Err(format!("path {path:?}: {v:x?} became {found:x?} instead of {expected:x?}"));
                }
            }
        }
        Ok(())
    }
    /// The two parts of a vector's record; between them `dense_next` says that the second one is still to come.
    fn put_record(
        &mut self,
        engine: &mut dyn Engine,
        v: &[u16],
        bits: DenseBits,
        t: &Thresholds,
    ) -> Result<(), String> {
        for (packet, dense_next) in record(v, bits, t).into_iter().zip([true, false]) {
            self.host.put(engine, &packet)?;
            let found = self.host.read(engine, self.addresses.own("path"))? & Path::DENSE_NEXT != 0;
            if found != dense_next {
                return Err(format!("behind a part of a record dense_next is {found} instead of {dense_next}"));
            }
        }
        Ok(())
    }
    /// Anything is put, taken and switched at any time; behind it the system is drained, and right again.
    pub fn disorder(&mut self, engine: &mut dyn Engine, rng: &mut Rng, rounds: usize) -> Result<(), String> {
        for round in 0..rounds {
            for _ in 0..rng.usize(5..25) {
                self.anything(engine, rng)?;
            }
            self.drain(engine)?;
            for path in self.paths() {
                let (n, t) = (64, random_thresholds(rng));
                set_up(&self.addresses, &mut self.host, engine, n, &t)?;
                self.choose(engine, path)?;
                self.some(engine, rng, path, (n, 1), &t).map_err(|why| format!("behind disorder {round}: {why}"))?;
            }
        }
        Ok(())
    }
    /// A request that a host in its right mind does not make.
    fn anything(&mut self, engine: &mut dyn Engine, rng: &mut Rng) -> Result<(), String> {
        let choice = rng.u8(..8);
        match choice {
            0 if self.p.engines == Engines::Both => {
                return self.host.write(engine, self.addresses.own("path"), rng.u32(..4));
            }
            1 => {
                for address in self.addresses.engines("length") {
                    self.host.write(engine, address, 64 * rng.u32(1..=self.p.engine.max_length / 64))?;
                }
                return Ok(());
            }
            2 => {
                for address in self.addresses.engines("enable") {
                    self.host.write(engine, address, rng.u32(..2))?;
                }
                return Ok(());
            }
            _ => {}
        }
        let (operation, payload) = match choice {
            3 => (operation::TAKE, vec![rng.u8(..240)]),
            4 => (operation::PUT, (0..rng.usize(1..100)).map(|_| rng.u8(..)).collect()),
            _ => (operation::PUT_LAST, (0..rng.usize(1..200)).map(|_| rng.u8(..)).collect::<Vec<u8>>()),
        };
        match self.host.request(engine, operation, &payload)? {
            (0 | 4, _) => Ok(()), // done, or no room
            (status, _) => Err(format!("operation {operation}: status {status}")),
        }
    }
    /// As the page of the system has it.
    fn drain(&mut self, engine: &mut dyn Engine) -> Result<(), String> {
        self.flush(engine, 1)?;
        for path in self.paths().into_iter().rev().cycle().take(self.paths().len() + 1) {
            self.choose(engine, path)?;
            self.end_and_take(engine)?;
        }
        if self.host.read(engine, self.addresses.own("path"))? & Path::DENSE_NEXT != 0 {
            // the dense part of a record that was begun
            self.end_and_take(engine)?;
        }
        self.flush(engine, 0)
    }
    fn flush(&mut self, engine: &mut dyn Engine, flush: u32) -> Result<(), String> {
        self.addresses.engines("flush").into_iter().try_for_each(|address| self.host.write(engine, address, flush))
    }
    /// Ends a packet that was begun, and takes until nothing comes, and the engines are not busy.
    fn end_and_take(&mut self, engine: &mut dyn Engine) -> Result<(), String> {
        let (mut ended, mut empty) = (false, 0);
        for _ in 0..500 {
            ended = ended || self.host.request(engine, operation::PUT_LAST, &[0])?.0 == 0;
            let (status, taken) = self.host.request(engine, operation::TAKE, &[239])?;
            let mut busy = false;
            for address in self.addresses.engines("status") {
                busy |= self.host.read(engine, address)? & 1 == 1;
            }
            empty = if ended && !busy && (status, &taken[..]) == (0, &[0]) { empty + 1 } else { 0 };
            if empty == 3 {
                return Ok(());
            }
        }
        Err("what was put never comes to its end".into())
    }
}

/// The record of a vector, as the two packets that it is.
fn record(v: &[u16], bits: DenseBits, t: &Thresholds) -> Vec<Vec<u8>> {
    let record = encode(v, bits, t);
    vec![record.sparse, record.dense]
}
