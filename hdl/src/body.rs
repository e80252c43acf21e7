//! The module under construction, behind the `Copy` handles.

use crate::error::{Diagnostic, Errors};
use crate::ir::*;
use num_bigint::BigUint;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};

/// Key of the blanks that [`bits`](crate::bits) makes: signals that are only a shape.
pub(crate) const BLANK: u32 = 0;

/// Key of what was computed from a signal without a module: that is reported already.
pub(crate) const LOST: u32 = u32::MAX;

static NEXT_KEY: AtomicU32 = AtomicU32::new(1);

thread_local! {
    static BODIES: RefCell<BTreeMap<u32, Body>> = const { RefCell::new(BTreeMap::new()) };
    /// Errors made with signals whose module is finished; the next `finish` on this thread reports them.
    static STRAY: RefCell<Vec<Diagnostic>> = const { RefCell::new(Vec::new()) };
}

/// A pipeline scope.
#[derive(Debug)]
pub(crate) struct PipeData {
    pub name: String,
    pub enable: Option<Id>,
}

/// A mistake was found here and is reported; what depends on it is not to be judged.
pub(crate) struct Reported;

#[derive(Debug, Default)]
pub(crate) struct Body {
    pub def: Def,
    pub errors: Vec<Diagnostic>,
    /// Open blocks of `when` and `switch`; the first is the module itself.
    pub blocks: Vec<Vec<Stmt>>,
    /// Conditions and selectors of the open blocks.
    pub conds: Vec<Id>,
    pub shared: HashMap<SharedKey, Id>,
    /// Assignments that stand before all others: what properties inside `when` are where it does not apply.
    pub defaults: Vec<Stmt>,
    pub domain: u32,
    /// Where a value was first assigned to a net: target, value.
    pub set_at: HashMap<(Id, Id), Loc>,
    /// Prefixes of `scope`.
    pub scopes: Vec<String>,
    pub pipes: Vec<PipeData>,
    /// The register one stage behind a signal.
    pub delayed: HashMap<Id, Id>,
    /// Registers named after what they delay.
    pub named_after: HashMap<Id, Id>,
    /// Signals whose delayed copies are reset to 0.
    pub valids: std::collections::HashSet<Id>,
    /// Base stage of instances in a pipeline.
    pub inst_stage: HashMap<u32, (u32, i32)>,
}

/// Constants and slices are shared, so that `x.bit(3)` twice is one node.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum SharedKey {
    Const(BigUint, u32),
    Variant(u32, u32),
    Slice(Id, u32, u32),
}

