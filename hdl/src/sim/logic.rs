//! Expressions as [`Logic`]: what is computed only in the arms of a choice.

use super::graph::{Ex, Expr, Graph};
use super::regions::{BRANCH, Choice, Logic, branches};

/// Expressions on the sides of a multiplexer that make a jump worth its time.
const WORTH_A_JUMP: usize = 32;

/// The expressions of a design.
pub(super) struct Expressions<'a> {
    graph: &'a Graph,
    /// Conditions whose multiplexers are jumps.
    branches: Vec<bool>,
}

impl<'a> Expressions<'a> {
    /// The expressions that `roots` need.
    pub fn new(graph: &'a Graph, roots: &[Ex]) -> Expressions<'a> {
        let mut all = Expressions { graph, branches: vec![false; graph.nodes.len()] };
        all.branches = branches(&all, roots, WORTH_A_JUMP);
        all
    }
    fn expr(&self, e: Ex) -> &Expr {
        &self.graph.nodes[e as usize].0
    }
}

impl Logic for Expressions<'_> {
    fn count(&self) -> usize {
        self.graph.nodes.len()
    }
    fn is_free(&self, e: Ex) -> bool {
        matches!(self.expr(e), Expr::Const(_) | Expr::Source(_))
    }
    fn each_operand(&self, e: Ex, f: &mut dyn FnMut(Ex)) {
        self.expr(e).each_operand(f);
    }
    fn mux(&self, e: Ex) -> Option<[Ex; 3]> {
        match self.expr(e) {
            Expr::Mux(c, yes, no) => Some([*c, *yes, *no]),
            _ => None,
        }
    }
    fn choice(&self, e: Ex) -> Option<Choice> {
        match self.expr(e) {
            Expr::Case(case) => Some(Choice { selector: case.selector, labels: case.labels, default: case.default }),
            Expr::Mux(c, _, no) if self.branches[*c as usize] => {
                Some(Choice { selector: *c, labels: BRANCH, default: *no })
            }
            _ => None,
        }
    }
    fn each_arm(&self, e: Ex, f: &mut dyn FnMut(u32, Ex)) {
        match self.expr(e) {
            Expr::Case(case) => case.arms.iter().for_each(|(arm, value)| f(*arm, *value)),
            Expr::Mux(_, yes, _) => f(0, *yes),
            _ => {}
        }
    }
}
