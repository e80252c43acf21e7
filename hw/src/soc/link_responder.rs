//! Link responder: does what the requests of a host ask for, and answers them ([docs/link.md](../link.md)).
//!
//! | port | |
//! | --- | --- |
//! | `s` | contents of requests, as the [frame receiver](mod@super::frame_receiver) gives them; `s_ready` follows `put_ready` within the cycle while bytes are put |
//! | `m` | contents of answers, for the [frame transmitter](mod@super::frame_transmitter); while bytes are taken, from `take` within the cycle |
//! | `again`, `idle` | of the frame transmitter: the answer before is sent once more |
//! | `m_axil` | AXI4-Lite: one read or write at a time; valids and what goes with them are registers |
//! | `put` | bytes that the host puts, `last` where they end a packet; from `s` within the cycle |
//! | `room` | 240 bytes can be put |
//! | `take` | bytes that the host may take, `last` with the last one of a packet |
//! | `repeated`, `refused` | for a cycle: a request came again; one was refused. From registers |
//!
//! - No parameters. A request is answered, or its answer repeated, before the next one is looked at.
//! - Latency: from the last byte of a request to the first one of its answer 2 cycles, and with a register those of the bus. 1 byte in
//!   every cycle.
//! - After reset the link is closed. It waits for the bus without end: slaves answer.
//! - A content of less than 3 bytes, which no frame carries, is dropped.

use super::frame::{ContentByte, content_byte};
use crate::control::{AxiLite, axi_lite};
use hdl::*;

/// Bits of the addresses of registers.
pub const ADDRESS_BITS: u32 = 16;
/// The most bytes that a request puts.
pub const MOST_PUT: u32 = 240;
/// The most bytes that an answer gives.
const MOST_TAKEN: u32 = 239;
/// What the answer to `open` says: three letters and the version of the page, the first byte low.
const GREETING: u32 = u32::from_le_bytes(*b"kvf\x01");

const OPEN: u32 = 0;
const READ: u32 = 1;
const WRITE: u32 = 2;
const PUT: u32 = 3;
const PUT_LAST: u32 = 4;
const TAKE: u32 = 5;

const DONE: u32 = 0;
const REFUSED: u32 = 1;
const NOT_UNDERSTOOD: u32 = 2;
const BUS_ERROR: u32 = 3;
const NO_ROOM: u32 = 4;

ports! {
    /// Ports of a link responder.
    pub struct LinkResponderPorts() {
        /// contents of requests
        input s: Stream<ContentByte> = stream(content_byte()),
        /// contents of answers
        output m: Stream<ContentByte> = stream(content_byte()),
        /// send the answer before once more
        output again: Signal = bits(1),
        /// the frame transmitter can send something again
        input idle: Signal = bits(1),
        /// registers
        output m_axil: AxiLite = axi_lite(ADDRESS_BITS),
        /// bytes from the host
        output put: Stream<ContentByte> = stream(content_byte()),
        /// 240 bytes can be put
        input room: Signal = bits(1),
        /// bytes for the host
        input take: Stream<ContentByte> = stream(content_byte()),
        /// a request came again
        output repeated: Signal = bits(1),
        /// a request was refused
        output refused: Signal = bits(1),
    }
}

/// What is under way.
#[derive(Clone, Copy, State)]
enum Phase {
    /// The head of a request comes.
    Sequence,
    /// Of it the status,
    Status,
    /// and the operation.
    Operation,
    /// Its payload comes.
    Payload,
    /// All of it is there.
    Decide,
    /// The answer before is sent again.
    Again,
    /// A register is read or written.
    Bus,
    /// The head of the answer goes.
    AnswerSequence,
    /// Of it the status,
    AnswerStatus,
    /// and the operation.
    AnswerOperation,
    /// Four bytes go.
    Word,
    /// Bytes of a packet go.
    Packet,
    /// The byte behind them goes.
    Behind,
}

/// A request, as far as it has come.
#[derive(Clone, Copy)]
struct Request {
    sequence: Signal,
    operation: Signal,
    /// Its number is that of the request before.
    repeats: Signal,
    /// Its number is wrong.
    refused: Signal,
    /// It puts bytes, and they fit.
    puts: Signal,
    /// The latest bytes of the payload, the last one high; later what the answer says, its first byte low.
    word: Signal,
    /// Bytes of the payload; at most 7.
    count: Signal,
}

impl Request {
    fn is(self, operation: u32) -> Signal {
        self.operation.eq(operation)
    }
    /// The byte with `ago` bytes behind it.
    fn byte(self, ago: u32) -> Signal {
        self.word.bits(47 - 8 * ago, 40 - 8 * ago)
    }
}

