//! Command reader of an Oaken cache: looks at the commands of packets, and cuts the vectors behind them to their length.
//!
//! | port | |
//! | --- | --- |
//! | `s` | bytes of packets: a command, behind an append its vector |
//! | `command` | what the packet asks for; it stays until it is answered, and the next packet waits for that. Registers |
//! | `ended` | the packet of this command is at its end; a register |
//! | `m` | the vector of an append that is understood: exactly as many bytes as it has. What is missing are zeros, what is too many is dropped |
//! | `wrong_length` | that was so; from the last byte of `m` on, at the latest, until the command is answered. A register |
//!
//! - Parameters: [`CacheParams`].
//! - A byte in every cycle, and one cycle more for each command.
//! - Combinational paths: `s_valid` and `s_payload` to `m_valid` and `m_payload`, `m_ready` to `s_ready`.

use super::commands::{COMMAND_BYTES, Command, OUTCOME_BITS, command, operation, outcome};
use super::params::CacheParams;
use crate::oaken::mmu::params::{Group, MmuParams};
use crate::soc::frame::{ContentByte, content_byte};
use hdl::*;

ports! {
    /// Ports of [`command_reader`].
    pub struct CommandReaderPorts(p: CacheParams) {
        /// Bytes of packets.
        input s: Stream<ContentByte> = stream(content_byte()),
        /// What a packet asks for.
        output command: Stream<Command> = stream(command(p)),
        /// Its packet is at its end.
        output ended: Signal = bits(1),
        /// The vector of an append.
        output m: Stream<ContentByte> = stream(content_byte()),
        /// It came with another length.
        output wrong_length: Signal = bits(1),
    }
}

/// What is under way.
#[derive(Clone, Copy, State)]
enum Phase {
    /// The command comes.
    Head,
    /// All of it is there.
    Judge,
    /// Its vector passes.
    Vector,
    /// The vector was cut: zeros are put in the place of what is missing.
    Fill,
    /// What is left of the packet is dropped.
    Drop,
    /// The packet has ended.
    Ended,
}

/// A command as it came.
#[derive(Clone, Copy)]
struct Head {
    /// Its bytes, the first one low; all ones if the packet ended before the last of them.
    bytes: Signal,
    /// The packet goes on behind it.
    more: Signal,
    /// It has come, in this cycle.
    ends: Signal,
}

impl Head {
    fn byte(self, i: u32) -> Signal {
        self.bytes.bits(8 * i + 7, 8 * i)
    }
}

/// A command reader.
#[module]
pub fn command_reader(p: CacheParams) -> Result<Design<CommandReaderPorts>, Errors> {
    let m = Module::new(p.mmu.name("oaken_cache_commands"));
    m.doc("Looks at the commands of packets, and cuts the vectors behind them to their length.");
    let io = CommandReaderPorts::new(m, p);
    let phase = m.state(Phase::Head);
    let head = take_head(m, io.s, phase);

    m.section("what it asks for");
    let (fields, verdict) = judge(m, head, p);
    let judges = phase.is(Phase::Judge);
    let appends = head.byte(0).eq(operation::APPEND) & verdict.eq(outcome::OKAY);
    let kept = m.reg(bits(OUTCOME_BITS)).named("verdict");
    let offered = m.reg_reset(bits(1), 0).comment("the command can be done, or refused");
    m.when(judges, || {
        kept.set(verdict);
        offered.set(true);
    });
    m.when(io.command.transfer(), || offered.set(false));
    io.command.valid.set(offered);
    io.command.payload.set(Command { verdict: kept, ..fields });

    m.section("the vector behind it");
    let vector_ends = vector(m, io, phase, judges, p);

    m.section("what comes next");
    let last = io.s.transfer() & io.s.payload.last;
    let at_end = || phase.set(Phase::Ended);
    m.switch(phase, |s| {
        s.case(Phase::Head, || m.when(head.ends, || phase.set(Phase::Judge)));
        s.case(Phase::Judge, || {
            phase.set(head.more.mux(m.lit_state(Phase::Drop), Phase::Ended));
            m.when(appends, || phase.set(Phase::Vector));
        });
        s.case(Phase::Vector, || {
            m.when(vector_ends, || phase.set(last.mux(m.lit_state(Phase::Ended), Phase::Drop)));
            m.when(last & !vector_ends, || phase.set(Phase::Fill));
        });
        s.case(Phase::Fill, || m.when(vector_ends, at_end));
        s.case(Phase::Drop, || m.when(last, at_end));
        s.case(Phase::Ended, || m.when(io.command.transfer(), || phase.set(Phase::Head)));
    });
    io.ended.set(phase.is(Phase::Ended));
    m.finish(io)
}

