//! The requests of the [sequencer](mod@super::sequencer): which are open, and the command that begins or ends one of them.

use super::commands::*;
use super::params::*;
use hdl::*;

#[derive(Clone, Copy, State)]
pub(super) enum Duty {
    /// There is no command.
    None,
    /// The groups of a request become empty.
    Opening,
    /// Its pages come back.
    Releasing,
    /// The end of the command is told.
    Answer,
}

/// The requests, and the command that one of them begins or ends.
#[derive(Clone, Copy)]
pub(super) struct Requests {
    pub(super) open: Vector<Signal>,
    pub(super) duty: StateSignal<Duty>,
    pub(super) answer: Answer,
    /// The group that is next.
    pub(super) group: Group,
}

impl Requests {
    #[module]
    pub(super) fn new(m: Module, controlled: Stream<Answer>, p: MmuParams) -> Requests {
        let open = m.reg_reset(vector(bits(1), p.requests as usize), 0);
        let duty = m.state(Duty::None);
        let ended = m.reg(answer(p));
        let next = m.reg(group(p));
        controlled.valid.set(duty.is(Duty::Answer));
        controlled.payload.set(ended);
        Requests { open, duty, answer: ended, group: next }
    }
    /// Takes a command.
    #[module]
    pub(super) fn take(self, m: Module, commands: Stream<Control>, controlled: Stream<Answer>, p: MmuParams) {
        let Control { release, request, tag } = commands.payload;
        commands.ready.set(self.duty.is(Duty::None));
        let is_open = self.open.at(request);
        let legal = below(request, p.requests);
        let allowed = legal & is_open.eq(release);
        let refusal = release.mux(m.lit_state(Outcome::Closed), m.lit_state(Outcome::Open));
        let refusal = legal.mux(refusal, m.lit_state(Outcome::Address));
        let duty = release.mux(m.lit_state(Duty::Releasing), m.lit_state(Duty::Opening));
        m.when(commands.transfer(), || {
            self.answer.tag.set(tag);
            self.answer.outcome.set(allowed.mux(m.lit_state(Outcome::Okay), refusal));
            self.group.set(Group {
                request,
                layer: self.group.layer.zeros(self.group.layer.width()),
                value: tag.zeros(1),
            });
            self.duty.set(allowed.mux(duty, m.lit_state(Duty::Answer)));
        });
        m.when(commands.transfer() & allowed & release, || self.open.at(request).set(false));
        m.when(controlled.transfer(), || self.duty.set(Duty::None));
    }
    /// Goes to the next group; behind the last one, the command is done.
    pub(super) fn advance(self, m: Module, p: MmuParams) {
        let last = self.group.value & self.group.layer.eq(p.layers - 1);
        self.group.value.set(!self.group.value);
        m.when(self.group.value, || self.group.layer.set(self.group.layer + 1));
        m.when(last, || {
            m.when(self.duty.is(Duty::Opening), || self.open.at(self.group.request).set(true));
            self.duty.set(Duty::Answer);
        });
    }
}
