//! The memory management unit: where the slices of records lie, page by page, for each request, layer and head.

mod appends;
pub mod commands;
pub mod entries;
pub mod history_port;
pub mod history_reader;
pub mod page_list;
pub mod params;
mod requests;
pub mod sequencer;
pub mod shared_table;
pub mod slice_params;
pub mod steps;
pub mod tables;
pub mod unit;
pub mod unit_axi;

#[cfg(test)]
mod tests;
