//! The modules under construction on this thread, behind the `Copy` handles.
//!
//! A mistake belongs to the module in which it is made, and comes back from that module's `finish`. What is done with signals that
//! all belong to finished modules, or to none, has nobody to come back to: it panics where the user wrote it, with the same text.

use crate::ir::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT_KEY: AtomicU32 = AtomicU32::new(1);

/// How many finished modules are known by name; of those before, a mistake says that they are one of two.
const REMEMBERED: usize = 10_000;

/// Modules that were finished last, on any thread: their names, and where.
static FINISHED: Mutex<BTreeMap<u32, (String, Loc)>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// The open blocks of `when` and `switch`: the module of each, and the number of modules that were begun before.
    static CONDITIONS: RefCell<Vec<(u32, u32)>> = const { RefCell::new(vec![]) };
    static BODIES: RefCell<BTreeMap<u32, Draft>> = const { RefCell::new(BTreeMap::new()) };
}

/// Puts a new body into this thread's store.
pub(crate) fn open(mut body: Draft) -> u32 {
    let key = NEXT_KEY.fetch_add(1, Ordering::Relaxed);
    body.def.key = key;
    BODIES.with_borrow_mut(|b| b.insert(key, body));
    key
}

/// Takes a body out for good; an error if it is not there.
pub(crate) fn close(key: u32, loc: Loc) -> Result<Draft, Errors> {
    let body = BODIES.with_borrow_mut(|b| b.remove(&key)).ok_or_else(|| Errors(vec![absent(key, loc)]))?;
    let mut finished = finished();
    finished.insert(key, (body.def.name.clone(), loc));
    if finished.len() > REMEMBERED {
        finished.pop_first();
    }
    Ok(body)
}

/// Runs `f` on the body of `key`.
///
/// # Panics
/// If that module is not under construction on this thread.
pub(crate) fn with<R>(key: u32, loc: Loc, f: impl FnOnce(&mut Draft) -> R) -> Option<R> {
    let found = if_open(key, f);
    if found.is_none() {
        panic!("{:?}", absent(key, loc));
    }
    found
}

/// Runs `f` on the module under construction to which one of the signals belongs: of two that do not belong together, one is at
/// home somewhere, and that is where the mistake is reported.
pub(crate) fn with_any<R>(signals: &[Signal], loc: Loc, f: impl FnOnce(&mut Draft) -> R) -> Option<R> {
    with(home(signals), loc, f)
}

/// The key of the first signal whose module is under construction here; that of the first signal if there is none.
pub(crate) fn home(signals: &[Signal]) -> u32 {
    let open = |s: &&Signal| BODIES.with_borrow(|bodies| bodies.contains_key(&s.key));
    signals.iter().find(open).or(signals.first()).map_or(BLANK, |s| s.key)
}

/// Runs `f` if the module is still under construction: to name what is bound, which is no mistake afterwards.
pub(crate) fn if_open<R>(key: u32, f: impl FnOnce(&mut Draft) -> R) -> Option<R> {
    BODIES.with_borrow_mut(|bodies| bodies.get_mut(&key).map(f))
}

/// A block of a `when` or `switch` of this module begins.
pub(crate) fn enter_condition(key: u32) {
    CONDITIONS.with_borrow_mut(|open| open.push((key, NEXT_KEY.load(Ordering::Relaxed))));
}

pub(crate) fn leave_condition() {
    CONDITIONS.with_borrow_mut(|open| open.pop());
}

/// Does what is built now in this module stand under a condition of another one, which it would ignore? (A module that is begun and
/// finished inside a `when` of another does not.)
pub(crate) fn foreign_condition(key: u32) -> bool {
    CONDITIONS.with_borrow(|open| open.iter().any(|(module, begun)| *module != key && key < *begun))
}

/// For a mistake that belongs to no module under construction: it cannot come back from a `finish`.
pub(crate) fn refuse(loc: Loc, message: impl Into<String>, help: impl Into<String>) -> ! {
    let (message, help) = (message.into(), Some(help.into()));
    panic!("{:?}", Diagnostic { module: String::new(), message, span: loc.into(), notes: vec![], help })
}

/// For a mistake in a shape, which no signal brings to a module: it is one of the module under construction that was begun last on this
/// thread, if there is one.
pub(crate) fn report_or_refuse(loc: Loc, message: String, help: String) {
    let last = BODIES.with_borrow(|bodies| bodies.last_key_value().map(|(key, _)| *key));
    match last {
        Some(key) => if_open(key, |b| b.error(loc, message, vec![], Some(help))),
        None => refuse(loc, message, help),
    };
}

/// A function that gives a finished module runs. What it began and did not finish is given up when it returns, with `?` or a panic:
/// nobody can finish it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Building {
    /// The modules of this thread that are begun from here on have this key or a higher one.
    first: u32,
}

impl Building {
    #[doc(hidden)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Building {
        Building { first: NEXT_KEY.load(Ordering::Relaxed) }
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        // dropped when the store is free again
        let _given_up = BODIES.with_borrow_mut(|bodies| bodies.split_off(&self.first));
    }
}

fn finished() -> std::sync::MutexGuard<'static, BTreeMap<u32, (String, Loc)>> {
    FINISHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// May this be a module that was finished before all that are remembered?
fn forgotten(key: u32) -> bool {
    let finished = finished();
    finished.len() == REMEMBERED && finished.first_key_value().is_some_and(|(first, _)| key < *first)
}

/// What is wrong with using something of a module that is not under construction here.
fn absent(key: u32, loc: Loc) -> Diagnostic {
    if let Some((module, at)) = finished().get(&key).cloned() {
        return Diagnostic {
            message: format!("module `{module}` is finished: nothing can be built in it or from its signals"),
            notes: vec![(at.into(), "it was finished here".into())],
            help: Some(
                "build it before `finish`; another module uses the ports of an instance, `m.instance(&design)`".into(),
            ),
            module,
            span: loc.into(),
        };
    }
    let (message, help) = match key {
        BLANK => ("a shape is used as a signal", "`bits(n)` only describes: give it to `wire`, `reg` or a port"),
        _ if forgotten(key) => (
            "a module is used that was finished long ago, or is built on another thread",
            "build it before `finish`, and on one thread",
        ),
        _ => (
            "a module is used on another thread than its own",
            "build it on one thread, from `Module::new` to `finish`",
        ),
    };
    Diagnostic {
        module: String::new(),
        message: message.into(),
        span: loc.into(),
        notes: vec![],
        help: Some(help.into()),
    }
}

/// The name of a vector, if the signal belongs to a register file: `false` if not.
pub(crate) fn name_file(s: Signal, name: &str) -> bool {
    if_open(s.key, |b| b.name_file(s.id, name)).unwrap_or(false)
}

/// The name of a `let`. Signals without a module keep theirs: binding one is no mistake.
pub(crate) fn take_name(s: Signal, name: &str) {
    if_open(s.key, |b| b.take_name(s.id, name));
}

/// A field that holds states was made by a closure of [`Bundle::map`](super::Bundle::map): if it is a register with a number as its
/// reset value, that is the code of a state.
pub(super) fn of_number(code: Signal, of: impl FnOnce() -> StateEnum) {
    if code.key != BLANK {
        with(code.key, Location::caller(), |b| {
            if matches!(b.node(code.id).op, Op::Net(Net::Reg(_))) {
                let of = of();
                b.check_numbered(code.id, &of);
                b.state_registers.insert(code.id, of);
            } else if !b.numbered.is_empty() {
                b.check_numbered(code.id, &of());
            }
        });
    }
}