/// The bytes of a command, one after the other.
#[module]
fn take_head(m: Module, s: Stream<ContentByte>, phase: StateSignal<Phase>) -> Head {
    m.section("a command comes");
    let ContentByte { byte, last } = s.payload;
    let bytes = m.reg(bits(8 * COMMAND_BYTES)).named("head");
    let more = m.reg(bits(1)).comment("the packet goes on behind the command");
    let before = m.reg_reset(bits(clog2(COMMAND_BYTES as usize)), 0).comment("bytes of it that have come");
    let comes = s.transfer() & phase.is(Phase::Head);
    let is_last = before.eq(COMMAND_BYTES - 1);
    let ends = comes & (last | is_last);
    m.when(comes, || {
        bytes.set(byte.cat(bytes.drop_low(8)));
        before.set(before + 1);
    });
    m.when(ends, || {
        before.set(0);
        more.set(!last);
        // no operation: the command was cut
        m.when(!is_last, || bytes.set(!bytes.zeros(bytes.width())));
    });
    Head { bytes, more, ends }
}

/// The fields of a command, and why it is not done.
#[module]
fn judge(m: Module, head: Head, p: CacheParams) -> (Command, Signal) {
    let shape = command(p);
    let operation = head.byte(0);
    let [request, layer, value] = [2, 3, 4].map(|i| head.byte(i));
    let (number, setting) = (head.byte(5), head.byte(8));
    let tokens = head.byte(7).cat(head.byte(6));
    let low = |field: Signal, shape: Signal| field.trunc(shape.width());
    let Group { request: of_request, layer: of_layer, .. } = shape.group;

    let vector = operation.eq(operation::APPEND);
    let understood = operation.le(operation::READ) & value.le(1) & (vector | !head.more);
    let MmuParams { requests, layers, heads, tag_bits, .. } = p.mmu;
    let missing = request.ge(requests) | layer.ge(layers) | number.ge(heads) | setting.ge(1 << tag_bits);
    let verdict = m.wire(bits(OUTCOME_BITS));
    verdict.set(outcome::OKAY);
    m.when(vector & !head.more, || verdict.set(outcome::LENGTH));
    m.when(missing, || verdict.set(outcome::ADDRESS));
    m.when(!understood, || verdict.set(outcome::NOT_UNDERSTOOD));

    // more tokens than there can be are all of them
    let all = tokens.gt(p.mmu.tokens);
    let fields = Command {
        operation,
        tag: head.byte(1),
        verdict,
        group: Group { request: low(request, of_request), layer: low(layer, of_layer), value: value.bit(0) },
        head: low(number, shape.head),
        tokens: low(tokens, shape.tokens) & (!all).repeat(shape.tokens.width()),
        setting: low(setting, shape.setting),
    };
    (fields, verdict)
}

/// Passes the vector on, exactly as many bytes as it has. Gives whether its last one goes, in this cycle.
#[module]
fn vector(m: Module, io: CommandReaderPorts, phase: StateSignal<Phase>, begins: Signal, p: CacheParams) -> Signal {
    let left = m.reg(bits(p.byte_bits())).comment("bytes of the vector to come, less 1");
    let wrong_length = m.reg(bits(1));
    let (passes, fills) = (phase.is(Phase::Vector), phase.is(Phase::Fill));
    let last = !left.any();
    let goes = io.m.transfer();
    let came = io.s.payload;
    m.when(begins, || {
        left.set(p.vector_bytes() - 1);
        wrong_length.set(false);
    });
    m.when(goes, || left.set(left - 1));
    m.when(goes & passes & came.last.ne(last), || wrong_length.set(true));
    io.m.valid.set(fills | (passes & io.s.valid));
    io.m.payload.set(ContentByte { byte: came.byte & passes.repeat(8), last });
    io.s.ready.set(phase.is(Phase::Head) | phase.is(Phase::Drop) | (passes & io.m.ready));
    io.wrong_length.set(wrong_length);
    goes & last
}
