//! Record walker: finds the chunks of records in the words of the sparse part (docs/oaken-format.md, section 3).
//!
//! Words go into a ring (`sparse_ring`) as they come. The walker has its own memory of them: for every byte, where a chunk ends that
//! has this byte as its count. So one lookup leads from the end of a chunk, where the next one's count is, to the end of the next
//! chunk, however many words that is on; from the end of a record one leads to the end of the first chunk in the next word. Nothing
//! else is in that loop. The chunks leave as places in the ring; who reads their entries from there says how far it is. The headers of
//! records leave beside them.
//!
//! | port | |
//! | --- | --- |
//! | `s` | words; ready comes from a register and `flush` |
//! | `chunks_minus_1` | length of a record, held while there are words of one |
//! | `setting`, `header_setting` | instead of it, where each vector names its own: beside a word, and beside a header |
//! | `start` | a new record may begin; up to two may when it becomes 0 |
//! | `flush` | all that comes is dropped, and the open record ends: it lacks what was not found yet |
//! | `write` | words that go into the ring; registers |
//! | `m`, `header` | chunks, and the headers of their vectors; registers and LUT RAM behind them |
//! | `done` | the entries of a chunk have been read |
//! | `reading`, `oldest` | entries are being read, and those from this word on are needed still |
//! | `begins` | a record begins |
//! | `holds` | words are there, or a record is open |
//! | `count_error`, `length_error` | one cycle for each wrong count and each record |
//!
//! A record that is shorter than its packet or longer is flagged. What is missing are no outliers. Behind a record that does not end
//! with its packet, a word that can be a header begins the next record: a last was lost; else words are dropped up to the last. If
//! such a record then does not fit in what is left of the packet, it was none, and a packet is dropped in exchange: the records behind
//! it are those that they were.
//!
//! Parameters: lanes of the engine, and the width of dense codes (headers have it). Throughput: a word and a chunk a cycle, record
//! after record. Latency: 4 cycles from the word that has the count behind a chunk (of a record's last chunk: its own last byte) to the
//! chunk. The ring takes words as long as it has places that are not needed any more. Combinational: `flush` to `s` ready.

use super::packet_ends::{PacketEnd, PacketEnds, packet_end, packet_ends};
use super::sparse_ring::*;
use super::types::*;
use super::walker_maps::{Looked, Maps, looked, maps};
use super::word_settings::{send_setting, word_setting};
use crate::stream::fifo::{Style, fifo};
use hdl::logic::UpDown;
use hdl::*;

/// Where the entries of a chunk are.
#[derive(Clone, Copy, Bundle)]
pub struct ChunkPlace {
    /// The place of the first one.
    pub at: Signal,
    /// How many there are, 0 to 64.
    pub count: Signal,
    /// It is the first chunk of its vector: the header is in the word of `at`.
    pub first: Signal,
    /// It is the last chunk of its vector.
    pub last: Signal,
}

/// Shape of a [`ChunkPlace`].
pub fn chunk_place(p: EngineParams) -> ChunkPlace {
    ChunkPlace { at: bits(place_bits(p)), count: bits(7), first: bits(1), last: bits(1) }
}

ports! {
    /// Ports of [`record_walker`].
    pub struct WalkerPorts(p: EngineParams) {
        /// Words of records.
        input s: Stream<SparseWord> = stream(sparse_word(p.sparse_bytes())),
        /// Chunks of a vector, less one.
        input chunks_minus_1: Option<Signal> = (!p.setting_of_each()).then(|| bits(7)),
        /// The setting of the vector whose word is at `s`.
        input setting: Option<Setting> = p.named_setting(),
        /// A new record may begin.
        input start: Signal = bits(1),
        /// All that comes is dropped, and the open record ends with what was found of it.
        input flush: Signal = bits(1),
        /// Words for the ring.
        output write: RingWrite = ring_write(p),
        /// Headers of records.
        output header: Stream = stream(bits(64)),
        /// The setting of the vector whose header that is.
        output header_setting: Option<Setting> = p.named_setting(),
        /// Chunks.
        output m: Stream<ChunkPlace> = stream(chunk_place(p)),
        /// A chunk has been read.
        input done: Signal = bits(1),
        /// Entries are being read.
        input reading: Signal = bits(1),
        /// The word of the oldest of these.
        input oldest: Signal = bits(word_bits(p)),
        /// A record begins.
        output begins: Signal = bits(1),
        /// There are words of a packet, or a record is open.
        output holds: Signal = bits(1),
        /// A count byte is above 64; it is taken as 64.
        output count_error: Signal = bits(1),
        /// A record does not fill its packet, or does not fit in it.
        output length_error: Signal = bits(1),
    }
}

