//! What leaves a pipeline as the payload of a stream does not follow the `ready` that takes it: it stands still until it is taken.

use crate::ir::*;
use std::collections::{HashMap, HashSet};

pub(super) fn check(b: &mut Draft, drivers: &HashMap<Id, Vec<Id>>) {
    for pipe in 0..b.staging.pipes.len() as u32 {
        let Some((leaving, payload)) = b.elastic(pipe).and_then(|e| Some((e.leaves?, e.payload.clone()))) else {
            continue;
        };
        let ready = under_all_names(b, leaving.ready);
        let Some(&id) = payload.iter().find(|id| follows(b, drivers, **id, &ready)) else { continue };
        let (what, name) = (b.describe(id), b.staging.pipes[pipe as usize].name.clone());
        let message =
            format!("{what} leaves pipeline `{name}` as payload, and follows `ready` of that stream within the cycle");
        let help = "a payload does not wait for `ready`: `occupied` says that an item is there; what `moves` says is for state and for what \
                    `leave` takes out";
        b.error(leaving.loc, message, vec![(b.node(id).loc, "it comes from here")], Some(help.into()));
    }
}

/// A signal, and those that it is another name of.
fn under_all_names(b: &Draft, mut id: Id) -> Vec<Id> {
    let mut names = vec![id];
    loop {
        id = match b.node(id).op {
            Op::Alias(of) => of,
            Op::Net(Net::Wire | Net::PinIn(_)) => match walk::only_value(&b.def, id) {
                Some(of) => of,
                None => return names,
            },
            _ => return names,
        };
        names.push(id);
    }
}

/// Does a signal depend on others within the cycle?
fn follows(b: &Draft, drivers: &HashMap<Id, Vec<Id>>, from: Id, on: &[Id]) -> bool {
    let (mut todo, mut seen) = (vec![from], HashSet::new());
    while let Some(id) = todo.pop() {
        if on.contains(&id) {
            return true;
        }
        if seen.insert(id) {
            todo.extend(walk::sources(&b.def, drivers, id));
        }
    }
    false
}
