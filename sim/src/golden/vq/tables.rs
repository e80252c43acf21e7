//! What the units that work by table make of the words of a bus (docs/vq-format.md, sections 4, 5 and 7): books that stream by, one for each
//! index position of a row, and the rows of tokens behind them.
//!
//! A word is 8 bytes; an index is a byte, so that a word is a beat of eight lookups. Causes and positions of faults are those of the units' pages.

use super::cache::LoadWord;
use super::crc::crc32_of_two;
use super::decode::{add, dot, multiply, tree};
use super::encode::{half_norms, nearest};
use super::file::Book;

/// Indices of a word.
pub const LANES: usize = 8;

/// Why a command failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableCause {
    /// A word came with an error of the bus.
    Bus = 1,
    /// A book has more entries than a table.
    Large = 2,
    /// The words end too early.
    Short = 3,
    /// There are words behind the last one.
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

/// A command that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableFault {
    /// Why.
    pub cause: TableCause,
    /// It is in the rows; the position is the number of the token then, else bytes from the command's first word.
    pub in_rows: bool,
    /// Where.
    pub position: u32,
}

/// A unit: its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableUnit {
    /// The most entries of a book.
    pub entries: usize,
    /// Numbers of an entry.
    pub vector: usize,
    /// Indices of a row, each with a book of its own; a multiple of [`LANES`].
    pub positions: usize,
    /// Indices of a group.
    pub residuals: usize,
    /// Queries.
    pub queries: usize,
    /// The most tokens.
    pub max_tokens: usize,
}

/// For each query and position the products; there are as many as the book has entries.
pub type Tables = Vec<Vec<Vec<u16>>>;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct TableCommand {
    /// The number of the first book.
    pub first: u32,
    /// Tokens; of products alone it means nothing.
    pub tokens: usize,
    /// The numbers of each query; or as many as came.
    pub query: Vec<u16>,
    /// The words, with the last one the command ends.
    pub words: Vec<LoadWord>,
}

/// A score for each query of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// One for each query. Where an index has no entry they mean nothing.
    pub scores: Vec<u16>,
    /// An index has no entry.
    pub wrong: bool,
    /// It is the last token.
    pub last: bool,
}

impl TableUnit {
    /// Numbers of a query.
    pub fn query_numbers(&self) -> usize {
        self.positions / self.residuals * self.vector
    }

    /// Words of a row.
    pub fn beats(&self) -> usize {
        self.positions / LANES
    }

    /// The products of each query with all entries, of a command of books alone. With the fault, what was written before is lost.
    pub fn products(&self, command: &TableCommand) -> Result<Tables, TableFault> {
        self.check_query(command)?;
        Ok(self.tables(command, &self.books(command, false)?.0))
    }

    /// The indices of a vector, of a command of books alone, with one query and one index a group.
    pub fn encode(&self, command: &TableCommand) -> Result<Vec<u16>, TableFault> {
        self.check_query(command)?;
        let index = |(x, values): (&[u16], Vec<u16>)| {
            let book = Book { values, vector: self.vector };
            nearest(&book, &half_norms(&book), x)
        };
        Ok(command.query.chunks(self.vector).zip(self.books(command, false)?.0).map(index).collect())
    }

    /// The scores of a command by table, each times its token's scale if there are some, and how it ended. There may be fewer or more scales than tokens.
    pub fn scores(&self, command: &TableCommand, scales: Option<&[u16]>) -> (Vec<Score>, Result<(), TableFault>) {
        let refused = |cause| Err(TableFault { cause, in_rows: false, position: 0 });
        if command.tokens == 0 {
            return (vec![], refused(TableCause::NoTokens));
        }
        if command.tokens > self.max_tokens {
            return (vec![], refused(TableCause::ManyTokens));
        }
        let books = self.check_query(command).and_then(|()| self.books(command, true));
        let (books, used) = match books {
            Ok(books) => books,
            Err(fault) => return (vec![], Err(fault)),
        };
        let tables = self.tables(command, &books);
        let rows = &command.words[used..];
        let (whole, mut end) = self.rows(rows, command.tokens, scales.map(<[u16]>::len));
        let mut scores = vec![];
        for (token, row) in rows.chunks(self.beats()).take(whole).enumerate() {
            let indices: Vec<usize> = row.iter().flat_map(|word| word.data.to_le_bytes()).map(usize::from).collect();
            let wrong = indices.iter().zip(&tables[0]).any(|(index, table)| *index >= table.len());
            if wrong && scores.iter().all(|score: &Score| !score.wrong) {
                end = Err(TableFault { cause: TableCause::Index, in_rows: true, position: token as u32 });
            }
            let score = |tables: &Vec<Vec<u16>>| {
                let terms: Vec<u16> =
                    indices.iter().zip(tables).map(|(i, table)| table.get(*i).copied().unwrap_or(0)).collect();
                let sum = tree(&terms);
                scales.map_or(sum, |scales| multiply(scales[token], sum))
            };
            let scores_of_token = tables.iter().map(score).collect();
            scores.push(Score { scores: scores_of_token, wrong, last: token + 1 == command.tokens });
        }
        (scores, end)
    }

