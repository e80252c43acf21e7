//! Prints a hierarchy as Verilog-2005.
//!
//! Names are those of the source; expressions that are used once stand where they are used; a temporary (`_t1`) is made only
//! where Verilog's rules ask for a name. Nothing depends on the order of hashing, so the text is stable.

mod code;
mod decode;
mod expr;
mod flow;
mod live;
mod memory;
mod nets;
mod pad;
mod process;
mod property;
mod render;
mod sheet;
mod statements;
mod steps;
mod text;

pub use code::verilog_code;
pub use pad::Pads;

use crate::design::Design;
use crate::ir::ForeignDef;
use crate::ir::*;
use rustc_hash::FxHashMap as HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How registers with a reset value are reset: one choice for a whole hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Reset {
    /// The reset acts at once, not at the next clock edge.
    pub asynchronous: bool,
    /// The reset is active at 0; its ports end in `_n` then.
    pub active_low: bool,
}

/// Choices of the printer.
#[derive(Clone, Debug)]
pub struct Options {
    /// The kind of reset.
    pub reset: Reset,
    /// Comment lines at the top of every file: generator, version, configuration.
    pub header: Vec<String>,
    /// Print the properties too, and the logic that only they need. A prover (`FORMAL`) sees them as `assert`, `assume` and
    /// `cover`, a simulator as checks that stop it and counters of what is covered, synthesis (`SYNTHESIS`) not at all; the text
    /// stays Verilog-2005.
    pub properties: bool,
    /// Print the models of black boxes in their place: for simulators.
    pub models: bool,
    /// The device has LUT RAM (as at the start). With `false`, a memory of [`RamStyle::Distributed`](crate::RamStyle) has no
    /// attribute, and lies where synthesis finds it best: tools refuse one that asks for what a device (such as iCE40) lacks.
    pub lut_ram: bool,
    /// How the ports of both directions ([`Pad`](crate::Pad)) of the top are printed.
    pub pads: Pads,
}

impl Default for Options {
    fn default() -> Options {
        let (reset, pads) = (Reset::default(), Pads::default());
        Options { reset, header: vec![], properties: false, models: false, lut_ram: true, pads }
    }
}

/// Printed modules, children before parents, and the texts of foreign modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    modules: Vec<(String, String)>,
    /// Texts as they were given, each with the name of a module in it.
    foreign: Vec<(String, Arc<String>)>,
    header: String,
    top: String,
}

impl Source {
    /// File name and text of each module; foreign texts come first, as they were given.
    pub fn files(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let foreign = self.foreign.iter().map(|(name, text)| (name, text.to_string()));
        let printed = self.modules.iter().map(|(name, text)| (name, self.wrap(text)));
        foreign.chain(printed).map(|(name, text)| (format!("{name}.v"), text))
    }
    /// All modules in one text.
    pub fn single(&self) -> String {
        let all: Vec<&str> = self.modules.iter().map(|(_, text)| text.as_str()).collect();
        // each text begins with the defaults, whatever the one before leaves behind
        let begin = |text: &str| format!("`resetall\n{}\n\n", text.trim_end());
        let foreign: String = self.foreign.iter().map(|(_, text)| begin(text)).collect();
        foreign + &self.wrap(&all.join("\n"))
    }
    /// Name of the top module.
    pub fn top(&self) -> &str {
        &self.top
    }
    /// Number of files.
    pub fn len(&self) -> usize {
        self.modules.len() + self.foreign.len()
    }
    /// Is nothing printed? (Never: a design prints at least its own module.)
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    fn wrap(&self, text: &str) -> String {
        format!("{}{}`default_nettype none\n\n{text}\n`default_nettype wire\n", self.header, self.defaults())
    }
    /// The directives of foreign texts last until the next ones, over the ends of files: printed modules put them back. Their
    /// time scale is that of a foreign text, if one has it, because tools want all modules to have one or none.
    fn defaults(&self) -> String {
        let scale = self.foreign.iter().find_map(|(_, text)| crate::foreign_text::timescale(text));
        let scale = scale.map(|line| format!("{line}\n")).unwrap_or_default();
        if self.foreign.is_empty() { String::new() } else { format!("`resetall\n{scale}") }
    }
}

