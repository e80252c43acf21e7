//! Expressions as [`Logic`]: what is computed only in the arms of a choice.

use super::graph::{Ex, Expr, Graph};
use super::regions::{Choice, Logic};

/// In place of the index of a table: a condition that is 1 chooses arm 0.
pub(super) const BRANCH: u32 = u32::MAX;

/// The expressions of a design.
pub(super) struct Expressions<'a> {
    graph: &'a Graph,
}

impl<'a> Expressions<'a> {
    pub fn new(graph: &'a Graph) -> Expressions<'a> {
        Expressions { graph }
    }
}

impl Logic for Expressions<'_> {
    fn count(&self) -> usize {
        self.graph.nodes.len()
    }
    fn is_free(&self, e: Ex) -> bool {
        matches!(self.graph.nodes[e as usize].0, Expr::Const(_) | Expr::Source(_))
    }
    fn each_operand(&self, e: Ex, f: &mut dyn FnMut(Ex)) {
        self.graph.nodes[e as usize].0.each_operand(f);
    }
    fn choice(&self, e: Ex) -> Option<Choice> {
        match &self.graph.nodes[e as usize].0 {
            Expr::Case(case) => Some(Choice { selector: case.selector, labels: case.labels, default: case.default }),
            _ => None,
        }
    }
    fn each_arm(&self, e: Ex, f: &mut dyn FnMut(u32, Ex)) {
        if let Expr::Case(case) = &self.graph.nodes[e as usize].0 {
            case.arms.iter().for_each(|(arm, value)| f(*arm, *value));
        }
    }
}
