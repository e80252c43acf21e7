//! H2M2: two unlike memories with an accelerator at each work as one. Translation of addresses, what moves
//! pages, and what orders kernels of both sides.

pub mod entry;
pub mod event_controller;
mod event_registration;
pub mod event_types;
pub mod invalidation;
pub mod migration;
pub mod migration_control;
mod migration_pages;
pub mod migration_params;
pub mod migration_table;
pub mod mmu;
pub mod mmu_axi;
pub mod page_copier;
pub mod params;
pub mod prefetch;
#[cfg(test)]
mod prefetch_tests;
pub mod replacement;
pub mod requester;
pub mod step_counter;
#[cfg(test)]
mod tests;
pub mod tlb;
#[cfg(test)]
mod trace_tests;
pub mod types;
pub mod walks;
pub mod write_wait;
#[cfg(test)]
mod write_wait_tests;
