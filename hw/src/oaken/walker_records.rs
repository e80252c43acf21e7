//! The walker's way from record to record: what it does when one is over, and when its packet is not what it should be.

use hdl::*;

/// Headers that may wait, and settings of their vectors.
pub const HEADERS: usize = 16;

/// What the walker does.
#[derive(Clone, Copy, State)]
pub enum Doing {
    /// It waits for the first word of a record.
    Wait,
    /// A record is open.
    Walk,
    /// The record was over and its packet was not: the word that comes may be a header.
    Doubt,
    /// Words are dropped up to a last.
    Drop,
}

/// How a record ended.
pub struct Over {
    pub ended: Signal,
    /// Its packet is over, too.
    pub packet_over: Signal,
    /// The next one follows at once.
    pub begins: Signal,
    /// It began without a last before it, and does not fit in its packet.
    pub wrong_guess: Signal,
}

/// The word behind a record whose packet goes on.
pub struct Doubted {
    pub arrived: Signal,
    pub may_be_header: Signal,
}

/// From record to record: the next one follows, a last was lost, or words are dropped until one comes (`known`).
#[module]
pub fn next_record(m: Module, doing: StateSignal<Doing>, guessed: Signal, over: Over, doubted: Doubted, known: Signal) {
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
            m.when(known, || skip.set(skip - 1));
            m.when(known & skip.eq(1), || doing.set(Doing::Wait));
        });
    });
}
