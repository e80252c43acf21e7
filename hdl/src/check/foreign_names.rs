//! Names of foreign modules cannot be changed: nothing else of the hierarchy may have one of them.

use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Collects the foreign modules below a module, and reports names that are taken twice.
pub(super) fn check(b: &mut Draft) {
    let mut below: Vec<Arc<Def>> = vec![];
    for inst in &b.def.insts {
        let own = inst.def.foreign.is_some().then_some(&inst.def);
        for def in inst.def.foreign_below.iter().chain(own) {
            if below.iter().all(|known| !Arc::ptr_eq(known, def)) {
                below.push(def.clone());
            }
        }
    }
    if below.is_empty() {
        return;
    }
    let mut taken: BTreeMap<&str, &ForeignRef> = BTreeMap::new();
    let all: Vec<ForeignRef> = below.iter().filter_map(ForeignRef::of).collect();
    let mut reports = vec![];
    for f in &all {
        for name in f.names {
            match taken.get(name.as_str()) {
                Some(first) if first.text != f.text => {
                    let notes = vec![(first.loc, "one is given here"), (f.loc, "the other here")];
                    let message = format!("two different foreign modules are called `{name}`");
                    reports.push((f.loc, message, notes, "rename one in its text"));
                }
                Some(_) => {}
                None => drop(taken.insert(name, f)),
            }
        }
    }
    let mut visit = Visit { taken: &taken, seen: HashSet::default(), found: vec![] };
    let loc = b.def.insts.iter().find_map(|i| i.pins.first()).map(|pin| b.node(*pin).loc);
    visit.name(&b.def.name);
    b.def.insts.iter().for_each(|i| visit.module(&i.def));
    for (name, foreign) in visit.found {
        let message = format!("a module of this design has the name of the foreign module `{name}`");
        reports.push((
            loc.unwrap_or(foreign),
            message,
            vec![(foreign, "the foreign module is given here")],
            "rename it",
        ));
    }
    for (loc, message, notes, help) in reports {
        b.error(loc, message, notes, Some(help.into()));
    }
    b.def.foreign_below = below;
}

struct ForeignRef<'a> {
    names: &'a [String],
    text: Option<&'a str>,
    loc: Loc,
}

impl<'a> ForeignRef<'a> {
    fn of(def: &'a Arc<Def>) -> Option<ForeignRef<'a>> {
        let f = def.foreign.as_deref()?;
        Some(ForeignRef { names: &f.modules, text: f.text.as_deref().map(String::as_str), loc: f.loc })
    }
}

/// Walks over the modules of the language, each once.
struct Visit<'a> {
    taken: &'a BTreeMap<&'a str, &'a ForeignRef<'a>>,
    seen: HashSet<*const Def>,
    /// Name, and where the foreign module is given.
    found: Vec<(String, Loc)>,
}

impl Visit<'_> {
    fn name(&mut self, name: &str) {
        if let Some(f) = self.taken.get(name)
            && self.found.iter().all(|(known, _)| known != name)
        {
            self.found.push((name.into(), f.loc));
        }
    }
    fn module(&mut self, def: &Arc<Def>) {
        if !self.seen.insert(Arc::as_ptr(def)) {
            return;
        }
        if def.foreign.is_none() {
            self.name(&def.name);
            def.insts.iter().for_each(|i| self.module(&i.def));
        }
    }
}
