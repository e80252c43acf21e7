//! Training: from tensors to a file of books.

use rayon::prelude::*;

use super::error::VqError;
use super::options::TrainOptions;
use super::prepared::{Prepared, choose_lattice_scale};
use super::random::Random;
use super::source::{Source, check_sides};
use super::{residual, rotate};
use crate::golden::vq::{Book, Books, MAX_BOOKS, Part, Rotation, Scales, Scheme, Tensor, TensorKind, VqFile};

/// How often the training of a part of a tensor tells that it goes on.
pub fn steps_of_part(scheme: &Scheme, options: &TrainOptions) -> usize {
    match scheme.books {
        Books::Lattice | Books::Group => 1,
        Books::Tile if scheme.residuals == 1 => 1,
        Books::Tile => scheme.residuals + options.rounds,
    }
}

/// Trains books for tensors; `progress` is called [`steps_of_part`] times for every part of a tensor.
pub fn train(
    scheme: &Scheme,
    sources: &[Source],
    options: &TrainOptions,
    progress: &(dyn Fn() + Sync),
) -> Result<VqFile, VqError> {
    scheme.check()?;
    if sources.is_empty() {
        return Err(VqError::NoTensors);
    }
    let tensors = sources.iter().map(|source| empty_tensor(scheme, source, options)).collect::<Result<Vec<_>, _>>()?;
    check_numbers(scheme, &tensors)?;
    let trained = tensors.into_iter().enumerate().zip(sources);
    let tensors = trained.map(|((number, mut tensor), source)| {
        let random = |place: u64| Random::new(options.seed, &[number as u64, place]);
        tensor.rotation = options
            .rotation
            .filter(|_| tensor.kind == TensorKind::Weight)
            .map(|block| rotate::random(source.rows, source.cols, block, &mut random(u64::MAX)));
        let prepared = Prepared::new(scheme, source, tensor.rotation.as_ref(), scale(scheme, source, &tensor.rotation));
        tensor.scales = prepared.scales.clone();
        tensor.books = train_parts(scheme, &tensor, source, &prepared, options, progress, &random);
        if tensor.kind != TensorKind::Weight {
            // tokens come later
            tensor.rows = 0;
            tensor.scales.truncate(tensor.scale_count(scheme));
        }
        tensor
    });
    Ok(VqFile { scheme: *scheme, packed: false, tensors: tensors.collect() })
}

/// The scale of a whole tensor, where that is chosen: for the lattice.
fn scale(scheme: &Scheme, source: &Source, rotation: &Option<Rotation>) -> Option<u16> {
    let chosen = scheme.books == Books::Lattice && scheme.scales == Scales::Tensor;
    chosen.then(|| choose_lattice_scale(scheme, source, rotation.as_ref()))
}

fn empty_tensor(scheme: &Scheme, source: &Source, options: &TrainOptions) -> Result<Tensor, VqError> {
    let Source { kind, layer, rows, cols, .. } = *source;
    let (name, vector) = (source.name.clone(), scheme.vector);
    if name.is_empty() || name.len() > 64 || name.contains(char::is_control) {
        return Err(VqError::Name { name });
    }
    if !cols.is_multiple_of(vector) {
        return Err(VqError::Columns { name, cols, vector });
    }
    let (what, (tile_rows, tile_cols)) = match kind {
        TensorKind::Weight => ("tiles", options.tile.unwrap_or((0, cols))),
        _ => ("heads", (0, options.head)),
    };
    if tile_cols == 0 || !tile_cols.is_multiple_of(vector) {
        return Err(VqError::Parts { what, cols: tile_cols, vector });
    }
    if kind != TensorKind::Weight && !cols.is_multiple_of(tile_cols) {
        return Err(VqError::Heads { name, cols, head: tile_cols });
    }
    check_sides(rows, cols, tile_rows.max(tile_cols))?;
    let block = options.rotation.unwrap_or(1);
    if kind == TensorKind::Weight && !(rows.is_multiple_of(block) && cols.is_multiple_of(block)) {
        return Err(VqError::Rotation { name, rows, cols, block });
    }
    let (books, scales, indices) = (vec![], vec![], vec![]);
    Ok(Tensor { kind, layer, name, rows, cols, tile_rows, tile_cols, books, scales, rotation: None, indices })
}

fn check_numbers(scheme: &Scheme, tensors: &[Tensor]) -> Result<(), VqError> {
    let books = tensors.iter().flat_map(|tensor| tensor.parts(scheme)).map(|part| part.books).sum();
    for (what, found, most) in [("tensors", tensors.len(), 65535), ("books", books, MAX_BOOKS)] {
        if found > most {
            return Err(VqError::TooMany { what, found, most });
        }
    }
    Ok(())
}

fn train_parts(
    scheme: &Scheme,
    tensor: &Tensor,
    source: &Source,
    prepared: &Prepared,
    options: &TrainOptions,
    progress: &(dyn Fn() + Sync),
    random: &(dyn Fn(u64) -> Random + Sync),
) -> Vec<Book> {
    let parts: Vec<Part> = tensor.parts(scheme).collect();
    let books_of = |part: &Part| -> Vec<Book> {
        let of_group = |group: usize, cols: std::ops::Range<usize>, progress: &dyn Fn()| {
            let data = prepared.cut(part.rows.clone(), cols, source.cols);
            residual::train(&data, scheme, options, &mut random((part.first_book + group) as u64), progress)
        };
        match scheme.books {
            Books::Lattice => {
                progress();
                vec![]
            }
            Books::Tile => of_group(0, part.cols.clone(), progress),
            Books::Group => {
                let books = (0..part.groups)
                    .into_par_iter()
                    .flat_map_iter(|group| {
                        let start = part.cols.start + group * scheme.vector;
                        of_group(group * scheme.residuals, start..start + scheme.vector, &|| ())
                    })
                    .collect();
                progress();
                books
            }
        }
    };
    parts.par_iter().flat_map_iter(books_of).collect()
}
