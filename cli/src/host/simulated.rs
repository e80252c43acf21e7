//! A system on the built-in simulator, which makes machine code of it: bit by bit at the pins of its line, or with a line of bytes.

use crate::args::Selection;
use crate::describe::selected;
use crate::report::{Failure, Problem};
use fpga::boards::{Board, find};
use fpga::link::line::Line;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::{Design, Signal};
use hw::catalogue::system_params;
use hw::soc::baud::MIN_CLOCKS_PER_BIT;
use hw::soc::oaken_system::{oaken_system, oaken_system_of_bytes};
use hw::soc::system_params::SystemParams;
use sim::uart_pins::UartPins;
use std::collections::VecDeque;
use std::io::Result;
use std::time::Duration;

/// Bytes of the line in which an answer must go on.
const PATIENCE: usize = 400;

/// The line of a simulated system.
pub struct Simulated {
    simulator: Simulator,
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
    fn step(&mut self, simulator: &mut Simulator) {
        if simulator.peek_u64(self.to_host[1]) == 1 {
            self.received.push(simulator.peek_u64(self.to_host[0]) as u8);
        }
        simulator.step();
        self.cycles += 1;
    }
    /// A system takes a byte of its line in every cycle.
    fn send(&mut self, simulator: &mut Simulator, bytes: &[u8]) {
        simulator.poke_u64(self.from_host[1], 1);
        for byte in bytes {
            simulator.poke_u64(self.from_host[0], u64::from(*byte));
            self.step(simulator);
        }
        simulator.poke_u64(self.from_host[1], 0);
    }
}

impl Wire {
    fn step(&mut self, simulator: &mut Simulator) {
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
    if !["oaken_system", "oaken_board"].contains(&configuration.block.name) {
        let problem = Problem::new(format!("`{name}` is no system: its block is {}", configuration.block.name));
        let legal = "legal: boards, and configurations of the blocks oaken_system and oaken_board";
        return Err(problem.note(legal).help("`kvforge list` shows which there are").into());
    }
    let p = SystemParams { clocks_per_bit: MIN_CLOCKS_PER_BIT, ..system_params(&configuration.values) };
    let (simulator, wire) = match kind {
        LineKind::Bits => bits(&configuration.name, p)?,
        LineKind::Bytes => bytes(&configuration.name, p)?,
    };
    Ok(Simulated { simulator, wire, clock_hertz: p.clock_hertz, received: VecDeque::new() })
}

fn bits(name: &str, p: SystemParams) -> std::result::Result<(Simulator, Wire), Failure> {
    let design = oaken_system(name, p).map_err(Failure::Hardware)?;
    let [rx, tx] = ports(&design, [design.ports.uart_rx, design.ports.uart_tx])?;
    let mut simulator = jit::simulator(&design);
    simulator.poke_u64(rx, 1);
    simulator.reset(2);
    let mut pins = UartPins::new(rx, tx, p.clocks_per_bit);
    pins.rest(&mut simulator, 8);
    Ok((simulator, Wire::Bits(pins)))
}

fn bytes(name: &str, p: SystemParams) -> std::result::Result<(Simulator, Wire), Failure> {
    let design = oaken_system_of_bytes(name, p).map_err(Failure::Hardware)?;
    let (from, to) = (design.ports.from_host, design.ports.to_host);
    let from_host = ports(&design, [from.payload, from.valid])?;
    let to_host = ports(&design, [to.payload, to.valid])?;
    let [ready] = ports(&design, [to.ready])?;
    let mut simulator = jit::simulator(&design);
    simulator.poke_u64(from_host[1], 0);
    simulator.poke_u64(ready, 1);
    simulator.reset(2);
    Ok((simulator, Wire::Bytes(BytePins { from_host, to_host, cycles: 0, received: vec![] })))
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
            Wire::Bits(pins) => pins.send(&mut self.simulator, bytes),
            Wire::Bytes(pins) => pins.send(&mut self.simulator, bytes),
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
            self.wire.step(&mut self.simulator);
        }
        Ok(None)
    }
    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.wire.cycles() as f64 / f64::from(self.clock_hertz))
    }
}

#[cfg(test)]
mod tests;