/// A link responder.
#[module]
pub fn link_responder() -> Result<Design<LinkResponderPorts>, Errors> {
    let m = Module::new("link_responder");
    m.doc("Link responder: does what a host's requests ask for, once each, and answers (docs/link.md).");
    let io = LinkResponderPorts::new(m);
    let phase = m.state(Phase::Sequence);
    let former = m.reg_reset(bits(8), 0).comment("number of the request before");
    let open = m.reg_reset(bits(1), 0).comment("the link is open");
    let request = request(m, &io, phase, former, open);

    m.section("what becomes of a request");
    let decides = phase.is(Phase::Decide);
    let outcome = outcome(m, request);
    let status = m.reg(bits(3));
    let uses_bus = outcome.eq(DONE) & (request.is(READ) | request.is(WRITE));
    m.when(decides & !request.repeats, || {
        status.set(outcome);
        former.set(request.sequence);
        open.set(!request.refused);
        m.when(request.is(OPEN), || request.word.set(m.lit(GREETING, 48)));
    });
    io.again.set(phase.is(Phase::Again));
    io.repeated.set(decides & request.repeats);
    io.refused.set(decides & request.refused & !request.repeats);
    let on_bus = phase.is(Phase::Bus);
    bus(m, io.m_axil, request, decides & uses_bus & !request.repeats, on_bus);
    m.when(on_bus & io.m_axil.rvalid, || request.word.set(io.m_axil.rdata.zext(48)));
    let error = (io.m_axil.bvalid & io.m_axil.bresp.bit(1)) | (io.m_axil.rvalid & io.m_axil.rresp.bit(1));
    m.when(on_bus & error, || status.set(BUS_ERROR));

    let packet_ends = answer(m, &io, phase, request, status);

    m.section("what comes next");
    let (comes, last) = (io.s.transfer(), io.s.payload.last);
    let goes = io.m.transfer();
    let begin = || phase.set(Phase::Sequence);
    m.switch(phase, |s| {
        s.case(Phase::Sequence, || m.when(comes & !last, || phase.set(Phase::Status)));
        s.case(Phase::Status, || m.when(comes, || phase.set(last.mux(m.lit_state(Phase::Sequence), Phase::Operation))));
        s.case(Phase::Operation, || m.when(comes, || phase.set(last.mux(m.lit_state(Phase::Decide), Phase::Payload))));
        s.case(Phase::Payload, || m.when(comes & last, || phase.set(Phase::Decide)));
        s.case(Phase::Decide, || {
            phase.set(uses_bus.mux(m.lit_state(Phase::Bus), Phase::AnswerSequence));
            m.when(request.repeats, || phase.set(Phase::Again));
        });
        s.case(Phase::Again, || m.when(io.idle, begin));
        s.case(Phase::Bus, || m.when(io.m_axil.bvalid | io.m_axil.rvalid, || phase.set(Phase::AnswerSequence)));
        s.case(Phase::AnswerSequence, || m.when(goes, || phase.set(Phase::AnswerStatus)));
        s.case(Phase::AnswerStatus, || m.when(goes, || phase.set(Phase::AnswerOperation)));
        s.case(Phase::AnswerOperation, || {
            let follows = request.is(TAKE).mux(m.lit_state(Phase::Packet), Phase::Word);
            m.when(goes, || phase.set(io.m.payload.last.mux(m.lit_state(Phase::Sequence), follows)));
        });
        s.case(Phase::Word, || m.when(goes & io.m.payload.last, begin));
        s.case(Phase::Packet, || m.when(packet_ends, || phase.set(Phase::Behind)));
        s.case(Phase::Behind, || m.when(goes, begin));
    });
    m.finish(io)
}

/// Takes a request, and puts the bytes that it brings.
#[module]
fn request(m: Module, io: &LinkResponderPorts, phase: StateSignal<Phase>, former: Signal, open: Signal) -> Request {
    m.section("a request comes; its bytes are put at once if there is room for all that there can be");
    let ContentByte { byte, last } = io.s.payload;
    let (sequence, operation) = (m.reg(bits(8)), m.reg(bits(8)));
    let (repeats, refused, puts) = (m.reg(bits(1)), m.reg(bits(1)), m.reg(bits(1)));
    let word = m.reg(bits(48)).comment("the latest bytes of the payload; later what the answer says");
    let count = m.reg(bits(3)).comment("bytes of the payload, at most 7");

    let heads = phase.is(Phase::Sequence) | phase.is(Phase::Status) | phase.is(Phase::Operation);
    let put_ready = !puts | io.put.ready;
    io.s.ready.set(heads | (phase.is(Phase::Payload) & put_ready));
    let comes = io.s.transfer();
    m.when(phase.is(Phase::Sequence), || sequence.set(byte));
    m.when(phase.is(Phase::Operation), || {
        let opens = byte.eq(OPEN);
        let next = open & sequence.eq(former + 1);
        let same = open & sequence.eq(former);
        let is_put = byte.eq(PUT) | byte.eq(PUT_LAST);
        operation.set(byte);
        repeats.set(same & !opens);
        refused.set(!opens & !next & !same);
        puts.set(is_put & next & io.room);
        count.set(0);
    });
    m.when(comes & phase.is(Phase::Payload), || {
        word.set(byte.cat(word.drop_low(8)));
        m.when(!count.all(), || count.set(count + 1));
    });
    io.put.valid.set(io.s.valid & puts & phase.is(Phase::Payload));
    io.put.payload.set(ContentByte { byte, last: last & operation.eq(PUT_LAST) });
    Request { sequence, operation, repeats, refused, puts, word, count }
}

