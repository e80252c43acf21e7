//! The description of registers.

use hdl::{Diagnostic, Errors, Span};
use serde::Serialize;
use std::collections::BTreeSet;
use std::panic::Location;

/// Bits of a register.
pub const REGISTER_WIDTH: u32 = 32;

/// The registers of a module: 32 bits each, one after the other from byte 0 on.
#[derive(Clone, Debug, Serialize)]
pub struct RegisterMap {
    /// Name, in lower case: the prefix of everything that is made from the map.
    pub name: String,
    /// What the registers are for.
    pub doc: String,
    /// In the order of their addresses.
    pub registers: Vec<Register>,
    #[serde(skip)]
    fields: usize,
    #[serde(skip)]
    at: Place,
}

/// One register.
#[derive(Clone, Debug, Serialize)]
pub struct Register {
    /// Name, in lower case.
    pub name: String,
    /// What it is for.
    pub doc: String,
    /// Byte address, a multiple of 4.
    pub offset: u32,
    /// From the low bits upwards. Bits of no field read as 0.
    pub fields: Vec<Field>,
    /// Where the next field begins.
    #[serde(skip)]
    next_bit: u32,
    #[serde(skip)]
    at: Place,
}

/// Some bits of a register.
#[derive(Clone, Debug, Serialize)]
pub struct Field {
    /// Name, in lower case; that of the register when it has this field alone.
    pub name: String,
    /// What it means.
    pub doc: String,
    /// Physical or logical unit of the number, if it is one.
    pub units: Option<String>,
    /// Its lowest bit in the register.
    pub lsb: u32,
    /// Bits.
    pub width: u32,
    /// Who may do what.
    pub access: Access,
    /// Its number among all fields of the map.
    #[serde(skip)]
    pub(super) index: usize,
    #[serde(skip)]
    at: Place,
}

/// What software and hardware do with a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Software reads and writes, hardware reads.
    ReadWrite {
        /// Value after reset.
        reset: u32,
    },
    /// Hardware writes, software reads.
    ReadOnly,
    /// Always this value.
    Constant {
        /// The value.
        value: u32,
    },
    /// Hardware sets single bits, software reads them and clears those that it writes as 1. Setting wins over clearing.
    Sticky,
}

impl Access {
    /// Can software change the field?
    pub fn is_writable(self) -> bool {
        matches!(self, Access::ReadWrite { .. } | Access::Sticky)
    }
    /// The value after reset, as far as it is known.
    pub fn reset(self) -> u32 {
        match self {
            Access::ReadWrite { reset } => reset,
            Access::Constant { value } => value,
            Access::ReadOnly | Access::Sticky => 0,
        }
    }
}

/// Where in the source something was described.
#[derive(Clone, Debug)]
struct Place(Span);

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub(super) usize);
        impl From<$name> for usize {
            fn from(field: $name) -> usize {
                field.0
            }
        }
    )*};
}
handles!(
    /// Handle of a field that software writes.
    Rw,
    /// Handle of a field that hardware writes.
    Ro,
    /// Handle of a flag that hardware sets and software clears.
    Sticky
);

