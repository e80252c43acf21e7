//! Prints a hierarchy as Verilog-2005.
//!
//! Names are those of the source; expressions that are used once stand where they are used; a temporary (`_t1`) is made only
//! where Verilog's rules ask for a name. Nothing depends on the order of hashing, so the text is stable.

mod expr;
mod live;
mod memory;
mod process;
mod property;
mod render;
mod sheet;
mod text;

use crate::ir::*;
use crate::module::Design;
use std::collections::{BTreeMap, HashMap};
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
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The kind of reset.
    pub reset: Reset,
    /// Comment lines at the top of every file: generator, version, configuration.
    pub header: Vec<String>,
    /// Print the properties too, and the logic that only they need. A prover (`FORMAL`) sees them as `assert`, `assume` and
    /// `cover`, a simulator as checks that stop it, synthesis (`SYNTHESIS`) not at all; the text stays Verilog-2005.
    pub properties: bool,
}

/// Printed modules, children before parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    modules: Vec<(String, String)>,
    header: String,
}

impl Source {
    /// File name and text of each module.
    pub fn files(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.modules.iter().map(|(name, text)| (format!("{name}.v"), self.wrap(text)))
    }
    /// All modules in one text.
    pub fn single(&self) -> String {
        let all: Vec<&str> = self.modules.iter().map(|(_, text)| text.as_str()).collect();
        self.wrap(&all.join("\n"))
    }
    /// Name of the top module.
    pub fn top(&self) -> &str {
        self.modules.last().map_or("", |(name, _)| name)
    }
    /// Number of modules.
    pub fn len(&self) -> usize {
        self.modules.len()
    }
    /// Is nothing printed? (Never: a design prints at least its own module.)
    pub fn is_empty(&self) -> bool {
        self.modules.is_empty()
    }
    fn wrap(&self, text: &str) -> String {
        format!("{}`default_nettype none\n\n{text}\n`default_nettype wire\n", self.header)
    }
}

/// Prints a design and everything below it. Modules with the same name and text are printed once; different modules that
/// ask for one name get `name`, `name_1`, ...
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
    let mut p =
        Printer { options, modules: vec![], by_def: HashMap::new(), by_text: BTreeMap::new(), taken: BTreeMap::new() };
    p.module(&design.def, true);
    let header: String = options.header.iter().map(|l| format!("// {l}\n")).collect();
    Source { modules: p.modules, header }
}

/// What becomes of properties.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Properties {
    Omit,
    Print,
    /// The same, and a proof begins in reset.
    PrintTop,
}

/// The wire that gathers what nothing reads.
pub(crate) const UNUSED: &str = "unused_ok";

/// The wire that gathers what only covers read.
pub(crate) const UNUSED_COVERS: &str = "unused_covers";

/// Name of the localparam of a state.
pub(crate) fn localparam(e: &Enum, variant: &str) -> String {
    format!("{}_{}", text::shouting(&e.name), text::shouting(variant))
}

struct Printer<'a> {
    options: &'a Options,
    modules: Vec<(String, String)>,
    by_def: HashMap<*const Def, String>,
    by_text: BTreeMap<(String, String), String>,
    taken: BTreeMap<String, u32>,
}

impl Printer<'_> {
    fn module(&mut self, def: &Arc<Def>, top: bool) -> String {
        if let Some(name) = self.by_def.get(&Arc::as_ptr(def)) {
            return name.clone();
        }
        let children: Vec<String> = def.insts.iter().map(|i| self.module(&i.def, false)).collect();
        let properties = match (self.options.properties, top) {
            (false, _) => Properties::Omit,
            (true, false) => Properties::Print,
            (true, true) => Properties::PrintTop,
        };
        let body = render::body(def, &children, self.options.reset, properties);
        let key = (def.name.clone(), body);
        let name = match self.by_text.get(&key) {
            Some(name) => name.clone(),
            None => {
                let count = self.taken.entry(def.name.clone()).and_modify(|n| *n += 1).or_insert(0);
                let name = if *count == 0 { def.name.clone() } else { format!("{}_{count}", def.name) };
                let doc: String = def.doc.lines().map(|l| format!("// {l}").trim_end().to_string() + "\n").collect();
                self.modules.push((name.clone(), format!("{doc}module {name} {}", key.1)));
                self.by_text.insert(key, name.clone());
                name
            }
        };
        self.by_def.insert(Arc::as_ptr(def), name.clone());
        name
    }
}