    /// The values of a command by table: the weighted sum for each group, if all is well. Rows come first, then the books; `query` has the weights,
    /// which are multiplied with the scales if there are some. Of an index without an entry, the position of the fault is that in the row.
    pub fn values(
        &self,
        command: &TableCommand,
        scales: Option<&[u16]>,
        copies: usize,
    ) -> Result<Vec<Vec<u16>>, TableFault> {
        let refused = |cause| Err(TableFault { cause, in_rows: false, position: 0 });
        if command.tokens == 0 {
            return refused(TableCause::NoTokens);
        }
        if command.tokens > self.max_tokens {
            return refused(TableCause::ManyTokens);
        }
        let of_rows = command.tokens * self.beats();
        self.rows_before_books(command)?;
        let rows = &command.words[..of_rows];
        let mut sums = vec![vec![vec![None; 256]; self.positions]; copies];
        for (token, row) in rows.chunks(self.beats()).enumerate() {
            let weight = command.query[token];
            let weight = scales.map_or(weight, |scales| multiply(weight, scales[token]));
            for (position, index) in row.iter().flat_map(|word| word.data.to_le_bytes()).enumerate() {
                let sum: &mut Option<u16> = &mut sums[token % copies][position][usize::from(index)];
                *sum = Some(add(sum.unwrap_or(0), weight));
            }
        }
        let books = TableCommand { words: command.words[of_rows..].to_vec(), ..command.clone() };
        let (books, _) = self.books(&books, false)?;
        for (position, book) in books.iter().enumerate() {
            let count = book.len() / self.vector;
            if sums.iter().any(|sums| sums[position][count..].iter().any(Option::is_some)) {
                return Err(TableFault { cause: TableCause::Index, in_rows: true, position: position as u32 });
            }
        }
        let value = |(position, book): (usize, &Vec<u16>), i: usize| {
            let product = |(entry, numbers): (usize, &[u16])| {
                let copies: Vec<u16> = sums.iter().map(|sums| sums[position][entry].unwrap_or(0)).collect();
                multiply(tree(&copies), numbers[i])
            };
            tree(&book.chunks(self.vector).enumerate().map(product).collect::<Vec<_>>())
        };
        let group = |book| (0..self.vector).map(|i| value(book, i)).collect();
        Ok(books.iter().enumerate().map(group).collect())
    }

    /// Whether the rows are whole, with a weight for each, and books may follow.
    fn rows_before_books(&self, command: &TableCommand) -> Result<(), TableFault> {
        let TableCommand { tokens, query: weights, words, .. } = command;
        for (at, word) in words.iter().take(tokens * self.beats()).enumerate() {
            let token = at / self.beats();
            let fault = |cause| Err(TableFault { cause, in_rows: true, position: token as u32 });
            let ends_row = (at + 1) % self.beats() == 0;
            if word.failed {
                return fault(TableCause::Bus);
            }
            if at + 1 == words.len() {
                return fault(TableCause::Short);
            }
            if ends_row && (token + 1 == weights.len()) != (token + 1 == *tokens) {
                return fault(TableCause::Weights);
            }
        }
        Ok(())
    }

    fn check_query(&self, command: &TableCommand) -> Result<(), TableFault> {
        match command.query.len() == self.queries * self.query_numbers() {
            true => Ok(()),
            false => Err(TableFault { cause: TableCause::Query, in_rows: false, position: 0 }),
        }
    }

