//! What a compiler to machine code (crate `kvforge-hdl-jit`) gets of a design, and what the simulator gets back.
//!
//! The code works on the slots of the simulator: it reads and writes the very ones of ports and states, so that resets,
//! waves and probes go on as before: what an observer wants to see is still computed by the flat program.

pub use super::case::{Case, Labels};
pub use super::graph::{Ex, Expr};
pub use super::lower::LowNext;
pub use super::program::{Shape, Slot};
pub use super::regions::{Arm, BRANCH, Choice, Group, Item, Logic, Regions, branches, regions};
pub use crate::ir::{BinOp, UnOp};
use std::fmt::Debug;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A design as expressions: what its outputs, registers and memories take.
///
/// A value takes `width.div_ceil(64)` slots of 64 bits, low limb first; bits past the width are 0.
#[derive(Debug)]
pub struct Plan {
    /// Expression and width in bits, operands first.
    pub nodes: Vec<(Expr, u32)>,
    /// The tables of cases.
    pub labels: Vec<Labels>,
    /// Slot of each source.
    pub sources: Vec<Slot>,
    /// What ports show, and where.
    pub outputs: Vec<(Ex, Slot)>,
    /// Registers, and the outputs of sync read ports.
    pub states: Vec<PlanState>,
    /// Write ports, in the order in which they are applied.
    pub writes: Vec<PlanWrite>,
    /// The memories, all in one vector of limbs.
    pub memories: Vec<Shape>,
    /// Number of clock domains.
    pub domains: u32,
    /// Number of slots; the code may have more behind them.
    pub slots: Slot,
}

/// A state. Reset is not in its next value: the simulator applies it after the edge.
#[derive(Clone, Copy, Debug)]
pub struct PlanState {
    /// The source that reads it.
    pub source: u32,
    /// Bits.
    pub width: u32,
    /// Index of its clock.
    pub domain: u32,
    /// What it takes at the edge.
    pub next: LowNext,
}

/// A write port: lane `i` of the word (all lanes equally wide) is written where bit `i` of the mask is 1; an address past
/// the end writes nothing.
#[derive(Clone, Copy, Debug)]
pub struct PlanWrite {
    /// Index of the memory.
    pub mem: u32,
    /// Address.
    pub addr: Ex,
    /// Word.
    pub data: Ex,
    /// A bit for each lane.
    pub mask: Ex,
    /// Index of its clock.
    pub domain: u32,
}

/// A compiled design.
pub trait Native: Debug + Send + Sync {
    /// Slots that it needs, at least those of the plan.
    fn slots(&self) -> usize;
    /// Computes what the ports show.
    fn settle(&self, slots: &mut [u64], limbs: &mut [u64]);
    /// One rising edge of all clocks whose bits are set, on slots that are settled: states and memories take their next
    /// values, all from what was there before.
    fn edge(&self, clocks: u64, slots: &mut [u64], limbs: &mut [u64]);
}

/// A compiler; `None` where the machine has none.
pub type Compiler = fn(&Plan) -> Option<Box<dyn Native>>;

/// Compiles a design when it has run for long enough to be worth it; shared by the clones of a simulator.
#[derive(Debug)]
pub(super) struct Tier {
    plan: Plan,
    compiler: Compiler,
    /// Evaluations that may still be interpreted, by all clones together.
    left: AtomicU64,
    code: OnceLock<Option<Box<dyn Native>>>,
}

impl Tier {
    pub fn new(plan: Plan, compiler: Compiler, patience: u64) -> Tier {
        Tier { plan, compiler, left: AtomicU64::new(patience), code: OnceLock::new() }
    }

    /// The code, if it is there.
    pub fn code(&self) -> Option<&dyn Native> {
        self.code.get()?.as_deref()
    }

    /// Counts an evaluation; compiles when there were enough.
    pub fn count(&self) {
        // A lost count does no harm.
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 {
            self.code.get_or_init(|| (self.compiler)(&self.plan));
        }
    }
}
