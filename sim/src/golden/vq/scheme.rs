//! `VQ<vector, bits, residuals>`, its books and scales, and the algorithms that have names (section 2).

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::e8p;

/// Who has a codebook of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Books {
    /// Nobody: indices of 16 bits are points of the lattice E8P.
    Lattice,
    /// Each tile and residual.
    Tile,
    /// Each tile, group of `vector` neighbouring columns, and residual.
    Group,
}

/// Who has a scale of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scales {
    /// Nobody: entries are the values.
    None,
    /// The whole tensor.
    Tensor,
    /// Each row.
    Row,
}

/// How values become indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// Values that one index stands for, 1 to 16; 8 for the lattice.
    pub vector: usize,
    /// Bits of an index, 1 to 12; 16 for the lattice.
    pub bits: u32,
    /// Indices whose entries are added, 1 to 4; 1 or 2 for the lattice.
    pub residuals: usize,
    /// Who has a codebook.
    pub books: Books,
    /// Who has a scale.
    pub scales: Scales,
    /// binary16: what the second point of the lattice is multiplied by, `1/r`; 0 otherwise.
    pub inverse_ratio: u16,
}

/// Parameters that the format does not know.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SchemeError {
    /// The vector size.
    #[error("vectors of {0} values: legal is 1 to 16, and 8 with the lattice E8P")]
    Vector(usize),
    /// The bits of an index.
    #[error("indices of {0} bits: legal is 1 to 12, and 16 with the lattice E8P")]
    Bits(u32),
    /// The number of residuals.
    #[error("{0} residuals: legal is 1 to 4, and 1 or 2 with the lattice E8P")]
    Residuals(usize),
    /// The inverse ratio.
    #[error(
        "an inverse ratio with bits {0:#06x}: legal is a positive binary16 number with two residuals of the lattice \
         E8P, and 0 otherwise"
    )]
    InverseRatio(u16),
}

impl Scheme {
    /// Checks the ranges.
    pub fn check(&self) -> Result<(), SchemeError> {
        let lattice = self.books == Books::Lattice;
        let (vectors, bits, residuals) =
            if lattice { (e8p::DIMENSIONS..=e8p::DIMENSIONS, 16..=16, 1..=2) } else { (1..=16, 1..=12, 1..=4) };
        if !vectors.contains(&self.vector) {
            return Err(SchemeError::Vector(self.vector));
        }
        if !bits.contains(&self.bits) {
            return Err(SchemeError::Bits(self.bits));
        }
        if !residuals.contains(&self.residuals) {
            return Err(SchemeError::Residuals(self.residuals));
        }
        let legal = if lattice && self.residuals == 2 { 0x0001..=0x7bff } else { 0..=0 };
        if !legal.contains(&self.inverse_ratio) {
            return Err(SchemeError::InverseRatio(self.inverse_ratio));
        }
        Ok(())
    }

    /// The most entries that a book may have.
    pub fn max_entries(&self) -> usize {
        1 << self.bits
    }

    /// Bytes of a book with all its entries, with its first word; none of the lattice.
    pub fn book_bytes(&self) -> usize {
        match self.books {
            Books::Lattice => 0,
            _ => 8 + 2 * self.vector * self.max_entries(),
        }
    }

    /// The fewest columns whose indices are whole words of 64 bits, with 1, 2 or 4 residuals. More are a multiple of these.
    pub fn word_columns(&self) -> usize {
        (64 >> self.bits.trailing_zeros()) / self.residuals * self.vector
    }

    /// Bits of indices for each value.
    pub fn bits_per_value(&self) -> f64 {
        f64::from(self.bits) * self.residuals as f64 / self.vector as f64
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VQ<{},{},{}>", self.vector, self.bits, self.residuals)
    }
}

