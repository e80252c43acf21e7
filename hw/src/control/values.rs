//! What software may write to a register. The hardware keeps the bits that a register has and drops all others without a word, so a
//! number that does not fit is refused here, before it is written.

use super::registers::{Field, Register, RegisterMap};
use std::fmt;

/// What is legal where nothing is.
const READ_ONLY: &str = "software can only read it";

/// Why a value cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotWritable {
    /// `map.register`, or `map.register.field`.
    pub target: String,
    /// What was to be written, if the mistake is not the name.
    pub value: Option<u64>,
    /// What is legal there.
    pub legal: String,
}

impl fmt::Display for NotWritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotWritable { target, value, legal } = self;
        match value {
            Some(value) => write!(f, "{value} ({value:#x}) cannot be written to `{target}`: {legal}"),
            None => write!(f, "nothing can be written to `{target}`: {legal}"),
        }
    }
}

impl std::error::Error for NotWritable {}

impl RegisterMap {
    /// Address and word of a write to a register, for a master: `let (address, word) = map.encode("length", 4096)?`.
    ///
    /// # Errors
    /// If there is no such register, or the value has a bit that no field keeps.
    pub fn encode(&self, register: &str, value: u64) -> Result<(u64, u64), NotWritable> {
        let found = self.named(register)?;
        let mask = writable(found).fold(0, |mask, field| mask | field.mask());
        if value & !u64::from(mask) == 0 {
            return Ok((found.offset.into(), value));
        }
        let fields: Vec<&Field> = writable(found).collect();
        let legal = match fields[..] {
            [] => READ_ONLY.to_string(),
            [field] if field.lsb == 0 => legal(field),
            _ => {
                let ranges: Vec<String> = fields.iter().map(|x| format!("`{}` {}", bits_of(x), x.name)).collect();
                format!("legal are the bits of {mask:#010x}: {}", ranges.join(", "))
            }
        };
        Err(NotWritable { target: format!("{}.{register}", self.name), value: Some(value), legal })
    }
    /// Address and word of a write to a register of several fields: those that are named, the last one of a name, 0 in all others.
    ///
    /// # Errors
    /// If there is no such register or field, or a value is beyond its field.
    pub fn encode_fields(&self, register: &str, values: &[(&str, u64)]) -> Result<(u64, u64), NotWritable> {
        let found = self.named(register)?;
        let mut word = 0;
        for &(name, value) in values {
            let target = format!("{}.{register}.{name}", self.name);
            let refuse = |value, legal| NotWritable { target, value, legal };
            let Some(field) = writable(found).find(|field| field.name == name) else {
                let names: Vec<String> = writable(found).map(|field| format!("`{}`", field.name)).collect();
                return Err(match names[..] {
                    [] => refuse(Some(value), READ_ONLY.to_string()),
                    _ => refuse(None, format!("fields that software writes are {}", names.join(", "))),
                });
            };
            if value > field.most() {
                return Err(refuse(Some(value), legal(field)));
            }
            word = word & !u64::from(field.mask()) | value << field.lsb;
        }
        Ok((found.offset.into(), word))
    }

    fn named(&self, register: &str) -> Result<&Register, NotWritable> {
        self.registers.iter().find(|found| found.name == register).ok_or_else(|| {
            let names: Vec<String> = self.registers.iter().map(|r| format!("`{}`", r.name)).collect();
            let legal = format!("there is no such register; there are {}", names.join(", "));
            NotWritable { target: format!("{}.{register}", self.name), value: None, legal }
        })
    }
}

impl Field {
    /// The largest number in the field.
    fn most(&self) -> u64 {
        (self.mask() >> self.lsb).into()
    }
}

fn writable(register: &Register) -> impl Iterator<Item = &Field> {
    register.fields.iter().filter(|field| field.access.is_writable())
}

fn legal(field: &Field) -> String {
    format!("legal is 0 to {} ({} bits)", field.most(), field.width)
}

/// `15:4`, or `4` of a single bit.
fn bits_of(field: &Field) -> String {
    if field.width == 1 { field.lsb.to_string() } else { format!("{}:{}", field.msb(), field.lsb) }
}
