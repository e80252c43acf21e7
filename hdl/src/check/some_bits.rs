//! Numbers of some bits of signals: what a number of a slice or a concatenation says of the signals that it is made of.

use super::alike::Alike;
use super::assigned::Assigned;
use crate::ir::*;
use num_bigint::BigUint;

/// Bits that are known, and what they are; the value has no others.
#[derive(Clone, Default)]
pub(super) struct SomeBits {
    pub known: BigUint,
    pub value: BigUint,
}

impl SomeBits {
    /// All bits of a signal.
    pub fn all(value: BigUint, width: u32) -> SomeBits {
        SomeBits { known: fold::ones(width), value }
    }
    /// A number with these bits; the others are those of `rest`.
    pub fn over(&self, rest: &BigUint) -> BigUint {
        (rest ^ (rest & &self.known)) | &self.value
    }
    /// What both say; bits in which they contradict each other are not known.
    pub fn and(&self, other: &SomeBits) -> SomeBits {
        let agree = |bits: BigUint| &bits ^ (&bits & &self.known & &other.known & (&self.value ^ &other.value));
        SomeBits { known: agree(&self.known | &other.known), value: agree(&self.value | &other.value) }
    }
    fn shifted_up(&self, by: u32) -> SomeBits {
        SomeBits { known: &self.known << by, value: &self.value << by }
    }
    fn part(&self, low: u32, width: u32) -> SomeBits {
        let of = |bits: &BigUint| (bits >> low) & fold::ones(width);
        SomeBits { known: of(&self.known), value: of(&self.value) }
    }
    fn inverted(&self) -> SomeBits {
        SomeBits { known: self.known.clone(), value: &self.value ^ &self.known }
    }
}

/// What these bits of a signal say of the signals that it is made of: behind names, slices, concatenations and complements.
pub(super) fn of_sources(
    def: &Def,
    (assigned, alike): (&Assigned, &Alike),
    id: Id,
    bits: SomeBits,
) -> Vec<(Id, SomeBits)> {
    let (mut todo, mut found) = (vec![(id, bits)], vec![]);
    while let Some((id, bits)) = todo.pop() {
        let id = alike.first(assigned.behind_names(id));
        match &def.nodes[id as usize].op {
            _ if bits.known == BigUint::ZERO => {}
            Op::Slice(of, low) => todo.push((*of, bits.shifted_up(*low))),
            Op::Un(UnOp::Not, of) => todo.push((*of, bits.inverted())),
            Op::Cat(parts) => {
                let mut low = 0;
                for part in parts.iter().rev() {
                    let width = def.nodes[*part as usize].width;
                    todo.push((*part, bits.part(low, width)));
                    low += width;
                }
            }
            _ => found.push((id, bits)),
        }
    }
    found
}
