//! Index unpacker: the words of a bus become beats of indices, one for each lane (docs/vq-format.md: indices stand without gaps, low bits
//! first; a row of them begins on a byte).
//!
//! | port | |
//! | --- | --- |
//! | `command` | rows that follow each other from a byte of the next word on, all of one length; taken with that word |
//! | `s` | words of the bus; what follows a command's last row in its word is dropped |
//! | `m` | indices, the first one in lane 0; at the end of a row fewer than lanes, and what the other lanes have means nothing. Registers |
//!
//! - Parameters: those of [`UnpackerParams`]. Latency: 1 cycle for each two bits of a beat's place in a word, from the word that completes it; of
//!   a command's first word, or one of which the beat before used the last bit, 1 cycle more.
//! - Throughput: one beat a cycle while words come, row after row. A command whose last beat takes up a second word needs a cycle more.
//! - Combinational paths: from `m_ready` to `s_ready` and `command_ready`; from `command_valid` to `s_ready`, from `s_valid` to `command_ready`.

use super::cache_types::count_bits;
use hdl::*;

/// Bits of the number of indices of a row, and of that of rows.
pub const ROW_COUNT_BITS: u32 = 16;

/// The parameters of an index unpacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnpackerParams {
    /// Bytes of a word: 4, 8, 16, 32 or 64.
    pub bus_bytes: u32,
    /// Indices of a beat. All of them fit in a word.
    pub lanes: u32,
    /// Bits of an index, 1 to 16.
    pub index_bits: u32,
}

impl UnpackerParams {
    /// Bits of a word.
    pub fn bus_bits(self) -> u32 {
        self.bus_bytes.saturating_mul(8)
    }
    /// Bits of a beat.
    fn beat_bits(self) -> u32 {
        self.lanes * self.index_bits
    }
    /// A beat begins at a multiple of this, in bits.
    fn unit(self) -> u32 {
        1 << self.beat_bits().trailing_zeros().min(3)
    }
    /// Bits of the number of such a place in a word.
    fn place_bits(self) -> u32 {
        (self.bus_bits() / self.unit()).ilog2()
    }
    /// Cycles from the word that completes a beat to the beat.
    pub fn latency(self) -> u32 {
        self.place_bits().div_ceil(2)
    }
    #[track_caller]
    fn check(self, module: &str) -> Result<(), Errors> {
        let UnpackerParams { bus_bytes, lanes, index_bits } = self;
        let (what, help) = match () {
            _ if ![4, 8, 16, 32, 64].contains(&bus_bytes) => {
                (format!("bus_bytes = {bus_bytes}"), "4, 8, 16, 32 or 64: a bus of 32 to 512 bits".to_string())
            }
            _ if !(1..=16).contains(&index_bits) => {
                let help = "from 1 to 16: books have no more entries";
                (format!("index_bits = {index_bits} is out of range"), help.to_string())
            }
            _ if lanes == 0 || lanes > self.bus_bits() / index_bits => {
                let bus = self.bus_bits();
                let what = format!("lanes = {lanes} with index_bits = {index_bits} and a bus of {bus} bits");
                (what, format!("from 1 to {}: as many indices as a word brings", bus / index_bits))
            }
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, &help))
    }
}

/// Rows to be unpacked.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Rows {
    /// The byte of the next word with which the first one begins.
    pub start: Signal,
    /// Indices of a row, less 1.
    pub indices: Signal,
    /// Rows, less 1.
    pub rows: Signal,
}

/// The shape of rows.
pub fn rows(p: UnpackerParams) -> Rows {
    Rows { start: bits(p.bus_bytes.max(1).ilog2()), indices: bits(ROW_COUNT_BITS), rows: bits(ROW_COUNT_BITS) }
}

/// A beat of indices.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Indices {
    /// One for each lane.
    pub index: Vector<Signal>,
    /// Those that belong to the row, less 1.
    pub count: Signal,
    /// They are the last ones of their row.
    pub row_end: Signal,
    /// And that is the last one of its command.
    pub last: Signal,
}

