//! Running a compiled design.

mod engine;

use super::check::Checks;
use super::compile::{MemWrite, Program, compile};
use super::native::{Compiler, Native, Tier};
use super::netlist::{FlatMem, FlatProp};
use super::program::{self, Memories, Slot};
use super::wide::limbs;
use super::{flatten, lower};
use crate::design;
use crate::engine::{Began, Engine, MemoryInfo, PortInfo, PowerUp, big_from_limbs};
use crate::ir::Def;
use crate::ir::Errors;
use num_bigint::BigUint;
use rustc_hash::FxHashMap as HashMap;
use std::sync::Arc;

/// What is fixed about a design: shared by the clones of a simulator.
#[derive(Debug)]
pub(super) struct Design {
    pub program: Program,
    pub ports: Vec<PortInfo>,
    clocks: Vec<String>,
    /// The edges between those of the clocks, if something has an asynchronous reset.
    between: Option<u64>,
    signals: Vec<SignalInfo>,
    index: HashMap<String, u32>,
    memories: Vec<MemoryInfo>,
    pub props: Vec<FlatProp>,
    /// The values that a prover would choose.
    pub free: Vec<PortInfo>,
    /// Machine code in place of the program.
    tier: Option<Tier>,
}

impl Design {
    fn code(&self) -> Option<&dyn Native> {
        self.tier.as_ref()?.code()
    }
}

/// A running design. A clone is a second run that starts where this one stands; it shares the compiled program.
#[derive(Clone, Debug)]
pub struct Simulator {
    pub(super) design: Arc<Design>,
    pub(super) slots: Vec<u64>,
    mems: Memories,
    /// Runs machine code. The slots of ports and states are the same, so the program may run too, when it is asked for.
    native: bool,
    /// Something changed since the ports settled.
    dirty: bool,
    /// The same, for all that the live part of the program computes.
    inner_dirty: bool,
    /// The same, for the signals that nobody but an observer uses.
    late_dirty: bool,
    /// Asynchronous resets are looked at before the next input changes.
    looked_at: bool,
    cycles: u64,
    last_edge: u64,
    pub(super) checks: Checks,
    began: Began,
}

/// A named signal that an observer can see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignalInfo {
    /// Hierarchical: instances and signal, with dots between them.
    pub name: String,
    /// Bits.
    pub width: u32,
}

/// Handle of a named signal, from [`Simulator::find`]: its index in [`Simulator::signals`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Probe(pub(crate) u32);

impl Simulator {
    /// A simulator of a design, all inputs 0, all resets inactive, registers and memories with random contents
    /// ([`PowerUp::of_environment`]). Clone it to run the same design again: compiling is the expensive part.
    ///
    /// # Panics
    /// If a foreign module has no model, with the message of [`Simulator::try_new`].
    pub fn new<P>(design: &design::Design<P>) -> Simulator {
        Simulator::try_new(design).unwrap_or_else(|errors| panic!("{errors}"))
    }

    /// As [`Simulator::new`]; the errors name the instances of foreign modules that only another simulator can run.
    pub fn try_new<P>(design: &design::Design<P>) -> Result<Simulator, Errors> {
        super::runnable::unrunnable(&design.def)?;
        Ok(Simulator::from_def(&design.def, None))
    }

    /// A simulator that goes over to machine code after so many evaluations (0: at once); see crate `kvforge-hdl-jit`.
    ///
    /// # Panics
    /// As [`Simulator::new`].
    pub fn with_native<P>(design: &design::Design<P>, compiler: Compiler, patience: u64) -> Simulator {
        super::runnable::unrunnable(&design.def).unwrap_or_else(|errors| panic!("{errors}"));
        Simulator::from_def(&design.def, Some((compiler, patience)))
    }

