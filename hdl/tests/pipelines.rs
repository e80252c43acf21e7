//! Pipelines that stand: everything in them stands. Random enables, random ready.
#![allow(missing_docs)]

mod common;
#[path = "pipelines/enabled.rs"]
mod enabled;
#[path = "pipelines/random.rs"]
mod random;
#[path = "pipelines/streams.rs"]
mod streams;
