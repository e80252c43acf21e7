//! What is checked when a module is finished: it gets its names, and its mistakes come back together, those of single lines before those
//! of the whole.

mod advance;
mod alike;
mod arrivals;
mod assigned;
mod clock_as_data;
mod clocks;
mod crossings;
mod decided;
mod distance;
mod driven;
mod effect;
mod enabled;
mod entering;
mod foreign;
mod foreign_names;
mod glitches;
mod hold;
mod implied_values;
mod inside;
mod instances;
mod items;
mod latency;
mod loops;
mod model;
mod moving;
mod names;
mod numbers;
mod outputs;
mod pads;
mod parts;
mod power_up;
mod ready;
mod reset_circles;
mod reset_drivers;
mod reset_ends;
mod reset_logic;
mod reset_sources;
mod samples;
mod settings;
mod simplify;
mod some_bits;
mod stages;
mod stated;
mod steps;
mod together;

use crate::ir::*;

/// Settles the names of a module and checks it.
pub(crate) fn finish(mut b: Draft, loc: Loc) -> Result<Def, Errors> {
    if b.def.foreign.is_some() {
        return foreign::finish(b);
    }
    b.def.stmts = std::mem::take(&mut b.defaults);
    b.def.stmts.extend(std::mem::take(&mut b.blocks).into_iter().next().unwrap_or_default());
    if b.errors.is_empty() {
        stages::check(&mut b);
        enabled::check(&mut b);
        // what follows looks behind names
        loops::check(&mut b);
    }
    if b.errors.is_empty() {
        hold::connect(&mut b);
        reset_logic::check(&mut b);
    }
    if b.errors.is_empty() {
        reset_circles::check(&mut b);
    }
    if b.errors.is_empty() {
        reset_ends::check(&mut b);
    }
    if b.errors.is_empty() {
        reset_drivers::assign_once(&mut b);
    }
    names::settle(&mut b);
    if b.errors.is_empty() {
        // checks of the whole speak of consequences; they come when the parts are right
        whole(&mut b, loc);
    }
    if b.errors.is_empty() { Ok(b.def) } else { Err(b.errors.into()) }
}

/// The checks that need to see all of the module.
fn whole(b: &mut Draft, loc: Loc) {
    let drivers = walk::drivers(&b.def);
    driven::check(b, &drivers);
    effect::check(b);
    loops::check(b);
    let live = assigned::live_drivers(&b.def);
    if b.errors.is_empty() {
        entering::check(b, &live);
        instances::check(b, &live);
    }
    if b.errors.is_empty() {
        ready::check(b, &live);
    }
    foreign_names::check(b);
    b.def.clocks = inside::clocks(&mut b.def);
    inside::check(b, &drivers, loc);
    if b.errors.is_empty() {
        b.def.comb = walk::combinational(&b.def, |id| walk::sources(&b.def, &drivers, id));
        clocks::check(b, &drivers);
        clock_as_data::check(b, &drivers);
        latency::check(b, &live);
        b.def.items = instances::outputs_with_items(b, &live);
        b.def.loops = power_up::loops(b, &drivers);
        decided::decide(b);
        simplify::simplify(&mut b.def);
    }
}
