//! What a burst engine has under way: bursts until they are answered, and commands from their last burst until they are done.

use super::mover::MoverParams;
use hdl::logic::UpDown;
use hdl::{Bundle, Module, Signal, bits, module};

/// Both counts, of which none may be more than `outstanding`.
pub struct UnderWay {
    bursts: UpDown,
    commands: UpDown,
}

impl UnderWay {
    /// Counters that are 0 after reset.
    #[module]
    pub fn new(m: Module, p: MoverParams) -> UnderWay {
        let bursts = UpDown::new(m, p.outstanding);
        let commands = UpDown::new(m, p.outstanding);
        bursts.level.comment("bursts that are not answered");
        commands.level.comment("commands without further bursts, which are not done");
        UnderWay { bursts, commands }
    }
    /// Register: in the cycle before, there was room for a burst and for the end of a command, and this was 1.
    #[module]
    pub fn may_go(&self, m: Module, also: Signal) -> Signal {
        let may_go = m.reg_reset(bits(1), 0);
        may_go.set(also & !self.bursts.is_full() & !self.commands.is_full());
        may_go
    }
    /// A burst begins, or is over.
    pub fn burst(&self, begins: Signal, over: Signal) {
        self.bursts.count(begins, over);
    }
    /// A command's last burst begins, or it is done.
    pub fn command(&self, ends: Signal, done: Signal) {
        self.commands.count(ends, done);
    }
}
