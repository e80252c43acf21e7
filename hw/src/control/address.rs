//! Addresses of memory in registers: the low bits in one, those from 32 on in the next, which is there whether addresses have them or not, so that
//! software need not know.

use super::registers::{RegisterMap, Ro, Rw};
use super::slave::Registers;
use hdl::{Bundle, Signal};

/// An address that software writes: the number of a word, as its lowest bits are always 0.
#[derive(Clone, Copy, Debug)]
pub struct AddressRw {
    low: Rw,
    high: Option<Rw>,
}

impl AddressRw {
    /// The registers `NAME_low` and `NAME_high` for the address of `what`, of so many bits, which is a multiple of 2 to the power of `shift`.
    #[track_caller]
    pub fn new(map: &mut RegisterMap, name: &str, what: &str, bits: u32, shift: u32) -> AddressRw {
        let doc = format!("address of {what}: low bits; a multiple of {}", 1 << shift);
        let mut register = map.register(&format!("{name}_low"), &doc);
        register.reserved(shift);
        let low = register.rw("address", bits.min(32) - shift, 0, &format!("bits from {shift} on"));
        let (name, doc) = (format!("{name}_high"), format!("address of {what}: bits from 32 on"));
        let high = (bits > 32).then(|| map.rw(&name, bits - 32, 0, &doc));
        if high.is_none() {
            map.constant(&name, 32, 0, &doc);
        }
        AddressRw { low, high }
    }
    /// The number of its word.
    pub fn word(self, regs: &Registers) -> Signal {
        let low = regs[self.low];
        self.high.map_or(low, |high| regs[high].cat(low))
    }
}

/// An address that hardware tells.
#[derive(Clone, Copy, Debug)]
pub struct AddressRo {
    low: Ro,
    high: Option<Ro>,
}

impl AddressRo {
    /// The registers `NAME_low` and `NAME_high` for an address of so many bits.
    #[track_caller]
    pub fn new(map: &mut RegisterMap, name: &str, what: &str, bits: u32) -> AddressRo {
        let low = map.ro(&format!("{name}_low"), bits.min(32), &format!("{what}, low bits"));
        let (name, doc) = (format!("{name}_high"), format!("{what}: bits from 32 on"));
        let high = (bits > 32).then(|| map.ro(&name, bits - 32, &doc));
        if high.is_none() {
            map.constant(&name, 32, 0, &doc);
        }
        AddressRo { low, high }
    }
    /// What software reads.
    pub fn set(self, regs: &Registers, address: Signal) {
        regs[self.low].set(address.trunc(address.width().min(32)));
        if let Some(high) = self.high {
            regs[high].set(address.drop_low(32));
        }
    }
}
