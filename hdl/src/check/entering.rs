//! What a pipeline takes from outside, where all that is assigned is known: a constant is no data of its items, and what leaves into a
//! stream stands still until it is taken.

use super::items::{Items, behind};
use super::moving::{self, Known};
use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;
use std::collections::BTreeMap;

pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    let mut known = Known::default();
    for (pipe, constants) in constants(b) {
        check_constants(b, drivers, &mut known, pipe, &constants);
    }
    for pipe in 0..b.staging.pipes.len() as u32 {
        check_payload(b, drivers, pipe);
    }
}

/// What stands still while items of a pipeline are in flight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Constant {
    /// What is marked so, or the register of a stage that is reset.
    id: Id,
    /// What that is outside, or what resets the register.
    of: Id,
    resets: bool,
}

/// For each pipeline: what is marked as its constant, and what resets its registers at once.
fn constants(b: &Draft) -> BTreeMap<u32, Vec<Constant>> {
    let mut all = BTreeMap::<u32, Vec<Constant>>::new();
    for (&id, _) in b.staging.gates.iter().filter(|(_, gate)| **gate == Gate::Constant) {
        if let (Some(stage), &Op::Alias(of)) = (b.node(id).stage, &b.node(id).op) {
            all.entry(stage.pipe).or_default().push(Constant { id, of, resets: false });
        }
    }
    for reg in &b.def.regs {
        if let (Some(Stage { pipe, at: Some(_) }), Some((of, _))) = (b.node(reg.node).stage, &reg.async_reset) {
            all.entry(pipe).or_default().push(Constant { id: reg.node, of: *of, resets: true });
        }
    }
    all.values_mut().for_each(|constants| constants.sort());
    all
}

/// Settings of a pipeline are no data of items: nothing that left it, or one between streams that has the same items, and nothing of the
/// streams at the ends of these. What left a pipeline without streams, or comes out of an instance, may be computed of settings: that is the
/// user's word.
fn check_constants(b: &mut Draft, drivers: &Drivers, known: &mut Known, pipe: u32, constants: &[Constant]) {
    let pipes = with_the_same_items(b, drivers, pipe);
    let (ways, items) =
        (moving::ways(b, moving::advancing(b, pipe), pipes.iter().copied()), Items::of(b, drivers, pipes));
    let from: Vec<Id> = constants.iter().map(|constant| constant.of).collect();
    let data = ways.find_moving(known, &from, |id| items.has(id));
    let which = |of: u32| match of == pipe {
        true => "it".to_string(),
        false => format!("pipeline `{}`", b.staging.pipes[of as usize].name),
    };
    let what = |data: Id| items.what(data, which).unwrap_or_else(|| ways.what(b, data));
    let found = constants.iter().zip(data).filter_map(|(constant, data)| Some((*constant, data?, what(data?))));
    let found: Vec<_> = found.collect();
    found.into_iter().for_each(|(constant, data, what)| constant_moves(b, pipe, constant, data, &what));
}

/// This pipeline, and of those between streams the ones of which items come to it or go from it, whatever is between them.
fn with_the_same_items(b: &Draft, drivers: &Drivers, pipe: u32) -> Vec<u32> {
    let valids = |p: u32| match &b.staging.pipes[p as usize].advance {
        Advance::Stream(elastic) => [&[elastic.valid], &elastic.valids[..]].concat(),
        _ => vec![],
    };
    let from = |p: u32, to: u32| {
        let behind = valids(to).first().map(|valid| behind(b, drivers, *valid)).unwrap_or_default();
        valids(p).iter().any(|valid| behind.contains(valid))
    };
    let all = 0..b.staging.pipes.len() as u32;
    all.filter(|p| *p == pipe || from(*p, pipe) || from(pipe, *p)).collect()
}

fn constant_moves(b: &mut Draft, pipe: u32, Constant { id, of, resets }: Constant, data: Id, what: &str) {
    let (loc, PipeData { name, variable, .. }) = (b.node(id).loc, &b.staging.pipes[pipe as usize]);
    let said = match resets {
        true => format!("resets {} of pipeline `{name}` at once, whatever item is there", b.describe(id)),
        false => format!("is marked as constant of pipeline `{name}`"),
    };
    let message = format!("{} {said}, and moves with its items: {what}", b.describe(of));
    let help = match resets {
        true => "what an item brings is used at its stage: assign under a `when`".into(),
        false => format!(
            "what an item brings is used at its stage, as it is or delayed with `meet`; what the items before left is state of a stage, \
             `{variable}.state(r, x)`; what comes back from a later stage is `{variable}.feedback(r, x)`"
        ),
    };
    b.error(loc, message, vec![(b.node(data).loc, "it comes from here")], Some(help));
}

