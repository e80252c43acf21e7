//! What goes in and out of the units that work by table.

use super::cache_types::{ID_BITS, WORD_NUMBERS};
pub use crate::attention::softmax::MAX_TOKENS;
use hdl::*;

/// Indices of a word: a word of the bus has 64 bits, an index 8.
pub const LANES: u32 = 8;
/// Bits of an index.
pub const INDEX_BITS: u32 = 8;
/// The most index positions of a row.
pub const MAX_POSITIONS: u32 = 128;
/// The most queries.
pub const MAX_QUERIES: u32 = 4;
/// Bits of a number of tokens, up to [`MAX_TOKENS`].
pub const TOKEN_BITS: u32 = 14;

/// The parameters of the units that work by table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableParams {
    /// The most entries of a book: a power of two, 8 to 256.
    pub entries: u32,
    /// Numbers of an entry: 1, 2, 4, 8 or 16.
    pub vector: u32,
    /// Indices of a row, each with a book of its own: a multiple of [`LANES`] up to [`MAX_POSITIONS`].
    pub positions: u32,
    /// Indices of a group: 1, 2 or 4.
    pub residuals: u32,
    /// Queries, 1 to [`MAX_QUERIES`].
    pub queries: u32,
}

impl TableParams {
    /// Entries of a word of a book, if an entry is no longer than that; else 1.
    pub fn entries_of_word(self) -> u32 {
        (WORD_NUMBERS / self.vector).max(1)
    }
    /// Words of an entry, if it is longer than a word; else 1.
    pub fn words_of_entry(self) -> u32 {
        (self.vector / WORD_NUMBERS).max(1)
    }
    /// Numbers of a query.
    pub fn query_numbers(self) -> u32 {
        self.positions / self.residuals * self.vector
    }
    /// Words of a row.
    pub fn beats(self) -> u32 {
        self.positions / LANES
    }
    /// Bits of the number of an entry.
    pub fn entry_bits(self) -> u32 {
        clog2(self.entries as usize)
    }
    /// Bits of the number of a word of a book, from its first entry on.
    pub(super) fn word_bits(self) -> u32 {
        clog2((self.entries * self.vector / WORD_NUMBERS) as usize)
    }
    /// Bits of the number of a position.
    pub(super) fn position_bits(self) -> u32 {
        clog2(self.positions as usize)
    }
    /// Bits of a place in all books, in bytes, or of the number of a token.
    pub fn place_bits(self) -> u32 {
        let words = self.positions * (1 + self.entries * self.vector / WORD_NUMBERS);
        (clog2(words as usize) + 3).max(clog2(MAX_TOKENS as usize))
    }
    /// An error if a parameter is not legal; `module` is the unit.
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        let TableParams { entries, vector, positions, residuals, queries } = self;
        let (what, help) = match () {
            _ if !(8..=256).contains(&entries) || !entries.is_power_of_two() => {
                (format!("entries = {entries}"), "8, 16, 32, 64, 128 or 256: an index is a byte".into())
            }
            _ if ![1, 2, 4, 8, 16].contains(&vector) => {
                let help = "1, 2, 4, 8 or 16: words and entries must divide each other";
                (format!("vector = {vector}"), help.into())
            }
            _ if ![1, 2, 4].contains(&residuals) => {
                (format!("residuals = {residuals}"), "1, 2 or 4: the number of a group is part of a position's".into())
            }
            _ if !positions.is_multiple_of(LANES) || !(LANES..=MAX_POSITIONS).contains(&positions) => {
                let help = format!("a multiple of {LANES} from {LANES} to {MAX_POSITIONS}: a word has {LANES} indices");
                (format!("positions = {positions}"), help)
            }
            _ if self.query_numbers() < 2 * WORD_NUMBERS => {
                let help = format!("at least {} numbers, two words", 2 * WORD_NUMBERS);
                (format!("a query of {} numbers", self.query_numbers()), help)
            }
            _ if !(1..=MAX_QUERIES).contains(&queries) => {
                let help = format!("from 1 to {MAX_QUERIES}: more are several units");
                (format!("queries = {queries} is out of range"), help)
            }
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// How a command ended. Of several causes the one that is found first counts: a CRC, a number of a book and the numbers in it are looked at when
/// its last word was there, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
pub enum TableOutcome {
    /// All is well.
    Okay = 0,
    /// A word came with an error of the bus.
    Bus = 1,
    /// A book has more entries than a table.
    Large = 2,
    /// The words end too early.
    Short = 3,
    /// There are words behind the last one; they were dropped.
    Long = 4,
    /// The CRC-32 is not that of the book, or what fills its last word is not zero.
    Crc = 5,
    /// It is another book than the next one.
    Id = 6,
    /// A number of a book is infinite or NaN.
    Number = 7,
    /// An index has no entry.
    Index = 8,
    /// The query has too few or too many words.
    Query = 9,
    /// There are no tokens.
    NoTokens = 10,
    /// There are too many tokens.
    ManyTokens = 11,
    /// There are fewer or more weights or scales than tokens.
    Weights = 12,
}

/// A command has ended.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct TableReport {
    /// How.
    pub outcome: StateSignal<TableOutcome>,
    /// It failed in the rows of tokens; `position` is the number of the token then, else bytes from the command's first word.
    pub in_rows: Signal,
    /// Where it failed: the number (`Number`), the book's first word (`Large`, `Crc`, `Id`), 0 (`Query`, `NoTokens`, `ManyTokens`), or else the word.
    pub position: Signal,
}

/// The shape of the end of a command.
pub fn table_report(p: TableParams) -> TableReport {
    TableReport { outcome: state(), in_rows: bits(1), position: bits(p.place_bits()) }
}

/// A command about tokens: their books and their rows come.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct TokensCommand {
    /// The number of the first book; those of the other positions have the numbers behind it.
    pub first: Signal,
    /// Tokens, 1 to [`MAX_TOKENS`].
    pub tokens: Signal,
}

