//! The way out of the sparse writer: takes the complete words out of its RAMs, puts in what is not there yet, and sends them.
//!
//! Two registers, one behind the RAMs and one at the port, each of which waits for the next. Between them the first word of a vector
//! gets its header, a word the byte that the one before carried, and what is not kept becomes 0.

use super::copies::frees;
use super::types::{GROUP, SparseWord};
use hdl::*;

/// What stands beside a word.
#[derive(Clone, Copy, Bundle)]
pub struct Mark {
    /// It is the last one of its vector.
    pub last: Signal,
    /// Of the last one: its bytes, less one. Of one that carries a byte: the place of that byte in the next word.
    pub after: Signal,
    /// It carries a byte to the next word.
    pub carries: Signal,
}

/// Shape of a [`Mark`].
pub fn mark(level: u32) -> Mark {
    Mark { last: bits(1), after: bits(level), carries: bits(1) }
}

/// The oldest word.
pub struct Stored {
    /// Its bytes.
    pub data: Signal,
    pub mark: Mark,
    /// The byte that it may carry to the next word, where words can do so.
    pub carried: Option<Signal>,
}

/// One bit for each place: it is at most `n`.
pub fn up_to(n: Signal) -> Signal {
    Halves::of(n).up_to()
}

/// The two halves of a number, one bit for each number that they can be.
#[derive(Clone, Copy, Bundle)]
struct Halves {
    /// The upper half is greater.
    above: Signal,
    /// It is this.
    high: Signal,
    /// The lower half is at least this.
    low: Signal,
}

impl Halves {
    fn shape(width: u32) -> Halves {
        let (high, low) = (bits(1 << (width - width / 2)), bits(1 << (width / 2)));
        Halves { above: high, high, low }
    }
    fn of(n: Signal) -> Halves {
        let (high, low) = (one_hot(n.drop_low(n.width() / 2)), one_hot(n.trunc(n.width() / 2)));
        let from =
            |x: &[Signal], i: usize| x.get(i..).filter(|x| !x.is_empty()).map_or(x[0].zeros(1), |x| cat(x).any());
        let each = |count: usize, bit: &dyn Fn(usize) -> Signal| cat(&(0..count).rev().map(bit).collect::<Vec<_>>());
        Halves {
            above: each(high.len(), &|i| from(&high, i + 1)),
            high: each(high.len(), &|i| high[i]),
            low: each(low.len(), &|i| from(&low, i)),
        }
    }
    /// One bit for each place: it is at most the number.
    fn up_to(self) -> Signal {
        let place = |i: u32| {
            let (h, l) = (i / self.low.width(), i % self.low.width());
            self.above.bit(h) | (self.high.bit(h) & self.low.bit(l))
        };
        cat(&(0..self.high.width() * self.low.width()).rev().map(place).collect::<Vec<_>>())
    }
}

/// One bit for each number: it is `n`.
fn one_hot(n: Signal) -> Vec<Signal> {
    (0..1u32 << n.width()).map(|i| n.eq(i)).collect()
}

/// Where the words leave.
pub struct Out {
    /// The words.
    pub m: Stream<SparseWord>,
    /// Number of the vector that leaves.
    pub vector: Signal,
    /// Its header.
    pub header: Signal,
    /// Its last word went to `m` in the cycle before.
    pub sent: Signal,
}