/// An item waits at the last stage until it is taken: what comes in there would change meanwhile.
fn check_payload(b: &mut Draft, drivers: &Drivers, pipe: u32) {
    let Some((leaving, payload, enters)) =
        b.elastic(pipe).and_then(|e| Some((e.leaves?, e.payload.clone(), e.enters.clone())))
    else {
        return;
    };
    let last = Stage { pipe, at: Some(leaving.at) };
    let (mut todo, mut seen) = (payload, HashSet::default());
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let (Some(Gate::Enter), Op::Alias(of)) = (b.staging.gates.get(&id), b.node(id).op.clone())
            && b.node(id).stage == Some(last)
        {
            // the stream with which it begins waits as well
            let waits = leaving.at == 0 && enters.contains(&of);
            if !waits && !stands_still(b, drivers, of, pipe) {
                return changes(b, id, (of, enters.contains(&of)), leaving, pipe);
            }
            continue;
        }
        if let Op::Net(Net::MemRead(memory, port)) = b.node(id).op
            && b.node(id).stage == Some(last)
            && !b.def.mems[memory as usize].reads[port as usize].sync
            && let Some(write) = written_meanwhile(b, memory, last)
        {
            return word_changes(b, id, write, leaving, pipe);
        }
        todo.extend(walk::sources(&b.def, drivers, id));
    }
}

/// Is this made of literals and constants of the pipeline alone?
fn stands_still(b: &Draft, drivers: &Drivers, from: Id, pipe: u32) -> bool {
    let leaves = walk::leaves(from, |id| {
        let still = b.node(id).stage == Some(Stage { pipe, at: None });
        let sources = walk::sources(&b.def, drivers, id);
        (!still && !sources.is_empty()).then_some(sources)
    });
    leaves.iter().all(|id| b.node(*id).stage == Some(Stage { pipe, at: None }) || b.is_free(*id))
}

/// Where a memory is written, while an item that reads it waits at the last stage: from outside, or by items that are not held up
/// directly behind it.
fn written_meanwhile(b: &Draft, memory: u32, last: Stage) -> Option<Loc> {
    let Advance::Stream(elastic) = &b.pipe(last).advance else { return None };
    let waits = |write: &Written| match write.stage {
        Some(Stage { pipe, at: Some(at) }) if pipe == last.pipe => {
            !elastic.collapse || last.at.is_some_and(|last| at + 1 >= last)
        }
        Some(Stage { pipe, at: None }) => pipe == last.pipe,
        _ => write.sources.iter().all(|id| b.is_free(*id)),
    };
    b.staging.writes.iter().find(|write| write.memory == memory && !waits(write)).map(|write| write.loc)
}

fn word_changes(b: &mut Draft, word: Id, write: Loc, leaving: Leaving, pipe: u32) {
    let (name, at) = (&b.staging.pipes[pipe as usize].name, leaving.at);
    let message = format!(
        "{} is read at the last stage of pipeline `{name}`, {at}, and is in the payload: the memory may be written while the item waits for \
         `ready`",
        b.describe(word)
    );
    let help = "let the word stand with the item: read it into a register, one stage before the end, with `read(x).next()` or \
                `read_sync(x)`";
    let notes = vec![(write, "it is written here"), (leaving.loc, "the pipeline leaves here")];
    b.error(b.node(word).loc, message, notes, Some(help.into()));
}

/// `own`: it is of the stream with which the pipeline begins.
fn changes(b: &mut Draft, entered: Id, (of, own): (Id, bool), leaving: Leaving, pipe: u32) {
    let (name, p, at) = (&b.staging.pipes[pipe as usize].name, &b.staging.pipes[pipe as usize].variable, leaving.at);
    let message = format!(
        "{} enters pipeline `{name}` at its last stage, {at}, and is in the payload: it may change while the item waits for `ready`",
        b.describe(of)
    );
    let x = b.rust(of, "x");
    let help = match at {
        _ if own => "there it is that of the item that waits at the beginning; what came with this one is what `pipeline_stream` gives, delayed with \
                     `meet`"
            .into(),
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