/// What the walker does.
#[derive(Clone, Copy, State)]
enum Doing {
    /// It waits for the first word of a record.
    Wait,
    /// A record is open.
    Walk,
    /// The record was over and its packet was not: the word that comes may be a header.
    Doubt,
    /// Words are dropped up to a last.
    Drop,
}

/// Chunks that may wait, and headers.
pub const CHUNKS: usize = 16;

/// The walker for an engine.
#[module]
pub fn record_walker(p: EngineParams) -> Result<Design<WalkerPorts>, Errors> {
    let m = Module::new(format!("oaken_record_walker_p{}{}", p.lanes, p.suffix()));
    m.doc("Finds the chunks of records in the words of the sparse part.");
    let io = WalkerPorts::new(m, p);
    let bytes = byte_bits(p);
    let doing = m.state(Doing::Wait);
    let walking = doing.is(Doing::Walk);
    let place = m.reg_reset(bits(place_bits(p)), 0);
    place.comment("behind the open chunk, where the next count is; or where the next word is");
    let (word, byte) = (place.drop_low(bytes), place.trunc(bytes));
    let next_word = word + byte.any().zext(word_bits(p));

    m.section("words come");
    let head = m.reg_reset(bits(word_bits(p)), 0).comment("the number of the word that comes next");
    let tail = m.reg_reset(bits(word_bits(p)), 0).comment("from this word on, the ring is needed");
    let arrived = arrive(m, io, head, tail, word, p);
    let ends = packet_ends(m, arrived, head, io.flush, p);
    let maps = maps(m, arrived, p);

    m.section("what is seen from the place");
    let now = see(place, head, &ends, &maps, p);
    let (seen, fresh) = if p.chunk_beats() == 1 {
        (now, m.lit(1u32, 1))
    } else {
        // a chunk has two cycles at least: one to look, and one to go on
        let seen = m.reg(seen_shape(p));
        seen.set(now);
        (seen, m.reg_reset(bits(1), 0).comment("the place stood still since what is seen was looked at"))
    };

    m.section("a chunk is known when its end and the count behind it are");
    let chunks_after = m.reg(bits(7)).comment("chunks behind the open one");
    let start = m.wire(bits(1));
    let last_chunk = m.reg_reset(bits(1), 0).comment("`chunks_after` is 0");
    let first_chunk = m.reg(bits(1));
    let nothing = m.reg_reset(bits(1), 0).comment("the count of the open chunk is not there");
    let gone = m.reg_reset(bits(1), 0).comment("flushed: the rest of the open record will not come");
    let settled = gone | seen.known | seen.arrived | (last_chunk & seen.next_is_head);
    let room = m.wire(bits(1));
    let step = walking & fresh & settled & room;
    let ended = step & last_chunk;
    let goes_on = step & !last_chunk;
    let missing = gone | nothing | seen.past_the_end;

    m.section("from its end on");
    let packet_over = gone | seen.past_the_end | (seen.known & seen.in_last_word);
    let fits = seen.at_the_end & !nothing & !gone;
    let follows = ended & fits & seen.in_last_word;
    let waits = doing.is(Doing::Wait) & fresh;
    let begins = (follows | waits) & seen.next_arrived & start & !io.flush;
    io.begins.set(begins);
    let (count, first_count) = (seen.count, seen.first_count);
    let resume = m.reg(bits(word_bits(p))).comment("the word behind what was flushed");
    let zero = byte.zeros(bytes);
    let behind_record = gone.mux(resume, packet_over.mux(seen.end.next_word, next_word)).cat(zero);
    let start_of_chunk = m.reg(bits(place_bits(p)));
    m.when(ended, || place.set(behind_record));
    m.when(begins, || place.set(first_count.end));
    m.when(goes_on, || {
        start_of_chunk.set(place + 1);
        chunks_after.set(chunks_after - 1);
        last_chunk.set(chunks_after.eq(1));
        first_chunk.set(false);
        nothing.set(missing);
    });
    let setting = word_setting(m, io, arrived, next_word);
    let chunks_minus_1 = setting.map(|setting| setting.chunks_minus_1).or(io.chunks_minus_1);
    let chunks_minus_1 = chunks_minus_1.expect("one of both");
    let only_chunk = !chunks_minus_1.any();
    m.when(begins, || {
        start_of_chunk.set(next_word.cat(zero + 9));
        chunks_after.set(chunks_minus_1);
        last_chunk.set(only_chunk);
        first_chunk.set(true);
        nothing.set(seen.short);
    });

    m.section("chunks leave");
    let found =
        Found { step, start: start_of_chunk, place, beyond: seen.beyond, end: seen.end.at, nothing: nothing | gone };
    room.set(send_chunks(m, io, found, first_chunk, last_chunk, p)?);
    let count_error = m.reg_reset(bits(1), 0);
    count_error.set((goes_on & !missing & count.too_many) | (begins & first_count.too_many));
    io.count_error.set(count_error);
    let length_error = m.reg_reset(bits(1), 0);
    length_error.set(ended & !fits & !gone & !io.flush);
    io.length_error.set(length_error);

    m.section("and headers");
    let header = maps.headers.read(address(next_word, NEWEST));
    start.set(io.start & send_headers(m, io, header, begins)?);
    send_setting(m, io, setting, begins)?;

    m.section("from which word on the ring is needed");
    let held = UpDown::new(m, 4 * CHUNKS as u32 - 1);
    held.level.comment("chunks that are known and not read");
    held.count(step, io.done);
    // a chunk that is not there begins anywhere
    m.when(!held.level.any() & !(walking & nothing), || tail.set(walking.mux(start_of_chunk.drop_low(bytes), word)));
    m.when(held.level.any() & io.reading, || tail.set(io.oldest));
    io.holds.set(walking | arrived.comes | word.ne(head));

    m.section("to the next record");
    let guessed = m.reg_reset(bits(3), 0).comment("records that began without a last before them");
    let dropping = doing.is(Doing::Drop);
    ends.leave.set((ended & packet_over & !gone) | (dropping & ends.known));
    let over = Over { ended, packet_over, begins, wrong_guess: !fits & guessed.any() & !gone };
    let doubted = Doubted { arrived: now.arrived, may_be_header: maps.legal.read(address(word, NEWEST)) };
    let behind_dropped = ends.known.mux(ends.end.next_word, head).cat(zero);
    next_record(m, doing, guessed, over, doubted, ends.known, || place.set(behind_dropped));

    m.section("to flush, the open record is over");
    m.when(ended, || gone.set(false));
    let stays = walking & !ended;
    m.when(io.flush, || {
        gone.set(stays);
        resume.set(head);
        guessed.set(0);
        m.when(!stays, || {
            place.set(head.cat(zero));
            doing.set(Doing::Wait);
        });
    });
    // none of the other ways to go on; the last one, because what is looked up comes late
    m.when(goes_on & !missing, || place.set(count.end));
    if p.chunk_beats() > 1 {
        fresh.set(!(step | begins | dropping | (io.flush & !stays)));
    }
    m.finish(io)
}

