//! The addresses of an Oaken system's registers, as the link has them.

use super::oaken_system::{DEQUANTIZER, QUANTIZER};
use super::system_params::SystemParams;
use super::system_registers;
use crate::control::RegisterMap;
use crate::oaken::{dequantizer_axi, quantizer_axi};

/// The registers of a system, each map with where it begins. What is not there has no map.
#[derive(Clone, Debug)]
pub struct SystemAddresses {
    own: RegisterMap,
    quantizer: Option<RegisterMap>,
    dequantizer: Option<RegisterMap>,
}

impl SystemAddresses {
    /// Those of a system with these parameters.
    pub fn new(p: SystemParams) -> SystemAddresses {
        SystemAddresses {
            own: system_registers::registers(p),
            quantizer: p.engines.quantizes().then(|| quantizer_axi::registers("quantizer", p.engine)),
            dequantizer: p.engines.dequantizes().then(|| dequantizer_axi::registers("dequantizer", p.engine)),
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
    /// Address of a register of the quantizer, if that is there.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn quantizer(&self, register: &str) -> Option<u16> {
        self.quantizer.as_ref().map(|map| address(map, QUANTIZER, register))
    }
    /// Address of a register of the dequantizer, if that is there.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn dequantizer(&self, register: &str) -> Option<u16> {
        self.dequantizer.as_ref().map(|map| address(map, DEQUANTIZER, register))
    }
    /// Addresses of a register of each engine that is there, the quantizer's first.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn engines(&self, register: &str) -> Vec<u16> {
        self.quantizer(register).into_iter().chain(self.dequantizer(register)).collect()
    }
}

fn address(map: &RegisterMap, base: u32, register: &str) -> u16 {
    let found = map.registers.iter().find(|r| r.name == register);
    let offset = found.unwrap_or_else(|| panic!("no register `{register}`")).offset;
    u16::try_from(base + offset).expect("an address of the link")
}
