//! Executor of an Oaken cache: has the MMU do one command after the other, and answers each.
//!
//! | port | |
//! | --- | --- |
//! | `command` | what is to be done; taken when its answer has left |
//! | `ended`, `wrong_length` | its packet is at its end; its vector had another length |
//! | `append`, `control`, `read` | the MMU's commands. Registers, and what `command` says |
//! | `appended`, `controlled`, `done` | how they ended |
//! | `given` | one cycle: the last byte of a vector has left for the host |
//! | `answer` | bytes of the answer; valid is a register |
//!
//! - An answer leaves behind all vectors that the command reads, and when its packet is at its end.
//! - Parameters: [`CacheParams`]. Some four cycles a command beside what the MMU takes, and five for its answer.
//! - Combinational paths: `command_payload` to `append`, `control` and `read`; `answer_ready` to `command_ready`; `ended` to `appended_ready`,
//!   `controlled_ready` and `done_ready`; `done_payload` to `done_ready`.

use super::commands::{ANSWER_BYTES, Command, OUTCOME_BITS, command, operation, outcome};
use super::params::CacheParams;
use crate::oaken::mmu::commands::{
    Answer, Append, Control, Read, ReadAnswer, answer, append, control, read, read_answer,
};
use crate::soc::frame::{ContentByte, content_byte};
use hdl::*;

ports! {
    /// Ports of [`executor`].
    pub struct ExecutorPorts(p: CacheParams) {
        /// What is to be done.
        input command: Stream<Command> = stream(command(p)),
        /// Its packet is at its end.
        input ended: Signal = bits(1),
        /// Its vector had another length.
        input wrong_length: Signal = bits(1),
        /// A vector comes.
        output append: Stream<Append> = stream(append(p.mmu)),
        /// A request begins or ends.
        output control: Stream<Control> = stream(control(p.mmu)),
        /// A history is read.
        output read: Stream<Read> = stream(read(p.mmu)),
        /// How an append ended.
        input appended: Stream<Answer> = stream(answer(p.mmu)),
        /// How a request began or ended.
        input controlled: Stream<Answer> = stream(answer(p.mmu)),
        /// How a read ended.
        input done: Stream<ReadAnswer> = stream(read_answer(p.mmu)),
        /// A vector has left for the host.
        input given: Signal = bits(1),
        /// Bytes of the answer.
        output answer: Stream<ContentByte> = stream(content_byte()),
    }
}

/// What is under way.
#[derive(Clone, Copy, State)]
enum Phase {
    /// A command may come.
    Idle,
    /// It goes to the MMU.
    Sends,
    /// The MMU does it.
    Waits,
    /// The answer leaves.
    Answers,
}

/// What is told of a command.
#[derive(Clone, Copy)]
struct Told {
    outcome: Signal,
    tokens: Signal,
}

/// An executor.
#[module]
pub fn executor(p: CacheParams) -> Result<Design<ExecutorPorts>, Errors> {
    let m = Module::new(p.mmu.name("oaken_cache_executor"));
    m.doc("Has the MMU do one command after the other, and answers each.");
    let io = ExecutorPorts::new(m, p);
    let phase = m.state(Phase::Idle);
    let asked = io.command.payload;
    let told = Told { outcome: m.reg(bits(OUTCOME_BITS)), tokens: m.reg(bits(p.mmu.token_bits())) };

    let sent = send(io, phase.is(Phase::Sends));
    let over = wait(m, io, phase, told);
    let answered = say(m, io, phase.is(Phase::Answers), told);

    m.section("what comes next");
    let for_mmu = asked.verdict.eq(outcome::OKAY) & asked.operation.ne(operation::SYNC);
    m.switch(phase, |s| {
        s.case(Phase::Idle, || {
            told.outcome.set(asked.verdict);
            told.tokens.set(0);
            m.when(io.command.valid & io.ended, || phase.set(Phase::Answers));
            m.when(io.command.valid & for_mmu, || phase.set(Phase::Sends));
        });
        s.case(Phase::Sends, || m.when(sent, || phase.set(Phase::Waits)));
        s.case(Phase::Waits, || m.when(over, || phase.set(Phase::Answers)));
        s.case(Phase::Answers, || m.when(answered, || phase.set(Phase::Idle)));
    });
    io.command.ready.set(answered);
    m.finish(io)
}

/// Sends the command to the MMU. Gives whether it is taken.
#[module]
fn send(io: ExecutorPorts, sends: Signal) -> Signal {
    let Command { operation, group, head, tokens, setting, .. } = io.command.payload;
    let releases = operation.eq(operation::RELEASE);
    io.append.valid.set(sends & operation.eq(operation::APPEND));
    io.append.payload.set(Append { group, tag: setting });
    io.control.valid.set(sends & (operation.eq(operation::OPEN) | releases));
    io.control.payload.set(Control { release: releases, request: group.request, tag: setting });
    io.read.valid.set(sends & operation.eq(operation::READ));
    // the tag goes on to the dequantizer beside the history: the number of its setting
    io.read.payload.set(Read { group, head, tokens, tag: setting });
    io.append.transfer() | io.control.transfer() | io.read.transfer()
}

/// Takes what the MMU says. Gives whether the command is over.
#[module]
fn wait(m: Module, io: ExecutorPorts, phase: StateSignal<Phase>, told: Told) -> Signal {
    m.section("how it ends");
    let waits = phase.is(Phase::Waits);
    let given = m.reg(io.done.payload.tokens.shape()).comment("vectors that have left for the host");
    m.when(io.given, || given.set(given + 1));
    m.when(phase.is(Phase::Idle), || given.set(0));
    // all of it has left, and the packet is at its end
    io.appended.ready.set(waits & io.ended);
    io.controlled.ready.set(waits & io.ended);
    io.done.ready.set(waits & io.ended & given.eq(io.done.payload.tokens));
    let [appended, controlled] = [io.appended, io.controlled].map(|s| {
        s.payload.tag.unused();
        (s.transfer(), s.payload.outcome.code())
    });
    io.done.payload.tag.unused();
    let read = (io.done.transfer(), io.done.payload.outcome.code());
    for (over, outcome) in [appended, controlled, read] {
        m.when(over, || told.outcome.set(outcome.zext(OUTCOME_BITS)));
    }
    let cut = io.wrong_length & appended.1.eq(outcome::RECORD);
    m.when(appended.0 & cut, || told.outcome.set(outcome::LENGTH));
    m.when(read.0, || told.tokens.set(io.done.payload.tokens));
    appended.0 | controlled.0 | read.0
}

/// Gives the answer, byte by byte. Gives whether its last one leaves.
#[module]
fn say(m: Module, io: ExecutorPorts, answers: Signal, told: Told) -> Signal {
    m.section("the answer");
    let Command { operation, tag, .. } = io.command.payload;
    let at = m.reg_reset(bits(clog2(ANSWER_BYTES as usize)), 0).comment("number of its byte");
    let tokens = told.tokens.zext(16);
    let bytes = [operation, tag, told.outcome.zext(8), tokens.trunc(8), tokens.drop_low(8)];
    let byte = m.wire(bits(8));
    byte.set(bytes[0]);
    for (i, other) in bytes.iter().enumerate().skip(1) {
        m.when(at.eq(i), || byte.set(*other));
    }
    let last = at.eq(ANSWER_BYTES - 1);
    io.answer.valid.set(answers);
    io.answer.payload.set(ContentByte { byte, last });
    let goes = io.answer.transfer();
    m.when(goes, || at.set(last.mux(at.literal(0u32), at + 1)));
    goes & last
}
