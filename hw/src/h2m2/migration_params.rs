//! Parameters of the [migration engine](super::migration), with what is legal, and what moves between its parts: commands, how they ended, and
//! where pages lie.

use super::params::MOST_NUMBER_BITS;
use crate::memory::axi::AxiParams;
use hdl::*;

/// The parameters of a migration engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationParams {
    /// Bytes of a beat of the buses to the pages: 8, 16, 32 or 64.
    pub data_bytes: u32,
    /// Bits of a virtual byte address, 32 to 48.
    pub virtual_bits: u32,
    /// Bits of a physical byte address of each memory, 32 to 48.
    pub physical_bits: u32,
    /// Bits of a byte address within a page: 12 (4 KiB) to 30 (1 GiB).
    pub page_bits: u32,
}

impl MigrationParams {
    /// The buses to the pages.
    pub fn axi(self) -> AxiParams {
        AxiParams { data_bytes: self.data_bytes, address_bits: self.physical_bits, id_bits: 0 }
    }
    /// Bits of the number of a virtual page.
    pub fn virtual_page_bits(self) -> u32 {
        self.virtual_bits.saturating_sub(self.page_bits).max(1)
    }
    /// Bits of the number of a physical page.
    pub fn physical_page_bits(self) -> u32 {
        self.physical_bits.saturating_sub(self.page_bits).max(1)
    }
    /// A name that tells all parameters.
    pub fn name(self, what: &str) -> String {
        let MigrationParams { data_bytes, virtual_bits, physical_bits, page_bits } = self;
        format!("{what}_v{virtual_bits}_p{physical_bits}_g{page_bits}_{}", 8 * data_bytes)
    }
    /// Are all parameters legal?
    #[track_caller]
    pub fn check(self, module: &str) -> Result<(), Errors> {
        let place = std::panic::Location::caller();
        let wrong = |what: String, help: &str| Err(Errors::parameter_at(place, module, what, help));
        if ![8, 16, 32, 64].contains(&self.data_bytes) {
            return wrong(format!("data_bytes = {}", self.data_bytes), "8, 16, 32 or 64: buses of 64 to 512 bits");
        }
        let ranges = [
            ("virtual_bits", self.virtual_bits, 32, 48, "those of the MMU"),
            ("physical_bits", self.physical_bits, 32, 48, "an entry has 48"),
            ("page_bits", self.page_bits, 12, 30, "pages of 4 KiB to 1 GiB"),
        ];
        if let Some((name, x, least, most, why)) = ranges.iter().find(|(_, x, least, most, _)| x < least || x > most) {
            return wrong(format!("{name} = {x} is out of range"), &format!("from {least} to {most}: {why}"));
        }
        if self.virtual_page_bits() > MOST_NUMBER_BITS {
            let help = "at most 2^31: the MMU counts no more";
            return wrong(format!("2^{} pages", self.virtual_page_bits()), help);
        }
        Ok(())
    }
}

/// Where a page lies.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Location {
    /// 0 the fast memory, 1 the large one.
    pub side: Signal,
    /// Number of the physical page.
    pub page: Signal,
}

/// The shape of where a page lies.
pub fn location(p: MigrationParams) -> Location {
    Location { side: bits(1), page: bits(p.physical_page_bits()) }
}

/// A page to be moved.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Migration {
    /// Number of the virtual page.
    pub page: Signal,
    /// Where it lies.
    pub from: Location,
    /// Where it is to lie.
    pub to: Location,
    /// A bit for each page table: it leads to the page. With none, the page is only copied.
    pub tables: Signal,
}

/// The shape of a page to be moved.
pub fn migration_shape(p: MigrationParams) -> Migration {
    Migration { page: bits(p.virtual_page_bits()), from: location(p), to: location(p), tables: bits(2) }
}

/// How a command ended. The codes of the two bus errors are those of AXI4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
#[state(width = 3)]
pub enum MigrationOutcome {
    /// The page was moved.
    Okay = 0,
    /// An entry is not as the command says: another place, not valid, on the move, or malformed; or both places are one.
    Mapping = 1,
    /// A memory answered SLVERR.
    Slave = 2,
    /// Nobody answers at an address: DECERR.
    Decode = 3,
    /// It was stopped.
    Stopped = 4,
    /// An entry could not be written as it had to be: it may be on the move for ever, or lead to either place.
    Table = 5,
}

/// A command is done.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Migrated {
    /// Its virtual page.
    pub page: Signal,
    /// How it ended.
    pub outcome: StateSignal<MigrationOutcome>,
    /// The place that is free now, if `freed`.
    pub free: Location,
    /// There is one: not with [`MigrationOutcome::Table`], nor where both places are one, nor behind a copy without page tables.
    pub freed: Signal,
}

/// The shape of what is done.
pub fn migrated(p: MigrationParams) -> Migrated {
    Migrated { page: bits(p.virtual_page_bits()), outcome: state(), free: location(p), freed: bits(1) }
}