impl RegisterMap {
    /// A map without registers.
    #[track_caller]
    pub fn new(name: &str, doc: &str) -> RegisterMap {
        RegisterMap { name: name.into(), doc: doc.into(), registers: vec![], fields: 0, at: Place::here() }
    }
    /// Adds a register; its fields are added from bit 0 upwards.
    #[track_caller]
    pub fn register(&mut self, name: &str, doc: &str) -> RegisterBuilder<'_> {
        let offset = 4 * self.registers.len() as u32;
        let (name, doc, at) = (name.to_string(), doc.to_string(), Place::here());
        self.registers.push(Register { name, doc, offset, fields: vec![], next_bit: 0, at });
        RegisterBuilder { map: self }
    }
    /// A register with one field that software writes.
    #[track_caller]
    pub fn rw(&mut self, name: &str, width: u32, reset: u32, doc: &str) -> Rw {
        self.register(name, doc).rw(name, width, reset, doc)
    }
    /// A register with one field that hardware writes.
    #[track_caller]
    pub fn ro(&mut self, name: &str, width: u32, doc: &str) -> Ro {
        self.register(name, doc).ro(name, width, doc)
    }
    /// A register with one field that never changes.
    #[track_caller]
    pub fn constant(&mut self, name: &str, width: u32, value: u32, doc: &str) {
        self.register(name, doc).constant(name, width, value, doc);
    }
    /// States the unit of a field.
    pub fn units(&mut self, field: impl Into<usize>, units: &str) {
        let index = field.into();
        let all = self.registers.iter_mut().flat_map(|r| &mut r.fields);
        all.filter(|f| f.index == index).for_each(|f| f.units = Some(units.to_string()));
    }
    /// Bits that an address of the map needs, at least 3.
    pub fn address_width(&self) -> u32 {
        hdl::clog2(4 * self.registers.len()).max(3)
    }
    /// Byte address of the register of this name. Panics where there is none: a misspelt name would write elsewhere.
    #[track_caller]
    pub fn offset(&self, name: &str) -> u64 {
        let found = self.registers.iter().find(|register| register.name == name);
        found.unwrap_or_else(|| panic!("`{}` has no register `{name}`", self.name)).offset.into()
    }
    /// Number of fields.
    pub(super) fn field_count(&self) -> usize {
        self.fields
    }

    /// Is everything legal? All mistakes come together, each with the place where it was described.
    pub fn check(&self) -> Result<(), Errors> {
        let mut errors = vec![];
        let mut report = |at: &Place, message: String, help: &str| {
            let (module, span) = (self.name.clone(), at.0.clone());
            errors.push(Diagnostic { module, message, span, notes: vec![], help: Some(help.into()) });
        };
        let once = format!("{LEGAL_NAME}; no name twice");
        let mut names = BTreeSet::new();
        if !legal_name(&self.name) {
            report(&self.at, format!("`{}` cannot be the name of a register map", self.name), LEGAL_NAME);
        }
        if self.registers.is_empty() {
            report(&self.at, format!("`{}` has no registers", self.name), "add one with `register`, `rw` or `ro`");
        }
        for register in &self.registers {
            if !legal_name(&register.name) || !names.insert(&register.name) {
                report(&register.at, format!("`{}` cannot be the name of a register", register.name), &once);
            }
            if register.fields.is_empty() {
                report(&register.at, format!("register `{}` has no fields", register.name), "add one");
            }
            let mut names = BTreeSet::new();
            for field in &register.fields {
                let full = format!("{}.{}", register.name, field.name);
                if !legal_name(&field.name) || !names.insert(&field.name) {
                    report(&field.at, format!("`{full}` cannot be the name of a field"), &once);
                }
                if field.width == 0 || field.lsb.saturating_add(field.width) > REGISTER_WIDTH {
                    let message = format!("`{full}` has {} bits from bit {} on", field.width, field.lsb);
                    report(&field.at, message, "a field has at least one bit, a register 32 in all");
                } else if u64::from(field.access.reset()) >> field.width != 0 {
                    let message = format!("{} does not fit in `{full}`", field.access.reset());
                    report(&field.at, message, &format!("at most {}", field.mask() >> field.lsb));
                }
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(Errors(errors)) }
    }
}

/// Adds fields to a register.
pub struct RegisterBuilder<'a> {
    map: &'a mut RegisterMap,
}

impl RegisterBuilder<'_> {
    /// A field that software reads and writes, with its value after reset.
    #[track_caller]
    pub fn rw(&mut self, name: &str, width: u32, reset: u32, doc: &str) -> Rw {
        Rw(self.add(name, width, Access::ReadWrite { reset }, doc))
    }
    /// A field that hardware writes and software reads.
    #[track_caller]
    pub fn ro(&mut self, name: &str, width: u32, doc: &str) -> Ro {
        Ro(self.add(name, width, Access::ReadOnly, doc))
    }
    /// A field that never changes.
    #[track_caller]
    pub fn constant(&mut self, name: &str, width: u32, value: u32, doc: &str) {
        self.add(name, width, Access::Constant { value }, doc);
    }
    /// A flag that hardware sets, and that software clears by writing 1.
    #[track_caller]
    pub fn sticky(&mut self, name: &str, doc: &str) -> Sticky {
        Sticky(self.add(name, 1, Access::Sticky, doc))
    }
    /// Leaves bits free between two fields.
    pub fn reserved(&mut self, width: u32) {
        if let Some(register) = self.map.registers.last_mut() {
            register.next_bit = register.next_bit.saturating_add(width);
        }
    }
    #[track_caller]
    fn add(&mut self, name: &str, width: u32, access: Access, doc: &str) -> usize {
        let index = self.map.fields;
        self.map.fields += 1;
        let at = Place::here();
        if let Some(register) = self.map.registers.last_mut() {
            let lsb = register.next_bit;
            register.next_bit = lsb.saturating_add(width);
            let (name, doc) = (name.to_string(), doc.to_string());
            register.fields.push(Field { name, doc, units: None, lsb, width, access, index, at });
        }
        index
    }
}

impl Register {
    /// Value after reset, as far as it is known.
    pub fn reset(&self) -> u32 {
        self.fields.iter().fold(0, |value, field| value | field.access.reset() << field.lsb)
    }
    /// Can software change any of it?
    pub fn is_writable(&self) -> bool {
        self.fields.iter().any(|field| field.access.is_writable())
    }
    /// The name of a field in generated text: that of the register alone where the register is the field.
    pub fn full_name(&self, field: &Field) -> String {
        if field.name == self.name { self.name.clone() } else { format!("{}_{}", self.name, field.name) }
    }
}

impl Field {
    /// Ones where the field stands in its register.
    pub fn mask(&self) -> u32 {
        (((1u64 << self.width) - 1) << self.lsb) as u32
    }
    /// Its highest bit in the register.
    pub fn msb(&self) -> u32 {
        self.lsb + self.width - 1
    }
}

impl Place {
    #[track_caller]
    fn here() -> Place {
        Place(Location::caller().into())
    }
}

/// What is legal as a name of a map, a register or a field.
pub const LEGAL_NAME: &str = "lower case letters, digits and underscores, a letter first";

/// Can it be the name of a map, a register or a field?
pub fn legal_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
