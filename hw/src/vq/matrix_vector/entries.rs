//! Indices become values, beside the numbers of the vectors that they are multiplied with.

use super::super::cache_types::{Access, Entries};
use super::super::delay::{delayed, delayed_valid};
use super::super::e8p::e8p_decoder;
use super::super::join_pairs::{adder, sum_of};
use super::super::residual_books::ResidualBooksPorts;
use super::books::{Books, Cache, Read};
use super::params::{MatrixParams, look_up_latency};
use super::vectors::Vectors;
use crate::float::add;
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
    /// For each sum that is kept by itself; those of the lattice are in quarters.
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
    let latency = look_up_latency(p);
    let numbers = vectors.read(m, delayed(m, beat.place, latency - 2));
    let numbers = Vector::of(numbers.into_iter().map(Vector::of).collect::<Vec<_>>());
    let there = delayed_valid(m, comes, latency);
    let flags = delayed(m, beat.flags, latency);
    let (values, wrong) = match cached {
        Some((cache, books)) => {
            let (values, wrong) = match cache.read {
                Read::Beats(s, found) => entries(m, (comes, beat), (s, found), books, p),
                Read::Residuals(read) => sums_of_entries(m, (comes, beat), read, books, p)?,
            };
            (vec![values], Some(wrong))
        }
        None => (points(m, beat.data, p)?, None),
    };
    let values = Vector::of(values.into_iter().map(Vector::of).collect::<Vec<_>>());
    Ok((there, Values { flags, wrong, values, numbers }))
}

/// Entries of the book of the tile, and whether there are none.
#[module]
fn entries(
    m: Module,
    (comes, beat): (Signal, Beat),
    (s, found): (Stream<Access>, Stream<Entries>),
    books: Books,
    p: MatrixParams,
) -> (Vec<Signal>, Signal) {
    let lanes = beat.data.lanes(p.index_bits());
    let index_bits = s.payload.index[0].width();
    let zero = m.lit(0u32, 1);
    s.valid.set(comes | books.flushes);
    s.payload.set(Access {
        index: Vector::of(lanes.iter().map(|index| index.trunc(index_bits)).collect::<Vec<_>>()),
        count: m.lit(p.lanes - 1, s.payload.count.width()),
        row_end: beat.flags.ends & comes,
        last: zero,
        switch: (comes & beat.begins) | books.flushes,
    });
    m.assert(!s.valid | s.ready, "the book of a tile was loaded");
    found.ready.set(m.lit(1u32, 1));
    let wrong = found.payload.wrong.any();
    let wrong = beyond(&lanes, index_bits).map_or(wrong, |beyond| wrong | delayed(m, beyond, look_up_latency(p)));
    (found.payload.entry.into_iter().flat_map(|entry| entry.lanes(16)).collect(), wrong)
}

/// Whether an index has bits that no entry's has, if it can.
fn beyond(lanes: &[Signal], index_bits: u32) -> Option<Signal> {
    let high = |index: &Signal| index.drop_low(index_bits).any();
    (lanes[0].width() > index_bits).then(|| Vector::of(lanes.iter().map(high).collect::<Vec<_>>()).pack().any())
}

/// Sums of the entries of a group's residuals, and whether there are none.
#[module]
fn sums_of_entries(
    m: Module,
    (comes, beat): (Signal, Beat),
    read: ResidualBooksPorts,
    books: Books,
    p: MatrixParams,
) -> Result<(Vec<Signal>, Signal), Errors> {
    let lanes = beat.data.lanes(p.index_bits());
    let index_bits = read.index[0].width();
    read.restart.set((comes & beat.begins) | books.flushes);
    read.comes.set(comes);
    read.index.set(Vector::of(lanes.iter().map(|index| index.trunc(index_bits)).collect::<Vec<_>>()));
    let wrong = delayed(m, read.wrong, add::NATURAL);
    let wrong = beyond(&lanes, index_bits).map_or(wrong, |beyond| wrong | delayed(m, beyond, look_up_latency(p)));
    let unit = adder()?;
    let numbers: Vec<Vec<Signal>> = read.entry.into_iter().map(|entry| entry.lanes(16)).collect();
    let sums = numbers.chunks(2).flat_map(|pair| pair[0].iter().zip(&pair[1]).collect::<Vec<_>>());
    Ok((sums.map(|(first, second)| sum_of(m, &unit, *first, *second)).collect(), wrong))
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