/// The shape of a beat.
pub fn indices(p: UnpackerParams) -> Indices {
    let index = vector(bits(p.index_bits), p.lanes as usize);
    Indices { index, count: bits(count_bits(p.lanes)), row_end: bits(1), last: bits(1) }
}

ports! {
    /// Ports of an index unpacker.
    pub struct IndexUnpackerPorts(p: UnpackerParams) {
        /// Rows.
        input command: Stream<Rows> = stream(rows(p)),
        /// Words of the bus.
        input s: Stream = stream(bits(p.bus_bits())),
        /// Indices.
        output m: Stream<Indices> = stream(indices(p)),
    }
}

/// A beat that is still in its two words.
#[derive(Clone, Copy, Bundle)]
struct Cut {
    /// Both words, the earlier one low, up to the last bit that a beat may have.
    window: Signal,
    /// Where the beat begins, in units.
    place: Signal,
    count: Signal,
    row_end: Signal,
    last: Signal,
}

/// An index unpacker.
#[module]
pub fn index_unpacker(p: UnpackerParams) -> Result<Design<IndexUnpackerPorts>, Errors> {
    let name = format!("index_unpacker_{}x{}_{}", p.lanes, p.index_bits, p.bus_bits());
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("The words of a bus become beats of indices.");
    let io = IndexUnpackerPorts::new(m, p);
    let cut = cut(m, io, p);
    shift(m, cut, io.m, p);
    m.finish(io)
}

/// Cuts words into beats.
#[module]
fn cut(m: Module, io: IndexUnpackerPorts, p: UnpackerParams) -> Stream<Cut> {
    m.section("what is left of a command");
    let active = m.reg_reset(bits(1), 0).comment("there is a command");
    let present = m.reg_reset(bits(1), 0).comment("the word that is held has bits of the next beat");
    let held = m.reg(bits(p.bus_bits()));
    let place = m.reg(bits(p.place_bits())).comment("where the next beat begins in it");
    let row = Row::new(m);

    m.section("the next beat");
    let count = row.ends.mux(row.left.trunc(count_bits(p.lanes)), m.lit(p.lanes - 1, count_bits(p.lanes)));
    let next = next_place(m, place, count, row.ends, p);
    let crosses = next.passes & (next.both | next.place.any());
    let last = row.ends & !row.rows.any();
    let cut = m.wire(stream(cut_shape(p)));
    let there = active & present;
    cut.valid.set(there & (!crosses | io.s.valid));
    let window = io.s.payload.cat(held).trunc(window_bits(p));
    cut.payload.set(Cut { window, place, count, row_end: row.ends, last });

    m.section("words are taken");
    let moves = there & cut.ready;
    let free = !active | (moves & last & !crosses);
    let goes_on = moves & next.passes & (crosses | !last);
    io.command.ready.set(free & io.s.valid);
    io.s.ready.set((free & io.command.valid) | goes_on | (active & !present));
    let (begins, fires) = (io.command.transfer(), cut.transfer());
    m.when(io.s.transfer(), || held.set(io.s.payload));
    m.when(fires, || place.set(next.place));
    let Rows { start, .. } = io.command.payload;
    m.when(begins, || place.set(first_place(start, p)));
    active.set((active & !(fires & last)) | begins);
    present.set((io.s.transfer() & !(fires & next.both)) | (present & !(fires & next.passes)));
    row.step(m, (begins, io.command.payload), fires, p);
    cut
}

/// Where a byte begins, in units.
fn first_place(byte: Signal, p: UnpackerParams) -> Signal {
    match p.place_bits() - byte.width() {
        0 => byte,
        below => byte.cat(byte.zeros(below)),
    }
}

/// What is left of the rows of a command.
#[derive(Clone, Copy)]
struct Row {
    /// Indices of a row, less 1.
    length: Signal,
    /// They fit in a beat.
    short: Signal,
    /// Those that are left of this row, less 1.
    left: Signal,
    /// They fit in a beat.
    ends: Signal,
    /// Rows behind this one.
    rows: Signal,
}

