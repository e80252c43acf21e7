//! What goes between the parts of a banked codebook cache.

use super::cache_types::CacheParams;
use hdl::*;

/// Lookups of a lane of which one is made in a cycle.
pub const WINDOW: u32 = 4;
/// Beats that are under way: those of a LUT RAM.
pub const DEPTH: u32 = 16;
/// Bits of the number of a beat that is under way.
pub const SLOT_BITS: u32 = DEPTH.ilog2();

/// The parameters of a banked codebook cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankedParams {
    /// Entries, lanes and numbers; 2 or 4 lanes.
    pub cache: CacheParams,
    /// Banks: 2, 4, 8 or 16, and not more than entries. Entry e is in bank e mod banks.
    pub banks: u32,
}

impl BankedParams {
    /// Bits of the number of a bank.
    pub(super) fn bank_bits(self) -> u32 {
        self.banks.ilog2()
    }
    /// Entries of a bank.
    pub(super) fn rows(self) -> u32 {
        self.cache.entries.div_ceil(self.banks)
    }
    /// Bits of a place in a bank.
    pub(super) fn row_bits(self) -> u32 {
        self.cache.index_bits() - self.bank_bits()
    }
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        self.cache.check(module)?;
        let BankedParams { cache: CacheParams { entries, lanes, .. }, banks } = self;
        let (what, help) = match () {
            _ if ![2, 4].contains(&lanes) => {
                (format!("lanes = {lanes}"), "2 or 4: a port of a bank for each pair of them")
            }
            _ if ![2, 4, 8, 16].contains(&banks) || 2 * banks > entries => {
                (format!("banks = {banks} with {entries} entries"), "2, 4, 8 or 16, of two entries at least")
            }
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// An entry that is looked up.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Wanted {
    /// Its bank.
    pub bank: Signal,
    /// Its place there.
    pub row: Signal,
    /// The number of its beat.
    pub slot: Signal,
}

/// The shape of an entry that is looked up.
pub fn wanted(p: BankedParams) -> Wanted {
    Wanted { bank: bits(p.bank_bits()), row: bits(p.row_bits()), slot: bits(SLOT_BITS) }
}

/// A lookup that is made.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Request {
    /// There is one.
    pub valid: Signal,
    /// What is looked up.
    pub wanted: Wanted,
}

/// A bank that a lane would look up in.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct BankChoice {
    /// There is one.
    pub valid: Signal,
    /// Which.
    pub bank: Signal,
}

/// The shape of such a bank.
pub fn bank_choice(p: BankedParams) -> BankChoice {
    BankChoice { valid: bits(1), bank: bits(p.bank_bits()) }
}
