//! A system on the built-in simulator, which makes machine code of it: bit by bit at the pins of its line, or with a line of bytes.

use crate::args::Selection;
use crate::describe::selected;
use crate::report::{Failure, Problem};
use fpga::boards::{Board, find};
use fpga::link::line::Line;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::{Bundle, Design, Signal, Stream};
use hw::catalogue::{oaken_cache_params, system_params};
use hw::soc::baud::MIN_CLOCKS_PER_BIT;
use hw::soc::oaken_cache::params::CacheParams;
use hw::soc::oaken_cache::{oaken_cache, oaken_cache_of_bytes};
use hw::soc::oaken_system::{oaken_system, oaken_system_of_bytes};
use hw::soc::system_params::SystemParams;
use sim::bus::axi4_memory::MemoryModel;
use sim::uart_pins::UartPins;
use sim::with_memory::{WithMemory, with_memory};
use std::collections::VecDeque;
use std::io::Result;
use std::time::Duration;

/// Bytes of the line in which an answer must go on.
const PATIENCE: usize = 400;

/// Cycles until the memory behind a simulated cache answers.
const LATENCY: u64 = 12;

/// The line of a simulated system.
pub struct Simulated {
    simulator: Box<dyn Engine>,
    wire: Wire,
    clock_hertz: u32,
    received: VecDeque<u8>,
}

/// What its line is made of.
pub enum Wire {
    /// The pins of a UART.
    Bits(UartPins),
    /// Streams of bytes in place of the UART.
    Bytes(BytePins),
}

/// Which of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineKind {
    Bits,
    Bytes,
}

/// The streams of bytes of a system without its UART: the numbers of the ports.
pub struct BytePins {
    /// In: payload and valid.
    from_host: [usize; 2],
    /// Out: payload and valid.
    to_host: [usize; 2],
    cycles: u64,
    received: Vec<u8>,
}

impl BytePins {
    fn step(&mut self, simulator: &mut dyn Engine) {
        if simulator.peek_u64(self.to_host[1]) == 1 {
            self.received.push(simulator.peek_u64(self.to_host[0]) as u8);
        }
        simulator.step();
        self.cycles += 1;
    }
    /// A system takes a byte of its line in every cycle.
    fn send(&mut self, simulator: &mut dyn Engine, bytes: &[u8]) {
        simulator.poke_u64(self.from_host[1], 1);
        for byte in bytes {
            simulator.poke_u64(self.from_host[0], u64::from(*byte));
            self.step(simulator);
        }
        simulator.poke_u64(self.from_host[1], 0);
    }
}

impl Wire {
    fn step(&mut self, simulator: &mut dyn Engine) {
        match self {
            Wire::Bits(pins) => pins.step(simulator),
            Wire::Bytes(pins) => pins.step(simulator),
        }
    }
    fn received(&mut self) -> &mut Vec<u8> {
        match self {
            Wire::Bits(pins) => &mut pins.received,
            Wire::Bytes(pins) => &mut pins.received,
        }
    }
    fn cycles(&self) -> u64 {
        match self {
            Wire::Bits(pins) => pins.cycles,
            Wire::Bytes(pins) => pins.cycles,
        }
    }
    /// Cycles of a byte.
    fn clocks(&self) -> usize {
        match self {
            Wire::Bits(pins) => 10 * pins.clocks(),
            Wire::Bytes(_) => 1,
        }
    }
}

/// The system of a board's named configuration.
pub fn of_board(board: &Board, kind: LineKind) -> std::result::Result<Simulated, Failure> {
    if !crate::named::all()?.iter().any(|(known, _)| *known == board.module) {
        let problem = Problem::new(format!("there is no system for {} yet", board.name));
        return Err(problem.help("`kvforge host --port sim --board orangecrab-25f` has one").into());
    }
    system_of(board.module, kind)
}

/// The system of a board, or of a named configuration.
pub fn named(name: &str, kind: LineKind) -> std::result::Result<Simulated, Failure> {
    match find(name) {
        Some(board) => of_board(board, kind),
        None => system_of(name, kind),
    }
}

/// A line of bits has the fewest cycles a bit that it can have: else it would take a hundred times as long.
fn system_of(name: &str, kind: LineKind) -> std::result::Result<Simulated, Failure> {
    let configuration = selected(&Selection { name: Some(name.into()), config: None, set: vec![] })?;
    if configuration.block.name == "oaken_cache" {
        let p = CacheParams { clocks_per_bit: MIN_CLOCKS_PER_BIT, ..oaken_cache_params(&configuration.values) };
        return cache(&configuration.name, p, kind);
    }
    if !["oaken_system", "oaken_board"].contains(&configuration.block.name) {
        let problem = Problem::new(format!("`{name}` is no system: its block is {}", configuration.block.name));
        let legal = "legal: boards, and configurations of the blocks oaken_system, oaken_board and oaken_cache";
        let help = match configuration.block.name {
            "oaken_cache_board" => "`sim:oaken_cache_p4` is such a cache, with a memory in place of the chip",
            _ => "`kvforge list` shows which there are",
        };
        return Err(problem.note(legal).help(help).into());
    }
    let p = SystemParams { clocks_per_bit: MIN_CLOCKS_PER_BIT, ..system_params(&configuration.values) };
    let (simulator, wire) = match kind {
        LineKind::Bits => bits(&configuration.name, p)?,
        LineKind::Bytes => bytes(&configuration.name, p)?,
    };
    Ok(Simulated { simulator, wire, clock_hertz: p.clock_hertz, received: VecDeque::new() })
}

