//! Golden models: slow, obvious, and independent of the hardware's description.

pub mod attention;
pub mod faulty_memory;
pub mod float;
pub mod h2m2_mmu;
pub mod lad;
pub mod link;
pub mod oaken;
pub mod oaken_cache;
pub mod quality;
pub mod reference;
pub mod slices;
pub mod vq;