    fn tables(&self, command: &TableCommand, books: &[Vec<u16>]) -> Tables {
        let of_position = |query: &[u16], (position, book): (usize, &Vec<u16>)| {
            let from = position / self.residuals * self.vector;
            book.chunks(self.vector).map(|entry| dot(&query[from..from + self.vector], entry)).collect()
        };
        let of_query = |query: &[u16]| books.iter().enumerate().map(|book| of_position(query, book)).collect();
        command.query.chunks(self.query_numbers()).map(of_query).collect()
    }

    /// The values of all books, and how many words they have together. `rows_follow`: no book ends the command.
    fn books(&self, command: &TableCommand, rows_follow: bool) -> Result<(Vec<Vec<u16>>, usize), TableFault> {
        let (mut books, mut at) = (vec![], 0);
        let words = &command.words;
        let fault = |cause, byte: usize| Err(TableFault { cause, in_rows: false, position: byte as u32 });
        for position in 0..self.positions {
            let start = at;
            let head = words[start].data as u32;
            let count = (head & 0xfff) as usize + 1;
            let needed = 1 + (count * self.vector).div_ceil(4);
            let ends = !rows_follow && position + 1 == self.positions;
            for place in 0..needed {
                at = start + place;
                let last = at + 1 == words.len();
                if words[at].failed {
                    return fault(TableCause::Bus, 8 * at);
                }
                if place == 0 && count > self.entries {
                    return fault(TableCause::Large, 8 * at);
                }
                let whole = ends && place + 1 == needed;
                if last != whole {
                    return fault(if last { TableCause::Short } else { TableCause::Long }, 8 * at);
                }
            }
            at += 1;
            let bytes: Vec<u8> = words[start + 1..at].iter().flat_map(|word| word.data.to_le_bytes()).collect();
            let (entries, filling) = bytes.split_at(2 * count * self.vector);
            let crc = crc32_of_two(&head.to_le_bytes(), entries);
            if crc != (words[start].data >> 32) as u32 || filling.iter().any(|byte| *byte != 0) {
                return fault(TableCause::Crc, 8 * start);
            }
            if head >> 12 != (command.first + position as u32) & 0xf_ffff {
                return fault(TableCause::Id, 8 * start);
            }
            let values: Vec<u16> = entries.chunks(2).map(|x| u16::from_le_bytes([x[0], x[1]])).collect();
            if let Some(number) = values.iter().position(|x| x & 0x7c00 == 0x7c00) {
                return fault(TableCause::Number, 8 * start + 8 + 2 * number);
            }
            books.push(values);
        }
        Ok((books, at))
    }

