//! The command line.

mod board;
mod build;
mod flash;
mod host;
mod host_cache;
mod lad;
mod number;
mod vq;
mod vq_plan;
mod vq_run;

use crate::package::{ClockSetting, parse_clock};
pub use board::{BoardCommand, BoardConstraintsOptions, BoardListOptions, BoardShowOptions};
pub use build::BuildOptions;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
pub use flash::FlashOptions;
pub use host::{BenchOptions, DequantizeOptions, HostCommand, HostOptions, QuantizeOptions, RoundtripOptions};
pub use host_cache::{CacheAppendOptions, CacheCommand, CacheReadOptions};
pub use lad::LadOptions;
use sim::golden::oaken::DenseBits;
use sim::profile::Tails;
use std::num::NonZeroUsize;
use std::path::PathBuf;
pub use vq::{VqCommand, VqInfoOptions, VqInput, VqPackOptions, VqTrainOptions};
pub use vq_plan::VqPlanOptions;
pub use vq_run::{UnitArgument, VqRunOptions};

/// Synthesizable hardware for the memory side of large-language-model inference.
#[derive(Parser)]
#[command(name = "kvforge", version, infer_long_args = false)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Lists the named configurations and the blocks that can be configured
    List(ListOptions),
    /// Writes the Verilog of a configuration, and beside it a file list, timing constraints, a FuseSoC core and its registers
    Generate(GenerateOptions),
    /// Shows ports, parameters, latency and throughput of a configuration
    Describe(DescribeOptions),
    /// Finds quantization thresholds from recorded keys and values
    Profile(ProfileOptions),
    /// Sends recorded keys and values through quantizer and dequantizer, in simulation
    Demo(DemoOptions),
    /// Computes a paper's figures with a model of its system
    #[command(subcommand)]
    Model(ModelCommand),
    /// Measures LAD attention on recorded queries, keys and values: shares, bytes, errors
    Lad(LadOptions),
    /// Vector quantization: codebooks, and what is packed with them
    #[command(subcommand)]
    Vq(VqCommand),
    /// FPGA boards: what is on them, and the constraints of their pins
    #[command(subcommand)]
    Board(BoardCommand),
    /// Builds a bitstream for a board: synthesis, place and route, packing
    Build(BuildOptions),
    /// Loads a bitstream into a board, if it is whole and for its device
    Flash(FlashOptions),
    /// Talks to a board, or to one in simulation
    Host(HostOptions),
    /// Prints what completes the command line in a shell
    Completions(CompletionsOptions),
    /// Prints the man page
    Man,
}

#[derive(Subcommand)]
pub enum ModelCommand {
    /// H2M2: decode iterations on memories of unlike speed, and on what they are compared with
    H2m2(H2m2Options),
}

#[derive(Args)]
pub struct H2m2Options {
    /// Makes an open choice otherwise, for all results; may be given several times (`--choices` lists them)
    #[arg(long, value_name = "NAME")]
    pub choose: Vec<String>,
    /// List what the paper leaves open and can be chosen otherwise
    #[arg(long, conflicts_with_all = ["choose", "plots"])]
    pub choices: bool,
    /// Folder to write Figures 12 to 18 into, as SVG
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
    /// Print JSON and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct ListOptions {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Which configuration.
#[derive(Args)]
pub struct Selection {
    /// A named configuration, or a block, whose parameters `--set` gives (see `kvforge list`)
    pub name: Option<String>,
    /// A configuration file (TOML)
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    pub config: Option<PathBuf>,
    /// Sets a parameter, or `verilog.reset` (sync-high, sync-low, async-high, async-low) or `verilog.lut_ram` (true, false);
    /// may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

#[derive(Args)]
pub struct GenerateOptions {
    #[command(flatten)]
    pub selection: Selection,
    /// Generate all named configurations
    #[arg(long, conflicts_with_all = ["name", "config", "set"])]
    pub all: bool,
    /// Folder to write into; every configuration gets a folder of its own in it
    #[arg(long, value_name = "DIR", default_value = "rtl_out")]
    pub out: PathBuf,
    /// One file with all modules, instead of one for each
    #[arg(long)]
    pub single_file: bool,
    /// Frequency of the clocks in the timing constraints, or that of one of them; may be given several times. Without it,
    /// what the block's `oscillator_hertz` or `clock_hertz` says, or 100 MHz
    #[arg(long, value_name = "[PORT=]MHZ", value_parser = parse_clock)]
    pub clock: Vec<ClockSetting>,
}

#[derive(Args)]
pub struct CompletionsOptions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Args)]
pub struct DescribeOptions {
    #[command(flatten)]
    pub selection: Selection,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct ProfileOptions {
    /// Recordings of one model: safetensors files, npy files, or folders of npy files
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    pub kv: Vec<PathBuf>,
    /// Shares of the groups: OUTER,MIDDLE,INNER
    #[arg(long, value_name = "SHARES", default_value = "0.04,0.90,0.06", allow_hyphen_values = true)]
    pub fractions: String,
    /// Where the thresholds go (JSON)
    #[arg(long, value_name = "FILE", default_value = "thresholds.json")]
    pub out: PathBuf,
    /// Also draw each layer's distribution with its thresholds
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// How the outer group is taken from the two tails
    #[arg(long, value_enum, default_value_t)]
    pub tails: TailsArgument,
    /// Of what the quantiles are taken
    #[arg(long, value_enum, default_value_t)]
    pub quantiles: QuantilesArgument,
    /// Tokens of a run, for `--quantiles averaged`; what is left at the end of a recording belongs to its last run.
    /// Without it, every recording is one run
    #[arg(long, value_name = "TOKENS", value_parser = run_tokens)]
    pub run_tokens: Option<NonZeroUsize>,
    /// Width of the dense codes of keys: 3 to 6 bits
    #[arg(long, value_name = "BITS", default_value_t)]
    pub key_bits: DenseBits,
    /// Width of the dense codes of values: 3 to 6 bits
    #[arg(long, value_name = "BITS", default_value_t)]
    pub value_bits: DenseBits,
}

fn run_tokens(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "legal is a number of tokens, 1 or more")
}

/// [`Quantiles`](sim::profile::Quantiles) on the command line.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum QuantilesArgument {
    /// Of each run by itself, then averaged over the runs: the paper's way
    #[default]
    Averaged,
    /// Of all elements of all recordings together
    Pooled,
}

/// [`Tails`] on the command line.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum TailsArgument {
    /// The largest magnitudes are outer
    #[default]
    Magnitude,
    /// Half of the outer group on either side
    Sided,
}

impl From<TailsArgument> for Tails {
    fn from(tails: TailsArgument) -> Tails {
        match tails {
            TailsArgument::Magnitude => Tails::Magnitude,
            TailsArgument::Sided => Tails::Sided,
        }
    }
}

#[derive(Args)]
pub struct DemoOptions {
    /// A recording of your own: a safetensors file, an npy file, or a folder of npy files
    #[arg(long, value_name = "FILE")]
    pub kv: Option<PathBuf>,
    /// Thresholds from `kvforge profile`; without them, the first half of the recording gives them
    #[arg(long, value_name = "JSON", requires = "kv")]
    pub thresholds: Option<PathBuf>,
    /// Width of the dense codes of keys: 3 to 6 bits; without it, what the thresholds say, or 4
    #[arg(long, value_name = "BITS")]
    pub key_bits: Option<DenseBits>,
    /// Width of the dense codes of values
    #[arg(long, value_name = "BITS")]
    pub value_bits: Option<DenseBits>,
    /// Print JSON and nothing else
    #[arg(long)]
    pub json: bool,
}