impl Row {
    #[module]
    fn new(m: Module) -> Row {
        let length = m.reg(bits(ROW_COUNT_BITS));
        let short = m.reg(bits(1));
        let left = m.reg(bits(ROW_COUNT_BITS));
        let ends = m.reg(bits(1));
        let rows = m.reg(bits(ROW_COUNT_BITS));
        Row { length, short, left, ends, rows }
    }
    /// A command begins, or a beat goes.
    #[module]
    fn step(self, m: Module, (begins, command): (Signal, Rows), fires: Signal, p: UnpackerParams) {
        m.when(fires & !self.ends, || {
            self.left.set(self.left - p.lanes);
            self.ends.set(self.left.lt(2 * p.lanes));
        });
        m.when(fires & self.ends, || {
            self.left.set(self.length);
            self.ends.set(self.short);
            self.rows.set(self.rows - 1);
        });
        let short = command.indices.lt(p.lanes);
        m.when(begins, || {
            self.length.set(command.indices);
            self.short.set(short);
            self.left.set(command.indices);
            self.ends.set(short);
            self.rows.set(command.rows);
        });
    }
}

/// Where the next beat begins.
#[derive(Clone, Copy)]
struct Next {
    /// In its word.
    place: Signal,
    /// That is not the word that is held.
    passes: Signal,
    /// Nor the one behind it.
    both: Signal,
}

/// Where the next beat begins: behind this one, or, behind the end of a row, at the byte that follows.
#[module]
fn next_place(m: Module, place: Signal, count: Signal, row_end: Signal, p: UnpackerParams) -> Next {
    let in_byte = 8 / p.unit();
    // a beat that is no multiple of 4 bits may end in the last byte of a second word
    let width = p.place_bits() + if in_byte > 2 { 2 } else { 1 };
    let units = |n: u32| m.lit((n * p.index_bits).div_ceil(p.unit()) + in_byte - 1, width);
    let rest = Vector::of((1..=p.lanes).map(units)).at(count);
    let behind_row = place.zext(width) + rest;
    let byte = behind_row.drop_low(in_byte.ilog2());
    let byte = if in_byte == 1 { byte } else { byte.cat(byte.zeros(in_byte.ilog2())) };
    let behind_beat = place.zext(width) + m.lit(p.beat_bits() / p.unit(), width);
    let next = row_end.mux(byte, behind_beat);
    let word = next.drop_low(p.place_bits());
    let both = if word.width() == 2 { word.msb() } else { word.zeros(1) };
    Next { place: next.trunc(p.place_bits()), passes: word.any(), both }
}

/// Shifts beats to their places, by two bits of the place in a cycle, the highest ones first, so that ever less is shifted.
#[module]
fn shift(m: Module, cut: Stream<Cut>, to: Stream<Indices>, p: UnpackerParams) {
    m.section("a beat's bits come to their lanes");
    let (pipeline, cut) = m.pipeline_stream("shift", cut, Elastic { collapse: false, flush: None });
    let (mut window, mut rest) = (cut.window, p.place_bits());
    while rest > 0 {
        let taken = 2 - rest % 2;
        rest -= taken;
        let step = p.unit() << rest;
        let kept = p.beat_bits() + step - p.unit();
        let place = cut.place.bits(rest + taken - 1, rest).meet(window);
        let shifted = Vector::of((0..1 << taken).map(|k| window.bits(k * step + kept - 1, k * step))).at(place).next();
        window = shifted;
    }
    let index = Vector::of((0..p.lanes).map(|i| window.bits((i + 1) * p.index_bits - 1, i * p.index_bits)));
    let [count, row_end, last] = [cut.count, cut.row_end, cut.last].map(|x| x.meet(window));
    pipeline.leave_stream(Indices { index, count, row_end, last }, to);
}

/// Bits of two words that a beat may have.
fn window_bits(p: UnpackerParams) -> u32 {
    p.bus_bits() - p.unit() + p.beat_bits()
}

fn cut_shape(p: UnpackerParams) -> Cut {
    Cut {
        window: bits(window_bits(p)),
        place: bits(p.place_bits()),
        count: bits(count_bits(p.lanes)),
        row_end: bits(1),
        last: bits(1),
    }
}

#[cfg(test)]
mod tests;
