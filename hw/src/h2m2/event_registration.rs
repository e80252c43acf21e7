//! How a kernel gets into the event controller: its prerequisites are looked at one by one, and then noted one by one.
//!
//! Built into the module that calls. First all prerequisites are looked at (`Check`): nothing is changed until all are known. Then, for each
//! number in turn (`Walk`): is the kernel of that number one that is still waited for? If so, the new kernel's bit is set in its row; if not, the new
//! kernel's counter steps. The counter is as long as there are numbers, so behind the last one it is short of 0 by as many steps as there
//! are kernels to wait for.
//!
//! Completions never wait for this. A row is read, changed and written over three cycles, and none of a completion may be
//! read in the cycle in which it is written: then it is read again.

use super::event_types::{Answer, Completion, Registration, RegistrationOutcome};
use hdl::*;

/// What is known of a number.
#[derive(Clone, Copy, Bundle)]
struct Known {
    /// A kernel of this number was registered since reset.
    known: Signal,
    /// It is not over.
    open: Signal,
}

/// The row that was read: a bit for each kernel that waits.
#[derive(Clone, Copy)]
pub(super) struct Row {
    memory: Memory,
    /// Of which number, if no completion reads.
    number: Signal,
    /// Who waits.
    pub waiting: Signal,
    /// It is that of a kernel that is over: who waits for it waits no more.
    pub is_over: Signal,
    /// That kernel.
    over: Signal,
    /// A completion was taken two cycles ago, so this is no row of the walk.
    came: Signal,
    kernels: u32,
}

impl Row {
    /// Reads the row of a completion, or else that of the walk, over a block RAM and a register.
    #[module]
    pub fn read(m: Module, kernels: u32, completion: Completion) -> Row {
        let width = completion.slot.width();
        let memory = m.memory(bits(kernels), 1 << width).style(RamStyle::Block).attribute("no_rw_check", "");
        let number = m.reg_reset(bits(width), 0).comment("the row that the walk looks at");
        let waiting = m.reg(bits(kernels)).comment("who waits for the kernel whose row was read two cycles ago");
        waiting.set(memory.read_sync(completion.taken.mux(completion.slot, number)));
        let [reads, came, counts, is_over] = [0, 1, 2, 3].map(|_| m.reg_reset(bits(1), 0));
        reads.set(completion.taken);
        came.set(reads);
        counts.set(completion.counts);
        is_over.set(counts);
        let (slot, over) = (m.reg(bits(width)), m.reg(bits(width)));
        slot.set(completion.slot);
        over.set(slot);
        Row { memory, number, waiting, is_over, over, came, kernels }
    }
}

#[derive(Clone, Copy, State)]
enum Phase {
    /// The tables are cleared.
    Clear,
    /// Is there a kernel, and is its number free?
    Idle,
    /// Are all known that it waits for?
    Check,
    /// Who of them is not over?
    Walk,
    /// The kernel is registered.
    Enter,
    /// The registration is taken.
    Finish,
    /// The answer is offered.
    Answer,
}

/// What a registration does in a cycle.
pub(super) struct Registrar {
    /// One bit for each kernel: that which is registered; none in the cycle after it is.
    pub kernel: Signal,
    /// Its counter steps.
    pub counts: Signal,
    /// It is registered from the next cycle on.
    pub enters: Signal,
}

