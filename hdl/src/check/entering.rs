//! What a pipeline takes from outside, where all that is assigned is known: a constant is no data of its items, and what leaves into a
//! stream stands still until it is taken.

use crate::ir::walk::Drivers;
use crate::ir::*;
use std::collections::HashSet;

pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    let mut gates: Vec<(Id, Gate)> = b.staging.gates.iter().map(|(id, gate)| (*id, *gate)).collect();
    gates.sort_by_key(|(id, _)| *id);
    gates.retain(|(_, gate)| *gate == Gate::Constant);
    gates.into_iter().for_each(|(id, _)| check_constant(b, drivers, id));
    for pipe in 0..b.staging.pipes.len() as u32 {
        check_payload(b, drivers, pipe);
    }
}

/// Settings of a pipeline are no data of its items: nothing that left it, and nothing of the stream with which it begins.
fn check_constant(b: &mut Draft, drivers: &Drivers, id: Id) {
    let (Op::Alias(of), Some(Stage { pipe, .. })) = (b.node(id).op.clone(), b.node(id).stage) else { return };
    let Some((data, what)) = data_behind(b, drivers, of, pipe) else { return };
    let (loc, PipeData { name, variable, .. }) = (b.node(id).loc, &b.staging.pipes[pipe as usize]);
    let message =
        format!("{} is marked as constant of pipeline `{name}`, and moves with its items: {what}", b.describe(of));
    let help = format!(
        "what an item brings is used at its stage, as it is or delayed with `meet`; what the items before left is state of a stage, \
         `{variable}.state(r, x)`; what comes back from a later stage is `{variable}.feedback(r, x)`"
    );
    b.error(loc, message, vec![(b.node(data).loc, "it comes from here")], Some(help));
}

/// Something behind a signal that moves with the items of a pipeline, and what it is. A register that takes a value at every edge moves
/// as that does; one that holds is the user's word.
fn data_behind(b: &Draft, drivers: &Drivers, from: Id, pipe: u32) -> Option<(Id, String)> {
    let begins =
        if let Advance::Stream(elastic) = &b.staging.pipes[pipe as usize].advance { Some(elastic) } else { None };
    let (mut todo, mut seen) = (vec![from], HashSet::new());
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let (Some(Gate::Leave), Op::Alias(of)) = (b.staging.gates.get(&id), &b.node(id).op)
            && let Some(Stage { pipe: left, at: Some(at) }) = b.node(*of).stage
            && left == pipe
        {
            return Some((id, format!("{} left it at stage {at}", b.describe(*of))));
        }
        if begins.is_some_and(|elastic| elastic.valid == id || elastic.enters.contains(&id)) {
            return Some((id, format!("{} is of the stream with which it begins", b.describe(id))));
        }
        match b.node(id).op {
            Op::Net(Net::Reg(r)) if b.def.regs[r as usize].enable.is_none() => {
                todo.extend(walk::only_value(&b.def, id).filter(|value| *value != id));
            }
            Op::Net(Net::Reg(_)) => {}
            _ => todo.extend(walk::sources(&b.def, drivers, id)),
        }
    }
    None
}

/// An item waits at the last stage until it is taken: what comes in there would change meanwhile.
fn check_payload(b: &mut Draft, drivers: &Drivers, pipe: u32) {
    let Some((leaving, payload, enters)) =
        b.elastic(pipe).and_then(|e| Some((e.leaves?, e.payload.clone(), e.enters.clone())))
    else {
        return;
    };
    let (mut todo, mut seen) = (payload, HashSet::new());
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let (Some(Gate::Enter), Op::Alias(of)) = (b.staging.gates.get(&id), b.node(id).op.clone())
            && b.node(id).stage == Some(Stage { pipe, at: Some(leaving.at) })
        {
            if !enters.contains(&of) && !b.is_free(of) {
                return changes(b, id, of, leaving, pipe);
            }
            continue;
        }
        todo.extend(walk::sources(&b.def, drivers, id));
    }
}

fn changes(b: &mut Draft, entered: Id, of: Id, leaving: Leaving, pipe: u32) {
    let (name, p, at) = (&b.staging.pipes[pipe as usize].name, &b.staging.pipes[pipe as usize].variable, leaving.at);
    let message = format!(
        "{} enters pipeline `{name}` at its last stage, {at}, and is in the payload: it may change while the item waits for `ready`",
        b.describe(of)
    );
    let x = b.rust(of, "x");
    let help = match at {
        0 => format!(
            "give it with the payload of the stream; or `{p}.enter({x}).next()`, with which it stands with the item"
        ),
        _ => format!(
            "let it stand with the item, in a register: `{p}.enter_at({}, {x}).next()`; `{p}.constant({x})` if it stands still while data is in flight",
            at - 1
        ),
    };
    b.error(b.node(entered).loc, message, vec![(leaving.loc, "the pipeline leaves here")], Some(help));
}