/// Counts the entries of chunks that are known, and sends them. Gives whether there is room for more.
#[module]
fn send_chunks(
    m: Module,
    io: WalkerPorts,
    found: Found,
    first: Signal,
    last: Signal,
    p: EngineParams,
) -> Result<Signal, Errors> {
    let chunks = m.instance(&fifo(chunk_place(p).total_width(), CHUNKS, Style::Distributed)?);
    chunks.s.set(counted(m, found, first, last, p));
    let room_for_chunks = m.reg_reset(bits(1), 0);
    room_for_chunks.set(chunks.level.lt(CHUNKS as u32 - 4));
    io.m.set(chunks.m.with(chunk_place(p).unpack(chunks.m.payload)));
    Ok(room_for_chunks)
}

/// Sends the header of a record that begins. Gives whether there is room for more.
#[module]
fn send_headers(m: Module, io: WalkerPorts, header: Signal, begins: Signal) -> Result<Signal, Errors> {
    let headers = m.instance(&fifo(64, CHUNKS, Style::Distributed)?);
    let begun_with = m.reg(bits(64));
    let begun_before = m.reg_reset(bits(1), 0);
    begun_with.set(header);
    begun_before.set(begins);
    headers.s.valid.set(begun_before);
    headers.s.payload.set(begun_with);
    m.assert(!begun_before | headers.s.ready, "the queue has room");
    io.header.set(headers.m);
    let room_for_headers = m.reg_reset(bits(1), 0);
    room_for_headers.set(headers.level.lt(CHUNKS as u32 - 4));
    Ok(room_for_headers)
}

