//! Tests on hand-made graphs, so that they test the simulator and not the builder.

mod build;
mod memories;
mod operators;
mod state;
mod switches;

pub(crate) use build::Build;
