//! State enums: their variants, the codes of those, and their names in the Verilog.

use super::names;
use num_bigint::BigUint;
use std::any::TypeId;
use std::collections::BTreeMap;

/// How the variants of a state enum are stored in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// The code of a variant is its place among the others.
    Binary,
    /// One bit for each variant, of which one is set: the state is known from a single bit.
    OneHot,
    /// Neighbours, in the order in which they are declared, differ in one bit.
    Gray,
    /// Codes that the enum gives.
    Chosen {
        /// In the order of the variants.
        codes: &'static [u64],
        /// Bits of a code.
        width: u32,
    },
}

impl Encoding {
    /// Bits of a code, of so many variants.
    pub fn width(self, variants: usize) -> u32 {
        match self {
            Encoding::Binary | Encoding::Gray => (variants.max(2) - 1).ilog2() + 1,
            Encoding::OneHot => variants.max(1) as u32,
            Encoding::Chosen { width, .. } => width,
        }
    }
    /// The code of the variant with this index.
    pub fn code(self, index: usize) -> BigUint {
        match self {
            Encoding::Binary => index.into(),
            Encoding::OneHot => BigUint::from(1u32) << index,
            Encoding::Gray => (index ^ (index >> 1)).into(),
            Encoding::Chosen { codes, .. } => codes.get(index).copied().unwrap_or_default().into(),
        }
    }
}

/// A state enum as the user declared it.
#[derive(Clone, Copy, Debug)]
pub struct StateEnum {
    pub(crate) type_id: TypeId,
    pub(crate) name: &'static str,
    pub(crate) module: &'static str,
    pub(crate) variants: &'static [&'static str],
    pub(crate) encoding: Encoding,
}

/// A state enum that the module uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Enum {
    /// Tells enums of one name apart.
    pub type_id: TypeId,
    pub name: String,
    /// The Rust module in which it is declared.
    pub module: &'static str,
    pub width: u32,
    /// A single bit tells each variant.
    pub one_hot: bool,
    pub variants: Vec<Variant>,
}

/// One of the states of an [`Enum`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Variant {
    pub name: String,
    pub code: BigUint,
    /// Its name in the Verilog; given when the module is finished.
    pub localparam: String,
}

impl Enum {
    pub fn new(e: &StateEnum) -> Enum {
        let variant = |(i, name): (usize, &&str)| Variant {
            name: name.to_string(),
            code: e.encoding.code(i),
            localparam: String::new(),
        };
        Enum {
            type_id: e.type_id,
            name: e.name.into(),
            module: e.module,
            width: e.encoding.width(e.variants.len()),
            one_hot: e.encoding == Encoding::OneHot,
            variants: e.variants.iter().enumerate().map(variant).collect(),
        }
    }
    /// Is every value that fits in the bits a state?
    pub fn every_code(&self) -> bool {
        BigUint::from(self.variants.len()) == BigUint::from(1u32) << self.width
    }
    /// The variant with this code.
    pub fn with_code(&self, code: &BigUint) -> Option<usize> {
        self.variants.iter().position(|v| v.code == *code)
    }
}

/// For each enum, what its localparams begin with: its name; where several have one name, the last parts of the paths to their
/// modules that differ; where those are the same too, a number.
pub(crate) fn prefixes(enums: &[Enum]) -> Vec<String> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, e) in enums.iter().enumerate() {
        groups.entry(names::shouting(&e.name)).or_default().push(i);
    }
    let mut out = vec![String::new(); enums.len()];
    for (name, group) in groups {
        let paths: Vec<Vec<&str>> = group.iter().map(|i| enums[*i].module.split("::").collect()).collect();
        let longest = paths.iter().map(Vec::len).max().unwrap_or(0);
        let last = |n: usize| -> Vec<String> {
            let tail = |path: &Vec<&str>| path[path.len().saturating_sub(n)..].join("_");
            paths.iter().map(tail).map(|path| names::join(&names::shouting(&path), &name)).collect()
        };
        let differ = |names: &Vec<String>| names.iter().enumerate().all(|(i, name)| !names[..i].contains(name));
        let names = (0..=longest).map(last).find(differ).unwrap_or_else(|| numbered(&name, group.len()));
        group.into_iter().zip(names).for_each(|(i, name)| out[i] = name);
    }
    out
}

/// The name, then the name with 1, 2, ...
fn numbered(name: &str, count: usize) -> Vec<String> {
    (0..count).map(|n| if n == 0 { name.to_string() } else { format!("{name}_{n}") }).collect()
}