/// How a record ended.
struct Over {
    ended: Signal,
    /// Its packet is over, too.
    packet_over: Signal,
    /// The next one follows at once.
    begins: Signal,
    /// It began without a last before it, and does not fit in its packet.
    wrong_guess: Signal,
}

/// The word behind a record whose packet goes on.
struct Doubted {
    arrived: Signal,
    may_be_header: Signal,
}

/// From record to record: the next one follows, a last was lost, or words are dropped until one comes (`known`); then `skip_words`.
#[module]
fn next_record(
    m: Module,
    doing: StateSignal<Doing>,
    guessed: Signal,
    over: Over,
    doubted: Doubted,
    known: Signal,
    skip_words: impl Fn(),
) {
    let Over { ended, packet_over, begins, wrong_guess } = over;
    let skip = m.reg_reset(bits(4), 0).comment("lasts up to which words are dropped");
    m.switch(doing, |s| {
        s.case(Doing::Wait, || m.when(begins, || doing.set(Doing::Walk)));
        s.case(Doing::Walk, || {
            m.when(ended & !packet_over, || doing.set(Doing::Doubt));
            m.when(ended & packet_over, || {
                guessed.set(0);
                doing.set(Doing::Wait);
                m.when(begins, || doing.set(Doing::Walk));
                m.when(wrong_guess, || {
                    skip.set(guessed.zext(4));
                    doing.set(Doing::Drop);
                });
            });
        });
        s.case(Doing::Doubt, || {
            m.when(doubted.arrived & doubted.may_be_header, || {
                guessed.set(guessed + (!guessed.all()).zext(3));
                doing.set(Doing::Wait);
            })
            .elsewhen(doubted.arrived, || {
                skip.set(guessed.zext(4) + 1);
                guessed.set(0);
                doing.set(Doing::Drop);
            });
        });
        s.case(Doing::Drop, || {
            skip_words();
            m.when(known, || skip.set(skip - 1));
            m.when(known & skip.eq(1), || doing.set(Doing::Wait));
        });
    });
}

/// What is seen from the place.
#[derive(Clone, Copy, Bundle)]
struct Seen {
    /// The end of the packet is known.
    known: Signal,
    end: PacketEnd,
    /// The place is there.
    at_the_end: Signal,
    /// Or behind it.
    past_the_end: Signal,
    /// Only that.
    beyond: Signal,
    /// The word of the byte before the place is the packet's last one.
    in_last_word: Signal,
    /// The word of the place is there.
    arrived: Signal,
    /// So is the word that begins there or behind it.
    next_arrived: Signal,
    /// It is the word that comes next.
    next_is_head: Signal,
    /// The chunk whose count is at the place.
    count: Looked,
    /// The first chunk of a record that begins with that word.
    first_count: Looked,
    /// The count of that chunk is not there.
    short: Signal,
}

fn seen_shape(p: EngineParams) -> Seen {
    let flag = bits(1);
    Seen {
        known: flag,
        end: packet_end(p),
        at_the_end: flag,
        past_the_end: flag,
        beyond: flag,
        in_last_word: flag,
        arrived: flag,
        next_arrived: flag,
        next_is_head: flag,
        count: looked(p),
        first_count: looked(p),
        short: flag,
    }
}

