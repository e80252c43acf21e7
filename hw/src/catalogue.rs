//! The catalogue: the blocks that can be configured by name, with their parameters and what is legal.
//!
//! A [`Block`] turns [`Values`] into an erased [`Design`]. [`Block::resolve`] checks all parameters before anything is
//! elaborated and says of each mistake what is legal and why; what it lets through, [`Block::build`] elaborates.
//!
//! ```
//! use hw::catalogue::{Value, block};
//!
//! let fifo = block("fifo").expect("a block of the catalogue");
//! let values = fifo.resolve([("width", Value::Number(32)), ("depth", Value::Number(16))]).expect("legal");
//! let design = (fifo.build)("my_fifo", &values)?;
//! assert_eq!(design.name(), "fifo_32x16_block");
//!
//! let mistakes = fifo.resolve([("width", Value::Number(0))]).unwrap_err();
//! assert_eq!(mistakes[0].to_string(), "width = 0 is out of range");
//! assert_eq!(mistakes[0].legal(), "a whole number from 1 to 65536 (bits)");
//! # Ok::<(), hdl::Errors>(())
//! ```

mod blocks;
mod clocks;
mod float;
mod float_functions;
mod h2m2;
mod h2m2_events;
mod h2m2_migration;
mod lad;
mod memory;
mod oaken_mmu;
mod oaken_slices;
mod parameter;
mod soc;
mod streams;
#[cfg(test)]
mod tests;
mod vq;
mod vq_tables;

pub use blocks::{blocks, engine_params};
pub use h2m2::mmu_params;
pub use h2m2_migration::migration_params;
pub use lad::{apid_params, lad_scores_params};
pub use memory::{arbiter_axi, mover};
pub use oaken_mmu::oaken_mmu_params;
pub use oaken_slices::{framer_params, slice_params};
pub use parameter::{Legal, Mistake, Parameter, Preset, Problem, Value, Values};
pub use soc::{board_params, system_params};
pub use vq::{banked_params, cache_params, unpacker_params};
pub use vq_tables::{scores_params, table_params, values_params};

use hdl::{Design, Errors};

/// A block that can be configured by name.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Name in configurations.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// What holds between several parameters; it sees values of which each by itself is legal.
    pub check: fn(&Values) -> Result<(), Box<Mistake>>,
    /// Cycles from input to output, in words.
    pub latency: fn(&Values) -> String,
    /// What it moves in a cycle, in words.
    pub throughput: fn(&Values) -> String,
    /// Path of the Rust function that elaborates it.
    pub function: fn() -> &'static str,
    /// Elaborates it. The name is that of the top module, for blocks that leave it to the user; parts of the library such as
    /// the FIFO make a name of their parameters.
    pub build: fn(&str, &Values) -> Result<Design<()>, Errors>,
}

/// The block of this name.
pub fn block(name: &str) -> Option<&'static Block> {
    blocks().iter().find(|block| block.name == name)
}

impl Block {
    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|p| p.name == name)
    }

    /// Takes what was given, sets defaults for the rest and checks everything. All mistakes come together; of a
    /// parameter that is given twice, the last value counts.
    pub fn resolve<'a>(&self, given: impl IntoIterator<Item = (&'a str, Value)>) -> Result<Values, Vec<Mistake>> {
        let mut values: Vec<Option<Value>> = self.parameters.iter().map(|p| p.default.map(Value::from)).collect();
        let mut mistakes = vec![];
        for (name, value) in given {
            match self.parameters.iter().position(|p| p.name == name) {
                None => mistakes.push(Mistake::unknown(name, self)),
                Some(index) => match self.parameters[index].check(&value) {
                    Err(mistake) => mistakes.push(*mistake),
                    Ok(()) => values[index] = Some(value),
                },
            }
        }
        let wrong = |mistakes: &[Mistake], name| mistakes.iter().any(|m| m.names.contains(&name));
        let mut resolved = vec![];
        for (parameter, value) in self.parameters.iter().zip(values) {
            match value {
                Some(value) => resolved.push((parameter.name, value)),
                None if wrong(&mistakes, parameter.name) => {}
                None => mistakes.push(Mistake::missing(parameter, self)),
            }
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let values = Values(resolved);
        (self.check)(&values).map_err(|mistake| vec![*mistake])?;
        Ok(values)
    }
}
