//! How records are cut into slices, and what becomes of records that are not as they should be (docs/oaken-format.md, sections 3 and 6):
//! for the tests of the blocks that cut and join them. Bytes are looked at only as far as cutting needs it.

use fastrand::Rng;

/// The two parts of a record or slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Codes.
    pub dense: Vec<u8>,
    /// Header, counts and entries.
    pub sparse: Vec<u8>,
}

/// Lengths in chunks, and bits of a code.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Slices of a record.
    pub heads: usize,
    /// Chunks of a slice.
    pub chunks: usize,
    /// Of a code.
    pub bits: usize,
}

impl Shape {
    /// Bytes of a dense slice.
    pub fn dense_slice(self) -> usize {
        8 * self.bits * self.chunks
    }
    /// Random codes and entries, with the counts that `count` gives.
    pub fn record(self, rng: &mut Rng, count: impl Fn(&mut Rng) -> usize) -> Parts {
        let mut sparse: Vec<u8> = (0..8).map(|_| rng.u8(..)).collect();
        for _ in 0..self.heads * self.chunks {
            let count = count(rng);
            sparse.push(count as u8);
            sparse.extend((0..count).map(|_| rng.u8(..)));
        }
        let dense = (0..self.heads * self.dense_slice()).map(|_| rng.u8(..)).collect();
        Parts { dense, sparse }
    }
    /// A record as slices, and whether it was not as it should be.
    pub fn cut(self, record: &Parts) -> (Vec<Parts>, bool) {
        let whole_header = record.sparse.len() >= 8;
        let header = if whole_header { record.sparse[..8].to_vec() } else { self.empty_header() };
        let mut rest = Reader { bytes: &record.sparse, at: record.sparse.len().min(8), wrong: !whole_header };
        let mut codes = Reader { bytes: &record.dense, at: 0, wrong: false };
        let slice = |_| {
            let sparse = [header.clone(), self.chunks_of(&mut rest)].concat();
            Parts { dense: codes.take(self.dense_slice()), sparse }
        };
        let slices: Vec<Parts> = (0..self.heads).map(slice).collect();
        let wrong = rest.wrong || codes.wrong || rest.more() || codes.more();
        (slices, wrong)
    }
    /// The chunks of a slice.
    pub fn chunks_of(self, rest: &mut Reader) -> Vec<u8> {
        let mut bytes = vec![];
        for _ in 0..self.chunks {
            let count = rest.take(1)[0];
            rest.wrong |= count > 64;
            bytes.push(count.min(64));
            bytes.extend(rest.take(usize::from(count.min(64))));
        }
        bytes
    }
    /// So many slices of a history, and whether bytes are missing, or a count is above 64.
    pub fn frame(self, history: &Parts, slices: usize) -> (Vec<Parts>, bool, bool) {
        let mut sparse = Reader { bytes: &history.sparse, at: 0, wrong: false };
        let mut dense = Reader { bytes: &history.dense, at: 0, wrong: false };
        let mut wrong_count = false;
        let slice = |_| {
            let there = sparse.more();
            let came = sparse.take(8);
            let header = if there { came } else { self.empty_header() };
            wrong_count |= self.counts_above(&history.sparse, sparse.at);
            let chunks = self.chunks_of(&mut sparse);
            Parts { dense: dense.take(self.dense_slice()), sparse: [header, chunks].concat() }
        };
        let slices: Vec<Parts> = (0..slices).map(slice).collect();
        let missing = sparse.at > sparse.bytes.len() || dense.at > dense.bytes.len();
        (slices, missing, wrong_count)
    }
    /// One of the counts of the slice whose first one stands there is above 64; those that are missing are not.
    fn counts_above(self, bytes: &[u8], mut at: usize) -> bool {
        let count = |_| {
            let count = bytes.get(at).copied().unwrap_or(0);
            at += 1 + usize::from(count.min(64));
            count
        };
        (0..self.chunks).map(count).any(|count| count > 64)
    }
    /// The header where none came: no steps.
    pub fn empty_header(self) -> Vec<u8> {
        vec![0, 0, 0, 0, 0, 0, 0, ((self.bits ^ 4) << 4) as u8]
    }
}

/// Slices one behind the other, as memory has them.
pub fn history(slices: &[Parts]) -> Parts {
    let dense = slices.iter().flat_map(|slice| slice.dense.clone()).collect();
    Parts { dense, sparse: slices.iter().flat_map(|slice| slice.sparse.clone()).collect() }
}

/// Bytes, and zeros behind them.
pub struct Reader<'b> {
    /// What came.
    pub bytes: &'b [u8],
    /// The next one.
    pub at: usize,
    /// Some that were wanted are missing, or a count was above 64.
    pub wrong: bool,
}

impl Reader<'_> {
    /// The next bytes.
    pub fn take(&mut self, n: usize) -> Vec<u8> {
        let taken = (self.at..self.at + n).map(|i| self.bytes.get(i).copied().unwrap_or(0)).collect();
        self.wrong |= self.at + n > self.bytes.len();
        self.at += n;
        taken
    }
    /// Bytes are left.
    pub fn more(&self) -> bool {
        self.at < self.bytes.len()
    }
}

/// Counts of several kinds.
pub fn any_count(rng: &mut Rng) -> usize {
    match rng.u8(0..8) {
        0 => 0,
        1 => 64,
        2 => rng.usize(0..=64),
        _ => rng.usize(0..=14),
    }
}

/// The outliers of a chunk, each of its elements being one with the paper's share, a tenth.
pub fn tenth(rng: &mut Rng) -> usize {
    (0..64).filter(|_| rng.u8(0..10) == 0).count()
}

/// Something goes wrong with a part: its end, or a byte.
pub fn damage(rng: &mut Rng, part: &mut Vec<u8>) {
    match rng.u8(0..6) {
        0 => part.truncate(rng.usize(1..=part.len())),
        1 => part.extend((0..rng.usize(1..100)).map(|_| rng.u8(..))),
        2 => part.truncate(rng.usize(1..=part.len().min(12))),
        3 => part.truncate(part.len() - 1),
        4 => part.push(rng.u8(..)),
        _ => {
            let at = rng.usize(0..part.len());
            part[at] = rng.u8(..);
        }
    }
}
