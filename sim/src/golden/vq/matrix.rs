//! What the matrix-vector unit makes of the words of a bus (docs/vq-format.md, sections 4 to 7): tile by tile, each with its book, rows of
//! indices without what stands around them in a file. Causes and positions of faults are those of the unit's page.

mod types;

pub use types::{MatrixCause, MatrixCommand, MatrixFault, MatrixSource, MatrixUnit, RowProducts};

use super::cache::{CodebookCache, LoadCause};
use super::decode::{add, dot, multiply, tree};
use super::e8p::point16;
use super::indices::unpack_row;
use super::scheme::Scales;

/// A tile of a command.
struct Tile {
    number: usize,
    rows: usize,
    first_column: usize,
    columns: usize,
    last_across: bool,
    last_down: bool,
}

impl MatrixUnit {
    /// The products of all rows that were whole, and how the command ended.
    pub fn run(&self, command: &MatrixCommand) -> (Vec<RowProducts>, Result<(), MatrixFault>) {
        if let Some(cause) = self.refused(command) {
            return (vec![], Err(MatrixFault { cause, in_book: false, tile: 0, position: 0 }));
        }
        let mut run = Run { unit: self, command, word: 0, sums: vec![], wrong: None, found: vec![] };
        let mut end = run.tiles();
        if let Some((tile, position)) = run.wrong {
            end = Err(MatrixFault { cause: MatrixCause::Index, in_book: false, tile, position });
        }
        (run.found, end)
    }

    /// The indices of a row (section 5).
    fn indices(&self, words: &[u64], columns: usize) -> Vec<u16> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        unpack_row(&bytes, self.row_indices(columns), self.index_bits() as u32)
    }

    /// The values of a row's entries (section 6).
    fn values(&self, entries: Vec<&Vec<u16>>) -> Vec<u16> {
        let residuals = if matches!(self.source, MatrixSource::Residual { .. }) { 2 } else { 1 };
        let value = |of_group: &[&Vec<u16>], i: usize| tree(&of_group.iter().map(|entry| entry[i]).collect::<Vec<_>>());
        let group = |of_group: &[&Vec<u16>]| (0..of_group[0].len()).map(|i| value(of_group, i)).collect::<Vec<_>>();
        entries.chunks(residuals).flat_map(group).collect()
    }

    fn refused(&self, command: &MatrixCommand) -> Option<MatrixCause> {
        let MatrixCommand { rows, columns, vectors, .. } = command;
        if *rows == 0 {
            return Some(MatrixCause::NoRows);
        }
        if *columns == 0 || *columns > self.max_columns || columns % self.word_columns() != 0 {
            return Some(MatrixCause::Columns);
        }
        vectors.iter().any(|vector| vector.len() != *columns).then_some(MatrixCause::Vector)
    }
}

/// A command under way.
struct Run<'a> {
    unit: &'a MatrixUnit,
    command: &'a MatrixCommand,
    /// The next word.
    word: usize,
    /// The sums of the rows of these tiles so far, and whether an index had no entry.
    sums: Vec<(Vec<u16>, bool)>,
    /// The first row with an index without an entry: its tile, and its number there.
    wrong: Option<(u32, u32)>,
    found: Vec<RowProducts>,
}

