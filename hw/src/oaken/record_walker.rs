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
//! | `write` | words that go into the ring; registers, `valid` with `flush` behind them |
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
//! chunk. The ring takes words as long as it has places that are not needed. Combinational: `flush` to `s` ready, `write` valid, `begins`; `start` to `begins`.

use super::header;
use super::packet_ends::{PacketEnds, packet_ends};
use super::sparse_ring::*;
use super::types::*;
use super::walker_chunks::*;
use super::walker_maps::{Maps, maps};
use super::walker_place::{self, Move, Place};
use super::walker_records::{Doing, Doubted, HEADERS, Over, next_record};
use super::walker_view::{Seen, see, steady};
use super::walker_words::{Arrived, Ring, arrive};
use super::word_settings::{send_setting, word_setting};
use crate::stream::fifo_with_room::fifo_with_room;
use hdl::logic::UpDown;
use hdl::*;

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
        output header: Stream = stream(bits(header::BITS)),
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

/// The walker for an engine.
#[module]
pub fn record_walker(p: EngineParams) -> Result<Design<WalkerPorts>, Errors> {
    let m = Module::new(format!("oaken_record_walker_p{}{}{}", p.lanes, p.suffix(), p.each()));
    m.doc("Finds the chunks of records in the words of the sparse part.");
    let io = WalkerPorts::new(m, p);
    let here = here(m, p)?;

    m.section("words come");
    let words = take_words(m, io, p);

    m.section("what is seen from the place");
    let now = see(&here.position, [words.head, words.newest], &words.ends, &words.maps, p);
    let (seen, fresh) = steady(m, now, p);

    m.section("a chunk is known when its end and the count behind it are");
    let record = open_record(m, p);
    let (start, room) = (m.wire(bits(1)), m.wire(bits(1)));
    let walker = Walker { here, words, record };
    let x = walker.walk(m, io, seen, May { look: fresh, send: room, begin: start });
    let (setting, behind_record) = walker.open_next(m, io, seen, x);
    let Walker { here, words, record: Record { open, gone, .. } } = &walker;

    m.section("chunks leave");
    let found =
        Found { step: x.step, place: here.place, beyond: seen.beyond, end: seen.end.at, nothing: open.nothing | *gone };
    let chunks = send_chunks(m, open, found, p)?;
    io.m.set(chunks.m);
    room.set(chunks.room);
    let wrong_count = (x.goes_on & !x.missing & seen.count.too_many) | (x.begins & seen.first_count.too_many);
    let wrong_length = x.ended & !x.fits & !*gone & !io.flush;
    flag_errors(m, io, wrong_count, wrong_length);

    m.section("and headers");
    let header = words.maps.headers.read(address(here.next_word, NEWEST));
    start.set(io.start & send_headers(m, io, header, x.begins)?);
    send_setting(m, setting, x.begins, (io.header_setting, io.header))?;

    m.section("from which word on the ring is needed");
    let needed = Needed {
        here: here.walking.mux(open.start.drop_low(byte_bits(p)), here.word),
        guess: here.walking & open.nothing & !open.first,
    };
    free_words(m, io, words.tail, x.step, needed);
    io.holds.set(here.walking | words.arrived.comes | here.word.ne(words.head));

    let fresh = (p.chunk_beats() > 1).then_some(fresh);
    walker.move_on(m, io, x, (seen, now.arrived), (behind_record, fresh));
    m.finish(io)
}

/// Where the walker is, and what it does.
struct Here {
    doing: StateSignal<Doing>,
    /// A record is open.
    walking: Signal,
    position: Place,
    /// Where it is.
    place: Signal,
    /// The word of the place.
    word: Signal,
    /// The first word that begins at the place or behind it.
    next_word: Signal,
}

/// Its registers.
#[module]
fn here(m: Module, p: EngineParams) -> Result<Here, Errors> {
    let doing = m.state(Doing::Wait);
    let walking = doing.is(Doing::Walk);
    let position = walker_place::place(m, p)?;
    let place = position.at;
    let (word, byte) = (place.drop_low(byte_bits(p)), place.trunc(byte_bits(p)));
    let next_word = word + byte.any().zext(word_bits(p));
    Ok(Here { doing, walking, position, place, word, next_word })
}

impl Here {
    /// The place of a byte of a word.
    fn place_of(&self, word: Signal, byte: u32) -> Signal {
        word.cat(word.lit(byte, self.place.width() - word.width()))
    }
}

