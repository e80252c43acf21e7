//! From expressions to the flat program: a slot for every value, an instruction for every expression that needs one.

use super::commit;
use super::graph::{Ex, Expr, Graph};
use super::logic::Expressions;
use super::lower::{LowNext, Lowered};
use super::native::{Plan, PlanState, PlanWrite};
use super::netlist::{FlatMem, Netlist, State, Write};
use super::program::{Block, Code, Instr, Jump, Memories, Shape, Slot};
use super::regions::{Arm, BRANCH, Group, Item, Regions, regions};
use super::schedule::schedule;
use super::wide::{Part, Wide, limbs};
use num_bigint::BigUint;

/// A named signal.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: String,
    pub slot: Slot,
    pub width: u32,
    /// Computed by the second part of the program.
    pub late: bool,
}

/// A write port.
#[derive(Clone, Debug)]
pub(super) struct MemWrite {
    pub mem: u32,
    pub addr: Slot,
    pub data: Slot,
    pub mask: Slot,
    pub lanes: u32,
    pub lane_width: u32,
    pub domain: u32,
}

/// A sync read port: at the edge, `staged` takes the word, or `data` where `enable` is not 1.
#[derive(Clone, Debug)]
pub(super) struct SyncRead {
    pub mem: u32,
    pub addr: Slot,
    pub enable: Option<Slot>,
    pub data: Slot,
    pub staged: Slot,
    pub domain: u32,
}

/// A state takes its next value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commit {
    pub dst: Slot,
    pub src: Slot,
    pub limbs: u32,
    pub domain: u32,
}

/// A state takes its reset value.
#[derive(Clone, Debug)]
pub(super) struct ResetValue {
    pub dst: Slot,
    pub value: Vec<u64>,
    pub domain: u32,
}

/// A compiled design.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub code: Code,
    /// What ports, registers and memories need.
    pub live: Block,
    /// What only named signals need: those that nobody uses, and those in arms that may not be taken.
    pub late: Block,
    /// Slots at power-up: constants, and zeros.
    pub slots: Vec<u64>,
    /// Slot and width of each state.
    pub states: Vec<(Slot, u32)>,
    pub mems: Memories,
    /// Slots of the ports.
    pub ports: Vec<Slot>,
    pub signals: Vec<Named>,
    /// Slot of each domain's reset.
    pub resets: Vec<Slot>,
    pub reads: Vec<SyncRead>,
    pub writes: Vec<MemWrite>,
    /// In an order in which no state is written before all that take its old value have it.
    pub commits: Vec<Commit>,
    pub reset_values: Vec<ResetValue>,
}

/// Slots of expressions and sources while compiling.
pub(super) struct Compile<'a> {
    graph: &'a Graph,
    pub(super) program: Program,
    /// The block in the making.
    code: Vec<Instr>,
    pub(super) sources: Vec<Slot>,
    /// Slot of each expression that was compiled.
    at: Vec<Option<Slot>>,
}

/// Compiles a lowered design.
pub(super) fn compile(net: &Netlist, low: Lowered) -> (Program, Plan) {
    let (program, code) = (Program::default(), vec![]);
    let mut c = Compile { graph: &low.graph, program, code, sources: vec![], at: vec![None; low.graph.nodes.len()] };
    for &width in &net.sources {
        let slot = c.fresh(width);
        c.sources.push(slot);
    }
    let roots = roots(&low);
    let logic = Expressions::new(&low.graph, &roots);
    let live = regions(&logic, &roots, &[]);
    c.regions(&live, &roots);
    c.state(net, &low);
    c.program.live = c.block();
    // An observer may look at what stands in an arm also when that is not taken.
    let late = regions(&logic, &low.names, &live.always);
    c.regions(&late, &low.names);
    c.program.late = c.block();
    c.program.ports = low.ports.iter().map(|e| c.slot(*e)).collect();
    c.program.resets = net.resets.iter().map(|s| c.sources[*s as usize]).collect();
    let named = net.names.iter().zip(&low.names).map(|((name, _), &e)| Named {
        name: name.clone(),
        slot: c.slot(e),
        width: low.graph.width(e),
        late: late.always[e as usize],
    });
    c.program.signals = named.collect();
    net.mems.iter().for_each(|m| add_memory(&mut c.program.mems, m));
    let outputs = low.ports.iter().map(|e| (*e, c.slot(*e))).collect();
    let Compile { program, sources, .. } = c;
    let plan = plan(net, low, sources, outputs, &program);
    (program, plan)
}

