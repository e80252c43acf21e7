//! H2M2: addresses of a fast and a large memory through one page table.

pub mod entry;
pub mod invalidation;
pub mod mmu;
pub mod mmu_axi;
pub mod replacement;
pub mod requester;
#[cfg(test)]
mod tests;
pub mod tlb;
pub mod types;
pub mod walks;
//! H2M2's hardware: what two unlike memories with one accelerator at each need to work as one.

pub mod event_controller;
mod event_registration;
pub mod step_counter;
