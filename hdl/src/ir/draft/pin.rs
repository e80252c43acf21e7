//! Instances in a pipeline.

use super::{Advance, Draft};
use crate::ir::*;

impl Draft {
    /// The first staged input of an instance gives its outputs their stage; the others must be at the same one.
    pub fn pin_stage(&mut self, inst: u32, pin: Id, value: Id, stage: Stage, loc: Loc) {
        let Some(at) = stage.at else { return };
        if self.takes_as_setting(inst, pin) {
            return self.setting_moves(inst, pin, value, stage, loc);
        }
        match self.staging.instances.get(&inst) {
            Some(&(base, _)) if base != stage => {
                let def = &self.def.insts[inst as usize].def;
                let (what, name) = (self.describe(value), &self.pipe(base).name);
                let message = format!(
                    "{what} is at stage {at}, but this instance of `{}` takes its inputs at stage {} of pipeline `{name}`",
                    def.name,
                    base.at.unwrap_or(0)
                );
                self.error(loc, message, vec![], Some("delay the earlier one with `meet`".into()));
            }
            Some(_) => {}
            None => self.place_instance(inst, stage, loc),
        }
    }
    fn place_instance(&mut self, inst: u32, stage: Stage, loc: Loc) {
        let def = self.def.insts[inst as usize].def.clone();
        let Some(latency) = def.longest_latency() else { return self.states_no_latency(inst, &def, loc) };
        let stands = !matches!(self.pipe(stage).advance, Advance::Always);
        if stands && def.advance.is_none() && (latency > 0 || def.keeps_something()) {
            self.cannot_stand(&def, stage, loc);
        }
        let takes_gaps = def.remembers && (latency > 1 || def.remembers_late);
        if takes_gaps && matches!(self.pipe(stage).advance, Advance::Stream(_)) {
            self.takes_gaps(&def, stage, loc);
        }
        if matches!(self.pipe(stage).advance, Advance::Stream(_)) {
            self.check_shows_enable(&def, stage, loc);
        }
        let section = self.section();
        self.staging.instances.insert(inst, (stage, section));
        for (pin, port) in self.def.insts[inst as usize].pins.clone().into_iter().zip(0..) {
            if let Some(cycles) = def.latency_of(port).filter(|_| !def.ports[port as usize].input) {
                self.def.nodes[pin as usize].stage = Some(stage.later(cycles as i32));
                self.reaches(pin, loc);
            }
        }
        self.elastic_instance(stage, latency);
        for pin in self.def.insts[inst as usize].pins.clone() {
            if let Some(&outside) = self.staging.from_outside.get(&pin) {
                self.pin_from_outside(inst, pin, outside, loc);
            }
        }
    }
    /// Nobody knows at which stage its outputs are.
    fn states_no_latency(&mut self, inst: u32, def: &Def, loc: Loc) {
        if self.def.insts[inst as usize].pins.iter().any(|pin| self.node(*pin).op == Op::Poison) {
            return; // said already
        }
        let missing = (0..).zip(&def.ports).find(|(i, port)| !port.input && def.latency_of(*i).is_none());
        let what = match missing {
            Some((_, port)) if !def.latencies.is_empty() => format!("when its output `{}` comes", port.name),
            _ => "its latency".to_string(),
        };
        let message = format!("`{}` does not state {what}, so it cannot stand in a pipeline", def.name);
        let help = "state it there with `latency`, or of each output with `latency_of`; or connect values that left the pipeline";
        self.error(loc, message, vec![], Some(help.into()));
        // what it gives is not to be judged
        let outputs = self.def.insts[inst as usize].pins.clone().into_iter().zip(&def.ports).filter(|(_, p)| !p.input);
        outputs.for_each(|(pin, _)| self.def.nodes[pin as usize].op = Op::Poison);
    }
    /// Does the module take this input for what stands still while data is in flight?
    pub fn takes_as_setting(&self, inst: u32, pin: Id) -> bool {
        let inst = &self.def.insts[inst as usize];
        let port = inst.port_of(pin);
        port.is_some_and(|port| inst.def.settings.contains(&(port as u32)))
    }
    /// The data of an item is connected to a setting: items before it would see it, too.
    fn setting_moves(&mut self, inst: u32, pin: Id, value: Id, stage: Stage, loc: Loc) {
        let def = self.def.insts[inst as usize].def.clone();
        let port = self.def.insts[inst as usize].port_of(pin);
        let port = port.map_or("?", |port| def.ports[port].name.as_str());
        let message = format!(
            "{} is at stage {} of pipeline `{}`, but `{}` takes its input `{port}` as a setting that stands still while data is in flight",
            self.describe(value),
            stage.at.unwrap_or(0),
            self.pipe(stage).name,
            def.name
        );
        let p = &self.pipe(stage).variable;
        let help = format!("connect what stands still: `{p}.constant(x)`; or `{}` enters it with the data", def.name);
        self.error(loc, message, vec![], Some(help));
    }
    /// A pipeline stops, and the module would go on.
    fn cannot_stand(&mut self, def: &Def, stage: Stage, loc: Loc) {
        let pipe = self.pipe(stage);
        let message =
            format!("`{}` has registers or memories that go on while pipeline `{}` stands", def.name, pipe.name);
        let help = if def.foreign.is_some() {
            "say which of its inputs holds them with `advance`; it is connected by the pipeline".to_string()
        } else {
            format!(
                "give it an input of one bit that holds them, with `m.pipeline_enabled(\"{}\", io.advance)` or `m.enabled_by(io.advance)`; it is connected by the pipeline",
                def.name
            )
        };
        let notes = vec![(pipe.loc, "the pipeline that stands")];
        self.error(loc, message, notes, Some(help));
    }
    /// Between streams there are cycles without an item, which a module of several stages would take for one; and items that are flushed
    /// or not there yet, which state behind its first stage would.
    fn takes_gaps(&mut self, def: &Def, stage: Stage, loc: Loc) {
        let name = &self.pipe(stage).name;
        let (message, instead) = match def.longest_latency().unwrap_or(0) {
            cycles @ 2.. => (
                format!(
                    "`{}` remembers what goes through it over {cycles} cycles, and pipeline `{name}` has gaps between its items",
                    def.name
                ),
                "give it streams of its own, or a latency of 1",
            ),
            _ => (
                format!("`{}` has state behind its first stage, where pipeline `{name}` may have no item", def.name),
                "let its state be changed at the stage at which its items enter, or give it streams of its own",
            ),
        };
        let held = match def.foreign.is_some() || def.remembers_late {
            true => "",
            false => {
                "if one input of one bit holds all of it, say so there with `m.enabled_by(io.advance)` in the place of `when`; else "
            }
        };
        let help = format!("{held}{instead}; the state of items can stand in the pipeline itself: `state`");
        let notes = vec![(self.pipe(stage).loc, "the pipeline begins here")];
        self.error(loc, message, notes, Some(help));
    }
    /// What holds an instance between streams follows `ready` at the end within the cycle, and what it gives must not: it may be the
    /// payload there.
    fn check_shows_enable(&mut self, def: &Def, stage: Stage, loc: Loc) {
        let Some(advance) = def.advance else { return };
        let Some((output, _)) = def.reached_at_once().iter().find(|(_, inputs)| inputs.contains(&advance)) else {
            return;
        };
        let [input, output] = [advance, *output].map(|port| &def.ports[port as usize].name);
        let message = format!(
            "output `{output}` of `{}` follows `{input}` within the cycle, which pipeline `{}` connects: it depends on `ready` of the stream \
             at the end",
            def.name,
            self.pipe(stage).name
        );
        let help = format!(
            "a payload does not wait for `ready`: let `{input}` hold the registers of `{}`, and read something else",
            def.name
        );
        let notes = vec![(self.pipe(stage).loc, "the pipeline begins here")];
        self.error(loc, message, notes, Some(help));
    }
    /// What holds the registers of an instance, if it has such an input.
    pub fn advance_pin(&self, inst: u32) -> Option<Id> {
        let inst = &self.def.insts[inst as usize];
        inst.def.advance.map(|port| inst.pins[port as usize])
    }
    pub fn pin_from_outside(&mut self, inst: u32, pin: Id, outside: Id, loc: Loc) {
        let Some(&(base, _)) = self.staging.instances.get(&inst) else { return };
        if self.advance_pin(inst) == Some(pin) {
            return; // looked at when all is known
        }
        let name = self.def.insts[inst as usize].def.name.clone();
        let (p, x) = (&self.pipe(base).variable, self.rust(outside, "x"));
        let message = format!(
            "{} does not belong to pipeline `{}`, this instance of `{name}` takes its inputs at stage {}",
            self.describe(outside),
            self.pipe(base).name,
            base.at.unwrap_or(0)
        );
        let help = format!(
            "`{p}.enter({x})` if it comes in with the data (and `meet` for a later stage), `{p}.constant({x})` if it stands still while data is in flight"
        );
        let notes = vec![(self.node(outside).loc, "it comes from here")];
        self.error(loc, message, notes, Some(help));
    }
}
