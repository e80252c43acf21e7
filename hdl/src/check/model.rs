//! The model of a foreign module, which the built-in simulator runs: it has its ports and clocks, and no other ways within a cycle.

use crate::ir::*;
use std::sync::Arc;

/// The model has the ports and clocks of the foreign module.
pub(super) fn check(b: &mut Draft, f: &ForeignDef) {
    let Some(model) = &f.model else { return };
    let ports = |def: &Def| -> Vec<(String, u32, bool)> {
        def.ports.iter().map(|p| (p.name.clone(), p.width, p.input)).collect()
    };
    let (own, its) = (ports(&b.def), ports(model));
    let direction = |input: bool| if input { "an input" } else { "an output" };
    let shown = |port: Option<&(String, u32, bool)>| match port {
        Some((name, width, input)) => format!("`{name}`, {} of {}", direction(*input), counted(width, "bit")),
        None => "missing".into(),
    };
    let longest = own.len().max(its.len());
    if let Some(at) = (0..longest).find(|at| own.get(*at) != its.get(*at)) {
        let message =
            format!("port {at} of `{}` is {}, of its model {}", b.def.name, shown(own.get(at)), shown(its.get(at)));
        return b.error(f.loc, message, vec![], Some("declare both with the same struct of ports".into()));
    }
    for (domain, reset) in &model.clocks {
        let Some(at) = model_domain(&b.def, f, model, domain) else {
            let message = format!("the model of `{}` needs a clock `{}`", b.def.name, domain.clock);
            let clocks = list(f.clocks.iter().map(|c| format!("`{}`", c.name)));
            let help = format!("the foreign module has {clocks}; `clk` of the model is the first of them");
            b.error(f.loc, message, vec![], Some(help));
            continue;
        };
        let clock = &f.clocks[at as usize];
        if *reset && clock.reset.is_none() {
            let message = format!(
                "the model of `{}` has registers with a reset, and its clock `{}` has none",
                b.def.name, clock.name
            );
            let help = "declare the reset that the module has, with `reset` or `reset_low` behind `clock`; or give the model registers without: `reg`";
            b.error(f.loc, message, vec![], Some(help.into()));
        }
    }
    for (input, output) in unstated_paths(&b.def, model) {
        let message = format!(
            "the model of `{}` has a way from input `{input}` to output `{output}` within the cycle, which the foreign module does not state",
            b.def.name
        );
        let help = "say it with `f.combinational(io.input, io.output)`, or put a register into the model";
        b.error(f.loc, message, vec![], Some(help.into()));
    }
    if let Some(inner) = needs_verilog(model) {
        let message = format!("the model of `{}` needs Verilog itself: `{inner}`", b.def.name);
        b.error(f.loc, message, vec![], Some("a model is built from this language alone".into()));
    }
}

/// Ways from inputs to outputs of a model within the cycle of which its foreign module says nothing: loops are looked for without them.
fn unstated_paths(own: &Def, model: &Def) -> Vec<(String, String)> {
    let stated = |output: u32, input: u32| {
        let mut of_output = own.comb.iter().filter(|(port, _)| *port == output);
        of_output.any(|(_, inputs)| inputs.contains(&input))
    };
    let paths = model.comb.iter().flat_map(|(output, inputs)| inputs.iter().map(|input| (*input, *output)));
    let name = |port: u32| own.ports[port as usize].name.clone();
    paths.filter(|(input, output)| !stated(*output, *input)).map(|(i, o)| (name(i), name(o))).collect()
}

fn needs_verilog(def: &Arc<Def>) -> Option<String> {
    match &def.foreign {
        Some(f) if f.model.is_none() => Some(def.name.clone()),
        _ => def.insts.iter().find_map(|i| needs_verilog(&i.def)),
    }
}
