//! The requests of the bus as segments: parts of a burst that lie in one row.
//!
//! Reads and writes go in turn, burst by burst. A write waits until its first beat is there, so that one without data stops no read.

use super::params::SdramParams;
use crate::memory::axi::{Axi, AxiRequest};
use hdl::{Bundle, Module, Signal, Stream, bits, module, stream};

/// Beats in one row, one after the other.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Segment {
    /// To write.
    pub write: Signal,
    /// The burst is none that is served: its beats are counted, and answered with SLVERR.
    pub refused: Signal,
    /// The burst ends with it.
    pub last: Signal,
    /// Where.
    pub row: Signal,
    /// Where.
    pub bank: Signal,
    /// The first beat of its row.
    pub beat: Signal,
    /// Beats less 1.
    pub len: Signal,
    /// ID of the burst, as many bits as the wider ones of reads and writes.
    pub id: Option<Signal>,
}

/// The shape of the ID of a burst, to read or to write.
fn id_shape(p: SdramParams) -> Option<Signal> {
    let width = p.read_id_bits.max(p.write_id_bits);
    (width > 0).then(|| bits(width))
}

/// The shape of a segment.
pub fn segment(p: SdramParams) -> Segment {
    let flag = bits(1);
    let (row, bank, beat) = (bits(p.row_bits), bits(p.bank_bits), bits(p.beat_bits()));
    Segment { write: flag, refused: flag, last: flag, row, bank, beat, len: bits(8), id: id_shape(p) }
}

/// A burst, or what is left of it.
#[derive(Clone, Copy, Bundle)]
struct Request {
    write: Signal,
    refused: Signal,
    /// Number of its first beat in the chip.
    place: Signal,
    len: Signal,
    id: Option<Signal>,
}

/// Takes requests; a beat of the next write is there if `level`, those that wait, is more than those of the writes that were taken. `wrote`: a beat is
/// written.
#[module]
pub fn segments(m: Module, axi: Axi, level: Signal, wrote: Signal, p: SdramParams) -> Stream<Segment> {
    let place_bits = p.address_bits() - 3;
    let (read, write) = (axi.read.request(), axi.write.request());
    let valid = m.reg_reset(bits(1), 0);
    let held =
        m.reg(Request { write: bits(1), refused: bits(1), place: bits(place_bits), len: bits(8), id: id_shape(p) });
    let segments = m.wire(stream(segment(p)));
    let crosses = m.wire(bits(1));
    let takes = !valid | (segments.transfer() & !crosses);

    m.section("reads and writes in turn");
    let owed = m.reg_reset(bits(9), 0).comment("beats of writes that were taken, and are to be written");
    let there = level.zext(9).gt(owed);
    let wrote_last = m.reg_reset(bits(1), 0).comment("the last burst was a write");
    let to_write = write.valid & there & !(read.valid & wrote_last);
    write.ready.set(takes & to_write);
    read.ready.set(takes & !to_write);
    let [writing, reading] = [write.payload, read.payload].map(|x| {
        x.cache.unused();
        x.prot.unused();
        x.addr.unused();
        AxiRequest { id: None, ..x }
    });
    let burst = to_write.mux(writing, reading);
    let id = id_shape(p).map(|shape| {
        let [writing, reading] =
            [write, read].map(|x| x.payload.id.map_or(m.lit(0u32, shape.width()), |id| id.zext(shape.width())));
        to_write.mux(writing, reading)
    });
    let whole = burst.size.eq(3) & burst.burst.eq(1);
    let taken = Request {
        write: to_write,
        refused: !(whole | !burst.len.any()),
        place: burst.addr.drop_low(3),
        len: burst.len,
        id,
    };
    let more = (write.transfer()).mux(burst.len.zext(9) + 1, 0);
    owed.set(owed + more - wrote.zext(9));

    m.section("up to the end of the row");
    let (beats, sum_bits) = (p.beat_bits(), p.beat_bits().max(8) + 1);
    let beat = held.place.trunc(beats);
    let end = beat.zext(sum_bits) + held.len.zext(sum_bits);
    let rows_on = end.drop_low(beats);
    crosses.set(rows_on.any() & !held.refused);
    let to_row_end = fit(!beat, 8);
    let bank_row = held.place.drop_low(beats);
    segments.valid.set(valid);
    segments.payload.set(Segment {
        write: held.write,
        refused: held.refused,
        last: !crosses,
        row: bank_row.drop_low(p.bank_bits),
        bank: bank_row.trunc(p.bank_bits),
        beat,
        len: crosses.mux(to_row_end, held.len),
        id: held.id,
    });
    m.when(segments.transfer(), || {
        held.place.set((bank_row + 1).cat(beat.zeros(beats)));
        held.len.set((rows_on - 1).cat(end.trunc(beats)).trunc(8));
    });
    m.when(takes, || {
        valid.set(read.transfer() | write.transfer());
        wrote_last.set((read.transfer() | write.transfer()).mux(to_write, wrote_last));
        held.set(taken);
    });
    segments
}

/// As many bits, with zeros above or cut.
fn fit(x: Signal, width: u32) -> Signal {
    if x.width() < width { x.zext(width) } else { x.trunc(width) }
}
