//! The command line of `kvforge vq plan`.

use super::number::whole;
use clap::Args;
use sim::golden::vq::Algorithm;

#[derive(Args)]
pub struct VqPlanOptions {
    /// cq-4 or cq-2 for attention; gptvq-2, aqlm-3 or quip#-4 for a matrix times vectors
    #[arg(long, value_name = "NAME")]
    pub algorithm: Algorithm,
    /// Tokens whose keys and values there are
    #[arg(long, value_name = "COUNT", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub tokens: Option<usize>,
    /// Elements of a head of keys and values; 64 if it is not said
    #[arg(long, value_name = "ELEMENTS", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub head: Option<usize>,
    /// Key-value heads; 1 if it is not said
    #[arg(long, value_name = "COUNT", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub heads: Option<usize>,
    /// Query heads that share a key-value head; 1 if it is not said
    #[arg(long, value_name = "COUNT", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub queries: Option<usize>,
    /// Outputs of the matrix
    #[arg(long, value_name = "COUNT", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub rows: Option<usize>,
    /// Inputs of the matrix
    #[arg(long, value_name = "COUNT", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub cols: Option<usize>,
    /// Sequences, or vectors
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub batch: usize,
    /// A device, of which everything is free: ecp5-25k, ecp5-45k or ecp5-85k; not needed with all of --lut4, --dp16kd and --dsp
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Free LUT sites, if not all of the device's
    #[arg(long, value_name = "COUNT", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub lut4: Option<u32>,
    /// Free block RAMs of 18 kbit
    #[arg(long, value_name = "COUNT", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub dp16kd: Option<u32>,
    /// Free multipliers of 18 bits
    #[arg(long, value_name = "COUNT", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub dsp: Option<u32>,
    /// Bits that the memory gives in a cycle: a multiple of 64
    #[arg(long, value_name = "BITS", default_value_t = 64, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub bus_bits: usize,
    /// Print JSON and nothing else
    #[arg(long)]
    pub json: bool,
}
