//! Two places for books: one is read while the other one is loaded. Built into the module that calls.

use super::book_loader::EntryWrite;
use super::cache_types::*;
use hdl::*;

/// An entry, and the place that it is written to.
#[derive(Clone, Copy)]
pub(super) struct Write {
    pub(super) entry: EntryWrite,
    pub(super) place: Signal,
}

/// What is read.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Read {
    pub(super) place: Signal,
    /// There is a book.
    pub(super) book: Signal,
    /// Its entries less 1.
    pub(super) last_index: Signal,
    /// The address of its first entry, in words, if there is a tier in memory.
    pub(super) base: Option<Signal>,
}

impl Read {
    #[module]
    pub(super) fn new(m: Module, p: CacheParams, base: Option<Signal>) -> Read {
        let place = m.reg_reset(bits(1), 0).comment("the place that is read");
        let book = m.reg_reset(bits(1), 0).comment("it has a book");
        let last_index = m.reg(bits(p.index_bits()));
        let base = base.map(|base| m.reg(base.shape()).comment("where it is in memory"));
        Read { place, book, last_index, base }
    }
}

/// Indices, and where they are looked up.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Lookup {
    pub(super) access: Access,
    pub(super) from: Read,
}

/// Takes indices to be looked up; a switch waits while a load is under way. Who calls says where they are looked up.
#[module]
pub(super) fn take(m: Module, s: Stream<Access>, busy: Signal, read: Read, p: CacheParams) -> Stream<Lookup> {
    let held = s.payload.switch & busy;
    let lookups = m.wire(stream(Lookup { access: access(p), from: read.shape() }));
    lookups.valid.set(s.valid & !held);
    s.ready.set(lookups.ready & !held);
    lookups
}

/// Goes on to what is read next when indices are taken that ask for it with `switch`. A book that is `good` waits for it.
#[module]
pub(super) fn switch(
    m: Module,
    (lookups, switch): (Stream<Lookup>, Signal),
    (good, waits): (Signal, Signal),
    [read, next]: [Read; 2],
) {
    m.when(good, || waits.set(true));
    m.when(lookups.transfer() & switch, || {
        read.set(next);
        waits.set(false);
    });
}
