//! Pipelines that stand: everything in them stands. Random enables, random ready.
#![allow(missing_docs)]

#[path = "pipelines/enabled.rs"]
mod enabled;
#[path = "pipelines/held.rs"]
mod held;
#[path = "pipelines/model.rs"]
mod model;
#[path = "common/numbers.rs"]
mod numbers;
#[path = "pipelines/random.rs"]
mod random;
#[path = "pipelines/remember.rs"]
mod remember;
#[path = "pipelines/state.rs"]
mod state;
#[path = "pipelines/streams.rs"]
mod streams;
