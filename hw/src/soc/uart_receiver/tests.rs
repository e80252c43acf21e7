use super::*;
use hdl::engine::Engine;

/// A line over time, in bits of the receiver; a model of a sender whose clock is its own.
struct Line {
    /// When it changes to what, in cycles of the receiver.
    changes: Vec<(f64, u64)>,
    end: f64,
}

impl Line {
    fn idle(cycles: f64) -> Line {
        Line { changes: vec![(0.0, 1)], end: cycles }
    }
    fn hold(&mut self, level: u64, cycles: f64) {
        self.changes.push((self.end, level));
        self.end += cycles;
    }
    /// A byte with its stop bit, at so many cycles a bit.
    fn byte(&mut self, byte: u64, stop: u64, bit: f64) {
        self.hold(0, bit);
        (0..8).for_each(|i| self.hold(byte >> i & 1, bit));
        self.hold(stop, bit);
    }
    fn levels(&self) -> impl Iterator<Item = u64> {
        let mut next = 0;
        (0..self.end as usize).map(move |cycle| {
            while self.changes.get(next + 1).is_some_and(|(at, _)| *at <= cycle as f64) {
                next += 1;
            }
            self.changes[next].1
        })
    }
}

/// What came out: bytes, framing errors, overruns.
type Outcome = (Vec<u64>, usize, usize);

/// Runs a line; `ready` says whether a byte is taken in a cycle.
fn run(clocks: u32, line: &Line, ready: impl Fn(usize) -> bool) -> Outcome {
    let design = uart_receiver(clocks).unwrap_or_else(|e| panic!("{e}"));
    let io = design.ports;
    let mut engine = jit::simulator(&design);
    engine.poke(io.line, 1);
    engine.poke(io.m.ready, 0);
    engine.reset(2);
    let mut outcome: Outcome = (vec![], 0, 0);
    for (cycle, level) in line.levels().enumerate() {
        engine.poke(io.line, level);
        engine.poke(io.m.ready, u64::from(ready(cycle)));
        if engine.peek(io.m.valid) == 1 && ready(cycle) {
            outcome.0.push(engine.peek(io.m.payload));
        }
        outcome.1 += engine.peek(io.framing) as usize;
        outcome.2 += engine.peek(io.overrun) as usize;
        engine.step();
    }
    assert_eq!(design.combinational_paths(), []);
    outcome
}

#[test]
fn a_senders_clock_may_be_3_percent_off() {
    let mut rng = fastrand::Rng::with_seed(::sim::bus::seed(1));
    for clocks in [16u32, 17, 104] {
        for off in [-0.03, -0.015, 0.0, 0.01, 0.03] {
            let mut line = Line::idle(40.0 + rng.f64());
            let bytes: Vec<u64> = (0..60).map(|_| rng.u64(0..256)).collect();
            for byte in &bytes {
                line.byte(*byte, 1, f64::from(clocks) * (1.0 + off));
            }
            line.hold(1, 3.0 * f64::from(clocks));
            assert_eq!(run(clocks, &line, |_| true), (bytes, 0, 0), "{clocks} cycles a bit, {off} off");
        }
    }
}

/// The test before can fail: at 8 % off bytes are wrong or lost.
#[test]
fn a_clock_that_is_8_percent_off_does_not_do() {
    let mut line = Line::idle(40.0);
    (0..60).for_each(|i| line.byte(i, 1, 16.0 * 1.08));
    line.hold(1, 48.0);
    assert_ne!(run(16, &line, |_| true), ((0..60).collect(), 0, 0));
}

#[test]
fn glitches_of_an_idle_line_are_no_bytes() {
    let mut line = Line::idle(40.0);
    for cycles in [1.0, 3.0, 6.0] {
        line.hold(0, cycles);
        line.hold(1, 100.0);
    }
    line.byte(0x5a, 1, 16.0);
    line.hold(1, 48.0);
    assert_eq!(run(16, &line, |_| true), (vec![0x5a], 0, 0));
}

#[test]
fn a_wrong_stop_bit_drops_its_byte_and_a_break_is_told_once() {
    let mut line = Line::idle(40.0);
    line.byte(0x11, 1, 16.0);
    line.byte(0x22, 0, 16.0);
    line.hold(1, 32.0);
    line.byte(0x33, 1, 16.0);
    line.hold(0, 1000.0);
    line.hold(1, 32.0);
    line.byte(0x44, 1, 16.0);
    line.hold(1, 48.0);
    assert_eq!(run(16, &line, |_| true), (vec![0x11, 0x33, 0x44], 2, 0));
}

#[test]
fn what_is_not_taken_in_time_is_told_and_the_rest_is_right() {
    let mut line = Line::idle(40.0);
    (1..=6).for_each(|i| line.byte(i, 1, 16.0));
    line.hold(1, 400.0);
    // nothing is taken while bytes 2 and 3 arrive: byte 1 stays, 2 and 3 are dropped
    let taken = |cycle| cycle >= 40 + 35 * 16;
    assert_eq!(run(16, &line, taken), (vec![1, 4, 5, 6], 0, 2));
}

/// A byte that is taken in the cycle in which the next one is complete makes room for it, and that is no overrun.
#[test]
fn a_byte_may_be_taken_in_the_last_cycle() {
    let mut line = Line::idle(40.0);
    (1..=2).for_each(|i| line.byte(i, 1, 16.0));
    line.hold(1, 48.0);
    // byte 2 is complete some cycles behind the middle of its stop bit, which is in cycle 352
    let outcomes: Vec<Outcome> = (345..365).map(|first| run(16, &line, |cycle| cycle >= first)).collect();
    let in_time = outcomes.iter().take_while(|outcome| **outcome == (vec![1, 2], 0, 0)).count();
    assert!((1..20).contains(&in_time), "{outcomes:?}");
    assert!(outcomes[in_time..].iter().all(|outcome| *outcome == (vec![1], 0, 1)), "{outcomes:?}");
}

/// A line that is 0 out of reset is no start bit.
#[test]
fn a_line_that_begins_at_0_is_no_byte() {
    let mut line = Line { changes: vec![(0.0, 0)], end: 500.0 };
    line.hold(1, 64.0);
    line.byte(0x77, 1, 16.0);
    line.hold(1, 48.0);
    // the synchronizer begins at 0, as the line does
    assert_eq!(run(16, &line, |_| true), (vec![0x77], 0, 0));
}
