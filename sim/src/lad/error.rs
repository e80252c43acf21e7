//! What can be wrong with a recording that LAD is to be measured on.

use thiserror::Error;

use crate::data::DataError;

/// Why a recording cannot be used.
#[derive(Debug, Error)]
pub enum LadError {
    /// It cannot be read.
    #[error(transparent)]
    Data(Box<DataError>),
    /// The head has a size that no tile has.
    #[error("heads of {0} elements: legal is 16 to 128")]
    HeadSize(usize),
    /// A layer has queries, but no keys or values.
    #[error("layer {layer} has queries, but no {missing}s")]
    Missing {
        /// The layer.
        layer: u32,
        /// `key` or `value`.
        missing: &'static str,
    },
    /// A layer that was asked for has no queries.
    #[error("there are no queries of layer {layer}: there are those of layers {present}")]
    NoLayer {
        /// The layer.
        layer: u32,
        /// Those that have queries.
        present: String,
    },
    /// Queries, keys and values have different numbers of tokens.
    #[error(
        "layer {layer} has queries of {queries} tokens, keys of {keys} and values of {values}: legal are equal numbers"
    )]
    Tokens {
        /// The layer.
        layer: u32,
        /// Tokens of the queries.
        queries: usize,
        /// Of the keys.
        keys: usize,
        /// Of the values.
        values: usize,
    },
    /// Elements that are not whole heads.
    #[error("layer {layer}: {cols} elements of the {what} are not whole heads of {head}")]
    Heads {
        /// The layer.
        layer: u32,
        /// `queries`, `keys` or `values`.
        what: &'static str,
        /// Elements of a token.
        cols: usize,
        /// Elements of a head.
        head: usize,
    },
    /// Keys and values have different numbers of heads.
    #[error("layer {layer} has {keys} key heads and {values} value heads: legal are equal numbers")]
    KeyValueHeads {
        /// The layer.
        layer: u32,
        /// Key heads.
        keys: usize,
        /// Value heads.
        values: usize,
    },
    /// Query heads that are not the same number for each key head, or too many.
    #[error("layer {layer} has {queries} query heads for {keys} key heads: legal are 1 to 8 for each")]
    Group {
        /// The layer.
        layer: u32,
        /// Query heads.
        queries: usize,
        /// Key heads.
        keys: usize,
    },
    /// Too few tokens.
    #[error("{0} tokens: legal are at least 32, twice as many as stay outside of the caches")]
    Few(usize),
    /// More tokens than positions can be numbered.
    #[error("{0} tokens: legal are at most 65535; --tokens takes the first ones")]
    Many(usize),
    /// The model refused a step.
    #[error("layer {layer}, key head {head}, token {token}: {refusal}")]
    Refused {
        /// The layer.
        layer: u32,
        /// The key head.
        head: usize,
        /// The token, from 0.
        token: usize,
        /// Why.
        refusal: crate::golden::lad::Refusal,
    },
}

impl From<DataError> for LadError {
    fn from(error: DataError) -> LadError {
        LadError::Data(Box::new(error))
    }
}
