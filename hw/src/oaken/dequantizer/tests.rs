//! The dequantizer against records that no encoder makes: any legal header, and every kind of mistake.

mod faults;
mod random;
mod rig;
mod values;

use sim::bus::Stalls;

const LANES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// No stalls of dense, sparse and the elements.
const NEVER: [Stalls; 3] = [Stalls::Never; 3];
/// Stalls of all three.
const OFTEN: [Stalls; 3] = [Stalls::Percent(40), Stalls::Runs(9), Stalls::Percent(30)];
