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

/// The name of a `let`. Signals without a module keep theirs: binding one is no mistake.
pub(crate) fn take_name(s: Signal, name: &str) {
    BODIES.with_borrow_mut(|bodies| bodies.get_mut(&s.key).map(|b| b.take_name(s.id, name)));
}
