//! The addresses of an Oaken system's registers, as the link has them.

use super::oaken_system::{DEQUANTIZER, QUANTIZER};
use super::system_params::SystemParams;
use super::system_registers;
use crate::control::RegisterMap;
use crate::oaken::{dequantizer_axi, quantizer_axi};

/// The registers of a system, each map with where it begins.
#[derive(Clone, Debug)]
pub struct SystemAddresses {
    own: RegisterMap,
    quantizer: RegisterMap,
    dequantizer: RegisterMap,
}

impl SystemAddresses {
    /// Those of a system with these parameters.
    pub fn new(p: SystemParams) -> SystemAddresses {
        SystemAddresses {
            own: system_registers::registers(p),
            quantizer: quantizer_axi::registers("quantizer", p.engine),
            dequantizer: dequantizer_axi::registers("dequantizer", p.engine),
        }
    }
    /// The registers of the system itself.
    pub fn own_map(&self) -> &RegisterMap {
        &self.own
    }
    /// Address of a register of the system itself.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn own(&self, register: &str) -> u16 {
        address(&self.own, 0, register)
    }
    /// Addresses of a register that both engines have.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn both(&self, register: &str) -> [u16; 2] {
        [address(&self.quantizer, QUANTIZER, register), address(&self.dequantizer, DEQUANTIZER, register)]
    }
}

fn address(map: &RegisterMap, base: u32, register: &str) -> u16 {
    let found = map.registers.iter().find(|r| r.name == register);
    let offset = found.unwrap_or_else(|| panic!("no register `{register}`")).offset;
    u16::try_from(base + offset).expect("an address of the link")
}
