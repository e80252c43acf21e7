mod damage;
mod faults;
mod models;
mod round_trip;

use fastrand::Rng;

use super::{Book, Books, Rotation, Scales, Scheme, Tensor, TensorKind, VqFile, pack_row};

/// A legal scheme.
fn scheme(rng: &mut Rng) -> Scheme {
    let books = [Books::Lattice, Books::Tile, Books::Group][rng.usize(0..3)];
    let scales = [Scales::None, Scales::Tensor, Scales::Row][rng.usize(0..3)];
    if books == Books::Lattice {
        let residuals = rng.usize(1..=2);
        let inverse_ratio = if residuals == 2 { 0x34a3 } else { 0 };
        return Scheme { vector: 8, bits: 16, residuals, books, scales, inverse_ratio };
    }
    let (vector, bits, residuals) = (rng.usize(1..=16), rng.u32(1..=12), rng.usize(1..=4));
    Scheme { vector, bits, residuals, books, scales, inverse_ratio: 0 }
}

/// A legal file with up to three small tensors.
fn file(rng: &mut Rng) -> VqFile {
    let (scheme, packed) = (scheme(rng), rng.bool());
    let tensors = (0..rng.usize(0..=3)).map(|number| tensor(rng, &scheme, packed, number)).collect();
    VqFile { scheme, packed, tensors }
}

fn tensor(rng: &mut Rng, scheme: &Scheme, packed: bool, number: usize) -> Tensor {
    let kind = [TensorKind::Key, TensorKind::Value, TensorKind::Weight][rng.usize(0..3)];
    let weight = kind == TensorKind::Weight;
    let rows = if weight || packed { rng.usize(1..=6) } else { 0 };
    let (cols, tile_cols) = (scheme.vector * rng.usize(1..=5), scheme.vector * rng.usize(1..=5));
    let turned = weight && rng.bool() && rows % 2 == 0 && cols % 2 == 0;
    let mut signs = |count: usize| (0..count).map(|_| rng.bool()).collect();
    let rotation = turned.then(|| Rotation { block_log2: 1, rows: signs(rows), cols: signs(cols) });
    let mut tensor = Tensor {
        kind,
        layer: if weight { 0 } else { rng.u32(0..40) },
        name: format!("tensor {number}"),
        rows,
        cols,
        tile_rows: if weight { rng.usize(0..=4) } else { 0 },
        tile_cols,
        books: vec![],
        scales: vec![],
        rotation,
        indices: vec![],
    };
    tensor.scales = (0..tensor.scale_count(scheme)).map(|_| rng.u16(0x0001..=0x7bff)).collect();
    fill(rng, scheme, &mut tensor, packed);
    tensor
}

/// Random books and indices.
fn fill(rng: &mut Rng, scheme: &Scheme, tensor: &mut Tensor, packed: bool) {
    let parts: Vec<_> = tensor.parts(scheme).collect();
    for _ in 0..parts.iter().map(|part| part.books).sum() {
        let count = rng.usize(1..=scheme.max_entries().min(5));
        let values = (0..count * scheme.vector).map(|_| rng.u16(..0x7c00) | u16::from(rng.bool()) << 15).collect();
        tensor.books.push(Book { values, vector: scheme.vector });
    }
    for part in parts.iter().filter(|_| packed) {
        let row = |rng: &mut Rng| {
            let index = |position| match part.book_of(scheme, position) {
                None => rng.u16(..),
                Some(book) => rng.usize(0..tensor.books[book].count()) as u16,
            };
            pack_row(&(0..part.indices_per_row(scheme)).map(index).collect::<Vec<_>>(), scheme.bits)
        };
        tensor.indices.push(part.rows.clone().flat_map(|_| row(rng)).collect());
    }
}
