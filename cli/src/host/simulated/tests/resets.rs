//! A reset in whatever cycle: the first frame behind it is answered, nothing is left of what was before, and vectors are right.

use super::*;
use fpga::link::host::HostError;
use fpga::link::system::Counters;

/// Cycles of traffic in which a reset may come: some vectors, and what sets them up.
const SPAN: u64 = 8000;
/// Cycles without a byte after which none comes.
const SILENCE: u32 = 4000;

/// A line whose board is reset in a cycle.
struct Reset {
    line: Simulated,
    /// The cycle, until then.
    at: Option<u64>,
}

impl Reset {
    /// A reset of 2 cycles, if it is time.
    fn look(&mut self) {
        if self.at.is_some_and(|at| at <= self.line.wire.cycles()) {
            self.at = None;
            self.line.simulator.reset(2);
        }
    }
}

impl Line for Reset {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        bytes.iter().try_for_each(|byte| {
            self.look();
            self.line.send(&[*byte])
        })
    }
    fn receive(&mut self, _: Duration) -> Result<Option<u8>> {
        for _ in 0..SILENCE {
            let line = &mut self.line;
            line.received.extend(line.wire.received().drain(..));
            if let Some(byte) = line.received.pop_front() {
                return Ok(Some(byte));
            }
            self.look();
            self.line.wire.step(&mut *self.line.simulator);
        }
        Ok(None)
    }
    fn time(&self) -> Duration {
        self.line.time()
    }
}

/// Whatever a host does.
fn traffic<L: Line>(system: &mut System<L>, rng: &mut Rng) -> std::result::Result<(), SystemError> {
    match rng.usize(..5) {
        3 => system.drain(),
        4 => system.counters().map(drop),
        path => right(system, rng, Path::ALL[path], 3),
    }
}

/// With `KVFORGE_LONG=1` at 1,000 cycles.
#[test]
fn after_a_reset_at_any_cycle_the_first_frame_is_answered_and_vectors_are_right() {
    let resets = if sim::bus::long() { 1000 } else { 60 };
    let mut rng = Rng::with_seed(run_seed(16));
    let line = Shared::new(Reset { line: named(SYSTEM, LineKind::Bytes).unwrap(), at: None });
    let (mut closed, mut silent) = (0, 0);
    for reset in 0..resets {
        let mut system = line.connected();
        let now = line.0.borrow().line.wire.cycles();
        // each fourth one between two requests
        line.0.borrow_mut().at = Some(now + if reset % 4 == 0 { 0 } else { rng.u64(..SPAN) });
        let mut went_on = 0;
        let why = loop {
            if let Err(why) = traffic(&mut system, &mut rng) {
                break why;
            }
            went_on += 1;
            assert!(went_on < 1000, "reset {reset} does nothing");
        };
        assert!(line.0.borrow().at.is_none(), "reset {reset} had not come yet: {why}");
        match why {
            // the first frame behind it was answered
            SystemError::Host(HostError::Closed) => closed += 1,
            // it came in the midst of a request or of its answer
            SystemError::Host(HostError::NoAnswer { .. }) => silent += 1,
            other => panic!("reset {reset}: {other}"),
        }
        let mut system = line.connected();
        let flags = system.flags().unwrap();
        // of the rest of a frame, and of the request behind it
        let allowed = ["system: damaged", "system: refused"];
        assert!(flags.iter().all(|flag| allowed.contains(&flag.as_str())), "reset {reset}: {flags:?}");
        let counters = system.counters().unwrap();
        let counted = Counters { cycles: 0, dropped: 0, ..counters };
        assert_eq!(counted, Counters::default(), "reset {reset}");
        right(&mut system, &mut rng, Path::ALL[reset % 3], 2).unwrap_or_else(|error| panic!("reset {reset}: {error}"));
    }
    println!("{resets} resets: {closed} between requests, {silent} in the midst of one");
    assert!(closed > 0 && silent > 0, "{closed} between requests, {silent} in the midst of one");
}
