//! The command line of `kvforge host`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub struct HostOptions {
    /// A serial port such as /dev/ttyUSB0; `sim`: the board's system on the built-in simulator
    #[arg(long, value_name = "PORT")]
    pub port: String,
    /// The board at that port: its rate, and what `sim` simulates
    #[arg(long, value_name = "BOARD", default_value = "orangecrab-25f")]
    pub board: String,
    #[command(subcommand)]
    pub command: HostCommand,
}

#[derive(Subcommand)]
pub enum HostCommand {
    /// Shows what the board says of itself
    Info,
    /// Sends recorded keys and values through quantizer and dequantizer, and compares with the golden model bit by bit
    Roundtrip(RoundtripOptions),
}

#[derive(Args)]
pub struct RoundtripOptions {
    /// A recording: a safetensors file, an npy file, or a folder of npy files
    pub file: PathBuf,
    /// Vectors of each layer's keys and of its values
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub vectors: u32,
}