impl Run<'_> {
    fn tiles(&mut self) -> Result<(), MatrixFault> {
        let MatrixUnit { tile_rows, tile_columns, .. } = *self.unit;
        let MatrixCommand { rows, columns, books, .. } = self.command;
        let mut number = 0;
        for first_row in (0..*rows).step_by(tile_rows) {
            self.sums = vec![];
            for first_column in (0..*columns).step_by(tile_columns) {
                let tile = Tile {
                    number,
                    rows: tile_rows.min(rows - first_row),
                    first_column,
                    columns: tile_columns.min(columns - first_column),
                    last_across: first_column + tile_columns >= *columns,
                    last_down: first_row + tile_rows >= *rows,
                };
                self.tile(&tile)?;
                number += 1;
            }
        }
        let needed = number * self.unit.books_of_tile(*columns);
        match needed > 0 && books.len() > needed {
            true => Err(self.fault(MatrixCause::Books, number - 1, 0)),
            false => Ok(()),
        }
    }

    fn fault(&self, cause: MatrixCause, tile: usize, row: usize) -> MatrixFault {
        MatrixFault { cause, in_book: false, tile: tile as u32, position: row as u32 }
    }

    /// The books of a tile: none, one, or one for each group.
    fn books(&self, tile: &Tile) -> Result<Vec<CodebookCache>, MatrixFault> {
        let count = self.unit.books_of_tile(tile.columns);
        (0..count).map(|group| self.book(tile.number, tile.number * count + group)).collect()
    }

    fn book(&self, tile: usize, number: usize) -> Result<CodebookCache, MatrixFault> {
        let Some((entries, vector)) = self.unit.book_size() else {
            unreachable!("the lattice has no books");
        };
        let Some(book) = self.command.books.get(number) else {
            return Err(self.fault(MatrixCause::Books, tile, 0));
        };
        let mut cache = CodebookCache::new(entries, vector);
        let id = (self.command.first + number as u32) & 0xf_ffff;
        cache.load(id, book).map_err(|fault| MatrixFault {
            cause: of_book(fault.cause),
            in_book: true,
            tile: number as u32,
            position: fault.position,
        })?;
        cache.switch();
        Ok(cache)
    }

    fn tile(&mut self, tile: &Tile) -> Result<(), MatrixFault> {
        let books = self.books(tile)?;
        let words_of_row = self.unit.row_words(tile.columns);
        for row in 0..tile.rows {
            let mut indices = vec![];
            let mut end = Ok(());
            for number in 0..words_of_row {
                let word = self.command.words[self.word];
                self.word += 1;
                let (last, row_ends) = (self.word == self.command.words.len(), number + 1 == words_of_row);
                let all = row_ends && row + 1 == tile.rows && tile.last_across && tile.last_down;
                indices.push(word.data);
                end = match () {
                    _ if word.failed => return Err(self.fault(MatrixCause::Bus, tile.number, row)),
                    _ if last && !all => Err(self.fault(MatrixCause::Short, tile.number, row)),
                    _ if all && !last => Err(self.fault(MatrixCause::Long, tile.number, row)),
                    _ if row_ends && tile.last_across && self.other_scales() => {
                        Err(self.fault(MatrixCause::Scales, tile.number, row))
                    }
                    _ => Ok(()),
                };
                if end.is_err() && !row_ends {
                    return end;
                }
            }
            self.row(tile, row, &books, &indices);
            end?;
        }
        Ok(())
    }

    /// Whether the scale of the next row is the last one and should not be, or the other way round.
    fn other_scales(&self) -> bool {
        let number = self.found.len() + 1;
        self.unit.scales == Scales::Row && (number == self.command.scales.len()) != (number == self.command.rows)
    }

    /// A row that is whole.
    fn row(&mut self, tile: &Tile, row: usize, books: &[CodebookCache], words: &[u64]) {
        let columns = tile.first_column..tile.first_column + tile.columns;
        let parts = self.command.vectors.iter().map(|vector| &vector[columns.clone()]);
        let (sums, wrong): (Vec<u16>, bool) = match books {
            [] => (parts.map(|part| self.two_sums(words, part)).collect(), false),
            books => {
                let indices = self.unit.indices(words, tile.columns).into_iter();
                let answers: Vec<_> =
                    indices.zip(books.iter().cycle()).map(|(index, book)| book.access(&[index])).collect();
                let values = self.unit.values(answers.iter().map(|answer| &answer.entries[0]).collect());
                (parts.map(|part| dot(&values, part)).collect(), answers.iter().any(|answer| answer.wrong[0]))
            }
        };
        if wrong && self.wrong.is_none() {
            self.wrong = Some((tile.number as u32, row as u32));
        }
        if tile.first_column == 0 {
            self.sums.push((sums, wrong));
        } else {
            let (before, was_wrong) = &mut self.sums[row];
            before.iter_mut().zip(sums).for_each(|(before, sum)| *before = add(*before, sum));
            *was_wrong |= wrong;
        }
        if tile.last_across {
            let (sums, wrong) = self.sums[row].clone();
            let scale = match self.unit.scales {
                Scales::None => None,
                Scales::Tensor => Some(self.command.scale),
                Scales::Row => Some(self.command.scales[self.found.len()]),
            };
            let sums = sums.into_iter().map(|sum| scale.map_or(sum, |scale| multiply(scale, sum))).collect();
            let last = self.found.len() + 1 == self.command.rows;
            self.found.push(RowProducts { sums, wrong, last });
        }
    }

    /// The sum of the first points and that of the second ones, joined.
    fn two_sums(&self, words: &[u64], part: &[u16]) -> u16 {
        let codes = self.unit.indices(words, part.len());
        let points =
            |residual: usize| codes.iter().skip(residual).step_by(2).flat_map(|c| point16(*c)).collect::<Vec<_>>();
        let [first, second] = [0, 1].map(|residual| dot(&points(residual), part));
        add(first, multiply(self.command.ratio, second))
    }
}

fn of_book(cause: LoadCause) -> MatrixCause {
    match cause {
        LoadCause::Bus => MatrixCause::Bus,
        LoadCause::Large => MatrixCause::Large,
        LoadCause::Short => MatrixCause::Short,
        LoadCause::Long => MatrixCause::Long,
        LoadCause::Crc => MatrixCause::Crc,
        LoadCause::Id => MatrixCause::Id,
        LoadCause::Number => MatrixCause::Number,
        LoadCause::Padding => MatrixCause::Padding,
    }
}
