//! Golden models: slow, obvious, and independent of the hardware's description.

pub mod float;
pub mod mmu;
pub mod oaken;
pub mod quality;
pub mod reference;
pub mod slices;
