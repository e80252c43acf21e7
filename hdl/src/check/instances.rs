//! Items and settings between instances: which outputs move with items, and that nothing which does is a setting.

use super::items::{self, Items};
use super::moving::{self, Known};
use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;
use std::collections::{BTreeMap, BTreeSet};

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
    // also where nothing but instances is held by it
    let advancing = pipes.iter().flat_map(|pipe| moving::advancing(b, *pipe)).chain(holds).collect();
    let (ways, items) = (moving::ways(b, advancing, pipes.clone()), Items::of(b, drivers, pipes));
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

/// An input of an instance that it takes as a setting: the instance, the port, and what is assigned.
#[derive(Clone, Copy)]
struct Setting {
    inst: u32,
    port: u32,
    pin: Id,
}

/// What is looked at where items of a pipeline or of an instance go on: pipelines of which nothing is a setting there, and the settings.
#[derive(Default)]
struct Scope {
    pipes: BTreeSet<u32>,
    settings: BTreeSet<usize>,
}

/// What an instance takes as a setting is no data of items: nothing that left a pipeline, nothing of the streams between which one stands,
/// and nothing that an instance gives which moves with items where this one goes on.
pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    let of_instance = |(i, inst): (u32, &Inst)| {
        let setting = |port: &u32| Setting { inst: i, port: *port, pin: inst.pins[*port as usize] };
        inst.def.constants.iter().map(setting).collect::<Vec<_>>()
    };
    let settings: Vec<Setting> = (0..).zip(&b.def.insts).flat_map(of_instance).collect();
    if settings.is_empty() || !has_items(b) {
        return;
    }
    let mut found = BTreeMap::<usize, (Id, String)>::new();
    for (advancing, scope) in scopes(b, &settings) {
        for (setting, data) in moving_settings(b, drivers, &settings, advancing, &scope) {
            found.entry(setting).or_insert(data);
        }
    }
    found.into_iter().for_each(|(setting, data)| report(b, settings[setting], data));
}

/// By what is 1 there: each pipeline, with all settings; and each instance, with its own and all pipelines.
fn scopes(b: &Draft, settings: &[Setting]) -> BTreeMap<Vec<Id>, Scope> {
    let pipes = 0..b.staging.pipes.len() as u32;
    let mut all = BTreeMap::<Vec<Id>, Scope>::new();
    for pipe in pipes.clone() {
        let mut advancing: Vec<Id> = moving::advancing(b, pipe).into_iter().collect();
        advancing.sort();
        let scope = all.entry(advancing).or_default();
        scope.pipes.insert(pipe);
        scope.settings.extend(0..settings.len());
    }
    for (i, setting) in settings.iter().enumerate() {
        let mut advancing: Vec<Id> = b.advance_pin(setting.inst).into_iter().collect();
        advancing.extend(handshakes(&b.def.insts[setting.inst as usize]));
        advancing.sort();
        let scope = all.entry(advancing).or_default();
        scope.pipes.extend(pipes.clone());
        scope.settings.insert(i);
    }
    all
}

/// What is 1 where all streams of an instance go on: `valid` and `ready` of each.
fn handshakes(inst: &Inst) -> Vec<Id> {
    let valid = |ready: &Port| {
        let name = format!("{}valid", ready.name.strip_suffix("ready")?);
        inst.def.ports.iter().position(|port| port.name == name && port.bundle == ready.bundle)
    };
    let readies = inst.def.ports.iter().zip(&inst.pins).filter(|(port, _)| port.is_ready);
    readies.filter_map(|(ready, pin)| Some([inst.pins[valid(ready)?], *pin])).flatten().collect()
}

/// The inputs of the streams of this module that go into streams of instances with items, or take from them.
fn inputs_of_streams(b: &Draft, drivers: &Drivers) -> HashSet<Id> {
    let with_items = b.def.insts.iter().filter(|inst| !inst.def.items.is_empty());
    let pins = |inst: &Inst| {
        let ports = (0..inst.pins.len() as u32).filter(|port| is_of_its_stream(&inst.def, *port));
        ports.map(|port| inst.pins[port as usize]).collect::<Vec<Id>>()
    };
    let within = |id: Id| {
        let sources = walk::sources(&b.def, drivers, id);
        (!sources.is_empty()).then_some(sources)
    };
    let behind: HashSet<Id> = with_items.flat_map(pins).flat_map(|pin| walk::leaves(pin, within)).collect();
    let inputs = b.def.ports.iter().enumerate().filter(|(i, port)| port.input && is_of_its_stream(&b.def, *i as u32));
    inputs.map(|(_, port)| port.node).filter(|id| behind.contains(id)).collect()
}

/// Is this port (index into `ports`) a `ready`, or beside one that goes the other way?
fn is_of_its_stream(def: &Def, port: u32) -> bool {
    let port = &def.ports[port as usize];
    port.is_ready || items::is_beside_a_ready(def, port)
}

/// The settings that move with items there, and what is said of that.
fn moving_settings(
    b: &Draft,
    drivers: &Drivers,
    settings: &[Setting],
    advancing: Vec<Id>,
    scope: &Scope,
) -> Vec<(usize, (Id, String))> {
    let pipes = || scope.pipes.iter().copied();
    let (ways, items) = (moving::ways(b, advancing.into_iter().collect(), pipes()), Items::of(b, drivers, pipes()));
    // a stream of the instance may say something of its settings, such as that one is there
    let of_streams = |i: &usize| is_of_its_stream(&b.def.insts[settings[*i].inst as usize].def, settings[*i].port);
    let (streams, others): (Vec<usize>, Vec<usize>) = scope.settings.iter().copied().partition(of_streams);
    let begins = inputs_of_streams(b, drivers);
    let pin = |i: &usize| settings[*i].pin;
    let has = |id: Id| items.has(id) || ways.brings_items(id).is_some();
    let (pins, known) = (others.iter().map(pin).collect::<Vec<Id>>(), &mut Known::default());
    let mut data = ways.find_moving(known, &pins, |id| has(id) || begins.contains(&id));
    let pins: Vec<Id> = streams.iter().map(pin).collect();
    data.extend(ways.find_each(known, &pins, has));
    let which = |pipe: u32| format!("pipeline `{}`", b.staging.pipes[pipe as usize].name);
    let of_a_stream = |id: Id| begins.contains(&id).then(|| format!("{} is of a stream with items", b.describe(id)));
    let what = |data: Id| items.what(data, which).or_else(|| of_a_stream(data)).unwrap_or_else(|| ways.what(b, data));
    let found = others.into_iter().chain(streams).zip(data);
    found.filter_map(|(i, data)| Some((i, (data?, what(data?))))).collect()
}

fn report(b: &mut Draft, setting: Setting, (data, what): (Id, String)) {
    let def = b.def.insts[setting.inst as usize].def.clone();
    let message = format!(
        "`{}` takes its input `{}` as a setting that stands still while data is in flight, and it moves with items: {what}",
        def.name, def.ports[setting.port as usize].name
    );
    let help = format!(
        "connect what stands still: an input, or a register that holds while data is in flight; or `{}` enters it with the data",
        def.name
    );
    b.error(b.first_assigned_at(setting.pin), message, vec![(b.node(data).loc, "it comes from here")], Some(help));
}
