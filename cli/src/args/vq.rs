//! The command line of `kvforge vq`.

use super::number::{whole, whole_in};
use super::{VqPlanOptions, VqRunOptions};
use clap::{Args, Subcommand, ValueEnum};
use sim::golden::vq::{Algorithm, Books, Scales};
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Subcommand)]
pub enum VqCommand {
    /// Trains codebooks from recorded keys and values, or from weights
    Train(VqTrainOptions),
    /// Packs keys and values, or weights, with trained codebooks
    Pack(VqPackOptions),
    /// Shows what a file of codebooks or of packed tensors holds
    Info(VqInfoOptions),
    /// Plans units for a device: which, how many, and what other choices would cost
    Plan(VqPlanOptions),
    /// Simulates the unit that consumes a packed file: whether it is right, how fast and how exact
    Run(VqRunOptions),
}

/// What is quantized.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct VqInput {
    /// Recordings of one model: safetensors files, npy files, or folders of npy files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub kv: Vec<PathBuf>,
    /// Matrices of weights: a safetensors file
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

#[derive(Args)]
pub struct VqTrainOptions {
    #[command(flatten)]
    pub input: VqInput,
    /// cq-4 or cq-2 for keys and values; gptvq-2, aqlm-3 or quip#-4 for weights; without it, --vector and --bits say it
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<Algorithm>,
    /// Values that an index stands for: 1 to 16
    #[arg(long, value_name = "VALUES", conflicts_with = "algorithm", requires = "bits", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub vector: Option<usize>,
    /// Bits of an index: 1 to 12
    #[arg(long, value_name = "BITS", conflicts_with = "algorithm", requires = "vector", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub bits: Option<u32>,
    /// Indices whose entries are added: 1 to 4
    #[arg(long, value_name = "COUNT", conflicts_with = "algorithm", default_value_t = 1, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub residuals: usize,
    /// What has a codebook of its own; without it, groups of channels for keys and values, tiles for weights
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "algorithm")]
    pub books: Option<BooksArgument>,
    /// What has a scale of its own
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "algorithm", default_value_t)]
    pub scales: ScalesArgument,
    /// Rows and columns of a tile of weights, as 256x256; without it, what the algorithm says, or the whole matrix
    #[arg(long, value_name = "ROWSxCOLUMNS", conflicts_with = "kv")]
    pub tile: Option<Tile>,
    /// r of quip#-4: what the second point is divided by
    #[arg(long, value_name = "R", conflicts_with_all = ["vector", "kv"], value_parser = ratio)]
    pub ratio: Option<f64>,
    /// Layers of the recordings, as 10,20; without it, all
    #[arg(long, value_name = "LAYERS", value_delimiter = ',', conflicts_with = "weights", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub layers: Vec<u32>,
    /// A matrix of the weights; may be given several times; without it, all
    #[arg(long, value_name = "NAME", conflicts_with = "kv")]
    pub tensor: Vec<String>,
    /// Elements of a head of keys and values
    #[arg(long, value_name = "ELEMENTS", default_value_t = 64, conflicts_with = "weights", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub head: usize,
    /// Where random numbers begin: the same seed gives the same file
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// The most iterations of k-means
    #[arg(long, value_name = "COUNT", default_value_t = 50, value_parser = whole_in(0..=10_000u32), allow_negative_numbers = true)]
    pub iterations: u32,
    /// Rounds in which the books of several residuals are improved together, 8 if it is not said
    #[arg(long, value_name = "COUNT", value_parser = whole_in(0..=1000u32), allow_negative_numbers = true)]
    pub rounds: Option<u32>,
    /// Where the codebooks go
    #[arg(long, value_name = "FILE", default_value = "books.vq")]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct VqPackOptions {
    #[command(flatten)]
    pub input: VqInput,
    /// Codebooks from `kvforge vq train`
    #[arg(long, value_name = "FILE")]
    pub books: PathBuf,
    /// Choices that are kept after each residual while the best sum of entries is looked for, 4 if it is not said
    #[arg(long, value_name = "COUNT", value_parser = whole_in(1..=64u32), allow_negative_numbers = true)]
    pub beam: Option<u32>,
    /// Where the packed tensors go
    #[arg(long, value_name = "FILE", default_value = "packed.vq")]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct VqInfoOptions {
    /// A file from `kvforge vq train` or `kvforge vq pack`
    pub file: PathBuf,
    /// The recordings that were packed, to measure against
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "weights")]
    pub kv: Vec<PathBuf>,
    /// The weights that were packed, to measure against
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Print JSON and nothing else
    #[arg(long)]
    pub json: bool,
}

/// [`Books`] on the command line.
#[derive(Clone, Copy, ValueEnum)]
pub enum BooksArgument {
    /// Each tile of a matrix, each head of keys and values
    Tile,
    /// Each group of neighbouring columns of these
    Group,
}

impl From<BooksArgument> for Books {
    fn from(books: BooksArgument) -> Books {
        match books {
            BooksArgument::Tile => Books::Tile,
            BooksArgument::Group => Books::Group,
        }
    }
}

/// [`Scales`] on the command line.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum ScalesArgument {
    /// Nothing
    #[default]
    None,
    /// Each tensor
    Tensor,
    /// Each row
    Row,
}

impl From<ScalesArgument> for Scales {
    fn from(scales: ScalesArgument) -> Scales {
        match scales {
            ScalesArgument::None => Scales::None,
            ScalesArgument::Tensor => Scales::Tensor,
            ScalesArgument::Row => Scales::Row,
        }
    }
}

/// Rows and columns of a tile.
#[derive(Clone, Copy)]
pub struct Tile {
    pub rows: usize,
    pub cols: usize,
}

impl FromStr for Tile {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Tile, &'static str> {
        let sides = text.split_once('x').and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)));
        match sides {
            Some((rows, cols)) if rows > 0 && cols > 0 => Ok(Tile { rows, cols }),
            Some(_) => Err("a tile has no side of 0: legal are 1 row and 1 column and more, as in 256x256"),
            None => Err("legal is ROWSxCOLUMNS, as in 256x256"),
        }
    }
}

fn ratio(text: &str) -> Result<f64, &'static str> {
    let legal = |ratio: &f64| (0.001..=1000.0).contains(ratio);
    text.parse().ok().filter(legal).ok_or("legal is a number from 0.001 to 1000")
}
