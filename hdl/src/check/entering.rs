//! What a pipeline takes from outside, where all that is assigned is known: a constant is no data of its items, and what leaves into a
//! stream stands still until it is taken.

use super::items::Items;
use super::moving::{self, Known, Ways};
use crate::ir::walk::Drivers;
use crate::ir::*;
use std::collections::{BTreeMap, HashSet};

pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    let mut known = Known::default();
    for (pipe, constants) in constants(b) {
        check_constants(b, drivers, &mut known, pipe, &constants);
    }
    for pipe in 0..b.staging.pipes.len() as u32 {
        check_payload(b, drivers, pipe);
    }
    check_settings(b, drivers, &mut known);
}

/// The outputs that move with items of pipelines, of this module or of instances: where one is given as a setting, that moves. What stands
/// on terms that who uses the module does not see stands still by the user's word; what holds all of the module he sees.
pub(super) fn outputs_with_items(b: &Draft, drivers: &Drivers) -> Vec<u32> {
    if !has_items(b) {
        return vec![];
    }
    let holds = b.def.advance.map(|port| b.def.ports[port as usize].node);
    let goes = |pipe: &PipeData| {
        let own = if let Advance::When(enable) = pipe.advance { Some(enable) } else { None };
        let enables = own.into_iter().chain(pipe.enabled.map(|enabled| enabled.enable));
        enables.flat_map(|enable| b.enables_of(enable)).all(|enable| Some(enable) == holds)
    };
    let pipes: Vec<u32> = (0..).zip(&b.staging.pipes).filter(|(_, pipe)| goes(pipe)).map(|(i, _)| i).collect();
    let (ways, items) = (moving::ways(b, pipes.clone()), Items::of(b, drivers, pipes));
    let known = &mut Known::default();
    let outputs: Vec<(u32, Id)> = (0..).zip(&b.def.ports).filter(|(_, p)| !p.input).map(|(i, p)| (i, p.node)).collect();
    let moves = |(port, node): (u32, Id), known: &mut Known| {
        let found = ways.find(known, [node], |id| items.has(id) || ways.brings_items(id).is_some());
        found.map(|_| port)
    };
    outputs.into_iter().filter_map(|output| moves(output, known)).collect()
}

/// Are there pipelines, or instances that bring items?
fn has_items(b: &Draft) -> bool {
    !b.staging.pipes.is_empty() || b.def.insts.iter().any(|inst| !inst.def.items.is_empty())
}

/// For each pipeline: what is marked as its constant, and what that is outside.
fn constants(b: &Draft) -> BTreeMap<u32, Vec<(Id, Id)>> {
    let mut all = BTreeMap::<u32, Vec<(Id, Id)>>::new();
    for (id, _) in b.staging.gates.iter().filter(|(_, gate)| **gate == Gate::Constant) {
        if let (Some(stage), Op::Alias(of)) = (b.node(*id).stage, &b.node(*id).op) {
            all.entry(stage.pipe).or_default().push((*id, *of));
        }
    }
    all.values_mut().for_each(|constants| constants.sort());
    all
}

/// For each of these that moves with items, what it comes from. Ways go over the same signals: one walk from all finds out whether there is
/// anything to look for.
fn moving_of(ways: &Ways, known: &mut Known, has: impl Fn(Id) -> bool, from: &[Id]) -> Vec<Option<Id>> {
    match ways.find(known, from.iter().copied(), &has) {
        Some(_) => from.iter().map(|id| ways.find(known, [*id], &has)).collect(),
        None => vec![None; from.len()],
    }
}

/// Settings of a pipeline are no data of its items: nothing that left it, and nothing of the streams at its ends.
fn check_constants(b: &mut Draft, drivers: &Drivers, known: &mut Known, pipe: u32, constants: &[(Id, Id)]) {
    let (ways, items) = (moving::ways(b, [pipe]), Items::of(b, drivers, [pipe]));
    let from: Vec<Id> = constants.iter().map(|(_, of)| *of).collect();
    let data = moving_of(&ways, known, |id| items.has(id), &from);
    let what = |data: Option<Id>| data.and_then(|data| Some((data, items.what(data, |_| "it".into())?)));
    let found: Vec<_> =
        constants.iter().zip(data).filter_map(|(constant, data)| Some((*constant, what(data)?))).collect();
    for ((id, of), (data, what)) in found {
        let (loc, PipeData { name, variable, .. }) = (b.node(id).loc, &b.staging.pipes[pipe as usize]);
        let message =
            format!("{} is marked as constant of pipeline `{name}`, and moves with its items: {what}", b.describe(of));
        let help = format!(
            "what an item brings is used at its stage, as it is or delayed with `meet`; what the items before left is state of a stage, \
             `{variable}.state(r, x)`; what comes back from a later stage is `{variable}.feedback(r, x)`"
        );
        b.error(loc, message, vec![(b.node(data).loc, "it comes from here")], Some(help));
    }
}

/// An item waits at the last stage until it is taken: what comes in there would change meanwhile.
fn check_payload(b: &mut Draft, drivers: &Drivers, pipe: u32) {
    let Some((leaving, payload, enters)) =
        b.elastic(pipe).and_then(|e| Some((e.leaves?, e.payload.clone(), e.enters.clone())))
    else {
        return;
    };
    let last = Stage { pipe, at: Some(leaving.at) };
    let (mut todo, mut seen) = (payload, HashSet::new());
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

/// What an instance takes as a setting is no data of items: nothing that left a pipeline, and nothing of the streams between which one
/// stands.
fn check_settings(b: &mut Draft, drivers: &Drivers, known: &mut Known) {
    let pins: Vec<(u32, u32, Id)> = (0..)
        .zip(&b.def.insts)
        .flat_map(|(i, inst)| inst.def.constants.iter().map(move |port| (i, *port, inst.pins[*port as usize])))
        .collect();
    if pins.is_empty() || !has_items(b) {
        return;
    }
    let pipes = 0..b.staging.pipes.len() as u32;
    let (ways, items) = (moving::ways(b, pipes.clone()), Items::of(b, drivers, pipes));
    let which = |pipe: u32| format!("pipeline `{}`", b.staging.pipes[pipe as usize].name);
    let has = |id: Id| items.has(id) || ways.brings_items(id).is_some();
    let data = moving_of(&ways, known, has, &pins.iter().map(|(.., pin)| *pin).collect::<Vec<Id>>());
    let of_instance = |id: Id| {
        ways.brings_items(id).map(|def| format!("{} comes out of a pipeline of `{}`", b.describe(id), def.name))
    };
    let what =
        |data: Option<Id>| data.and_then(|data| Some((data, items.what(data, which).or_else(|| of_instance(data))?)));
    let found: Vec<_> = pins.into_iter().zip(data).filter_map(|(pin, data)| Some((pin, what(data)?))).collect();
    for ((inst, port, pin), (data, what)) in found {
        let def = b.def.insts[inst as usize].def.clone();
        let message = format!(
            "`{}` takes its input `{}` as a setting that stands still while data is in flight, and it moves with items: {what}",
            def.name, def.ports[port as usize].name
        );
        let help = format!(
            "connect what stands still: an input, or a register that holds while data is in flight; or `{}` enters it with the data",
            def.name
        );
        b.error(b.first_assigned_at(pin), message, vec![(b.node(data).loc, "it comes from here")], Some(help));
    }
}
