//! Parts that take events and resets from one clock to another.

use super::built::build;
use super::stream::random;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::BigUint;
use hdl::engine::Engine;
use hw::stream::pulse_synchronizer::pulse_synchronizer;
use hw::stream::reset_synchronizer::reset_synchronizer;
use hw::stream::synchronizer::synchronizer;
use sim::bus::Ticks;

/// Where a pulse is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pulse {
    /// The next one can come.
    None,
    /// On its way, for so many edges of `m_clk`.
    Going(u32),
    /// It came out so many edges of `s_clk` ago.
    Gone(u32),
}

/// A pulse synchronizer.
pub fn pulse_synchronizer_driver(name: impl Into<String>, stages: u32) -> Driver {
    let design = build(pulse_synchronizer(stages));
    let port = |signal| design.port_index(signal).expect("a port");
    let ports = [design.ports.s_pulse, design.ports.s_ready, design.ports.m_pulse].map(port);
    Driver::new(name, design, move |engine, effort| {
        for round in 0..if effort.long { 50 } else { 2 } {
            let mut all = 0;
            for periods in [[100, 100], [100, 137], [300, 100], [61, 400]] {
                for (percent, jitter) in [(100, 0), (60, 20), (4, 60)] {
                    let seed = effort.seed + round;
                    let ticks = Ticks::new(&periods, jitter, seed);
                    all += pulses(engine, ports, stages, (ticks.take(1500), percent, seed))
                        .map_err(|e| format!("periods {periods:?}, {percent} % pulses: {e}"))?;
                }
            }
            // few of them are asked for at times, but not always
            if all < 300 {
                return Err(format!("only {all} pulses in round {round}"));
            }
        }
        Ok(())
    })
}

/// Every pulse that is taken comes out once, after `stages` edges of `m_clk`; after as many of `s_clk` the next is taken. The
/// run begins with a reset that ends what is under way, without a pulse. Returns the pulses that came out.
fn pulses(
    engine: &mut dyn Engine,
    [s_pulse, s_ready, m_pulse]: [usize; 3],
    stages: u32,
    (ticks, percent, seed): (impl Iterator<Item = u64>, u8, u64),
) -> Result<u32, String> {
    let mut rng = Rng::with_seed(seed);
    let (mut pulse, mut count) = (Pulse::None, 0);
    engine.poke(s_pulse, 1);
    (0..2).for_each(|clock| engine.set_reset(clock, true));
    for edge in 0..=stages {
        engine.step();
        let got = [s_ready, m_pulse].map(|port| engine.peek(port));
        if got != [1, 0] {
            return Err(format!("s_ready, m_pulse are {got:?} after edge {edge} in reset, not [1, 0]"));
        }
    }
    (0..2).for_each(|clock| engine.set_reset(clock, false));
    for (instant, edges) in ticks.enumerate() {
        let expected = [u64::from(pulse == Pulse::None), u64::from(pulse == Pulse::Going(stages))];
        let got = [s_ready, m_pulse].map(|port| engine.peek(port));
        if got != expected {
            return Err(format!("s_ready, m_pulse are {got:?} at instant {instant}, not {expected:?}, with {pulse:?}"));
        }
        let (source, sink) = (edges & 0b01 != 0, edges & 0b10 != 0);
        pulse = match pulse {
            Pulse::None if source && engine.peek(s_pulse) == 1 => Pulse::Going(0),
            Pulse::Going(n) if sink && n == stages => {
                count += 1;
                Pulse::Gone(0)
            }
            Pulse::Going(n) if sink => Pulse::Going(n + 1),
            Pulse::Gone(n) if source && n + 1 == stages => Pulse::None,
            Pulse::Gone(n) if source => Pulse::Gone(n + 1),
            same => same,
        };
        engine.edge(edges);
        if source {
            engine.poke(s_pulse, u64::from(rng.u8(0..100) < percent));
        }
    }
    Ok(count)
}

/// A synchronizer, whose input changes with its clock.
pub fn synchronizer_driver(name: impl Into<String>, width: u32, stages: u32) -> Driver {
    let design = build(synchronizer(width, stages));
    let port = |signal| design.port_index(signal).expect("a port");
    let [d, q] = [design.ports.d, design.ports.q].map(port);
    Driver::new(name, design, move |engine, effort| {
        let mut rng = Rng::with_seed(effort.seed);
        for _ in 0..if effort.long { 200 } else { 20 } {
            engine.reset(2);
            // what the registers hold
            let mut held = vec![BigUint::ZERO; stages as usize];
            for cycle in 0..rng.usize(1..100) {
                let value = random(&mut rng, width);
                engine.poke_big(d, &value);
                let got = engine.peek_big(q);
                if Some(&got) != held.last() {
                    return Err(format!("q is {got:x} in cycle {cycle}, behind {held:x?}"));
                }
                engine.step();
                held.rotate_right(1);
                held[0] = value;
            }
        }
        Ok(())
    })
}

/// A reset synchronizer.
pub fn reset_synchronizer_driver(name: impl Into<String>, stages: u32) -> Driver {
    let design = build(reset_synchronizer(stages));
    let port = |signal| design.port_index(signal).expect("a port");
    let ports = [design.ports.reset, design.ports.clk_reset].map(port);
    Driver::new(name, design, move |engine, effort| resets(engine, ports, stages, effort))
}

/// The reset is there at once, whatever the clock does, and for so many edges after it has ended, not one more.
fn resets(engine: &mut dyn Engine, [reset, clk_reset]: [usize; 2], stages: u32, effort: Effort) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    let mut left = stages;
    // a reset that acts at once is an edge in Verilog: an engine without unknown values has to see where it comes from
    engine.poke(reset, 0);
    engine.step();
    for cycle in 0..if effort.long { 100_000 } else { 2_000 } {
        let active = cycle == 0 || rng.u8(0..8) == 0;
        engine.poke(reset, active.into());
        left = if active { stages } else { left };
        let (got, expected) = (engine.peek(clk_reset), u64::from(left > 0));
        if got != expected {
            return Err(format!("clk_reset is {got} in cycle {cycle} with reset = {active}, {left} edges to go"));
        }
        engine.step();
        left = if active { stages } else { left.saturating_sub(1) };
    }
    Ok(())
}