/// An algorithm that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Keys and values, VQ<2,8,1>.
    Cq4,
    /// Keys and values, VQ<4,8,1>.
    Cq2,
    /// Weights, VQ<4,8,1>, tiles of 256 x 256.
    Gptvq2,
    /// Weights, VQ<8,12,2>, a scale for each row.
    Aqlm3,
    /// Weights, VQ<8,16,2>, the lattice E8P.
    QuipSharp4,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 5] = [Self::Cq4, Self::Cq2, Self::Gptvq2, Self::Aqlm3, Self::QuipSharp4];
    /// Rows and columns of a tile of GPTVQ-2.
    pub const GPTVQ_TILE: usize = 256;
    /// `r` of QuiP#-4 unless given.
    pub const QUIP_RATIO: f64 = 3.45;
    /// Rows and columns of a Hadamard block of QuiP#-4.
    pub const QUIP_BLOCK: usize = 64;

    /// The name, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Cq4 => "cq-4",
            Algorithm::Cq2 => "cq-2",
            Algorithm::Gptvq2 => "gptvq-2",
            Algorithm::Aqlm3 => "aqlm-3",
            Algorithm::QuipSharp4 => "quip#-4",
        }
    }

    /// Its parameters.
    pub fn scheme(self) -> Scheme {
        let (vector, bits, residuals, books, scales) = match self {
            Algorithm::Cq4 => (2, 8, 1, Books::Group, Scales::None),
            Algorithm::Cq2 => (4, 8, 1, Books::Group, Scales::None),
            Algorithm::Gptvq2 => (4, 8, 1, Books::Tile, Scales::None),
            Algorithm::Aqlm3 => (8, 12, 2, Books::Tile, Scales::Row),
            Algorithm::QuipSharp4 => (8, 16, 2, Books::Lattice, Scales::Tensor),
        };
        let two_points = self == Algorithm::QuipSharp4;
        let inverse_ratio = if two_points { inverse_ratio(Self::QUIP_RATIO) } else { 0 };
        Scheme { vector, bits, residuals, books, scales, inverse_ratio }
    }

    /// Whether it is for keys and values; the others are for weights.
    pub fn is_for_kv(self) -> bool {
        matches!(self, Algorithm::Cq4 | Algorithm::Cq2)
    }
}

/// `1/r` as binary16.
pub fn inverse_ratio(ratio: f64) -> u16 {
    crate::binary16::from_f64(1.0 / ratio).to_bits()
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Algorithm::ALL.map(Algorithm::name).join(", ");
        Algorithm::ALL.into_iter().find(|a| a.name() == text).ok_or_else(|| format!("legal is {}", names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_algorithms_are_legal_and_cost_what_the_paper_says() {
        let bits = Algorithm::ALL.map(|algorithm| {
            assert_eq!(algorithm.scheme().check(), Ok(()));
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
            algorithm.scheme().bits_per_value()
        });
        assert_eq!(bits, [4.0, 2.0, 2.0, 3.0, 4.0]);
        assert_eq!(Algorithm::Aqlm3.scheme().to_string(), "VQ<8,12,2>");
        // 8 bytes of indices; three words of 16 indices of 12 bits, two for each vector; two codes for each
        assert_eq!(Algorithm::ALL.map(|algorithm| algorithm.scheme().word_columns()), [16, 32, 32, 64, 16]);
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let good = Algorithm::Cq4.scheme();
        assert_eq!(Scheme { vector: 17, ..good }.check(), Err(SchemeError::Vector(17)));
        assert_eq!(Scheme { bits: 13, ..good }.check(), Err(SchemeError::Bits(13)));
        assert_eq!(Scheme { residuals: 0, ..good }.check(), Err(SchemeError::Residuals(0)));
        assert_eq!(Scheme { inverse_ratio: 1, ..good }.check(), Err(SchemeError::InverseRatio(1)));
        assert_eq!(Scheme { books: Books::Lattice, ..good }.check(), Err(SchemeError::Vector(2)));
        let lattice = Algorithm::QuipSharp4.scheme();
        assert_eq!(Scheme { inverse_ratio: 0x7c00, ..lattice }.check(), Err(SchemeError::InverseRatio(0x7c00)));
        assert_eq!(Scheme { residuals: 1, inverse_ratio: 0, ..lattice }.check(), Ok(()));
    }
}
