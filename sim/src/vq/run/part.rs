//! The keys or values of a head of a file, as the hardware reads them.

use super::error::RunError;
use crate::golden::reference::to_f64;
use crate::golden::vq::attention::Head;
use crate::golden::vq::cache::LoadWord;
use crate::golden::vq::decode::tensor64;
use crate::golden::vq::{Part, Scheme, Tensor, TensorKind, VqFile};
use crate::vq::pack::{check_shape, source_of};
use crate::vq::{Source, VqError};
use crate::vq_benches::table::{books_as_words, rows_as_words};
use hw::vq::table_types::TableParams;

/// The most entries of a book.
const ENTRIES: u32 = 256;

/// Keys or values of a head.
#[derive(Clone, Debug)]
pub(super) struct HeadPart {
    pub scheme: Scheme,
    /// One head, cut to the tokens that are asked for.
    pub tensor: Tensor,
    /// The number of its first book in the file.
    pub first: u32,
    /// Before it was quantized, token by token.
    pub original: Option<Vec<Vec<u16>>>,
}

impl HeadPart {
    /// Cuts a head out of a file.
    pub fn of(file: &VqFile, tensor: &Tensor, head: usize, tokens: usize) -> HeadPart {
        let before: usize = file.tensors.iter().take_while(|t| !std::ptr::eq(*t, tensor)).map(|t| t.books.len()).sum();
        let part: Part = tensor.parts(&file.scheme).nth(head).expect("a head of the tensor");
        let bytes = tokens * part.row_bytes(&file.scheme);
        let mut scales = tensor.scales.clone();
        scales.truncate(tokens);
        let own = Tensor {
            rows: tokens,
            cols: part.cols.len(),
            tile_cols: part.cols.len(),
            books: tensor.books[part.first_book..part.first_book + part.books].to_vec(),
            indices: vec![tensor.indices[head][..bytes].to_vec()],
            scales,
            ..tensor.clone()
        };
        HeadPart { scheme: file.scheme, tensor: own, first: (before + part.first_book) as u32, original: None }
    }

    /// With what it was before, out of the recordings that were packed.
    pub fn with_original(self, whole: &Tensor, head: usize, sources: &[Source]) -> Result<HeadPart, RunError> {
        if sources.is_empty() {
            return Ok(self);
        }
        let source = source_of(whole, sources)?;
        check_shape(whole, source)?;
        if source.rows != whole.rows {
            let [found, made_from] = [source.rows, whole.rows].map(|rows| format!("{rows} tokens"));
            return Err(VqError::Shape { name: source.name.clone(), found, made_from }.into());
        }
        let size = self.tensor.cols;
        let row = |row: &[u16]| row[head * size..(head + 1) * size].to_vec();
        let original = source.data.chunks(source.cols).take(self.tensor.rows).map(row).collect();
        Ok(HeadPart { original: Some(original), ..self })
    }

    /// The model of the file.
    pub fn head(&self) -> Head<'_> {
        Head { scheme: &self.scheme, tensor: &self.tensor, number: 0 }
    }

    /// The units' parameters for it.
    pub fn table(&self) -> TableParams {
        let Scheme { vector, residuals, .. } = self.scheme;
        let positions = self.tensor.cols / vector * residuals;
        let [vector, positions, residuals] = [vector, positions, residuals].map(|n| n as u32);
        TableParams { entries: ENTRIES, vector, positions, residuals, queries: 1 }
    }

    /// The books as the words of a bus.
    pub fn books(&self) -> Vec<LoadWord> {
        books_as_words(&self.tensor.books, self.first)
    }

    /// The rows.
    pub fn rows(&self) -> Vec<LoadWord> {
        rows_as_words(&self.tensor.indices[0])
    }

    /// A scale for each token, if there are some.
    pub fn scales(&self) -> Vec<u16> {
        (0..self.tensor.rows).filter_map(|token| self.tensor.scale(token)).collect()
    }

    /// What its tokens decode to, in float64.
    pub fn decoded(&self) -> Vec<Vec<f64>> {
        tensor64(&self.scheme, &self.tensor).chunks(self.tensor.cols).map(<[f64]>::to_vec).collect()
    }

    /// What they were before.
    pub fn original64(&self) -> Option<Vec<Vec<f64>>> {
        Some(self.original.as_ref()?.iter().map(|row| to_f64(row)).collect())
    }

    /// Keys or values.
    pub fn name(&self) -> &'static str {
        if self.tensor.kind == TensorKind::Key { "keys" } else { "values" }
    }
}
