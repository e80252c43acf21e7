//! Lets the packets of the sparse part begin only while they may.

use super::types::{SparseWord, sparse_word};
use hdl::*;

/// Packets that may begin only while `may_begin` is 1; an open one goes on.
#[module]
pub fn begin_while(m: Module, s: Stream<SparseWord>, may_begin: Signal) -> Stream<SparseWord> {
    let open = m.reg_reset(bits(1), 0).comment("a packet of the sparse part is open");
    let passes = may_begin | open;
    let out = m.wire(stream(sparse_word(s.payload.keep.width())));
    out.valid.set(s.valid & passes);
    out.payload.set(s.payload);
    s.ready.set(out.ready & passes);
    m.when(s.transfer(), || open.set(!s.payload.last));
    out
}