/// The words that are complete: those from `reading` up to `open`. Of a long word each group of bytes has an enable of its own, and so has
/// what counts the words.
#[module]
pub fn send(m: Module, out: Out, reading: Signal, open: Signal, stored: Stored) -> Result<(), Errors> {
    m.section("a word behind the RAMs");
    let width = stored.data.width() / 8;
    let out_valid = m.reg_reset(bits(1), 0);
    let word_valid = m.reg_reset(bits(1), 0);
    let groups = (width / GROUP) as usize;
    let copies = if groups > 1 { groups + 1 } else { 1 };
    let to_ports = frees(m, out.m.ready, out_valid, copies)?;
    let to_words = frees(m, out.m.ready, out_valid.cat(word_valid), copies)?;
    let (to_port, to_word) = (to_ports[copies - 1], to_words[copies - 1]);
    let any = reading.ne(open);
    let data = enabled(m, stored.data, &to_words[..groups]);
    let mark = m.reg(mark(stored.mark.after.width()));
    let carried = stored.carried.map(|byte| (m.reg(bits(8)), byte));
    // of a long word half of what makes `keep` is done here
    let halves = (width > GROUP).then(|| m.reg(Halves::shape(stored.mark.after.width())));
    m.when(to_word, || {
        word_valid.set(any);
        mark.set(stored.mark);
        if let Some(halves) = halves {
            halves.set(Halves::of(stored.mark.after));
        }
        if let Some((carried, byte)) = carried {
            carried.set(byte);
        }
    });
    m.when(to_word & any, || reading.set(reading + 1));

    m.section("a word at the port");
    let first = m.reg_reset(bits(1), 1);
    let leaves = to_port & word_valid;
    let with_header = data.drop_low(super::header::BITS).cat(first.mux(out.header, data.trunc(super::header::BITS)));
    let whole = match carried {
        Some((carried, _)) => with_carried(m, with_header, mark, carried, leaves),
        None => with_header.lanes(8),
    };
    let keep = halves.unwrap_or_else(|| Halves::of(mark.after)).up_to() | (!mark.last).repeat(width);
    // a word has at least its first byte
    let zeroed = whole.iter().zip(keep.lanes(1)).skip(1).map(|(byte, keep)| keep.mux(*byte, 0));
    let kept: Vec<Signal> = std::iter::once(whole[0]).chain(zeroed).collect();
    let kept = cat(&kept.into_iter().rev().collect::<Vec<_>>());
    let sent = SparseWord {
        data: enabled(m, kept, &to_ports[..groups]),
        keep: enabled(m, keep, &to_ports[..1]),
        last: m.reg(bits(1)),
    };
    m.when(to_port, || {
        out_valid.set(word_valid);
        sent.last.set(mark.last);
    });
    m.when(leaves, || first.set(mark.last));
    out.m.valid.set(out_valid);
    out.m.payload.set(sent);

    m.section("the vector that leaves");
    let vector = m.reg_reset(bits(out.vector.width()), 0);
    let ends = leaves & mark.last;
    m.when(ends, || vector.set(vector + 1));
    let sent = m.reg_reset(bits(1), 0);
    sent.set(ends);
    out.vector.set(vector);
    out.sent.set(sent);
    Ok(())
}

/// `x` in a register of as many parts as there are enables.
#[module]
fn enabled(m: Module, x: Signal, enables: &[Signal]) -> Signal {
    let parts = x.lanes(x.width() / enables.len() as u32).into_iter().zip(enables).map(|(part, enable)| {
        let held = m.reg(bits(part.width())).enable(*enable);
        held.set(part);
        held
    });
    cat(&parts.rev().collect::<Vec<_>>())
}

/// The bytes of a word, with the one that the word before carried. When it `leaves`, its own waits for the next word.
#[module]
fn with_carried(m: Module, data: Signal, mark: Mark, byte: Signal, leaves: Signal) -> Vec<Signal> {
    let places = data.width() / 8;
    let at = m.reg_reset(bits(places), 0).comment("the place of the byte, one bit for each");
    let waiting = m.reg(bits(8));
    let carries = mark.carries & !mark.last;
    let next_at = cat(&one_hot(mark.after).into_iter().rev().collect::<Vec<_>>());
    m.when(leaves, || {
        at.set(next_at & carries.repeat(places));
        waiting.set(byte);
    });
    data.lanes(8).into_iter().zip(at.lanes(1)).map(|(own, at)| at.mux(waiting, own)).collect()
}
