//! Pipelines that stand: everything in them stands. Random enables, random ready.
#![allow(missing_docs)]

mod enabled;
mod held;
mod model;
mod random;
mod remember;
mod state;
mod streams;