impl Body {
    pub fn node(&self, id: Id) -> &Node {
        &self.def.nodes[id as usize]
    }
    pub fn push(&mut self, op: Op, width: u32, loc: Loc) -> Id {
        let id = self.def.nodes.len() as Id;
        self.def.nodes.push(Node { op, width, loc, name: None, stage: None, comment: None });
        id
    }
    pub fn share(&mut self, key: SharedKey, op: Op, width: u32, loc: Loc) -> Id {
        if let Some(&id) = self.shared.get(&key) {
            return id;
        }
        let id = self.push(op, width, loc);
        self.shared.insert(key, id);
        id
    }
    /// A node of the given operator; its stage follows from its operands.
    pub fn make(&mut self, op: Op, width: u32, loc: Loc) -> Id {
        let operands = op.operands();
        let poisoned = operands.iter().any(|o| self.node(*o).op == Op::Poison);
        if let Some(v) = self.folded(&op, width) {
            return self.share(SharedKey::Const(v.clone(), width), Op::Const(v), width, loc);
        }
        let Ok(stage) = self.merge_stages(&operands, loc) else { return self.poison(width, loc) };
        let id = self.push(if poisoned { Op::Poison } else { op }, width, loc);
        self.def.nodes[id as usize].stage = stage;
        id
    }
    pub fn poison(&mut self, width: u32, loc: Loc) -> Id {
        self.push(Op::Poison, width.max(1), loc)
    }
    /// The stage that signals used together have; reports an error when they have several.
    pub fn merge_stages(&mut self, ids: &[Id], loc: Loc) -> Result<Option<(u32, i32)>, Reported> {
        let mut found: Option<(Id, (u32, i32))> = None;
        for &id in ids {
            match (found, self.node(id).stage) {
                (None, Some(s)) => found = Some((id, s)),
                (Some((first, a)), Some(b)) if a != b => {
                    self.stage_error(first, id, loc);
                    return Err(Reported);
                }
                _ => {}
            }
        }
        Ok(found.map(|f| f.1))
    }
    pub fn stage_error(&mut self, a: Id, b: Id, loc: Loc) {
        let (Some((pa, sa)), Some((pb, sb))) = (self.node(a).stage, self.node(b).stage) else { return };
        let (da, db) = (self.describe(a), self.describe(b));
        if pa != pb {
            let (na, nb) = (self.pipes[pa as usize].name.clone(), self.pipes[pb as usize].name.clone());
            let message = format!("{da} belongs to pipeline `{na}`, {db} to pipeline `{nb}`");
            self.error(loc, message, vec![], Some("take one out of its pipeline with `leave`".into()));
            return;
        }
        let name = &self.pipes[pa as usize].name;
        let apart = sa.abs_diff(sb);
        let plural = if apart == 1 { "" } else { "s" };
        let message =
            format!("{da} is at stage {sa}, {db} at stage {sb} of pipeline `{name}`: {apart} stage{plural} apart");
        let (early, late) = if sa < sb { (a, b) } else { (b, a) };
        let help = format!("delay the earlier one: `{}.meet({})`", self.label(early), self.label(late));
        let notes = vec![(self.node(a).loc, "the first comes from here"), (self.node(b).loc, "the second from here")];
        self.error(loc, message, notes, Some(help));
    }
    pub fn error(&mut self, loc: Loc, message: String, notes: Vec<(Loc, &str)>, help: Option<String>) {
        self.errors.push(Diagnostic {
            module: self.def.name.clone(),
            message,
            span: loc.into(),
            notes: notes.into_iter().map(|(l, t)| (l.into(), t.to_string())).collect(),
            help,
        });
    }
    /// How many sections began so far.
    pub fn section(&self) -> u32 {
        self.def.sections.len() as u32
    }
    pub fn block(&mut self) -> &mut Vec<Stmt> {
        self.blocks.last_mut().expect("a module has at least its own block")
    }
}

/// Puts a new body into this thread's store.
pub(crate) fn open(mut body: Body) -> u32 {
    let key = NEXT_KEY.fetch_add(1, Ordering::Relaxed);
    body.def.key = key;
    BODIES.with_borrow_mut(|b| b.insert(key, body));
    key
}

/// Takes a body out for good, with the stray errors of this thread.
pub(crate) fn close(key: u32) -> Option<Body> {
    let mut body = BODIES.with_borrow_mut(|b| b.remove(&key))?;
    let stray = STRAY.with_borrow_mut(std::mem::take);
    body.errors.extend(stray.into_iter().map(|d| Diagnostic { module: body.def.name.clone(), ..d }));
    Some(body)
}

/// Runs `f` on the body of `key`. `None` when that module is finished (or lives on another thread): reported as an error.
pub(crate) fn with<R>(key: u32, loc: Loc, f: impl FnOnce(&mut Body) -> R) -> Option<R> {
    BODIES.with_borrow_mut(|bodies| {
        if let Some(body) = bodies.get_mut(&key) {
            return Some(f(body));
        }
        if key == LOST {
            return None;
        }
        let what = if key == BLANK {
            ("a shape is used as a signal", "`bits(n)` only describes: give it to `wire`, `reg` or a port")
        } else {
            ("a signal is used whose module is finished", "connect modules through the ports of an instance")
        };
        let stray = Diagnostic {
            module: String::new(),
            message: what.0.into(),
            span: loc.into(),
            notes: vec![],
            help: Some(what.1.into()),
        };
        STRAY.with_borrow_mut(|s| {
            if s.last() != Some(&stray) {
                s.push(stray);
            }
        });
        None
    })
}

impl From<Vec<Diagnostic>> for Errors {
    fn from(list: Vec<Diagnostic>) -> Self {
        Errors(list)
    }
}

/// The name of a `let`. Signals without a module keep theirs: binding one is no mistake.
pub(crate) fn take_name(s: crate::Signal, name: &str) {
    BODIES.with_borrow_mut(|bodies| bodies.get_mut(&s.key).map(|b| b.take_name(s.id, name)));
}
