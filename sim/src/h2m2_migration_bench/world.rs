//! What is where: pages, their bytes, and their entries in both page tables, from `docs/blocks/h2m2_migration.md`.

use crate::bus::axi4_memory::{Axi4Memory, SparseBytes};
use crate::golden::h2m2_mmu::PAGE_MOVES;
use fastrand::Rng;
use std::ops::Range;

/// A place: side and physical page.
pub type At = (usize, u64);

/// A page to be moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The virtual page.
    pub page: u64,
    /// Where it lies.
    pub from: At,
    /// Where it is to lie.
    pub to: At,
    /// A bit for each table that leads to it.
    pub tables: u64,
}

/// How large everything is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Bits of an address in a page.
    pub page_bits: u32,
    /// Virtual pages.
    pub pages: u64,
    /// Physical pages of each side; the table lies behind them.
    pub places: u64,
}

/// Pages and where they are.
#[derive(Clone, Debug)]
pub struct World {
    /// Sizes.
    pub shape: Shape,
    /// What each memory holds, while no bench has it.
    pub bytes: [SparseBytes; 2],
    /// Where each virtual page lies.
    pub places: Vec<At>,
    /// What it holds.
    pub content: Vec<Vec<u8>>,
    /// Tables that lead to it.
    pub tables: Vec<u64>,
    /// Tables that permit writes.
    pub writable: Vec<u64>,
}

impl World {
    /// Pages here and there, with any content and any rights.
    pub fn new(shape: Shape, rng: &mut Rng) -> World {
        let (bytes, places, content, tables, writable) = Default::default();
        let mut world = World { shape, bytes, places, content, tables, writable };
        for page in 0..shape.pages {
            let at = (rng.usize(0..2), page % shape.places);
            let content: Vec<u8> = (0..1 << shape.page_bits).map(|_| rng.u8(..)).collect();
            world.bytes[at.0].write(at.1 << shape.page_bits, &content);
            world.places.push(at);
            world.content.push(content);
            let tables = rng.u64(1..4);
            world.tables.push(tables);
            world.writable.push(tables & rng.u64(0..4));
            for table in 0..2 {
                let (at, entry) = (world.entry_at(table, page), world.entry(table, page));
                world.bytes[table].write(at, &entry.to_le_bytes());
            }
        }
        world
    }
    /// Where a table begins.
    pub fn base(&self, table: usize) -> u64 {
        (self.shape.places << self.shape.page_bits) + 4096 * (1 + table as u64)
    }
    /// Where the entry of a page lies.
    pub fn entry_at(&self, table: usize, page: u64) -> u64 {
        self.base(table) + 8 * page
    }
    /// The bytes of a table.
    pub fn table_range(&self, table: usize) -> Range<u64> {
        self.base(table)..self.entry_at(table, self.shape.pages)
    }
    fn word(&self, table: usize, page: u64, (side, place): At, moving: u64) -> u64 {
        if self.tables[page as usize] >> table & 1 == 0 {
            return 0;
        }
        let write = self.writable[page as usize] >> table & 1;
        3 | write << 2 | (side as u64) << 3 | moving | place << self.shape.page_bits
    }
    /// The entry of a page that is not on the move.
    pub fn entry(&self, table: usize, page: u64) -> u64 {
        self.word(table, page, self.places[page as usize], 0)
    }
    /// Where an entry leads to.
    pub fn place_of(&self, entry: u64) -> At {
        ((entry >> 3 & 3) as usize, entry >> self.shape.page_bits)
    }
    /// What the entry of a page may be while it is moved so.
    pub fn legal(&self, table: usize, page: u64, moved: Option<Move>) -> Vec<u64> {
        let old = self.places[page as usize];
        let mut legal = vec![self.word(table, page, old, 0)];
        let Some(command) = moved.filter(|command| self.is_as_told(*command)) else { return legal };
        if command.tables >> table & 1 == 1 {
            if self.writable[page as usize] != 0 {
                legal.extend([self.word(table, page, old, PAGE_MOVES), self.word(table, page, command.to, PAGE_MOVES)]);
            }
            legal.push(self.word(table, page, command.to, 0));
        }
        legal
    }
    /// Is the page as the command says, and does it go elsewhere?
    pub fn is_as_told(&self, command: Move) -> bool {
        let page = command.page as usize;
        let known = command.tables & !self.tables[page] == 0;
        known && self.places[page] == command.from && command.from != command.to
    }
    /// Does this place hold the bytes of the page?
    pub fn holds(&self, memories: &[Axi4Memory; 2], page: u64, (side, place): At) -> bool {
        let content = &self.content[page as usize];
        memories[side].bytes.read(place << self.shape.page_bits, content.len()) == *content
    }
    /// Any bytes at a place.
    pub fn overwrite(&self, memories: &mut [Axi4Memory; 2], (side, place): At, rng: &mut Rng) {
        let bytes: Vec<u8> = (0..1 << self.shape.page_bits).map(|_| rng.u8(..)).collect();
        memories[side].bytes.write(place << self.shape.page_bits, &bytes);
    }
    /// A place that no page has, and that is none of those.
    pub fn free(&self, taken: &[At], rng: &mut Rng) -> At {
        loop {
            let at = (rng.usize(0..2), rng.u64(0..self.shape.places));
            if !self.places.contains(&at) && !taken.contains(&at) {
                return at;
            }
        }
    }
}
