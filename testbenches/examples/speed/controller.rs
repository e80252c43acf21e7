//! Controllers: state machines of many states, of which a cycle needs one. Each state has two conditional transitions, a
//! counter under an enable, and outputs that other states leave alone; where it goes depends on inputs that change in every cycle.

use super::load::{Outcome, Stopwatch};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::*;

/// Counters, of which a state moves one.
const COUNTERS: usize = 8;

ports! {
    /// What the controller sees and says.
    pub struct ControllerPorts(state: u32) {
        /// What may happen, a bit for each event.
        input events: Signal = bits(8),
        /// A number that comes with it.
        input data: Signal = bits(16),
        /// What to do now.
        output command: Signal = bits(12),
        /// Where.
        output address: Signal = bits(16),
        /// A command is there.
        output strobe: Signal = bits(1),
        /// Who is served, one bit for each.
        output grant: Signal = bits(32),
        /// All about it.
        output descriptor: Signal = bits(80),
        /// Where it stands.
        output now: Signal = bits(state),
        /// All counters, folded.
        output total: Signal = bits(16),
    }
}

/// A controller of so many states. What they do is random, the same in every run.
#[module]
pub fn controller(states: u32) -> Result<Design<ControllerPorts>, Errors> {
    let m = Module::new(format!("controller_{states}"));
    let width = clog2(states as usize);
    let io = ControllerPorts::new(m, width);
    let state = m.reg_reset(bits(width), 0);
    let timer = m.reg_reset(bits(8), 0);
    let counters: Vec<Signal> =
        (0..COUNTERS).map(|i| m.reg_reset(bits(16), 0).named(&format!("counter_{i}"))).collect();
    timer.set(timer + 1);
    io.command.set(0);
    io.address.set(io.data);
    io.strobe.set(0);
    io.grant.set(0);
    io.descriptor.set(0);
    let mut rng = Rng::with_seed(u64::from(states));
    m.switch(state, |s| {
        for i in 0..states {
            let [first, second, third] = [0; 3].map(|_| rng.u32(..8));
            let [near, far] = [(i + 1) % states, rng.u32(..states)];
            let (limit, offset, counter) = (rng.u32(..256), rng.u32(..1 << 16), counters[rng.usize(..COUNTERS)]);
            s.case(i, || {
                m.when(io.events.bit(first) & timer.ge(limit), || {
                    state.set(far);
                    timer.set(0);
                })
                .elsewhen(io.events.bit(second), || state.set(near));
                m.when(io.events.bit(third), || counter.set(counter + io.data));
                io.command.set(i % 4096);
                io.address.set(counter + offset);
                io.strobe.set(!io.events.bit(first));
                io.grant.set(1u64 << (i % 32));
                io.descriptor.set(cat(&[io.data, counter + limit, counters[i as usize % COUNTERS]]).zext(80));
            });
        }
    });
    io.now.set(state);
    io.total.set(counters.into_iter().reduce(|a, b| a ^ b).expect("counters"));
    m.finish(io)
}

/// Events and data, in an order without a pattern.
fn stimuli() -> Vec<[u64; 2]> {
    let mut rng = Rng::with_seed(3);
    (0..4096).map(|_| [rng.u64(..256), rng.u64(..1 << 16)]).collect()
}

/// Drives it for so many cycles.
pub fn run(engine: &mut dyn Engine, cycles: u64) -> Outcome {
    let port = |name: &str| engine.port(name).expect("a port of the controller");
    let [events, data, command, address, strobe, grant, now, total] =
        ["events", "data", "command", "address", "strobe", "grant", "now", "total"].map(port);
    let (stimuli, mut wide) = (stimuli(), [0; 2]);
    let descriptor = port("descriptor");
    engine.reset(2);
    let (start, mut checksum) = (Stopwatch::start(), 0u64);
    for i in 0..cycles as usize {
        let [event, number] = stimuli[i % stimuli.len()];
        engine.poke_u64(events, event);
        engine.poke_u64(data, number);
        let seen = [command, address, strobe, grant, now, total].map(|port| engine.peek_u64(port));
        engine.peek_wide(descriptor, &mut wide);
        checksum = seen.into_iter().chain(wide).fold(checksum, |sum, value| sum.wrapping_mul(31).wrapping_add(value));
        engine.step();
    }
    Outcome { seconds: start.seconds(), checksum }
}
