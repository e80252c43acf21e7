//! Indices become values, beside the numbers of the vectors that they are multiplied with.

use super::super::cache_types::Access;
use super::super::delay::{delayed, delayed_valid};
use super::super::e8p::e8p_decoder;
use super::books::{Books, Cache};
use super::params::{MatrixParams, look_up_latency};
use super::vectors::Vectors;
use hdl::*;

/// What goes with a beat through the sums.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Flags {
    /// The beat in the row of the tile.
    pub number: Signal,
    /// It is the last one of its row in the tile.
    pub ends: Signal,
    /// The row is the first one of its tile.
    pub first_row: Signal,
    /// The tile is the first one of its rows.
    pub first_across: Signal,
    /// Or the last one.
    pub last_across: Signal,
    /// It is the last row of the matrix.
    pub last: Signal,
    /// The scale of the row, where it has one.
    pub scale: Option<Signal>,
}

/// A beat of indices.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Beat {
    pub flags: Flags,
    pub data: Signal,
    /// The beat in the row of the matrix.
    pub place: Signal,
    /// Its tile begins.
    pub begins: Signal,
}

/// The values of a beat.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Values {
    pub flags: Flags,
    /// An index has no entry.
    pub wrong: Option<Signal>,
    /// For each residual; those of the lattice are in quarters.
    pub values: Vector<Vector<Signal>>,
    /// For each vector.
    pub numbers: Vector<Vector<Signal>>,
}

/// Looks up the values of a beat, which is in registers.
#[module]
pub(super) fn look_up(
    m: Module,
    (comes, beat): (Signal, Beat),
    vectors: &Vectors,
    cached: Option<(Cache, Books)>,
    p: MatrixParams,
) -> Result<(Signal, Values), Errors> {
    m.section("indices become values");
    let numbers = vectors.read(m, beat.place);
    let numbers = Vector::of(numbers.into_iter().map(Vector::of).collect::<Vec<_>>());
    let latency = look_up_latency(p);
    let there = delayed_valid(m, comes, latency);
    let flags = delayed(m, beat.flags, latency);
    let (values, wrong) = match cached {
        Some((cache, books)) => {
            let (values, wrong) = entries(m, (comes, beat), cache, books, p);
            (vec![values], Some(wrong))
        }
        None => (points(m, beat.data, p)?, None),
    };
    let values = Vector::of(values.into_iter().map(Vector::of).collect::<Vec<_>>());
    let numbers = delayed(m, numbers, latency - 2);
    Ok((there, Values { flags, wrong, values, numbers }))
}

/// Entries of the book of the tile, and whether there are none.
#[module]
fn entries(
    m: Module,
    (comes, beat): (Signal, Beat),
    cache: Cache,
    books: Books,
    p: MatrixParams,
) -> (Vec<Signal>, Signal) {
    let lanes = beat.data.lanes(p.index_bits());
    let index_bits = cache.s.payload.index[0].width();
    let zero = m.lit(0u32, 1);
    cache.s.valid.set(comes | books.flushes);
    cache.s.payload.set(Access {
        index: Vector::of(lanes.iter().map(|index| index.trunc(index_bits)).collect::<Vec<_>>()),
        count: m.lit(p.lanes - 1, cache.s.payload.count.width()),
        row_end: beat.flags.ends & comes,
        last: zero,
        switch: (comes & beat.begins) | books.flushes,
    });
    m.assert(!cache.s.valid | cache.s.ready, "the book of a tile was loaded");
    cache.m.ready.set(m.lit(1u32, 1));
    let wrong = cache.m.payload.wrong.any();
    let wrong = match index_bits < p.index_bits() {
        true => {
            let beyond = lanes.iter().map(|index| index.drop_low(index_bits).any()).collect::<Vec<_>>();
            wrong | delayed(m, Vector::of(beyond).pack().any(), look_up_latency(p))
        }
        false => wrong,
    };
    (cache.m.payload.entry.into_iter().flat_map(|entry| entry.lanes(16)).collect(), wrong)
}

/// Points of the lattice in quarters: those of the first residuals, and those of the second ones.
#[module]
fn points(m: Module, codes: Signal, p: MatrixParams) -> Result<Vec<Vec<Signal>>, Errors> {
    let decoder = m.instance(&e8p_decoder(p.lanes as usize)?);
    decoder.s.valid.set(m.lit(1u32, 1));
    decoder.s.payload.set(Vector::of(codes.lanes(p.index_bits())));
    decoder.s.ready.unused();
    decoder.m.ready.set(m.lit(1u32, 1));
    decoder.m.valid.unused();
    let mut points = vec![vec![], vec![]];
    for (lane, point) in decoder.m.payload.into_iter().enumerate() {
        points[lane % 2].extend(point);
    }
    Ok(points)
}
