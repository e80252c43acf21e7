//! The command line of `kvforge vq run`.

use super::number::whole;
use clap::{Args, ValueEnum};
use sim::vq::run::Unit;
use std::path::PathBuf;

#[derive(Args)]
pub struct VqRunOptions {
    /// A file from `kvforge vq pack`
    pub file: PathBuf,
    /// What is simulated; without it, head for keys and values, matrix for weights
    #[arg(long, value_enum, value_name = "UNIT")]
    pub unit: Option<UnitArgument>,
    /// The layer of keys and values, from 0; without it, the lowest of the file that has what the unit needs
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub layer: Option<u32>,
    /// The key-value head, from 0; without it, the first
    #[arg(long, value_name = "NUMBER", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub head: Option<usize>,
    /// The matrix of weights; without it, the first of the file
    #[arg(long, value_name = "NAME")]
    pub tensor: Option<String>,
    /// Tokens from the first on, up to 8,192; without it, all of the file, but no more than 512
    #[arg(long, value_name = "COUNT", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub tokens: Option<usize>,
    /// Queries of attention, new tokens of the encoder, or vectors of the matrix, up to 1,024; without it, 4, or as many as there are
    #[arg(long, value_name = "COUNT", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub count: Option<usize>,
    /// Recorded queries, tensors `layer<N>.q`; for weights, vectors: the tensor `vectors`, [vectors, columns], of a safetensors file
    #[arg(long, value_name = "FILE")]
    pub queries: Option<PathBuf>,
    /// The recordings that were packed, to measure against; their queries, if they have some, are the queries
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "weights")]
    pub kv: Vec<PathBuf>,
    /// The weights that were packed, to measure against
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Where random queries begin, if none are recorded
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Print JSON and nothing else
    #[arg(long)]
    pub json: bool,
}

/// [`Unit`] on the command line.
#[derive(Clone, Copy, ValueEnum)]
pub enum UnitArgument {
    /// Attention of a key-value head, from memory to memory: scores, softmax, weighted sum
    Head,
    /// Scores of keys, by table
    Scores,
    /// Weighted sums of values, by table, with the softmax of the queries' scores as weights
    Values,
    /// Indices of new keys and values
    Encoder,
    /// A matrix of weights times vectors, by multiplication
    Matrix,
}

impl From<UnitArgument> for Unit {
    fn from(unit: UnitArgument) -> Unit {
        match unit {
            UnitArgument::Head => Unit::Head,
            UnitArgument::Scores => Unit::Scores,
            UnitArgument::Values => Unit::Values,
            UnitArgument::Encoder => Unit::Encoder,
            UnitArgument::Matrix => Unit::Matrix,
        }
    }
}
