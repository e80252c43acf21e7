//! The command line of `kvforge lad`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct LadOptions {
    /// A recording with queries: a safetensors file or a folder of npy files (tensors `layer<N>.q`, `.k`, `.v`)
    pub file: PathBuf,
    /// Elements of a head: 16 to 128
    #[arg(long, value_name = "ELEMENTS", default_value_t = 64)]
    pub head: usize,
    /// Layers, as 10,20; without it, all that have queries
    #[arg(long, value_name = "LAYERS", value_delimiter = ',')]
    pub layers: Vec<u32>,
    /// Takes the first tokens only: 32 or more
    #[arg(long, value_name = "COUNT")]
    pub tokens: Option<usize>,
    /// Cosines above which a key takes another as its centre; at 1 none does
    #[arg(long, value_name = "COSINES", value_delimiter = ',', default_value = "1,0.98,0.9,0.8", value_parser = threshold)]
    pub thresholds: Vec<f64>,
    /// Intervals of the exponential, 4 to 16; 5 are the paper's. Of thresholds, intervals and periods the first ones are combined
    /// with all of the others
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_value = "8,5,6,16", value_parser = intervals)]
    pub intervals: Vec<usize>,
    /// Modes change and positions come into the caches in every so many steps: 1, 2, 4, 8 or 16
    #[arg(long, value_name = "STEPS", value_delimiter = ',', default_value = "1,4,16", value_parser = period)]
    pub periods: Vec<usize>,
    /// Also write the tables as Markdown
    #[arg(long, value_name = "FILE.md")]
    pub out: Option<PathBuf>,
    /// Print JSON and nothing else
    #[arg(long)]
    pub json: bool,
}

fn threshold(text: &str) -> Result<f64, &'static str> {
    let legal = |threshold: &f64| (0.0..=1.0).contains(threshold);
    text.parse().ok().filter(legal).ok_or("legal is a number from 0 to 1")
}

fn intervals(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|count| (4..=16).contains(count)).ok_or("legal is a number from 4 to 16")
}

fn period(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|steps| [1, 2, 4, 8, 16].contains(steps)).ok_or("legal is 1, 2, 4, 8 or 16")
}