/// The words in the ring, and what is known of them.
struct Words {
    head: Signal,
    newest: Signal,
    tail: Signal,
    looks_from: Signal,
    arrived: Arrived,
    ends: PacketEnds,
    maps: Maps,
}

/// Takes words, and sends them to the ring.
#[module]
fn take_words(m: Module, io: WalkerPorts, p: EngineParams) -> Words {
    let ring = ring(m, p);
    let Ring { head, newest, tail, looks_from } = ring;
    let arrived = arrive(m, io.s, io.flush, ring, p);
    io.write.set(RingWrite { valid: arrived.valid, word: address(head, words(p)), data: arrived.word.data });
    let ends = packet_ends(m, arrived, head, io.flush, p);
    let maps = maps(m, arrived, p);
    Words { head, newest, tail, looks_from, arrived, ends, maps }
}

/// The record that is open.
struct Record {
    open: OpenChunk,
    /// The rest of it will not come.
    gone: Signal,
    /// Where the next one begins then.
    resume: Signal,
}

/// Its registers.
#[module]
fn open_record(m: Module, p: EngineParams) -> Record {
    let open = open_chunk(m, p);
    let gone = m.reg_reset(bits(1), 0).comment("flushed: the rest of the open record will not come");
    let resume = m.reg(bits(word_bits(p))).comment("the word behind what was flushed");
    Record { open, gone, resume }
}

/// What a walker has.
struct Walker {
    here: Here,
    words: Words,
    record: Record,
}

/// What the walker may do in this cycle.
struct May {
    /// What is seen is that of the place.
    look: Signal,
    /// There is room for a chunk.
    send: Signal,
    /// A record may begin.
    begin: Signal,
}

/// What the walker does in a cycle.
#[derive(Clone, Copy)]
struct Walked {
    /// The open chunk is known.
    step: Signal,
    /// It was the last one of its record.
    ended: Signal,
    /// It was not.
    goes_on: Signal,
    /// The chunk behind it is not there.
    missing: Signal,
    /// With the record, its packet is over.
    packet_over: Signal,
    /// The record ends within its packet.
    fits: Signal,
    /// A record begins.
    begins: Signal,
}

impl Walker {
    /// Goes from chunk to chunk, and from the end of a record to the next one.
    #[module]
    fn walk(&self, m: Module, io: WalkerPorts, seen: Seen, may: May) -> Walked {
        let Walker { here, words, record: Record { open, gone, resume } } = self;
        let (gone, resume) = (*gone, *resume);
        let settled = gone | seen.known | seen.arrived | (open.last & seen.next_is_head);
        let step = here.walking & may.look & settled & may.send;
        let ended = step & open.last;
        let goes_on = step & !open.last;
        let missing = gone | open.nothing | seen.past_the_end;
        // behind its packet, or what was flushed, an open record needs none of the words that come: they are the next one's
        words.looks_from.set(gone.mux(resume, seen.past_the_end.mux(seen.end.next_word, here.word)));

        m.section("from its end on");
        let packet_over = gone | seen.past_the_end | (seen.known & seen.in_last_word);
        let fits = seen.at_the_end & !open.nothing & !gone;
        let follows = ended & fits & seen.in_last_word;
        let begins = (follows | (here.doing.is(Doing::Wait) & may.look)) & seen.next_arrived & may.begin & !io.flush;
        io.begins.set(begins);
        Walked { step, ended, goes_on, missing, packet_over, fits, begins }
    }

    /// Opens the chunk that is next. Gives the setting of the record that begins with the next word, and the place behind the open one.
    #[module]
    fn open_next(&self, m: Module, io: WalkerPorts, seen: Seen, x: Walked) -> (Option<Setting>, Signal) {
        let Walker { here, words, record } = self;
        let behind_record =
            here.place_of(record.gone.mux(record.resume, x.packet_over.mux(seen.end.next_word, here.next_word)), 0);
        let setting = word_setting(m, io.setting, words.arrived, here.next_word);
        let chunks_minus_1 = setting.map(|setting| setting.chunks_minus_1).or(io.chunks_minus_1).expect("one of both");
        m.when(x.goes_on, || record.open.go_on(here.place + 1, x.missing));
        m.when(x.begins, || {
            record.open.begin(here.place_of(here.next_word, header::BYTES + 1), chunks_minus_1, seen.short);
        });
        (setting, behind_record)
    }

