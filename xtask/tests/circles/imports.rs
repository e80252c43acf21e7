//! Which file takes what from which other one, and who does so in a circle.

use crate::source::{Names, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Who takes from whom, and which names.
pub type Graph = BTreeMap<(usize, usize), BTreeSet<String>>;

/// A name behind more names than these stands for itself: a `use` that names itself does not end.
const DEPTH: usize = 16;

/// The imports between the files of a crate.
pub fn imports(sources: &[Source]) -> Graph {
    let modules = sources.iter().enumerate().map(|(at, source)| (source.module.clone(), at)).collect();
    let house = House { sources, modules };
    let mut graph = Graph::new();
    for (from, source) in sources.iter().enumerate() {
        for path in &source.paths {
            if let Some((to, name)) = house.find(from, path, DEPTH)
                && to != from
            {
                graph.entry((from, to)).or_default().insert(name);
            }
        }
    }
    graph
}

struct House<'a> {
    sources: &'a [Source],
    modules: BTreeMap<Names, usize>,
}

impl House<'_> {
    /// The file that defines what a path in file `at` names, and its name there; nothing of other crates.
    fn find(&self, at: usize, path: &[String], depth: usize) -> Option<(usize, String)> {
        let (first, rest) = path.split_first()?;
        let module = &self.sources[at].module;
        match first.as_str() {
            "crate" => self.find_in(*self.modules.get(&vec![])?, rest, depth),
            "self" => self.find_in(at, rest, depth),
            "super" => {
                let parent = *self.modules.get(&module[..module.len().checked_sub(1)?])?;
                match rest.first().map(String::as_str) {
                    Some("super") => self.find(parent, rest, depth),
                    _ => self.find_in(parent, rest, depth),
                }
            }
            _ => self.find_in(at, path, depth),
        }
    }

    /// The same for a path that begins in the module of file `at`.
    fn find_in(&self, at: usize, path: &[String], depth: usize) -> Option<(usize, String)> {
        let source = &self.sources[at];
        let Some((first, rest)) = path.split_first() else {
            return Some((at, source.module.last()?.clone()));
        };
        let depth = depth.checked_sub(1)?;
        if source.children.contains(first) {
            let child = [source.module.as_slice(), std::slice::from_ref(first)].concat();
            return self.find_in(*self.modules.get(&child)?, rest, depth);
        }
        if source.defined.contains(first) {
            return Some((at, first.clone()));
        }
        if let Some(alias) = source.aliases.get(first) {
            return self.find(at, &[alias.as_slice(), rest].concat(), depth);
        }
        // globs of other crates lead nowhere: to follow them would try all others again behind each
        let leads_on = |glob: &&Names| {
            glob.first().is_some_and(|first| {
                ["crate", "self", "super"].contains(&first.as_str())
                    || source.children.contains(first)
                    || source.aliases.contains_key(first)
            })
        };
        let from_globs = |glob: &Names| self.find(at, &[glob.as_slice(), path].concat(), depth);
        source.globs.iter().filter(leads_on).find_map(from_globs)
    }
}

/// The groups of files that reach each other.
pub fn circles(graph: &Graph) -> Vec<BTreeSet<usize>> {
    let files: BTreeSet<usize> = graph.keys().flat_map(|&(from, to)| [from, to]).collect();
    let reach: BTreeMap<usize, BTreeSet<usize>> = files.iter().map(|&file| (file, reached(graph, file))).collect();
    let circle = |file: &usize| {
        let both = reach[file].iter().filter(|other| reach[other].contains(file));
        both.copied().collect::<BTreeSet<usize>>()
    };
    let all: BTreeSet<_> = files.iter().map(circle).filter(|circle| !circle.is_empty()).collect();
    all.into_iter().collect()
}

/// The files that this one takes from, also over others.
fn reached(graph: &Graph, file: usize) -> BTreeSet<usize> {
    let mut open = vec![file];
    let mut found = BTreeSet::new();
    while let Some(from) = open.pop() {
        for (&(_, to), _) in graph.range((from, 0)..(from + 1, 0)) {
            if found.insert(to) {
                open.push(to);
            }
        }
    }
    found
}
