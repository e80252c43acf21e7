//! Readers of recorded keys and values.
//!
//! A [`Recording`] comes from one path:
//! - a safetensors file: every tensor whose name ends in `layer<N>.k` or `layer<N>.v` is taken, others are left alone
//!   (F16, BF16 or F32);
//! - an npy file: one tensor; the file's name ends in `layer<N>.k.npy` or `layer<N>.v.npy`, or the caller says which
//!   layer and kind it is ([`read_npy`]); `<f2`, `<f4` or `<f8`;
//! - a folder: all npy files in it with such names, together.
//!
//! Before `layer` a name may have anything that ends in a character other than a letter or a digit, as in
//! `model.layer3.k` or `run1_layer3.k.npy`.
//!
//! A tensor is `[tokens, elements]`, with a multiple of 64 elements, at most 8192. Everything is turned into binary16, to
//! nearest, ties to even; NaN, infinities and numbers beyond 65504 are errors that name the element.
//!
//! Queries, of which a token has as many heads or more, are tensors `layer<N>.q` of the same file or folder ([`read_queries`]).

mod convert;
mod error;
mod kind;
mod npy;
mod queries;
mod recording;
mod safetensors;

use std::path::Path;

pub use error::DataError;
pub use kind::Kind;
pub use npy::read_npy;
pub use queries::read_queries;
pub use recording::{KvTensor, Matrix, QueryTensor, Recording, check_agreement};
pub use safetensors::read_matrices;

impl Recording {
    /// Reads a safetensors file, an npy file or a folder of npy files (see the module's description).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, DataError> {
        let path = path.as_ref();
        if path.is_dir() {
            return npy::read_folder(path);
        }
        let bytes = recording::read_bytes(path)?;
        Recording::from_bytes(path, &bytes)
    }

    /// The same of a file that is in memory; the path is what it is called in messages.
    pub fn from_bytes(path: impl AsRef<Path>, bytes: &[u8]) -> Result<Self, DataError> {
        let path = path.as_ref();
        if npy::is_npy(path, bytes) { npy::read_named(path, bytes) } else { safetensors::read(path, bytes) }
    }
}

#[cfg(test)]
mod tests;
