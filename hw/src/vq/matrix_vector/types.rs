//! What goes in and out of a matrix-vector unit.

use super::super::cache_types::{BookWord, ID_BITS, book_word};
use super::super::scales::{Scale, scale};
use super::params::{MatrixParams, MatrixScales, SIDE_BITS};
use hdl::*;

/// A command.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct MatrixCommandWord {
    /// The number of the first book; the other ones have the numbers behind it.
    pub first: Option<Signal>,
    /// Rows of the matrix.
    pub rows: Signal,
    /// Columns of the matrix.
    pub columns: Signal,
    /// What the sum of the second points is multiplied with.
    pub ratio: Option<Signal>,
    /// What all products are multiplied with.
    pub scale: Option<Signal>,
}

/// A word of a vector.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct VectorWord {
    /// Four numbers, the first one low.
    pub data: Signal,
    /// It is the last one of its vector.
    pub last: Signal,
}

/// A word of the books of a command.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct BooksWord {
    /// The word, with `last` at the end of its book.
    pub word: BookWord,
    /// It is the last one of the last book.
    pub end: Signal,
}

/// The products of a row.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct RowProducts {
    /// One for each vector; without meaning if an index has no entry.
    pub product: Vector<Signal>,
    /// An index has no entry.
    pub wrong: Option<Signal>,
    /// It is the last row.
    pub last: Signal,
}

/// How a command ended. Of several causes the one that is found first counts, in the order of the words of indices; a book belongs before
/// the first word of its tile. The first eight are those of a load ([`LoadOutcome`](super::super::cache_types::LoadOutcome)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
pub enum MatrixOutcome {
    /// All is well.
    Okay = 0,
    /// A word came with an error of the bus.
    Bus = 1,
    /// A book has more entries than the unit.
    Large = 2,
    /// The words end too early.
    Short = 3,
    /// There are words behind the last one; they were dropped.
    Long = 4,
    /// The CRC-32 is not that of the book.
    Crc = 5,
    /// It is another book than the next one.
    Id = 6,
    /// A number of a book is infinite or NaN.
    Number = 7,
    /// What fills the last word of a book is not zero.
    Padding = 8,
    /// An index has no entry.
    Index = 9,
    /// A vector has too few or too many words.
    Vector = 10,
    /// There are no rows.
    NoRows = 11,
    /// There are no columns, too many, or not whole words of indices.
    Columns = 12,
    /// There are fewer or more books than tiles, groups or residuals.
    Books = 13,
    /// There are fewer or more scales than rows.
    Scales = 14,
}

/// A command has ended.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct MatrixReport {
    /// How.
    pub outcome: StateSignal<MatrixOutcome>,
    /// It failed in a book.
    pub in_book: Signal,
    /// The tile, from 0; where groups or residuals have books and it failed in one, that book.
    pub tile: Signal,
    /// Where: bytes from the start of the book, or the number of a row in the tile.
    pub position: Signal,
}

/// The shape of the end of a command.
pub fn report_shape(p: MatrixParams) -> MatrixReport {
    MatrixReport { outcome: state(), in_book: bits(1), tile: bits(ID_BITS), position: bits(p.position_bits()) }
}

/// The shape of a row's products.
pub fn products_shape(p: MatrixParams) -> RowProducts {
    let wrong = p.cache().map(|_| bits(1));
    RowProducts { product: vector(bits(16), p.vectors as usize), wrong, last: bits(1) }
}

fn command_shape(p: MatrixParams) -> MatrixCommandWord {
    MatrixCommandWord {
        first: p.cache().map(|_| bits(ID_BITS)),
        rows: bits(SIDE_BITS),
        columns: bits(SIDE_BITS),
        ratio: p.is_lattice().then(|| bits(16)),
        scale: (p.scales == MatrixScales::Tensor).then(|| bits(16)),
    }
}

ports! {
    /// Ports of a matrix-vector unit.
    pub struct MatrixVectorPorts(p: MatrixParams) {
        /// A matrix comes.
        input command: Stream<MatrixCommandWord> = stream(command_shape(p)),
        /// Vectors.
        input vector: Stream<VectorWord> = stream(VectorWord { data: bits(64), last: bits(1) }),
        /// Books of the tiles.
        input books: Option<Stream<BooksWord>> = p.cache().map(|_| stream(BooksWord { word: book_word(), end: bits(1) })),
        /// Rows of indices.
        input words: Stream<BookWord> = stream(book_word()),
        /// Scales of the rows.
        input scale: Option<Stream<Scale>> = (p.scales == MatrixScales::Row).then(|| stream(scale())),
        /// Products.
        output m: Stream<RowProducts> = stream(products_shape(p)),
        /// How a command ended.
        output report: Stream<MatrixReport> = stream(report_shape(p)),
    }
}

/// Where a command is.
#[derive(Clone, Copy, State)]
pub(super) enum Phase {
    /// No command.
    Idle,
    /// Words of indices come.
    Run,
    /// It has failed, and words are dropped.
    Drain,
    /// Products are on their way.
    Finish,
    /// The report waits.
    Report,
}
