//! Checkers for streams: properties that a harness states about the part it holds, for provers and for simulation alike.

use hdl::{Bundle, ClockDomain, Module, Signal, Stream, bits, clog2};

/// Who has to keep a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The part that is proved.
    Part,
    /// What surrounds it: a prover takes it for granted.
    Surroundings,
}

/// The rules of a stream for who sends it: what is offered stays, unchanged, until it is taken.
#[track_caller]
pub fn sends_by_the_rules<P: Bundle>(m: Module, s: Stream<P>, side: Side) {
    let payload = s.payload.pack();
    let waits = m.past(s.valid & !s.ready).named("waits");
    let offered = m.past(payload).named("offered");
    let known = m.past_valid().named("known");
    side.promises(m, !(known & waits) | s.valid, "valid stays until the word is taken");
    side.promises(m, !(known & waits) | payload.eq(offered), "the payload stays until it is taken");
}

impl Side {
    #[track_caller]
    fn promises(self, m: Module, cond: Signal, message: &str) {
        match self {
            Side::Part => m.assert(cond, message),
            Side::Surroundings => m.assume(cond, message),
        }
    }
}

/// What moves over a place in a cycle: whether, and which word.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    /// One bit: a word moves.
    pub moves: Signal,
    /// The word.
    pub word: Signal,
}

impl Moves {
    /// The transfers of a stream.
    #[track_caller]
    pub fn of<P: Bundle>(s: Stream<P>) -> Moves {
        Moves { moves: s.transfer(), word: s.payload.pack() }
    }
}

/// Nothing lost, nothing invented, order kept: what goes out is what came in, in its order. Any one word that goes in is
/// followed (a prover chooses which), and every word that leaves before it is counted; so it is each word that this speaks
/// of. `room` is how many words can be inside. `through`: a word may go in and out in one cycle.
///
/// Returns how many words are inside.
#[track_caller]
pub fn keeps_words_in_order(m: Module, input: Moves, output: Moves, room: u32, through: bool) -> Signal {
    let (push, pop) = (input.moves, output.moves);
    let inside = m.reg_reset(bits(clog2(room as usize + 1).max(2)), 0).named("inside");
    m.when(push & !pop, || inside.set(inside + 1)).elsewhen(pop & !push, || inside.set(inside - 1));
    m.assert(inside.le(room), "no more words are inside than there is room for");
    let passes = (pop & inside.eq(0)).named("passes");
    m.assert(if through { !passes | push } else { !passes }, "no word is invented");
    m.assert(!passes | output.word.eq(input.word), "a word that passes through is unchanged");

    let mark = m.anyseq(1).named("mark");
    let followed = m.reg_reset(bits(1), 0).named("followed");
    let waiting = m.reg_reset(bits(1), 0).named("waiting");
    let ahead = m.reg(bits(inside.width())).named("ahead");
    let word = m.reg(bits(input.word.width())).named("followed_word");
    m.when(push & mark & !followed & !passes, || {
        followed.set(true);
        waiting.set(true);
        word.set(input.word);
        ahead.set(pop.mux(inside - 1, inside));
    });
    m.when(waiting & pop, || {
        ahead.set(ahead - 1);
        waiting.set(ahead.ne(0));
    });
    m.assert(!waiting | ahead.lt(inside), "the followed word is inside");
    let comes = (waiting & pop & ahead.eq(0)).named("followed_word_comes");
    m.assert(!comes | output.word.eq(word), "words come out in their order, unchanged");
    m.cover(comes & word.any(), "a followed word comes out");
    m.cover(inside.eq(room), "it can be full");
    inside
}

