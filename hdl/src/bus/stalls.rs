//! When a bus model pauses.

use fastrand::Rng;

/// When a source has a gap, or a sink is not ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stalls {
    /// Never.
    Never,
    /// In this share of the cycles, at random.
    Percent(u8),
    /// In runs: pauses and busy runs of random length, from 1 to this many cycles.
    Runs(u32),
    /// Always: nothing moves.
    Always,
}

/// The running pattern of one model.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub stalls: Stalls,
    paused: bool,
    left: u32,
}

impl Pattern {
    pub fn new(stalls: Stalls) -> Pattern {
        Pattern { stalls, paused: false, left: 0 }
    }

    /// Does the model pause in this cycle?
    pub fn pauses(&mut self, rng: &mut Rng) -> bool {
        match self.stalls {
            Stalls::Never => false,
            Stalls::Always => true,
            Stalls::Percent(share) => rng.u8(0..100) < share,
            Stalls::Runs(longest) => {
                if self.left == 0 {
                    self.paused = !self.paused;
                    self.left = rng.u32(1..=longest.max(1));
                }
                self.left -= 1;
                self.paused
            }
        }
    }
}