/// Prints a design and everything below it. Modules with the same name and text are printed once; different modules that
/// ask for one name get `name`, `name_1`, ...; the top keeps its name.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), output y: Signal = bits(8) } }
/// # #[module]
/// # fn delay() -> Result<Design<P>, Errors> {
/// #     let m = Module::new("delay");
/// #     let io = P::new(m);
/// #     let before = m.reg_reset(bits(8), 0);
/// #     before.set(io.a);
/// #     io.y.set(before);
/// #     m.finish(io)
/// # }
/// let reset = Reset { asynchronous: true, active_low: true };
/// let source = verilog(&delay()?, &Options { reset, header: vec!["made by example".into()], ..Options::default() });
/// for (file, text) in source.files() {
///     assert_eq!(file, "delay.v");
///     assert!(text.contains("always @(posedge clk or negedge rst_n) begin"));
/// }
/// # Ok::<(), Errors>(())
/// ```
pub fn verilog<P>(design: &Design<P>, options: &Options) -> Source {
    let names = design.def.foreign_below.iter().filter_map(|f| f.foreign.as_ref()).flat_map(|f| &f.modules);
    let mut p = Printer {
        options,
        modules: vec![],
        foreign: vec![],
        reserved: names.cloned().collect(),
        by_def: HashMap::default(),
        by_text: BTreeMap::new(),
        // the top keeps its name, whatever is called so below it
        taken: BTreeSet::from([design.def.name.clone()]),
    };
    let top = p.module(&design.def, true);
    let header = options.header.iter().flat_map(|text| text::comment_lines(text));
    let header = header.map(|line| line + "\n").collect();
    Source { modules: p.modules, foreign: p.foreign, header, top }
}

/// What becomes of properties.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Properties {
    Omit,
    Print,
    /// The same, and a proof begins in reset.
    PrintTop,
}

struct Printer<'a> {
    options: &'a Options,
    modules: Vec<(String, String)>,
    foreign: Vec<(String, Arc<String>)>,
    /// Names of foreign modules.
    reserved: BTreeSet<String>,
    by_def: HashMap<*const Def, String>,
    /// Names of printed modules, by attributes, wished name and body.
    by_text: BTreeMap<(&'static str, String, String), String>,
    taken: BTreeSet<String>,
}

/// What stands for an instance.
pub(crate) struct Child {
    /// Name of the module.
    pub name: String,
    /// Is it the model of a black box?
    pub model: bool,
}

impl Printer<'_> {
    fn child(&mut self, inst: &Inst) -> Child {
        let black_box = inst.def.foreign.as_deref().filter(|f| f.text.is_none());
        match black_box.and_then(|f| f.model.as_ref()).filter(|_| self.options.models) {
            Some(model) => Child { name: self.module(model, false), model: true },
            None => Child { name: self.module(&inst.def, false), model: false },
        }
    }
    /// The name, or one with a number if others have it. Nothing is called like a foreign module.
    fn unique(&mut self, wish: &str) -> String {
        let numbered = (1..).map(|n| format!("{wish}_{n}"));
        let free = |name: &String| !self.taken.contains(name) && (name == wish || !self.reserved.contains(name));
        let name = std::iter::once(wish.to_string()).chain(numbered).find(free).unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }
    /// The text of a foreign module is printed once, whatever is taken from it.
    fn foreign(&mut self, def: &Def, f: &ForeignDef) -> String {
        if let Some(text) = &f.text
            && self.foreign.iter().all(|(_, known)| known != text)
        {
            self.foreign.push((def.name.clone(), text.clone()));
        }
        def.name.clone()
    }
    fn module(&mut self, def: &Arc<Def>, top: bool) -> String {
        if let Some(name) = self.by_def.get(&Arc::as_ptr(def)) {
            return name.clone();
        }
        if let Some(f) = &def.foreign {
            return self.foreign(def, f);
        }
        let children: Vec<Child> = def.insts.iter().map(|i| self.child(i)).collect();
        let properties = match (self.options.properties, top) {
            (false, _) => Properties::Omit,
            (true, false) => Properties::Print,
            (true, true) => Properties::PrintTop,
        };
        let pads = if top { self.options.pads } else { Pads::Signals };
        let body = render::body(def, &children, self.options, properties, pads);
        let attributes = if def.keep_hierarchy { "(* keep_hierarchy = \"yes\" *)\n" } else { "" };
        let key = (attributes, def.name.clone(), body);
        let name = match self.by_text.get(&key) {
            Some(name) => name.clone(),
            None => {
                let name = if top { def.name.clone() } else { self.unique(&def.name) };
                let doc = text::comment_lines(&def.doc).join("\n") + "\n";
                let doc = if def.doc.is_empty() { String::new() } else { doc };
                self.modules.push((name.clone(), format!("{doc}{attributes}module {name} {}", key.2)));
                self.by_text.insert(key, name.clone());
                name
            }
        };
        self.by_def.insert(Arc::as_ptr(def), name.clone());
        name
    }
}
