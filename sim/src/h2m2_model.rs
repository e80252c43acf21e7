//! How long a decode iteration takes on H2M2 and on the systems that it is compared with: the paper's numbers, computed again.
//!
//! Kernels, barriers and copies over the link are events of a layer ([`layer`], [`events`]); a kernel takes as long as its memory or its
//! arithmetic ([`kernel`]). What the paper leaves open is a choice ([`choices`]), made once for all models, and nothing is fitted.
//! docs/h2m2-model.md says what is computed and prints the results. `kvforge model h2m2` runs it.

pub mod choices;
pub mod dynamic;
pub mod events;
pub mod figures;
pub mod kernel;
pub mod layer;
pub mod numbers;
pub mod plot;
pub mod report;
pub mod search;
#[cfg(test)]
mod tests;
pub mod uniform;
