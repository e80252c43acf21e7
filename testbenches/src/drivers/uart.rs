//! A UART, against a sender and a line that are modelled here.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::soc::uart::uart;

/// The ports.
#[derive(Clone, Copy)]
struct Ports {
    rx: usize,
    tx: usize,
    s: [usize; 3],
    m: [usize; 3],
    framing: usize,
    overrun: usize,
}

/// A UART of so many cycles a bit.
pub fn uart_driver(name: impl Into<String>, clocks: u32) -> Driver {
    let design = build(uart(clocks));
    let port = |signal| design.port_index(signal).expect("a port");
    let io = &design.ports;
    let ports = Ports {
        rx: port(io.rx),
        tx: port(io.tx),
        s: [port(io.s.valid), port(io.s.ready), port(io.s.payload)],
        m: [port(io.m.valid), port(io.m.ready), port(io.m.payload)],
        framing: port(io.framing),
        overrun: port(io.overrun),
    };
    Driver::new(name, design, move |engine, effort| test(engine, ports, clocks as usize, effort))
}

/// What comes in over a line, and what must become of it.
struct Incoming {
    /// The line in each cycle.
    levels: Vec<u64>,
    /// Cycles in which no byte is taken: from, to.
    closed: (usize, usize),
    bytes: Vec<u64>,
    framing: usize,
    overrun: usize,
}

impl Incoming {
    fn new(clocks: usize, rng: &mut Rng, count: usize) -> Incoming {
        let levels = vec![1; 40];
        let mut line = Incoming { levels, closed: (0, 0), bytes: vec![], framing: 0, overrun: 0 };
        for i in 0..count {
            let byte = [0, 255, rng.u64(0..256)][i.min(2)]; // first the extremes
            let stop = u64::from(i % 7 != 5);
            line.byte(byte, stop, clocks);
            if stop == 1 {
                line.bytes.push(byte);
            } else {
                line.framing += 1;
                line.hold(1, clocks);
            }
            line.hold(1, [0, 1, rng.usize(0..3 * clocks)][i % 3]);
            if i % 5 == 0 {
                line.hold(0, clocks / 3); // a glitch
                line.hold(1, 2 * clocks);
            }
        }
        line.hold(1, 2 * clocks);
        // the first of three stays until it is taken, and the others get lost
        let from = line.levels.len();
        for byte in 1..=3 {
            line.byte(byte, 1, clocks);
        }
        line.hold(1, clocks);
        line.closed = (from, line.levels.len());
        line.bytes.push(1);
        line.overrun = 2;
        line.hold(1, 2 * clocks);
        line
    }
    fn hold(&mut self, level: u64, cycles: usize) {
        self.levels.resize(self.levels.len() + cycles, level);
    }
    fn byte(&mut self, byte: u64, stop: u64, clocks: usize) {
        let bits = [0].into_iter().chain((0..8).map(|i| byte >> i & 1)).chain([stop]);
        bits.for_each(|bit| self.hold(bit, clocks));
    }
}

/// What goes out over a line, and what is offered to it.
struct Outgoing {
    /// The line in the cycles to come, the next one last.
    levels: Vec<u64>,
    byte: u64,
    /// Cycles until the byte is offered.
    pause: usize,
    sent: usize,
}

impl Outgoing {
    /// The byte was taken: it goes out, and another one follows some time.
    fn take(&mut self, clocks: usize, rng: &mut Rng) {
        let bits = [0].into_iter().chain((0..8).map(|i| self.byte >> i & 1)).chain([1]);
        self.levels = bits.flat_map(|bit| vec![bit; clocks]).collect();
        self.levels.reverse();
        self.sent += 1;
        self.byte = rng.u64(0..256);
        self.pause = [0, 10 * clocks, rng.usize(0..12 * clocks)][self.sent % 3];
    }
}

/// Both directions at once.
fn test(engine: &mut dyn Engine, ports: Ports, clocks: usize, effort: Effort) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    let line = Incoming::new(clocks, &mut rng, if effort.long { 300 } else { 30 });
    let mut out = Outgoing { levels: vec![], byte: 0xa5, pause: 10, sent: 0 };
    for (port, value) in [(ports.rx, 1), (ports.s[0], 0), (ports.s[2], 0), (ports.m[1], 0)] {
        engine.poke(port, value);
    }
    engine.reset(2);
    let (mut bytes, mut framing, mut overrun, mut held) = (vec![], 0, 0, None);
    for (cycle, level) in line.levels.iter().enumerate() {
        let ready = !(line.closed.0..line.closed.1).contains(&cycle);
        let offer = out.pause == 0;
        for (port, value) in [(ports.rx, *level), (ports.m[1], ready.into()), (ports.s[0], offer.into())] {
            engine.poke(port, value);
        }
        engine.poke(ports.s[2], if offer { out.byte } else { rng.u64(0..256) });

        let expected = (out.levels.last().copied().unwrap_or(1), u64::from(out.levels.is_empty()));
        let found = (engine.peek(ports.tx), engine.peek(ports.s[1]));
        if found != expected {
            return Err(format!("cycle {cycle}: tx and s_ready are {found:?} instead of {expected:?}"));
        }
        match out.levels.pop() {
            None if offer => out.take(clocks, &mut rng),
            _ => out.pause = out.pause.saturating_sub(1),
        }

        let byte = (engine.peek(ports.m[0]) == 1).then(|| engine.peek(ports.m[2]));
        if held.is_some() && byte != held {
            return Err(format!("cycle {cycle}: {held:?} was not taken, and became {byte:?}"));
        }
        bytes.extend(byte.filter(|_| ready));
        held = byte.filter(|_| !ready);
        framing += engine.peek(ports.framing) as usize;
        overrun += engine.peek(ports.overrun) as usize;
        engine.step();
    }
    let (found, expected) = ((bytes, framing, overrun), (line.bytes, line.framing, line.overrun));
    if found != expected || out.sent < 10 {
        return Err(format!("received {found:?} instead of {expected:?}, sent {} bytes", out.sent));
    }
    Ok(())
}