    /// How many whole rows there are, and what is wrong with the words, or with the number of scales if there are some.
    fn rows(&self, words: &[LoadWord], tokens: usize, scales: Option<usize>) -> (usize, Result<(), TableFault>) {
        for (at, word) in words.iter().take(tokens * self.beats()).enumerate() {
            let token = at / self.beats();
            let fault = |cause| Err(TableFault { cause, in_rows: true, position: token as u32 });
            let ends_row = (at + 1) % self.beats() == 0;
            let (last, last_row) = (at + 1 == words.len(), token + 1 == tokens);
            if word.failed {
                return (token, fault(TableCause::Bus));
            }
            // the word is where it is found: a row that it completes is whole
            let whole = token + usize::from(ends_row);
            let ends_all = ends_row && last_row;
            if last && !ends_all {
                return (whole, fault(TableCause::Short));
            }
            if ends_all && !last {
                return (whole, fault(TableCause::Long));
            }
            if ends_row && scales.is_some_and(|scales| (token + 1 == scales) != last_row) {
                return (whole, fault(TableCause::Weights));
            }
        }
        (tokens, Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::cache::book_words;
    use super::*;

    const UNIT: TableUnit = TableUnit { entries: 4, vector: 2, positions: 8, residuals: 1, queries: 1, max_tokens: 3 };

    fn command() -> TableCommand {
        // entry e of position p is (p, e): its product with the query (1, 2) is p + 2 e
        let number = |x: usize| half::f16::from_f32(x as f32).to_bits();
        let book = |p: usize| (0..4).flat_map(|e| [number(p), number(e)]).collect::<Vec<u16>>();
        let mut words: Vec<LoadWord> = (0..8).flat_map(|p| book_words(7 + p as u32, &book(p), 2)).collect();
        words.extend([0x0302_0100_0302_0100, 0].map(|data| LoadWord { data, failed: false }));
        let query = [number(1), number(2)].repeat(8);
        TableCommand { first: 7, tokens: 2, query, words }
    }

    fn fault(cause: TableCause, in_rows: bool, position: u32) -> Result<(), TableFault> {
        Err(TableFault { cause, in_rows, position })
    }

    #[test]
    fn scores_by_hand() {
        let (scores, end) = UNIT.scores(&command(), None);
        // 0 + .. + 7 is 28, and twice 0 + 1 + 2 + 3 twice is 24
        let expected = [(52.0, false), (28.0, true)].map(|(score, last)| {
            let scores = vec![half::f16::from_f32(score).to_bits()];
            Score { scores, wrong: false, last }
        });
        assert_eq!((scores, end), (expected.to_vec(), Ok(())));
    }

    #[test]
    fn values_by_hand() {
        let number = |x: usize| half::f16::from_f32(x as f32).to_bits();
        let mut command = command();
        command.words.rotate_left(24);
        // entry e of position p is (p, e); token 0 has entries 0, 1, 2, 3, 0, .. with weight 1, token 1 entry 0 with weight 2
        command.query = vec![number(1), number(2)];
        let expected: Vec<Vec<u16>> = (0..8).map(|p| vec![number(3 * p), number(p % 4)]).collect();
        for copies in [1, 2] {
            assert_eq!(UNIT.values(&command, None, copies), Ok(expected.clone()));
        }
        let scaled: Vec<Vec<u16>> = (0..8).map(|p| vec![number(5 * p), number(p % 4)]).collect();
        assert_eq!(UNIT.values(&command, Some(&[number(1), number(2)]), 1), Ok(scaled));
        for (weights, token) in [(1, 0), (3, 1)] {
            let other = TableCommand { query: vec![number(1); weights], ..command.clone() };
            assert_eq!(UNIT.values(&other, None, 1).map(|_| ()), fault(TableCause::Weights, true, token));
        }
        command.words[1].data = 4 << 8;
        assert_eq!(UNIT.values(&command, None, 1).map(|_| ()), fault(TableCause::Index, true, 1));
        command.words.truncate(2);
        assert_eq!(UNIT.values(&command, None, 1).map(|_| ()), fault(TableCause::Short, true, 1));
    }

    #[test]
    fn faults_of_rows() {
        let with = |change: &dyn Fn(&mut TableCommand)| {
            let mut command = command();
            change(&mut command);
            let (scores, end) = UNIT.scores(&command, None);
            (scores.iter().map(|score| score.wrong).collect::<Vec<_>>(), end)
        };
        assert_eq!(with(&|c| c.tokens = 0).1, fault(TableCause::NoTokens, false, 0));
        assert_eq!(with(&|c| c.tokens = 4).1, fault(TableCause::ManyTokens, false, 0));
        assert_eq!(with(&|c| c.tokens = 3), (vec![false, false], fault(TableCause::Short, true, 1)));
        assert_eq!(with(&|c| c.tokens = 1), (vec![false], fault(TableCause::Long, true, 0)));
        assert_eq!(with(&|c| c.words[25].failed = true), (vec![false], fault(TableCause::Bus, true, 1)));
        assert_eq!(with(&|c| c.words[24].data = 4), (vec![true, false], fault(TableCause::Index, true, 0)));
        for (scales, whole, token) in [(1, 1, 0), (3, 2, 1)] {
            let (scores, end) = UNIT.scores(&command(), Some(&vec![0x3c00; scales]));
            assert_eq!((scores.len(), end), (whole, fault(TableCause::Weights, true, token)));
        }
        assert_eq!(with(&|c| c.query.truncate(12)).1, fault(TableCause::Query, false, 0));
        assert_eq!(with(&|c| c.words.truncate(24)).1, fault(TableCause::Short, false, 8 * 23));
        assert_eq!(with(&|c| c.words[4].data ^= 1 << 40).1, fault(TableCause::Crc, false, 8 * 3));
        assert_eq!(with(&|c| c.first = 8).1, fault(TableCause::Id, false, 0));
    }
}
