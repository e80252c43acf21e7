//! What a user writes with: handles on the module under construction, which lies in this thread's [`store`].

mod attribute;
mod bundle;
mod control;
mod domains;
mod element;
mod foreign;
mod inside;
mod instance;
mod memory;
mod module;
pub mod naming;
mod number;
mod operators;
mod pipeline;
mod pipeline_state;
mod pipeline_stream;
mod ports;
mod property;
#[cfg(doctest)]
mod refused;
mod register;
mod register_file;
mod signal;
mod slices;
mod state;
mod store;
mod stream;
mod vector;

pub use bundle::Bundle;
pub use control::{Switch, When};
pub use domains::ClockDomain;
pub use element::Elements;
pub use foreign::Foreign;
pub use instance::Instance;
pub use memory::{Memory, RamStyle};
pub use module::Module;
pub use number::Value;
pub use operators::Amount;
pub use pipeline::{Pipeline, Staged};
pub use pipeline_stream::Elastic;
pub use ports::ports;
pub use signal::{bits, clog2};
pub use slices::cat;
pub use state::{State, StateSignal, state};
pub use stream::{Stream, stream};
pub use vector::{Vector, vector};
