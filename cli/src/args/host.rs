//! The command line of `kvforge host`.

use super::host_cache::CacheCommand;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub struct HostOptions {
    /// A serial port such as /dev/ttyUSB0; `sim`: the board's system on the built-in simulator, `sim:NAME` that of another board or
    /// of a named configuration of a system; with `,line=bytes` behind it the line carries whole bytes, which is quicker
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
    /// Quantizes recorded keys and values into a file of records
    Quantize(QuantizeOptions),
    /// Makes recorded keys and values of a file of records
    Dequantize(DequantizeOptions),
    /// Sends known vectors along each path that the board has, and says what is wrong
    Selftest,
    /// Measures bytes a second and elements a cycle along each path that the board has
    Bench(BenchOptions),
    /// Keeps keys and values in the memory of a board that is an Oaken cache
    #[command(subcommand)]
    Cache(CacheCommand),
}

#[derive(Args)]
pub struct QuantizeOptions {
    /// A recording: a safetensors file, an npy file, or a folder of npy files
    pub file: PathBuf,
    /// Where the records go (.kvq)
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Thresholds (JSON, of `kvforge profile`); without them the recording's own
    #[arg(long, value_name = "FILE")]
    pub thresholds: Option<PathBuf>,
}

#[derive(Args)]
pub struct DequantizeOptions {
    /// A file of records (.kvq)
    pub file: PathBuf,
    /// Where the keys and values go (safetensors)
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct BenchOptions {
    /// Vectors along each path
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub vectors: u32,
    /// Elements of a vector, a multiple of 64; at most as many as the board has
    #[arg(long, value_name = "N", default_value_t = 192, value_parser = chunks)]
    pub length: u32,
}

fn chunks(text: &str) -> Result<u32, String> {
    let legal = |length: &u32| *length > 0 && length.is_multiple_of(64) && *length <= 8192;
    text.parse().ok().filter(legal).ok_or_else(|| "legal is a multiple of 64 from 64 to 8192".into())
}

#[derive(Args)]
pub struct RoundtripOptions {
    /// A recording: a safetensors file, an npy file, or a folder of npy files
    pub file: PathBuf,
    /// Vectors of each layer's keys and of its values
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub vectors: u32,
}