/// What ports, registers and memories take.
fn roots(low: &Lowered) -> Vec<Ex> {
    let states = low.states.iter().flat_map(|next| match next {
        LowNext::Value(e) => [Some(*e), None],
        LowNext::Read { addr, enable, .. } => [Some(*addr), *enable],
    });
    low.ports.iter().copied().chain(low.writes.iter().flatten().copied()).chain(states.flatten()).collect()
}

fn add_memory(mems: &mut Memories, mem: &FlatMem) {
    let (start, stride) = (mems.limbs.len(), limbs(mem.width));
    mems.limbs.resize(start + stride * mem.depth as usize, 0);
    for (word, value) in mems.limbs[start..].chunks_exact_mut(stride).zip(&mem.init) {
        value.iter_u64_digits().zip(word).for_each(|(digit, limb)| *limb = digit);
    }
    mems.shapes.push(Shape { start, stride, depth: mem.depth.into() });
    mems.blank.push((start + stride * mem.init.len(), mem.width));
}

/// The same for a compiler to machine code, which shares the slots of ports and states.
fn plan(net: &Netlist, low: Lowered, sources: Vec<Slot>, outputs: Vec<(Ex, Slot)>, program: &Program) -> Plan {
    let state = |(state, next): (&State, &LowNext)| PlanState {
        source: state.source,
        width: state.width,
        domain: state.domain,
        next: *next,
    };
    let write = |(write, [addr, data, mask]): (&Write, &[Ex; 3])| PlanWrite {
        mem: write.mem,
        addr: *addr,
        data: *data,
        mask: *mask,
        domain: write.domain,
    };
    Plan {
        sources,
        outputs,
        states: net.states.iter().zip(&low.states).map(state).collect(),
        writes: net.writes.iter().zip(&low.writes).map(write).collect(),
        memories: program.mems.shapes.clone(),
        domains: net.domains.len() as u32,
        slots: program.slots.len() as Slot,
        nodes: low.graph.nodes,
        labels: low.graph.labels,
    }
}