    /// Compiles a design. Panics on a combinational loop, which the checks of a module do not let through.
    pub(crate) fn from_def(def: &Arc<Def>, native: Option<(Compiler, u64)>) -> Simulator {
        // a model has the same ports in the same order, but tests hold the signals of the design
        let ports = PortInfo::of(def);
        let def = def.foreign.as_ref().and_then(|f| f.model.as_ref()).unwrap_or(def);
        let net = flatten::flatten(def);
        let between = usize::from(net.between.is_some());
        assert!(
            net.domains.len() <= 64,
            "the simulator runs {} clocks at most{}, and the design has {}",
            64 - between,
            if between > 0 { " where registers have asynchronous resets" } else { "" },
            net.domains.len() - between
        );
        // conditions of properties are computed as outputs are, after those
        let nodes: Vec<_> = def.ports.iter().map(|p| p.node).chain(net.props.iter().map(|p| p.cond)).collect();
        let (program, plan) = compile(&net, lower::lower(&net, &nodes));
        let info = |s: &super::compile::Named| SignalInfo { name: s.name.clone(), width: s.width };
        let signals: Vec<SignalInfo> = program.signals.iter().map(info).collect();
        let design = Design {
            ports,
            clocks: net.domains[..net.between.map_or(net.domains.len(), |at| at as usize)]
                .iter()
                .map(|d| d.clock.clone())
                .collect(),
            between: net.between.map(|domain| 1 << domain),
            index: signals.iter().enumerate().map(|(i, s)| (s.name.clone(), i as u32)).collect(),
            signals,
            memories: net.mems.iter().map(FlatMem::info).collect(),
            props: net.props,
            free: net.free,
            tier: native.map(|(compiler, patience)| Tier::new(plan, compiler, patience)),
            program,
        };
        let (slots, mems) = (vec![], Memories::default());
        let mut simulator = Simulator {
            design: Arc::new(design),
            slots,
            mems,
            native: false,
            dirty: true,
            inner_dirty: true,
            late_dirty: true,
            looked_at: false,
            cycles: 0,
            last_edge: 0,
            checks: Checks::default(),
            began: Began(PowerUp::Zero),
        };
        simulator.power_up(PowerUp::of_environment());
        simulator
    }

    /// All named signals of the hierarchy, those of an instance after those of the module that holds it.
    pub fn signals(&self) -> &[SignalInfo] {
        &self.design.signals
    }

    /// The signal with this hierarchical name, such as `u_mul.product`.
    pub fn find(&self, name: &str) -> Option<Probe> {
        self.design.index.get(name).map(|i| Probe(*i))
    }

    /// Name and width of a signal.
    pub fn info(&self, signal: Probe) -> &SignalInfo {
        &self.design.signals[signal.0 as usize]
    }

    /// Value of a signal of at most 64 bits; panics if it is wider.
    pub fn value(&mut self, signal: Probe) -> u64 {
        match self.limbs(signal) {
            [one] => *one,
            _ => panic!("`{}` has more than 64 bits", self.design.signals[signal.0 as usize].name),
        }
    }

    /// Value of a signal.
    pub fn value_big(&mut self, signal: Probe) -> BigUint {
        big_from_limbs(self.limbs(signal))
    }

    /// Value of a signal as little-endian limbs.
    pub fn limbs(&mut self, signal: Probe) -> &[u64] {
        self.settle_inner();
        self.looked_at = self.design.between.is_some();
        let design = Arc::clone(&self.design);
        let named = &design.program.signals[signal.0 as usize];
        if named.late && self.late_dirty {
            program::run(&design.program.code, design.program.late, &mut self.slots, &self.mems);
            self.late_dirty = false;
        }
        &self.slots[named.slot as usize..named.slot as usize + limbs(named.width)]
    }

    /// The clocks (bits, as in [`Engine::edge`]) that rose at the last edge; 0 before the first.
    pub fn last_edge(&self) -> u64 {
        self.last_edge
    }

    /// Instructions that an evaluation of all combinational logic takes as the inputs and the states are now; of a `switch` only
    /// the arm that is taken counts.
    pub fn instructions(&mut self) -> usize {
        self.settle_inner();
        self.design.program.code.taken(self.design.program.live, &self.slots)
    }

    /// Does it run machine code by now?
    pub fn is_native(&self) -> bool {
        self.native
    }

    /// Brings what the ports show up to date.
    fn settle(&mut self) {
        self.looked_at = self.design.between.is_some();
        if !self.dirty {
            return;
        }
        if !self.native {
            self.count_work();
        }
        match self.design.code().filter(|_| self.native) {
            Some(code) => code.settle(&mut self.slots, &mut self.mems.limbs),
            None => self.settle_inner(),
        }
        self.dirty = false;
    }

    /// Brings combinational logic up to date, other than the signals for observers.
    fn settle_inner(&mut self) {
        if self.inner_dirty {
            let program = &self.design.program;
            program::run(&program.code, program.live, &mut self.slots, &self.mems);
            self.inner_dirty = false;
            self.late_dirty = true;
        }
    }

