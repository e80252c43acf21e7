//! From the netlist to expressions in an order in which they can be computed.

use super::case::Case;
use super::graph::{Ex, Graph};
use super::netlist::{Flat, Netlist, Next, Node};

/// The expressions of a design and who needs them.
pub(super) struct Lowered {
    pub graph: Graph,
    /// Expression of each named signal, in the order of `Netlist::names`.
    pub names: Vec<Ex>,
    /// Expression of each of the top's ports.
    pub ports: Vec<Ex>,
    pub states: Vec<LowNext>,
    /// Address, data, mask.
    pub writes: Vec<[Ex; 3]>,
}

/// What a state takes at the clock edge.
#[derive(Clone, Copy, Debug)]
pub enum LowNext {
    /// The value of an expression.
    Value(Ex),
    /// The word of a memory as it was before the edge; holds unless the enable is 1.
    Read {
        /// Index of the memory.
        mem: u32,
        /// Address.
        addr: Ex,
        /// Holds unless this is 1.
        enable: Option<Ex>,
    },
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    /// Operands are being lowered.
    Open,
    Done(Ex),
}

struct Lower<'a> {
    net: &'a Netlist,
    graph: Graph,
    marks: Vec<Mark>,
    stack: Vec<Node>,
}

/// Lowers everything that has a name or feeds a port, a register or a memory. Panics on a combinational loop: the
/// checks of a module do not let one through.
pub(super) fn lower(net: &Netlist, ports: &[Node]) -> Lowered {
    let marks = vec![Mark::New; net.nodes.len()];
    let mut l = Lower { net, graph: Graph::new(net.labels.tables.clone()), marks, stack: vec![] };
    // Roots first: what only a name needs comes last.
    let ports = ports.iter().map(|p| l.node(*p)).collect();
    let states = net.states.iter().map(|s| match s.next {
        Next::Node(n) => LowNext::Value(l.node(n)),
        Next::Read { mem, addr, enable } => {
            LowNext::Read { mem, addr: l.node(addr), enable: enable.map(|e| l.node(e)) }
        }
    });
    let states = states.collect();
    let writes = net.writes.iter().map(|w| [w.addr, w.data, w.mask].map(|n| l.node(n))).collect();
    let names = net.names.iter().map(|(_, n)| l.node(*n)).collect();
    Lowered { graph: l.graph, names, ports, states, writes }
}

impl Lower<'_> {
    fn node(&mut self, root: Node) -> Ex {
        let mut operands = vec![];
        self.stack.push(root);
        while let Some(&node) = self.stack.last() {
            match self.marks[node as usize] {
                Mark::New => {
                    self.marks[node as usize] = Mark::Open;
                    operands.clear();
                    self.net.nodes[node as usize].op.operands(&mut operands);
                    for &operand in &operands {
                        match self.marks[operand as usize] {
                            Mark::New => self.stack.push(operand),
                            Mark::Open => self.report_loop(),
                            Mark::Done(_) => {}
                        }
                    }
                }
                Mark::Open => {
                    let e = self.build(node);
                    self.marks[node as usize] = Mark::Done(e);
                    self.stack.pop();
                }
                Mark::Done(_) => {
                    self.stack.pop();
                }
            }
        }
        self.done(root)
    }

    fn done(&self, node: Node) -> Ex {
        match self.marks[node as usize] {
            Mark::Done(e) => e,
            _ => unreachable!("operands are lowered first"),
        }
    }

    fn build(&mut self, node: Node) -> Ex {
        let flat = &self.net.nodes[node as usize];
        let width = flat.width;
        match &flat.op {
            Flat::Const(value) => self.graph.constant(value.clone(), width),
            Flat::Source(s) => self.graph.source(*s, width),
            Flat::Alias(a) => self.done(*a),
            Flat::Un(op, a) => self.graph.un(*op, self.done(*a)),
            Flat::Bin(op, a, b) => self.graph.bin(*op, self.done(*a), self.done(*b)),
            Flat::Mux(c, a, b) => self.graph.mux(self.done(*c), self.done(*a), self.done(*b)),
            Flat::Slice(a, lo) => self.graph.slice(self.done(*a), *lo, width),
            Flat::Part(a, at) => self.graph.part(self.done(*a), self.done(*at), width),
            Flat::Cat(parts) => self.graph.cat(parts.iter().map(|p| self.done(*p)).collect(), width),
            Flat::Repeat(a, n) => self.graph.repeat(self.done(*a), *n),
            Flat::Insert(a, v, at) => self.graph.insert(self.done(*a), self.done(*v), self.done(*at)),
            Flat::Read(mem, addr) => self.graph.read(*mem, self.done(*addr), width),
            Flat::Case(case) => {
                let arms = case.arms.iter().map(|(arm, value)| (*arm, self.done(*value))).collect();
                let (selector, default) = (self.done(case.selector), self.done(case.default));
                self.graph.case(Case { selector, labels: case.labels, arms, default }, width)
            }
        }
    }

    /// The open nodes are the ones whose operands lead to each other.
    fn report_loop(&self) {
        let open = |n: &Node| self.marks[*n as usize] == Mark::Open;
        let names: Vec<&str> = self.net.names.iter().filter(|(_, n)| open(n)).map(|(s, _)| s.as_str()).collect();
        panic!("combinational loop, somewhere in: {}", names.join(", "));
    }
}
