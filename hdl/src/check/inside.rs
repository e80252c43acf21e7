//! Clocks and resets that come from inside a module, and those that it needs from outside.

use crate::ir::walk::Drivers;
use crate::ir::*;
use std::collections::BTreeMap;

/// Clocks from inside are clocks and nothing else, and what needs their reset has one; no two clocks have one name.
pub(super) fn check(b: &mut Draft, drivers: &Drivers, loc: Loc) {
    let used = needed(&b.def);
    check_names(b, &used, loc);
    for (i, (domain, _)) in used.iter().enumerate() {
        if used[..i].iter().any(|(d, _)| d.clock == domain.clock) {
            let message = format!("two clocks are called `{}`", domain.clock);
            let help =
                "they have different resets, or one comes from inside; an instance is connected with `connect_clock`";
            b.error(loc, message, vec![], Some(help.into()));
        }
    }
    let read = walk::read_nodes(&b.def, drivers);
    for inside in b.def.inside.clone() {
        let name = b.def.domains[inside.domain as usize].clock.clone();
        if let Some(clock) = inside.clock.filter(|clock| read.contains(clock)) {
            let message = format!("{} is the clock `{name}`, and is read as data", b.describe(clock));
            let help = "as a signal, it is `m.clock()` in its domain";
            b.error(inside.loc, message, vec![], Some(help.into()));
        }
        if inside.clock.is_some() && inside.reset.is_none() && inside.needed.1 {
            let message = format!("clock `{name}` comes from inside, and has no reset, but something in it is reset");
            let help = "give it one with `reset_from`, mostly the output of a reset synchronizer";
            b.error(inside.loc, message, vec![], Some(help.into()));
        }
    }
}

/// A name is that of one clock or of one reset, whatever the polarity of the resets. (Two clocks of one name are looked for elsewhere.)
fn check_names(b: &mut Draft, used: &[(Domain, bool)], loc: Loc) {
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    used.iter().for_each(|(domain, _)| drop(taken.insert(domain.clock.clone(), format!("clock `{}`", domain.clock))));
    for (domain, _) in used.iter().filter(|(_, reset)| *reset) {
        let low = format!("{}_n", domain.reset);
        let other = [&domain.reset, &low].into_iter().find_map(|name| Some((name, taken.get(name)?)));
        if let Some((name, other)) = other {
            let Domain { clock, reset } = domain;
            let active = if name == reset { String::new() } else { " (where resets are active at 0)".into() };
            let message = format!("the reset of clock `{clock}` is called `{name}`{active}, and so is {other}");
            let help = "give each clock and each reset a name of its own; what resets two clocks comes in by two ports";
            b.error(loc, message, vec![], Some(help.into()));
        }
        for name in [domain.reset.clone(), low] {
            taken.entry(name).or_insert_with(|| format!("the reset of clock `{}`", domain.clock));
        }
    }
}

/// The domains that the module and the modules below it need from outside, and whether they need the reset. Notes what is needed of
/// those that come from inside.
pub(super) fn clocks(def: &mut Def) -> Vec<(Domain, bool)> {
    let mut list = needed(def);
    for inside in &mut def.inside {
        let domain = &def.domains[inside.domain as usize];
        let Some(at) = list.iter().position(|(d, _)| d == domain) else {
            continue;
        };
        inside.needed = (true, list[at].1);
        if inside.clock.is_some() {
            list.remove(at);
        } else {
            list[at].1 = false;
        }
    }
    list
}

/// The domains that the module and the modules below it need, and whether they need the reset.
fn needed(def: &Def) -> Vec<(Domain, bool)> {
    let mut list: Vec<(Domain, bool)> = vec![];
    let mut need = |domain: &Domain, reset: bool| match list.iter_mut().find(|(d, _)| d == domain) {
        Some((_, r)) => *r |= reset,
        None => list.push((domain.clone(), reset)),
    };
    let domain = |i: u32| &def.domains[i as usize];
    def.regs.iter().for_each(|r| need(domain(r.domain), r.reset.is_some()));
    for m in &def.mems {
        m.reads.iter().filter(|r| r.sync).for_each(|r| need(domain(r.domain), false));
        m.writes.iter().for_each(|w| need(domain(w.domain), false));
    }
    def.props.iter().for_each(|p| need(domain(p.domain), true));
    for n in &def.nodes {
        match n.op {
            Op::Net(Net::Clock(d)) => need(domain(d), false),
            Op::Net(Net::Reset(d)) => need(domain(d), true),
            _ => {}
        }
    }
    for inst in &def.insts {
        let used = inst.def.clocks.iter().filter_map(|(d, reset)| Some((inst.outer(d)?, *reset)));
        used.for_each(|(outer, reset)| need(domain(outer), reset));
    }
    // in the order of declaration, so that it does not depend on use
    let order = |d: &Domain| def.domains.iter().position(|x| x == d).unwrap_or(usize::MAX);
    list.sort_by_key(|(d, _)| order(d));
    list
}
