//! The modules under construction on this thread, behind the `Copy` handles.

use crate::ir::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT_KEY: AtomicU32 = AtomicU32::new(1);

thread_local! {
    static BODIES: RefCell<BTreeMap<u32, Draft>> = const { RefCell::new(BTreeMap::new()) };
    /// Errors made with signals whose module is finished; the next `finish` on this thread reports them.
    static STRAY: RefCell<Vec<Diagnostic>> = const { RefCell::new(Vec::new()) };
}

/// Puts a new body into this thread's store.
pub(crate) fn open(mut body: Draft) -> u32 {
    let key = NEXT_KEY.fetch_add(1, Ordering::Relaxed);
    body.def.key = key;
    BODIES.with_borrow_mut(|b| b.insert(key, body));
    key
}

/// Takes a body out for good, with the stray errors of this thread.
pub(crate) fn close(key: u32) -> Option<Draft> {
    let mut body = BODIES.with_borrow_mut(|b| b.remove(&key))?;
    let stray = STRAY.with_borrow_mut(std::mem::take);
    body.errors.extend(stray.into_iter().map(|d| Diagnostic { module: body.def.name.clone(), ..d }));
    Some(body)
}

/// Runs `f` on the body of `key`. `None` when that module is finished (or lives on another thread): reported as an error.
pub(crate) fn with<R>(key: u32, loc: Loc, f: impl FnOnce(&mut Draft) -> R) -> Option<R> {
    BODIES.with_borrow_mut(|bodies| {
        if let Some(body) = bodies.get_mut(&key) {
            return Some(f(body));
        }
        if key == LOST {
            return None;
        }
        if key == BLANK {
            stray(loc, "a shape is used as a signal", "`bits(n)` only describes: give it to `wire`, `reg` or a port");
        } else {
            let help = "connect modules through the ports of an instance";
            stray(loc, "a signal is used whose module is finished", help);
        }
        None
    })
}

/// An error that belongs to no module.
pub(crate) fn stray(loc: Loc, message: &str, help: &str) {
    let (message, help) = (message.to_string(), Some(help.to_string()));
    let stray = Diagnostic { module: String::new(), message, span: loc.into(), notes: vec![], help };
    STRAY.with_borrow_mut(|s| {
        if s.last() != Some(&stray) {
            s.push(stray);
        }
    });
}

/// The name of a vector, if the signal belongs to a register file: `false` if not.
pub(crate) fn name_file(s: Signal, name: &str) -> bool {
    let named = BODIES.with_borrow_mut(|bodies| bodies.get_mut(&s.key).map(|b| b.name_file(s.id, name)));
    named.unwrap_or(false)
}

/// The name of a `let`. Signals without a module keep theirs: binding one is no mistake.
pub(crate) fn take_name(s: Signal, name: &str) {
    BODIES.with_borrow_mut(|bodies| bodies.get_mut(&s.key).map(|b| b.take_name(s.id, name)));
}