#[module]
fn see(place: Signal, head: Signal, ends: &PacketEnds, maps: &Maps, p: EngineParams) -> Seen {
    let (known, end) = (ends.known, ends.end);
    let (word, byte) = (place.drop_low(byte_bits(p)), place.trunc(byte_bits(p)));
    let within = byte.any();
    let next_word = within.mux(word + 1, word);
    let behind = place - end.at;
    let past_the_end = known & !behind.msb();
    // words behind the one of the place
    let more = head + !word;
    let arrived = !more.msb();
    Seen {
        known,
        end,
        at_the_end: known & !behind.any(),
        past_the_end,
        beyond: past_the_end & behind.any(),
        in_last_word: within.mux(end.last_word, end.next_word).eq(word),
        arrived,
        next_arrived: arrived & (!within | more.any()),
        next_is_head: !within & word.eq(head),
        count: maps.look_up(place, p),
        first_count: maps.first(next_word, p),
        short: maps.short.read(address(next_word, NEWEST)),
    }
}

/// A word on its way into the ring, in registers.
#[derive(Clone, Copy)]
pub struct Arrived {
    /// There is one.
    pub comes: Signal,
    /// It goes in.
    pub valid: Signal,
    /// Its bytes.
    pub word: SparseWord,
    /// Its address among the newest.
    pub address: Signal,
}

/// Takes words while there is room. To `flush`, takes and drops all.
#[module]
fn arrive(m: Module, io: WalkerPorts, head: Signal, tail: Signal, here: Signal, p: EngineParams) -> Arrived {
    let has_room = m.reg_reset(bits(1), 0);
    let taken = m.reg_reset(bits(word_bits(p)), 0).comment("the number of the next word that is taken");
    let taken_then = taken + io.s.transfer().zext(word_bits(p));
    let ring_has_room = (taken_then - tail).lt(words(p));
    // the walker may be ahead of the words; it keeps as many as it has NEWEST places for
    let ahead = taken_then - here;
    let walker_has_room = if words(p) == NEWEST { ahead.lit(1u32, 1) } else { ahead.bit(4).eq(ahead.bit(5)) };
    has_room.set(ring_has_room & walker_has_room);
    io.s.ready.set(has_room | io.flush);
    taken.set(io.flush.mux(head, taken_then));
    let word = m.reg(sparse_word(p.sparse_bytes()));
    let comes = m.reg_reset(bits(1), 0).comment("a word is there");
    comes.set(io.s.transfer() & !io.flush);
    // whatever it says, all bytes of a word before the last one are kept: a record has no gaps
    let x = io.s.payload;
    word.set(SparseWord { keep: x.keep | (!x.last).repeat(x.keep.width()), ..x });
    let valid = comes & !io.flush;
    m.when(valid, || head.set(head + 1));
    let write = RingWrite { valid, word: address(head, words(p)), data: word.data };
    io.write.set(write);
    Arrived { comes, valid, word, address: address(head, NEWEST) }
}

/// A chunk that is known, in the cycle in which the walker goes on.
struct Found {
    step: Signal,
    start: Signal,
    place: Signal,
    /// It ends behind the packet.
    beyond: Signal,
    /// Where the packet ends.
    end: Signal,
    /// Nothing of it is there.
    nothing: Signal,
}

/// With the number of its entries, two cycles later. The queue behind has room.
#[module]
fn counted(m: Module, x: Found, first: Signal, last: Signal, p: EngineParams) -> Stream {
    let pipe = m.pipeline("count");
    let valid = pipe.enter_valid(x.step).later(2);
    let stop = x.beyond.mux(x.end, x.place);
    // the words behind the packet are another record's: who reads a chunk that is not there must not seem to be done with them
    let start = x.nothing.mux(stop, x.start);
    let (at, stop, nothing, first, last) = pipe.enter((start, stop, x.nothing, first, last));
    let (at, stop, nothing) = (at.next(), stop.next(), nothing.next());
    let count = ((stop.trunc(7) - at.trunc(7)) & (!nothing).repeat(7)).next();
    let chunk = ChunkPlace { at: at.next(), count, first: first.later(2), last: last.later(2) };
    let out = m.wire(stream(bits(chunk_place(p).total_width())));
    let (valid, chunk) = pipe.leave((valid, chunk));
    out.valid.set(valid);
    out.payload.set(chunk.pack());
    m.assert(!valid | out.ready, "the queue has room");
    out
}
