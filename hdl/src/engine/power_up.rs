//! What registers and memories hold before anything is written to them.

use fastrand::Rng;

/// What registers, and the words of memories without initial contents, hold when power comes on.
///
/// Hardware comes up with anything. A test that only passes from zeros tests something else, so engines begin with random contents:
/// those of [`PowerUp::of_environment`], and another power-up takes [`Engine::power_up`](super::Engine::power_up). A test that fails
/// tells with which seed its engines began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PowerUp {
    /// All bits are 0.
    Zero,
    /// All bits are random; the same seed gives the same bits on the same engine.
    Random(u64),
}

impl PowerUp {
    /// Random, with the seed of the environment variable `KVFORGE_SEED`, or 1.
    pub fn of_environment() -> PowerUp {
        PowerUp::Random(environment_seed().unwrap_or(1))
    }
    /// The bits, where they are random.
    pub(crate) fn random(self) -> Option<Rng> {
        match self {
            PowerUp::Zero => None,
            PowerUp::Random(seed) => Some(Rng::with_seed(seed)),
        }
    }
}

/// The seed in the environment variable `KVFORGE_SEED`, if there is one.
///
/// # Panics
/// If that is no number: a test with another seed than the one asked for would repeat nothing.
pub(crate) fn environment_seed() -> Option<u64> {
    let text = std::env::var("KVFORGE_SEED").ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("KVFORGE_SEED is `{text}`: a number from 0 to {} is legal", u64::MAX)))
}

/// Fills a value of `width` bits, little-endian limbs, with random bits.
pub(crate) fn fill(limbs: &mut [u64], width: u32, rng: &mut Rng) {
    limbs.iter_mut().for_each(|limb| *limb = rng.u64(..));
    if let (Some(top), 1..) = (limbs.last_mut(), width % 64) {
        *top &= u64::MAX >> (64 - width % 64);
    }
}

/// What an engine holds so that a test which fails tells how its registers began.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Began(pub PowerUp);

impl Drop for Began {
    fn drop(&mut self) {
        if let (PowerUp::Random(seed), true) = (self.0, std::thread::panicking()) {
            eprintln!(
                "registers and memories began with the random contents of seed {seed} (KVFORGE_SEED sets another)"
            );
        }
    }
}