impl Compile<'_> {
    pub(super) fn fresh(&mut self, width: u32) -> Slot {
        let slot = self.program.slots.len();
        self.program.slots.resize(slot + limbs(width), 0);
        u32::try_from(slot).expect("a design of less than 2^32 limbs")
    }
    pub(super) fn emit(&mut self, instr: Instr) {
        self.code.push(instr);
    }
    pub(super) fn emit_wide(&mut self, wide: Wide) {
        self.code.push(Instr::Wide(self.program.code.wides.len() as u32));
        self.program.code.wides.push(wide);
    }
    /// Ends the block in the making.
    fn block(&mut self) -> Block {
        self.program.code.block(std::mem::take(&mut self.code))
    }
    pub(super) fn slot(&self, e: Ex) -> Slot {
        self.at[e as usize].expect("operands come first")
    }
    pub(super) fn part(&self, e: Ex) -> Part {
        Part { slot: self.slot(e), width: self.graph.width(e) }
    }
    pub(super) fn is_zero(&self, e: Ex) -> bool {
        matches!(&self.graph.nodes[e as usize].0, Expr::Const(value) if *value == BigUint::ZERO)
    }

    /// Compiles what is done always and, within that, what is done in arms.
    fn regions(&mut self, regions: &Regions, roots: &[Ex]) {
        roots.iter().for_each(|root| self.free(*root));
        for item in schedule(self.graph, regions) {
            self.item(regions, item);
        }
    }

    fn item(&mut self, regions: &Regions, item: Item) {
        match item {
            Item::Node(e) => {
                let (expr, width) = &self.graph.nodes[e as usize];
                expr.each_operand(|x| self.free(x));
                self.at[e as usize] = Some(self.expression(expr, *width));
            }
            Item::Group(group) => self.group(regions, &regions.groups[group as usize]),
        }
    }

    /// What needs no instruction gets its slot when it is first used.
    fn free(&mut self, e: Ex) {
        let (expr, width) = &self.graph.nodes[e as usize];
        if self.at[e as usize].is_none() && matches!(expr, Expr::Const(_) | Expr::Source(_)) {
            self.at[e as usize] = Some(self.expression(expr, *width));
        }
    }

    /// Choices that are made together: a jump to the arm that is taken.
    fn group(&mut self, regions: &Regions, group: &Group) {
        for &member in &group.members {
            self.at[member as usize] = Some(self.fresh(self.graph.width(member)));
        }
        self.results(&group.before);
        self.free(group.selector);
        let outside = std::mem::take(&mut self.code);
        let blocks: Vec<(u32, Block)> =
            group.arms.iter().map(|(number, arm)| (*number, self.arm(regions, arm))).collect();
        let default = self.arm(regions, &group.default);
        self.code = outside;
        let block = |arm: u32| blocks.binary_search_by_key(&arm, |(number, _)| *number).ok().map(|at| blocks[at].1);
        let values = match group.labels {
            BRANCH => vec![(1, 0)],
            labels => self.graph.labels[labels as usize].values().to_vec(),
        };
        let targets = values.into_iter().filter_map(|(value, arm)| Some((value, block(arm)?)));
        let jump = Jump::new(self.slot(group.selector), targets.collect(), default);
        self.emit(Instr::Jump(self.program.code.jumps.len() as u32));
        self.program.code.jumps.push(jump);
    }

    fn arm(&mut self, regions: &Regions, arm: &Arm) -> Block {
        arm.items.iter().for_each(|item| self.item(regions, *item));
        self.results(&arm.results);
        self.block()
    }

    /// Choices take values.
    fn results(&mut self, results: &[(Ex, Ex)]) {
        for &(member, value) in results {
            self.free(value);
            let (dst, a) = (self.slot(member), self.slot(value));
            let limbs = limbs(self.graph.width(member)) as u32;
            (0..limbs).for_each(|i| self.emit(Instr::Copy { dst: dst + i, a: a + i }));
        }
    }

    /// What happens at the clock edge.
    fn state(&mut self, net: &Netlist, low: &Lowered) {
        let mut commits = vec![];
        for (state, next) in net.states.iter().zip(&low.states) {
            let (dst, domain) = (self.sources[state.source as usize], state.domain);
            let src = match *next {
                LowNext::Value(e) => self.slot(e),
                LowNext::Read { mem, addr, enable } => {
                    let (addr, enable) = (self.slot(addr), enable.map(|e| self.slot(e)));
                    let staged = self.fresh(state.width);
                    self.program.reads.push(SyncRead { mem, addr, enable, data: dst, staged, domain });
                    staged
                }
            };
            if !state.begins_as_0 {
                self.program.states.push((dst, state.width));
            }
            commits.push(Commit { dst, src, limbs: limbs(state.width) as u32, domain });
            if let Some(reset) = &state.reset {
                let mut value = reset.to_u64_digits();
                value.resize(limbs(state.width), 0);
                self.program.reset_values.push(ResetValue { dst, value, domain });
            }
        }
        for (write, [addr, data, mask]) in net.writes.iter().zip(&low.writes) {
            let lanes = self.graph.width(*mask);
            let lane_width = self.graph.width(*data) / lanes;
            let (addr, data, mask) = (self.slot(*addr), self.slot(*data), self.slot(*mask));
            let (mem, domain) = (write.mem, write.domain);
            self.program.writes.push(MemWrite { mem, addr, data, mask, lanes, lane_width, domain });
        }
        let (ordered, circular) = commit::order(commits);
        self.program.commits = ordered;
        // States that take each other's value in a circle go through copies, which the program makes.
        for mut commit in circular {
            let copy = self.fresh(64 * commit.limbs);
            (0..commit.limbs).for_each(|i| self.emit(Instr::Copy { dst: copy + i, a: commit.src + i }));
            commit.src = copy;
            self.program.commits.push(commit);
        }
    }
}