type Running = (Box<dyn Engine>, Wire);

fn bits(name: &str, p: SystemParams) -> std::result::Result<Running, Failure> {
    let design = oaken_system(name, p).map_err(Failure::Hardware)?;
    let line = ports(&design, [design.ports.uart_rx, design.ports.uart_tx])?;
    Ok(at_pins(Box::new(jit::simulator(&design)), line, p.clocks_per_bit))
}

fn bytes(name: &str, p: SystemParams) -> std::result::Result<Running, Failure> {
    let design = oaken_system_of_bytes(name, p).map_err(Failure::Hardware)?;
    let streams = [design.ports.from_host, design.ports.to_host];
    let line = streams_of(&design, streams)?;
    Ok(at_streams(Box::new(jit::simulator(&design)), line))
}

/// A cache, with a memory behind it.
fn cache(name: &str, p: CacheParams, kind: LineKind) -> std::result::Result<Simulated, Failure> {
    let (simulator, wire) = match kind {
        LineKind::Bits => {
            let design = oaken_cache(name, p).map_err(Failure::Hardware)?;
            let line = ports(&design, [design.ports.uart_rx, design.ports.uart_tx])?;
            at_pins(Box::new(on_memory(&design, &design.ports.m_axi)), line, p.clocks_per_bit)
        }
        LineKind::Bytes => {
            let design = oaken_cache_of_bytes(name, p).map_err(Failure::Hardware)?;
            let line = streams_of(&design, [design.ports.from_host, design.ports.to_host])?;
            at_streams(Box::new(on_memory(&design, &design.ports.m_axi)), line)
        }
    };
    Ok(Simulated { simulator, wire, clock_hertz: p.clock_hertz, received: VecDeque::new() })
}

/// Behind it, a memory that answers as soon as the controller of an SDRAM chip does. It stays until the program ends.
fn on_memory<P>(design: &Design<P>, bus: &impl Bundle) -> WithMemory<'static> {
    let simulator: &'static mut Simulator = Box::leak(Box::new(jit::simulator(design)));
    with_memory(simulator, design, bus, (MemoryModel { latency: LATENCY, ..MemoryModel::default() }, 1))
}

/// Behind a UART.
fn at_pins(mut simulator: Box<dyn Engine>, [rx, tx]: [usize; 2], clocks_per_bit: u32) -> Running {
    simulator.poke_u64(rx, 1);
    simulator.reset(2);
    let mut pins = UartPins::new(rx, tx, clocks_per_bit);
    pins.rest(&mut *simulator, 8);
    (simulator, Wire::Bits(pins))
}

/// The numbers of the ports of two streams: payload and valid of the first, payload, valid and ready of the second.
fn streams_of<P>(design: &Design<P>, [from, to]: [Stream; 2]) -> std::result::Result<[usize; 5], Failure> {
    ports(design, [from.payload, from.valid, to.payload, to.valid, to.ready])
}

/// Behind streams of bytes.
fn at_streams(mut simulator: Box<dyn Engine>, ports: [usize; 5]) -> Running {
    let [from_payload, from_valid, to_payload, to_valid, ready] = ports;
    simulator.poke_u64(from_valid, 0);
    simulator.poke_u64(ready, 1);
    simulator.reset(2);
    let (from_host, to_host) = ([from_payload, from_valid], [to_payload, to_valid]);
    (simulator, Wire::Bytes(BytePins { from_host, to_host, cycles: 0, received: vec![] }))
}

/// The numbers of ports.
fn ports<P, const N: usize>(design: &Design<P>, signals: [Signal; N]) -> std::result::Result<[usize; N], Failure> {
    let mut numbers = [0; N];
    for (number, signal) in numbers.iter_mut().zip(signals) {
        *number = design.port_index(signal).ok_or_else(|| Failure::Internal("the system has no line".into()))?;
    }
    Ok(numbers)
}

impl Line for Simulated {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.wire {
            Wire::Bits(pins) => pins.send(&mut *self.simulator, bytes),
            Wire::Bytes(pins) => pins.send(&mut *self.simulator, bytes),
        }
        Ok(())
    }
    /// The time is the simulation's own.
    fn receive(&mut self, _: Duration) -> Result<Option<u8>> {
        // an engine may take as long as its longest vector, whatever a byte takes
        for _ in 0..PATIENCE * self.wire.clocks().max(10) {
            self.received.extend(self.wire.received().drain(..));
            if let Some(byte) = self.received.pop_front() {
                return Ok(Some(byte));
            }
            self.wire.step(&mut *self.simulator);
        }
        Ok(None)
    }
    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.wire.cycles() as f64 / f64::from(self.clock_hertz))
    }
}

#[cfg(test)]
mod tests;