/// The shape of a command about tokens.
pub fn tokens_command() -> TokensCommand {
    TokensCommand { first: bits(ID_BITS), tokens: bits(TOKEN_BITS) }
}

/// Books that come: the number of the first one, and whether the command is refused.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct BooksAhead {
    /// The number of the first book; the others have those behind it.
    pub first: Signal,
    /// If it is not `Okay`, all words are dropped, and this is how the command ended.
    pub refused: StateSignal<TableOutcome>,
}

/// The shape of what tells of books.
pub fn books_ahead() -> BooksAhead {
    BooksAhead { first: bits(ID_BITS), refused: state() }
}

/// A word of a query.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct QueryWord {
    /// Four numbers, the first one low.
    pub data: Signal,
    /// It is the last one of all queries of a command.
    pub last: Signal,
}

/// The shape of a word of a query.
pub fn query_word() -> QueryWord {
    QueryWord { data: bits(16 * WORD_NUMBERS), last: bits(1) }
}

/// Products that are written into a table.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct TableWrite {
    /// There are some.
    pub valid: Signal,
    /// The index position whose table it is.
    pub position: Signal,
    /// The number of the first entry, divided by the entries of a word.
    pub row: Signal,
    /// For each entry of a word a bit: the book has it.
    pub there: Signal,
    /// For each query, for each entry of a word its product; of one that is not there it is anything.
    pub product: Vector<Vector<Signal>>,
}

/// The shape of products that are written into a table.
pub fn table_write(p: TableParams) -> TableWrite {
    let entries = p.entries_of_word();
    TableWrite {
        valid: bits(1),
        position: bits(p.position_bits()),
        row: bits(p.entry_bits() - entries.ilog2()),
        there: bits(entries),
        product: vector(vector(bits(16), entries as usize), p.queries as usize),
    }
}

/// Indices of a row.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct IndexWord {
    /// Eight indices, the first one low.
    pub data: Signal,
    /// They are the last ones of the row.
    pub last: Signal,
}