/// As [`keeps_words_in_order`], from one clock to another: words go in with `writer` and come out with `reader`. `waits` is how
/// many edges of a clock it takes at most until the reader sees a word, and the writer sees that there is room. `exact`: it always takes
/// so many, and none sees a pause (which takes long to prove).
pub fn keeps_words_in_order_between(
    m: Module,
    (writer, input): (ClockDomain, Stream<Signal>),
    (reader, output): (ClockDomain, Stream<Signal>),
    room: u32,
    (waits, exact): (u32, bool),
) {
    let width = clog2(room as usize + 1);
    let reason = "the prover looks at both sides at once";
    let pushed = m.in_domain(writer, || m.reg_reset(bits(width), 0)).named("pushed");
    let popped = m.in_domain(reader, || m.reg_reset(bits(width), 0)).named("popped");
    let followed = m.in_domain(writer, || m.reg_reset(bits(1), 0)).named("followed");
    let (index, word) = m.in_domain(writer, || (m.reg(bits(width)), m.reg(bits(input.payload.width()))));
    m.in_domain(writer, || {
        let (push, mark) = (input.transfer(), m.anyseq(1).named("mark"));
        let inside = (pushed - m.cross(popped, writer, reason)).named("inside");
        m.when(push, || pushed.set(pushed + 1));
        m.when(push & mark & !followed, || {
            followed.set(true);
            index.set(pushed);
            word.set(input.payload);
        });
        m.assert(inside.le(room), "no more words are inside than there is room for");
        stalls_at_most(m, inside.ne(room) & !input.ready, waits, "the writer sees that there is room");
        if exact {
            let (seen, known) = long_past(m, m.cross(popped, writer, reason), waits);
            let sees_room = (pushed - seen).ne(room);
            m.assert(
                !known | input.ready.eq(sees_room),
                "a place is seen to be free after all flip-flops, and without a pause",
            );
        }
        m.cover(inside.eq(room), "it can be full");
    });
    m.in_domain(reader, || {
        let [pushed, index, word] = [pushed, index, word].map(|signal| m.cross(signal, reader, reason));
        let followed = m.cross(followed, reader, reason);
        let (pop, done) = (output.transfer(), m.reg_reset(bits(1), 0).named("done"));
        let inside = pushed - popped;
        m.when(pop, || popped.set(popped + 1));
        m.assert(!pop | inside.ne(0), "no word is invented");
        let waiting = followed & !done;
        m.assert(!waiting | (index - popped).lt(inside), "the followed word is inside");
        let comes = waiting & pop & index.eq(popped);
        m.when(comes, || done.set(true));
        m.assert(!comes | output.payload.eq(word), "words come out in their order, unchanged");
        stalls_at_most(m, inside.ne(0) & !output.valid, waits, "a word inside comes to the output");
        if exact {
            let (seen, known) = long_past(m, pushed, waits);
            m.assert(!known | output.valid.eq(seen.ne(popped)), "words come after all flip-flops, and without a pause");
        }
        m.cover(comes & word.any(), "a followed word comes out");
    });
}

/// The value of so many edges before, and whether there were so many since the reset.
#[track_caller]
pub fn long_past(m: Module, value: Signal, edges: u32) -> (Signal, Signal) {
    let now = (value, m.lit(1u32, 1));
    (0..edges).fold(now, |(value, known), _| (m.past(value), m.past(known) & m.past_valid()))
}

/// Bounded waiting: `stalled` is never 1 in more than `cycles` cycles one after the other.
#[track_caller]
pub fn stalls_at_most(m: Module, stalled: Signal, cycles: u32, message: &str) {
    stalls(m, stalled, cycles, Side::Part, message);
}

/// The same of what surrounds a part: it does not let the part wait for longer.
#[track_caller]
pub fn lets_wait_at_most(m: Module, stalled: Signal, cycles: u32, message: &str) {
    stalls(m, stalled, cycles, Side::Surroundings, message);
}

#[track_caller]
fn stalls(m: Module, stalled: Signal, cycles: u32, side: Side, message: &str) {
    let count = m.reg_reset(bits(clog2(cycles as usize + 2)), 0).named("stalled_for");
    let next = count.le(cycles).mux(count + 1, count);
    count.set(stalled.mux(next, count.zeros(count.width())));
    side.promises(m, !stalled | count.lt(cycles), message);
}
