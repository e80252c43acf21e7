//! Where a command is in its matrix: tiles from left to right, then down, in each its rows, in each its beats.

use super::super::cache_types::ID_BITS;
use super::params::{MatrixParams, SIDE_BITS};
use super::types::MatrixVectorPorts;
use hdl::*;

/// Where the next beat belongs.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    /// The tile.
    pub tile: Signal,
    /// The row in the tile.
    pub row: Signal,
    /// The beat in the row of the tile.
    pub number: Signal,
    /// The first beat of the tile in a row of the matrix.
    pub base: Signal,
    /// It is the last beat of its word.
    pub word_ends: Signal,
    /// It is the last one of its row in the tile.
    pub row_ends: Signal,
    /// It is the first one of its tile.
    pub begins: Signal,
    /// The tile is the first one of its rows.
    pub first_across: Signal,
    /// Or the last one.
    pub last_across: Signal,
    /// It is the last row of the matrix, in this tile.
    pub last_row: Signal,
    /// Rows of the tile, less 1.
    pub rows: Signal,
    /// Which part of the word.
    pub part: Option<Signal>,
}

/// What is left of the columns.
#[derive(Clone, Copy, Bundle)]
struct Across {
    /// Beats from the tile's first one on.
    left: Signal,
    /// The number of the last beat of a row of the tile.
    end: Signal,
    last: Signal,
}

/// What is left of the rows.
#[derive(Clone, Copy, Bundle)]
struct Down {
    /// Rows from the tile's first one on.
    left: Signal,
    /// The number of the last row of the tile.
    end: Signal,
    last: Signal,
}

/// Where a command is.
#[derive(Clone, Copy)]
struct Place {
    tile: Signal,
    row: Signal,
    number: Signal,
    base: Signal,
    /// Beats of a row of the matrix.
    beats: Signal,
    across: Across,
    down: Down,
}

impl Place {
    #[module]
    fn new(m: Module, p: MatrixParams) -> Place {
        let tile = m.reg_reset(bits(ID_BITS), 0).comment("the tile");
        let row = m.reg_reset(bits(p.row_bits()), 0).comment("the row in the tile");
        let number = m.reg_reset(bits(p.number_bits()), 0).comment("the beat in the row");
        let base = m.reg_reset(bits(p.place_bits()), 0).comment("the first beat of the tile in a row of the matrix");
        let beats = m.reg_reset(bits(SIDE_BITS), 0).comment("beats of a row of the matrix");
        let across = m.reg_reset(across_shape(p), 0);
        let down = m.reg_reset(down_shape(p), 0);
        Place { tile, row, number, base, beats, across, down }
    }

    /// To the next beat.
    #[module]
    fn step(self, m: Module, (row_ends, tile_ends): (Signal, Signal), p: MatrixParams) {
        let Place { tile, row, number, base, beats, across, down } = self;
        number.set(number + 1);
        m.when(row_ends, || {
            number.set(0);
            row.set(row + 1);
        });
        m.when(tile_ends, || {
            row.set(0);
            tile.set(tile + 1);
            if p.several_tiles() {
                base.set(base + p.tile_beats());
            }
            across.set(across_from(m, across.left - p.tile_beats(), p));
            m.when(across.last, || {
                base.set(0);
                across.set(across_from(m, beats, p));
                down.set(down_from(m, down.left - p.tile_rows, p));
            });
        });
    }

    /// To the first beat of a command.
    #[module]
    fn start(self, m: Module, (rows, beats): (Signal, Signal), p: MatrixParams) {
        [self.tile, self.row, self.number, self.base].into_iter().for_each(|counter| counter.set(0));
        self.beats.set(beats);
        self.across.set(across_from(m, beats, p));
        self.down.set(down_from(m, rows.zext(SIDE_BITS + 1), p));
    }
}

impl Walk {
    /// Steps with each beat. `begins`: a command begins.
    #[module]
    pub(super) fn new(m: Module, io: &MatrixVectorPorts, begins: Signal, steps: Signal, p: MatrixParams) -> Walk {
        m.section("where the next beat belongs");
        let command = io.command.payload;
        let place = Place::new(m, p);
        let Place { tile, row, number, base, across, down, .. } = place;
        let row_ends = number.eq(across.end);
        let tile_ends = row_ends & row.eq(down.end);
        let part = parts(m, begins, steps, p);
        let beats_of_command = command.columns.drop_low(p.beat_columns().ilog2()).zext(SIDE_BITS);
        m.when(steps, || place.step(m, (row_ends, tile_ends), p));
        m.when(begins, || place.start(m, (command.rows, beats_of_command), p));
        Walk {
            tile,
            row,
            number,
            base,
            word_ends: part.map_or(m.lit(1u32, 1), |part| part.all()),
            row_ends,
            begins: !number.any() & !row.any() & part.map_or(m.lit(1u32, 1), |part| !part.any()),
            first_across: !base.any(),
            last_across: across.last,
            last_row: across.last & down.last & row.eq(down.end),
            rows: down.end,
            part,
        }
    }
}

/// Counts the parts of a word. All rows begin with words.
#[module]
fn parts(m: Module, begins: Signal, steps: Signal, p: MatrixParams) -> Option<Signal> {
    if p.parts() == 1 {
        return None;
    }
    let part = m.reg_reset(bits(p.parts().ilog2()), 0).comment("the part of the word");
    m.when(steps, || part.set(part + 1));
    m.when(begins, || part.set(0));
    Some(part)
}

/// Columns of which so many beats are left.
#[module]
fn across_from(m: Module, left: Signal, p: MatrixParams) -> Across {
    let last = left.le(p.tile_beats());
    let end = last.mux((left - 1).trunc(p.number_bits()), m.lit(p.tile_beats() - 1, p.number_bits()));
    Across { left, end, last }
}

/// Rows of which so many are left.
#[module]
fn down_from(m: Module, left: Signal, p: MatrixParams) -> Down {
    let last = left.le(p.tile_rows);
    let end = last.mux((left - 1).trunc(p.row_bits()), m.lit(p.tile_rows - 1, p.row_bits()));
    Down { left, end, last }
}

fn across_shape(p: MatrixParams) -> Across {
    Across { left: bits(SIDE_BITS), end: bits(p.number_bits()), last: bits(1) }
}

fn down_shape(p: MatrixParams) -> Down {
    Down { left: bits(SIDE_BITS + 1), end: bits(p.row_bits()), last: bits(1) }
}
