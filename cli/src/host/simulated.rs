//! A board's system on the built-in simulator, bit by bit at the pins of its line.

use crate::args::Selection;
use crate::describe::selected;
use crate::report::{Failure, Problem};
use fpga::boards::Board;
use fpga::link::line::Line;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hw::catalogue::system_params;
use hw::soc::baud::MIN_CLOCKS_PER_BIT;
use hw::soc::oaken_system::oaken_system;
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
    pins: UartPins,
    clock_hertz: u32,
    received: VecDeque<u8>,
}

/// The system of a board's named configuration. Its line has the fewest cycles a bit that it can have: else it would take a hundred times
/// as long.
pub fn line(board: &Board) -> std::result::Result<Simulated, Failure> {
    if !crate::named::all()?.iter().any(|(known, _)| *known == board.module) {
        let problem = Problem::new(format!("there is no system for {} yet", board.name));
        return Err(problem.help("`kvforge host --port sim --board orangecrab-25f` has one").into());
    }
    let configuration = selected(&Selection { name: Some(board.module.into()), config: None, set: vec![] })?;
    let p = SystemParams { clocks_per_bit: MIN_CLOCKS_PER_BIT, ..system_params(&configuration.values) };
    let design = oaken_system(board.module, p).map_err(Failure::Hardware)?;
    let internal = || Failure::Internal("the system has no line".into());
    let rx = design.port_index(design.ports.uart_rx).ok_or_else(internal)?;
    let tx = design.port_index(design.ports.uart_tx).ok_or_else(internal)?;
    let mut simulator = Simulator::new(&design);
    simulator.poke_u64(rx, 1);
    simulator.reset(2);
    let mut pins = UartPins::new(rx, tx, p.clocks_per_bit);
    pins.rest(&mut simulator, 8);
    Ok(Simulated { simulator, pins, clock_hertz: p.clock_hertz, received: VecDeque::new() })
}

impl Line for Simulated {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.pins.send(&mut self.simulator, bytes);
        Ok(())
    }
    /// The time is the simulation's own.
    fn receive(&mut self, _: Duration) -> Result<Option<u8>> {
        for _ in 0..10 * PATIENCE * self.pins.clocks() {
            self.received.extend(self.pins.received.drain(..));
            if let Some(byte) = self.received.pop_front() {
                return Ok(Some(byte));
            }
            self.pins.step(&mut self.simulator);
        }
        Ok(None)
    }
    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.pins.cycles as f64 / f64::from(self.clock_hertz))
    }
}
