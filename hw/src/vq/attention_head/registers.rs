//! The registers of the attention head.

use super::super::cache_types::ID_BITS;
use super::super::table_types::TOKEN_BITS;
use super::types::*;
use crate::control::{AddressRo, AddressRw, RegisterMap, Registers, Ro, Rw, Sticky};
use hdl::*;

/// What lies in memory: where its first word is.
const PLACES: [(&str, &str); 8] = [
    ("query", "the query, which has the factor 1/sqrt(d)"),
    ("key", "the new key"),
    ("value", "the new value"),
    ("result", "the weighted sum of the values, which is written"),
    ("key_books", "the books of the keys"),
    ("key_rows", "the rows of indices of the keys"),
    ("value_books", "the books of the values"),
    ("value_rows", "the rows of indices of the values"),
];

/// The registers and the handles of their fields.
pub(super) struct Map {
    pub(super) map: RegisterMap,
    pub(super) start: Rw,
    pub(super) append: Rw,
    pub(super) attend: Rw,
    pub(super) busy: Ro,
    pub(super) done: Sticky,
    pub(super) outcome: Ro,
    pub(super) stage: Ro,
    pub(super) in_rows: Ro,
    pub(super) position: Ro,
    pub(super) fault: Ro,
    pub(super) fault_address: AddressRo,
    pub(super) cycles: Ro,
    pub(super) tokens: Rw,
    pub(super) first_key_book: Rw,
    pub(super) first_value_book: Rw,
    key_books_bytes: Rw,
    value_books_bytes: Rw,
    addresses: [AddressRw; 8],
}

pub(super) fn map(name: &str, p: HeadParams) -> Map {
    let mut map = RegisterMap::new(name, "Jobs of an attention head, what they work on, and how they ended.");
    map.constant("id", 32, u32::from_be_bytes(*b"VQAH"), "identification: `VQAH` in ASCII");
    parameters(&mut map, p);
    let [start, append, attend] = job(&mut map);
    let mut status = map.register("status", "how the last job ended; `busy` and `done` are of now");
    let busy = status.ro("busy", 1, "a job is under way");
    let done = status.sticky("done", "a job has ended; write 1 to clear");
    let outcome = status.ro("outcome", OUTCOME_BITS, "how it ended: 0 all is well, else the cause");
    let stage =
        status.ro("stage", 3, "where it failed: 1 key, 2 value, 3 scores, 4 values, 5 result; 0 before it began");
    let in_rows = status.ro(
        "in_rows",
        1,
        "it failed in the rows: `position` is the number of the token or, with stage 4 and outcome 8, of the book",
    );
    let fault = status.ro("fault", 1, "the memory answered with an error, first at the address in `fault_low`");
    let position = map.ro("position", p.table().place_bits(), "where it failed, as the unit of the stage counts");
    let fault_address = AddressRo::new(&mut map, "fault", "address of the first error of the memory", p.address_bits);
    let cycles = map.ro("cycles", 32, "cycles of the last job, or of the one under way, modulo 2^32");
    map.units(cycles, "cycles");
    let tokens = map.rw("tokens", TOKEN_BITS, 0, "tokens that have rows before the job");
    map.units(tokens, "tokens");
    let first_key_book = map.rw("first_key_book", ID_BITS, 0, "number of the first book of the keys");
    let first_value_book = map.rw("first_value_book", ID_BITS, 0, "number of the first book of the values");
    let mut words = |name: &str, doc: &str| {
        let mut register = map.register(name, doc);
        register.reserved(WORD_SHIFT);
        register.rw("bytes", LENGTH_BITS - WORD_SHIFT, 0, "bytes, a multiple of 8")
    };
    let key_books_bytes = words("key_books_bytes", "length of all books of the keys");
    let value_books_bytes = words("value_books_bytes", "length of all books of the values");
    let addresses = PLACES.map(|(name, what)| AddressRw::new(&mut map, name, what, p.address_bits, WORD_SHIFT));
    Map {
        map,
        start,
        append,
        attend,
        busy,
        done,
        outcome,
        stage,
        in_rows,
        position,
        fault,
        fault_address,
        cycles,
        tokens,
        first_key_book,
        first_value_book,
        key_books_bytes,
        value_books_bytes,
        addresses,
    }
}

/// What the head was generated with.
fn parameters(map: &mut RegisterMap, p: HeadParams) {
    let mut parameters = map.register("parameters", "what the head was generated with");
    parameters.constant("entries", 9, p.entries, "the most entries of a book");
    parameters.constant("vector", 3, p.vector, "numbers of an entry");
    parameters.constant("positions", 8, p.positions, "indices of a row");
    parameters.constant("log2_tokens", 4, p.tokens.ilog2(), "the most tokens, as a power of two");
    if p.partial {
        parameters.constant("partial", 1, 1, "a word with the largest score and the sum is written behind the result");
    }
}

/// What a job does: `start`, `append`, `attend`.
fn job(map: &mut RegisterMap) -> [Rw; 3] {
    let mut job = map.register("job", "what is done");
    let start = job.rw("start", 1, 0, "a change from 0 to 1 starts a job, if none is under way");
    let append = "the new key and value are encoded, and their rows are written behind those of `tokens`";
    let append = job.rw("append", 1, 0, append);
    let attend = job.rw("attend", 1, 0, "the result is computed, over all tokens and the appended one");
    [start, append, attend]
}

/// Where things lie, in words of the bus, and how long the books are.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub(super) query: Signal,
    pub(super) key: Signal,
    pub(super) value: Signal,
    pub(super) result: Signal,
    pub(super) key_books: Signal,
    pub(super) key_rows: Signal,
    pub(super) value_books: Signal,
    pub(super) value_rows: Signal,
    pub(super) key_books_words: Signal,
    pub(super) value_books_words: Signal,
}

impl Map {
    /// Where the registers say that things lie.
    pub(super) fn places(&self, regs: &Registers) -> Places {
        let [query, key, value, result, key_books, key_rows, value_books, value_rows] =
            self.addresses.map(|address| address.word(regs));
        Places {
            query,
            key,
            value,
            result,
            key_books,
            key_rows,
            value_books,
            value_rows,
            key_books_words: regs[self.key_books_bytes],
            value_books_words: regs[self.value_books_bytes],
        }
    }
}

/// The registers of an attention head.
///
/// # Panics
/// If the parameters are not legal: a module of yours says so with `p.check(name)?` before it asks for this.
#[track_caller]
pub fn registers(name: &str, p: HeadParams) -> RegisterMap {
    if let Err(errors) = p.check(name) {
        panic!("{errors}");
    }
    map(name, p).map
}
