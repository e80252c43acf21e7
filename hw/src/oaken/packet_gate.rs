//! Lets packets begin only while they may.

use crate::stream::{Beat, beat};
use hdl::*;

/// Packets of bytes that may begin only while `may_begin` is 1, or to `flush`; an open one goes on. Behind a flush none is open: what
/// comes then begins one.
#[module]
pub fn begin_while(m: Module, s: Stream<Beat>, may_begin: Signal, flush: Signal) -> Stream<Beat> {
    let open = m.reg_reset(bits(1), 0).comment("a packet is open");
    let passes = may_begin | flush | open;
    let out = m.wire(stream(beat(8, s.payload.keep.width())));
    out.valid.set(s.valid & passes);
    out.payload.set(s.payload);
    s.ready.set(out.ready & passes);
    m.when(s.transfer(), || open.set(!s.payload.last));
    m.when(flush, || open.set(false));
    out
}