    /// Counts an evaluation; goes over to machine code when it is there.
    fn count_work(&mut self) {
        let Some(tier) = &self.design.tier else { return };
        tier.count();
        if let Some(code) = tier.code() {
            self.slots.resize(code.slots(), 0);
            self.native = true;
        }
    }

    pub(super) fn set(&mut self, slot: Slot, limb: u64) {
        if self.slots[slot as usize] != limb {
            self.keep_resets();
            self.slots[slot as usize] = limb;
            (self.dirty, self.inner_dirty) = (true, true);
        }
    }

    /// Before an input changes: what an asynchronous reset has reset stays so, also if that ends now.
    #[inline]
    fn keep_resets(&mut self) {
        if let Some(clock) = self.design.between.filter(|_| self.looked_at) {
            self.settle();
            self.update(clock);
            self.looked_at = false;
        }
    }

    /// The registers and memories of these clocks take what they see. Combinational logic has settled.
    fn update(&mut self, clocks: u64) {
        match self.design.code().filter(|_| self.native) {
            Some(code) => code.edge(clocks, &mut self.slots, &mut self.mems.limbs),
            None => {
                // All of these take old values: states and memories change only after everything that reads them.
                self.read_memories(clocks);
                self.write_memories(clocks);
                self.commit(clocks);
            }
        }
        self.reset_states(clocks);
        (self.dirty, self.inner_dirty) = (true, true);
    }

    /// Slot and limbs of a port.
    fn port_at(&self, port: usize) -> (usize, usize) {
        (self.design.program.ports[port] as usize, self.design.ports[port].limbs())
    }

    /// Sync reads sample the words of before the edge.
    fn read_memories(&mut self, clocks: u64) {
        for read in self.design.program.reads.iter().filter(|r| clocks >> r.domain & 1 == 1) {
            let stride = self.mems.shapes[read.mem as usize].stride;
            let staged = read.staged as usize..read.staged as usize + stride;
            if read.enable.is_some_and(|e| self.slots[e as usize] == 0) {
                self.slots.copy_within(read.data as usize..read.data as usize + stride, staged.start);
            } else if let Some(word) = self.mems.word(read.mem, self.slots[read.addr as usize]) {
                self.slots[staged].copy_from_slice(word);
            } else {
                self.slots[staged].fill(0);
            }
        }
    }

    fn write_memories(&mut self, clocks: u64) {
        for write in self.design.program.writes.iter().filter(|w| clocks >> w.domain & 1 == 1) {
            write_memory(write, &self.slots, &mut self.mems);
        }
    }

    fn commit(&mut self, clocks: u64) {
        let program = &self.design.program;
        for c in program.commits.iter().filter(|c| clocks >> c.domain & 1 == 1) {
            let (dst, src) = (c.dst as usize, c.src as usize);
            match c.limbs {
                1 => self.slots[dst] = self.slots[src],
                n => self.slots.copy_within(src..src + n as usize, dst),
            }
        }
    }

    /// States under reset take their reset values.
    fn reset_states(&mut self, clocks: u64) {
        let program = &self.design.program;
        let reset = program.resets.iter().enumerate().filter(|(_, slot)| self.slots[**slot as usize] != 0);
        let reset = clocks & reset.fold(0, |mask, (d, _)| mask | 1 << d);
        if reset != 0 {
            for r in program.reset_values.iter().filter(|r| reset >> r.domain & 1 == 1) {
                self.slots[r.dst as usize..r.dst as usize + r.value.len()].copy_from_slice(&r.value);
            }
        }
    }
}

fn write_memory(write: &MemWrite, slots: &[u64], mems: &mut Memories) {
    let stride = mems.shapes[write.mem as usize].stride;
    let data = &slots[write.data as usize..write.data as usize + stride];
    let enabled = |lane: u32| slots[(write.mask + lane / 64) as usize] >> (lane % 64) & 1 == 1;
    let Some(word) = mems.word_mut(write.mem, slots[write.addr as usize]) else { return };
    if write.lanes == 1 {
        if enabled(0) {
            word.copy_from_slice(data);
        }
        return;
    }
    for lane in (0..write.lanes).filter(|l| enabled(*l)) {
        let (mut at, end) = (lane * write.lane_width, (lane + 1) * write.lane_width);
        while at < end {
            let (i, lo) = ((at / 64) as usize, at % 64);
            let bits = (64 - lo).min(end - at);
            let mask = program::ones(bits as u8) << lo;
            word[i] = word[i] & !mask | data[i] & mask;
            at += bits;
        }
    }
}
