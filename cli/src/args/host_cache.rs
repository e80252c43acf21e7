//! The command line of `kvforge host cache`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum CacheCommand {
    /// Shows what the cache says of itself, and how many pages are free
    Info,
    /// Appends the tokens of a recording to a request, which is opened if it is not open
    Append(CacheAppendOptions),
    /// Reads the keys and values of a request into a recording
    Read(CacheReadOptions),
    /// Ends a request: its pages are free
    Release(CacheRequest),
    /// Appends, reads and releases, and compares with the golden model bit by bit
    Roundtrip(CacheAppendOptions),
}

#[derive(Args)]
pub struct CacheRequest {
    /// Number of the request
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub request: u8,
}

#[derive(Args)]
pub struct CacheAppendOptions {
    /// A recording: a safetensors file, an npy file, or a folder of npy files
    pub file: PathBuf,
    #[command(flatten)]
    pub request: CacheRequest,
    /// The first tokens of the recording; without it all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub tokens: Option<u32>,
    /// Thresholds (JSON, of `kvforge profile`); without them the recording's own
    #[arg(long, value_name = "FILE")]
    pub thresholds: Option<PathBuf>,
}

#[derive(Args)]
pub struct CacheReadOptions {
    #[command(flatten)]
    pub request: CacheRequest,
    /// Where the keys and values go (safetensors)
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// The first tokens of each head; without it all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub tokens: Option<u16>,
}
