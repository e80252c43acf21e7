//! Pipelines that stand: everything in them stands. Random enables, random ready.
#![allow(missing_docs)]

mod enabled;
mod held;
mod instances;
mod model;
mod places;
mod random;
mod remember;
mod state;
mod streams;