/// The status of a request that is not one that came again, as far as it can be told without the bus.
#[module]
fn outcome(m: Module, request: Request) -> Signal {
    let count = request.count;
    let puts = request.is(PUT) | (request.is(PUT_LAST) & count.ne(0));
    let understood = (request.is(OPEN) & count.eq(0))
        | (request.is(READ) & count.eq(2))
        | (request.is(WRITE) & count.eq(6))
        | (request.is(TAKE) & count.eq(1) & request.byte(0).le(MOST_TAKEN))
        | puts;
    let outcome = m.wire(bits(3));
    outcome.set((puts & !request.puts).mux(m.lit(NO_ROOM, 3), DONE));
    m.when(!understood, || outcome.set(NOT_UNDERSTOOD));
    m.when(request.refused, || outcome.set(REFUSED));
    outcome
}

/// Reads or writes a register; the address and the value stand still until there is an answer.
#[module]
fn bus(m: Module, axil: AxiLite, request: Request, begins: Signal, on_bus: Signal) {
    m.section("the bus");
    let (awvalid, wvalid, arvalid) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    m.when(axil.awready, || awvalid.set(0));
    m.when(axil.wready, || wvalid.set(0));
    m.when(axil.arready, || arvalid.set(0));
    m.when(begins, || {
        awvalid.set(request.is(WRITE));
        wvalid.set(request.is(WRITE));
        arvalid.set(request.is(READ));
    });
    axil.awvalid.set(awvalid);
    axil.wvalid.set(wvalid);
    axil.arvalid.set(arvalid);
    axil.awaddr.set(request.word.bits(15, 0));
    axil.wdata.set(request.word.bits(47, 16));
    axil.araddr.set(request.word.bits(47, 32));
    axil.wstrb.set(0xf);
    axil.awprot.set(0);
    axil.arprot.set(0);
    axil.bready.set(on_bus);
    axil.rready.set(on_bus);
}

/// Sends the answer. Gives whether no more bytes of a packet go with it.
#[module]
fn answer(m: Module, io: &LinkResponderPorts, phase: StateSignal<Phase>, request: Request, status: Signal) -> Signal {
    m.section("the answer");
    let goes = io.m.transfer();
    let left = m.reg(bits(2)).comment("bytes of the word to come, less 1");
    let wanted = m.reg(bits(8)).comment("bytes of a packet that the answer may still have");
    let ended = m.reg(bits(1)).comment("the last byte ended its packet");
    let more = phase.is(Phase::Packet) & wanted.ne(0) & !ended;
    let has_payload = status.eq(DONE) & (request.is(OPEN) | request.is(READ) | request.is(TAKE));
    m.when(phase.is(Phase::AnswerOperation), || {
        left.set(3);
        wanted.set(request.byte(0));
        ended.set(0);
    });

    let (valid, byte, last) = (m.wire(bits(1)), m.wire(bits(8)), m.wire(bits(1)));
    valid.set(0);
    byte.set(request.sequence);
    last.set(0);
    m.switch(phase, |s| {
        s.case(Phase::AnswerSequence, || valid.set(1));
        s.case(Phase::AnswerStatus, || {
            valid.set(1);
            byte.set(status.zext(8));
        });
        s.case(Phase::AnswerOperation, || {
            valid.set(1);
            byte.set(request.operation);
            last.set(!has_payload);
        });
        s.case(Phase::Word, || {
            valid.set(1);
            byte.set(request.word.trunc(8));
            last.set(left.eq(0));
        });
        s.case(Phase::Packet, || {
            valid.set(io.take.valid & more);
            byte.set(io.take.payload.byte);
        });
        s.case(Phase::Behind, || {
            valid.set(1);
            byte.set(ended.zext(8));
            last.set(1);
        });
        s.default(|| ());
    });
    io.m.valid.set(valid);
    io.m.payload.set(ContentByte { byte, last });
    io.take.ready.set(more & io.m.ready);
    m.when(goes & phase.is(Phase::Word), || {
        left.set(left - 1);
        request.word.set(request.word >> 8);
    });
    m.when(goes & phase.is(Phase::Packet), || {
        wanted.set(wanted - 1);
        ended.set(io.take.payload.last);
    });
    phase.is(Phase::Packet) & !(more & io.take.valid)
}

#[cfg(test)]
mod tests;