/// Registers kernels.
#[module]
pub(super) fn register(
    m: Module,
    s: Stream<Registration>,
    answer: Stream<Answer>,
    row: Row,
    completion: Completion,
) -> Registrar {
    let Registration { slot, side: _, after } = s.payload;
    let width = slot.width();
    let phase = m.state(Phase::Clear);
    let outcome = m.reg(state::<RegistrationOutcome>());
    let last = row.number.all();

    m.section("what is known of each number");
    let numbers = m.memory(Known { known: bits(1), open: bits(1) }, 1 << width).style(RamStyle::Distributed);
    let Known { known, open } = numbers.read(phase.is(Phase::Idle).mux(slot, row.number));
    let wanted = after.zext(1 << width).part(row.number, 1);
    let enters = phase.is(Phase::Enter) & !completion.counts;
    let clears = phase.is(Phase::Clear);
    let place = completion.counts.mux(completion.slot, clears.mux(row.number, slot));
    let now = Known { known: !clears, open: enters };
    numbers.write(place, now, completion.counts | enters | clears);

    m.section("the walk over the numbers");
    let walks = phase.is(Phase::Walk);
    let waits = wanted & open;
    let age = m.reg_reset(bits(2), 0).comment("cycles since the walk came to this row, up to 2");
    let counts = (walks & !waits & !row.is_over).comment("one less to wait for");
    let notes = (walks & waits & age.msb() & !row.came & !completion.taken).comment("one to wait for");
    let moves = counts | notes;
    age.set((walks & !moves).repeat(2) & age.msb().mux(age, age + 1));
    let kernel = m.reg_reset(bits(row.kernels), 0).comment("a bit for each kernel: that which is registered");
    let at = row.is_over.mux(row.over, row.number);
    row.memory.write(at, (row.waiting | kernel) & notes.repeat(row.kernels), row.is_over | notes | clears);

    m.section("step by step");
    let here = m.reg_reset(bits(1 << width), 1).comment("a bit for each number: that of the row");
    let goes_on = clears | phase.is(Phase::Check) | moves;
    m.when(goes_on, || {
        row.number.set(row.number + 1);
        here.set(here.trunc((1 << width) - 1).cat(here.msb()));
    });
    let itself = row.number.eq(slot);
    m.when(phase.is(Phase::Check) & itself, || kernel.set(here.trunc(row.kernels)));
    m.when(enters | phase.is(Phase::Finish), || kernel.set(0));
    let cycle = Cycle {
        asks: s.valid,
        busy: open,
        beyond: (!row.kernels.is_power_of_two()).then(|| slot.ge(row.kernels)),
        unknown: wanted & (!known | itself),
        last,
        moves,
        enters,
        answered: answer.ready,
    };
    steps(m, phase, outcome, cycle);
    s.ready.set(phase.is(Phase::Finish));
    let answered = m.reg(bits(width));
    m.when(phase.is(Phase::Finish), || answered.set(slot));
    answer.valid.set(phase.is(Phase::Answer));
    answer.payload.set(Answer { slot: answered, outcome });
    Registrar { kernel, counts, enters }
}

/// What a registration meets in a cycle.
struct Cycle {
    /// There is one.
    asks: Signal,
    /// The kernel of its number has not finished.
    busy: Signal,
    /// There is no such number; `None` where there are all.
    beyond: Option<Signal>,
    /// It waits for the number of the row, which is its own or not known.
    unknown: Signal,
    /// The row is that of the last number.
    last: Signal,
    /// The walk goes on to the next row.
    moves: Signal,
    /// The kernel is registered.
    enters: Signal,
    /// The answer is taken.
    answered: Signal,
}

/// The steps of a registration.
fn steps(m: Module, phase: StateSignal<Phase>, outcome: StateSignal<RegistrationOutcome>, x: Cycle) {
    let refuse = |how| {
        outcome.set(m.lit_state(how));
        phase.set(Phase::Finish);
    };
    m.switch(phase, |s| {
        s.case(Phase::Clear, || m.when(x.last, || phase.set(Phase::Idle)));
        s.case(Phase::Idle, || {
            outcome.set(RegistrationOutcome::Okay);
            m.when(x.asks, || phase.set(Phase::Check));
            m.when(x.asks & x.busy, || refuse(RegistrationOutcome::Busy));
            if let Some(beyond) = x.beyond {
                m.when(x.asks & beyond, || refuse(RegistrationOutcome::Range));
            }
        });
        s.case(Phase::Check, || {
            m.when(x.last, || {
                phase.set(
                    outcome.is(RegistrationOutcome::Okay).mux(m.lit_state(Phase::Walk), m.lit_state(Phase::Finish)),
                )
            });
            m.when(x.unknown, || {
                outcome.set(RegistrationOutcome::Unknown);
                m.when(x.last, || phase.set(Phase::Finish));
            });
        });
        s.case(Phase::Walk, || m.when(x.moves & x.last, || phase.set(Phase::Enter)));
        s.case(Phase::Enter, || m.when(x.enters, || phase.set(Phase::Finish)));
        s.case(Phase::Finish, || phase.set(Phase::Answer));
        s.case(Phase::Answer, || m.when(x.answered, || phase.set(Phase::Idle)));
    });
}
