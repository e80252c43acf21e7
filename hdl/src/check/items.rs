//! What moves with the items of pipelines, since it left one, or is of the streams between which one stands.

use super::steps::steps;
use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::collections::BTreeMap;

/// What moves with the items of some pipelines.
pub(super) struct Items<'a> {
    b: &'a Draft,
    pipes: HashSet<u32>,
    /// Of the streams: the pipeline, and what the signal is there.
    streams: HashMap<Id, (u32, Kind)>,
}

#[derive(Clone, Copy)]
enum Kind {
    Before,
    Begins,
    Ends,
    Within,
}

impl<'a> Items<'a> {
    pub fn of(b: &'a Draft, drivers: &Drivers, pipes: impl IntoIterator<Item = u32>) -> Items<'a> {
        let mut items = Items { b, pipes: pipes.into_iter().collect(), streams: HashMap::default() };
        let mut pipes: Vec<u32> = items.pipes.iter().copied().collect();
        pipes.sort();
        for pipe in pipes {
            for (id, kind) in streams(b, drivers, pipe) {
                items.streams.entry(id).or_insert((pipe, kind));
            }
        }
        items
    }
    pub fn has(&self, id: Id) -> bool {
        self.streams.contains_key(&id) || self.left(id).is_some()
    }
    /// What this is of the items; `which` is how the message calls a pipeline.
    pub fn what(&self, id: Id, which: impl Fn(u32) -> String) -> Option<String> {
        if let Some((of, Stage { pipe, at: Some(at) })) = self.left(id) {
            return Some(format!("{} left {} at stage {at}", self.b.describe(of), which(pipe)));
        }
        let (pipe, kind) = *self.streams.get(&id)?;
        let (what, which) = (self.b.describe(id), which(pipe));
        Some(match kind {
            Kind::Before => format!("{what} is of a stream of which items come to {which}"),
            Kind::Begins => format!("{what} is of the stream with which {which} begins"),
            Kind::Ends => format!("{what} is of the stream with which {which} ends"),
            Kind::Within => format!("{what} says where items are in {which}"),
        })
    }
    fn left(&self, id: Id) -> Option<(Id, Stage)> {
        let (Some(Gate::Leave), Op::Alias(of)) = (self.b.staging.gates.get(&id), &self.b.node(id).op) else {
            return None;
        };
        let stage = self.b.node(*of).stage?;
        (stage.at.is_some() && self.pipes.contains(&stage.pipe)).then_some((*of, stage))
    }
}

/// The signals of the streams between which a pipeline stands, and of its handshake.
fn streams(b: &Draft, drivers: &Drivers, pipe: u32) -> Vec<(Id, Kind)> {
    let Advance::Stream(e) = &b.staging.pipes[pipe as usize].advance else { return vec![] };
    let taken = |port: &Port| is_beside_a_ready(&b.def, port);
    let mut out = vec![(e.ready, Kind::Begins)];
    for id in e.enters.iter().chain([&e.valid]) {
        out.extend(origins(b, drivers, *id, taken, true).into_iter().map(|id| (id, Kind::Begins)));
    }
    let within = e.assigns.iter().chain(&e.valids).chain(e.advances.values()).chain(e.moves.values());
    out.extend(within.map(|id| (*id, Kind::Within)));
    if let Some(leaves) = e.leaves {
        let ends = origins(b, drivers, leaves.ready, |port| port.is_ready, false);
        out.extend(ends.into_iter().map(|id| (id, Kind::Ends)));
    }
    out.extend(before(b, drivers, e.valid).into_iter().map(|id| (id, Kind::Before)));
    out
}

/// What comes in with the streams on which a `valid` depends, whatever is between: of this module, and out of instances.
fn before(b: &Draft, drivers: &Drivers, valid: Id) -> Vec<Id> {
    let behind = behind(b, drivers, valid);
    let module = b.def.ports.iter().filter(|port| port.input).map(|port| (0, &b.def, port, port.node));
    let instances = b.def.insts.iter().zip(1..).flat_map(|(inst, i)| {
        let outputs = inst.def.ports.iter().zip(&inst.pins).filter(|(port, _)| !port.input);
        outputs.map(move |(port, pin)| (i, &*inst.def, port, *pin))
    });
    let mut streams = BTreeMap::<(usize, u32, &str), Vec<(&Port, Id)>>::new();
    for (place, def, port, id) in module.chain(instances) {
        if let Some(name) = stream_of(def, port) {
            streams.entry((place, port.bundle, name)).or_default().push((port, id));
        }
    }
    let comes = |parts: &&Vec<(&Port, Id)>| {
        parts.iter().any(|(port, id)| names::is_handshake(&port.name, "valid") && behind.contains(id))
    };
    streams.values().filter(comes).flatten().map(|(_, id)| *id).collect()
}

/// All that a signal depends on, now or over registers.
pub(super) fn behind(b: &Draft, drivers: &Drivers, id: Id) -> HashSet<Id> {
    let (mut todo, mut seen) = (vec![id], HashSet::default());
    while let Some(id) = todo.pop() {
        if seen.insert(id) {
            todo.extend(steps(b, drivers, id).into_iter().map(|step| step.of));
        }
    }
    seen
}

/// What a signal of a stream is, and where it comes from within the cycle: over names, and over logic of one signal. Where several go into
/// the logic, a setting may be beside the stream: then only inputs that are `of_a_stream`; where none is, with `or_all`, each of them.
fn origins(b: &Draft, drivers: &Drivers, id: Id, of_a_stream: impl Fn(&Port) -> bool, or_all: bool) -> Vec<Id> {
    let is_end = |id: Id| b.staging.gates.contains_key(&id) || matches!(b.node(id).op, Op::Net(Net::Reg(_)));
    let is_number = |id: Id| matches!(b.node(id).op, Op::Const(_) | Op::Variant(..));
    let named = |id: Id| match &b.node(id).op {
        _ if is_end(id) => None,
        Op::Alias(of) | Op::Slice(of, _) => Some(vec![*of]),
        Op::Cat(parts) => Some(parts.clone()),
        Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => drivers.get(&id).filter(|of| of.len() == 1).cloned(),
        _ => None,
    };
    let within = |id: Id| {
        let sources = walk::sources(&b.def, drivers, id);
        (!is_end(id) && !sources.is_empty()).then_some(sources)
    };
    let inputs = b.def.ports.iter().filter(|port| port.input);
    let taken: HashSet<Id> = inputs.filter(|port| of_a_stream(port)).map(|port| port.node).collect();
    let mut out = vec![id];
    for part in walk::leaves(id, named) {
        let mut ends = walk::leaves(part, within);
        ends.retain(|id| !is_number(*id));
        // of a stream that the user makes of single ports, nothing says which they are
        let all = ends.len() == 1 || or_all && !ends.iter().any(|id| taken.contains(id));
        out.push(part);
        out.extend(ends.into_iter().filter(|id| all || taken.contains(id)));
    }
    out.retain(|id| !is_number(*id));
    out
}

/// Is this input declared beside a `ready` that goes the other way, as `s_payload` is beside `s_ready`?
pub(super) fn is_beside_a_ready(def: &Def, input: &Port) -> bool {
    stream_of(def, input).is_some()
}

/// Of a port beside a `ready` that goes the other way, what both names begin with.
fn stream_of<'d>(def: &'d Def, port: &Port) -> Option<&'d str> {
    let readies =
        def.ports.iter().filter(|ready| ready.is_ready && ready.input != port.input && ready.bundle == port.bundle);
    let mut starts = readies.filter_map(|ready| ready.name.strip_suffix("ready")).filter(|start| !start.is_empty());
    starts.find(|start| port.name.starts_with(start))
}