    /// To the next record, and to the next place. `arrived` is of this cycle, and `seen` may be of the one before: then `fresh` is there, and 0
    /// behind a cycle in which the place may be another one.
    #[module]
    fn move_on(
        &self,
        m: Module,
        io: WalkerPorts,
        x: Walked,
        (seen, arrived): (Seen, Signal),
        (behind_record, fresh): (Signal, Option<Signal>),
    ) {
        let Walker { here, words, record: Record { open, gone, resume } } = self;
        let (head, ends, gone, resume) = (words.head, &words.ends, *gone, *resume);
        let Walked { step, ended, begins, packet_over, .. } = x;
        m.section("to the next record");
        let guessed = m.reg_reset(bits(3), 0).comment("records that began without a last before them");
        let dropping = here.doing.is(Doing::Drop);
        ends.leave.set((ended & packet_over & !gone) | (dropping & ends.known));
        let over = Over { ended, packet_over, begins, wrong_guess: !x.fits & guessed.any() & !gone };
        let doubted = Doubted { arrived, may_be_header: words.maps.legal.read(address(here.word, NEWEST)) };
        let behind_dropped = here.place_of(ends.known.mux(ends.end.next_word, head), 0);
        next_record(m, here.doing, guessed, over, doubted, ends.known);

        m.section("to flush, the open record is over");
        let stays = here.walking & !ended;
        let flushed = io.flush & !stays;
        m.when(ended, || gone.set(false));
        m.when(io.flush, || {
            gone.set(stays);
            resume.set(head);
            guessed.set(0);
        });
        m.when(flushed, || here.doing.set(Doing::Wait));

        m.section("the next place");
        let to_chunk = Move { moves: step & !x.missing, to: seen.count.end };
        let elsewhere = dropping.mux(behind_dropped, behind_record);
        let to = io.flush.mux(here.place_of(head, 0), begins.mux(seen.first_count.end, elsewhere));
        let to_record = Move { moves: ended | begins | dropping | flushed, to };
        here.position.go(m, here.walking & !open.last, to_chunk, to_record);
        if let Some(fresh) = fresh {
            fresh.set(!(step | begins | dropping | flushed));
        }
    }
}

/// The numbers of words in the ring.
#[module]
fn ring(m: Module, p: EngineParams) -> Ring {
    let head = m.reg_reset(bits(word_bits(p)), 0).comment("the number of the word that comes next");
    let newest = m.reg_reset(bits(word_bits(p)), (1 << word_bits(p)) - 1).comment("the number of the word before that");
    let tail = m.reg_reset(bits(word_bits(p)), 0).comment("from this word on, the ring is needed");
    let looks_from = m.wire(bits(word_bits(p)));
    Ring { head, newest, tail, looks_from }
}

/// One cycle later.
#[module]
fn flag_errors(m: Module, io: WalkerPorts, wrong_count: Signal, wrong_length: Signal) {
    let count_error = m.reg_reset(bits(1), 0);
    count_error.set(wrong_count);
    io.count_error.set(count_error);
    let length_error = m.reg_reset(bits(1), 0);
    length_error.set(wrong_length);
    io.length_error.set(length_error);
}

/// The first word that the walker needs.
struct Needed {
    here: Signal,
    /// It is a guess: the open chunk is not there, and would begin anywhere.
    guess: Signal,
}

/// Moves the tail to the word of the oldest chunk that is not read; to that of the walker, if all are.
#[module]
fn free_words(m: Module, io: WalkerPorts, tail: Signal, found: Signal, walker: Needed) {
    let held = UpDown::new(m, 4 * CHUNKS as u32 - 1);
    held.level.comment("chunks that are known and not read");
    held.count(found, io.done);
    // the walker takes two cycles at most for a chunk that is not there, and who reads takes more for the one before
    m.assert(held.level.any() | !walker.guess, "a chunk before one that is not there is not read yet");
    m.when(!held.level.any(), || tail.set(walker.here));
    m.when(held.level.any() & io.reading, || tail.set(io.oldest));
}

/// Sends the header of a record that begins. Gives whether there is room for more.
#[module]
fn send_headers(m: Module, io: WalkerPorts, header: Signal, begins: Signal) -> Result<Signal, Errors> {
    let headers = m.instance(&fifo_with_room(header::BITS, HEADERS)?);
    let begun_with = m.reg(bits(header::BITS));
    let begun_before = m.reg_reset(bits(1), 0);
    begun_with.set(header);
    begun_before.set(begins);
    headers.push.set(begun_before);
    headers.word.set(begun_with);
    io.header.set(headers.m);
    let room_for_headers = m.reg_reset(bits(1), 0);
    room_for_headers.set(headers.level.lt(HEADERS as u32 - 4));
    Ok(room_for_headers)
}
