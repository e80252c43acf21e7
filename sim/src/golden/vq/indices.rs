//! Indices without gaps (section 5): low bits first, rows begin on bytes.

/// Packs the indices of a row, `bits` each; the last byte is filled with zeros.
pub fn pack_row(indices: &[u16], bits: u32) -> Vec<u8> {
    let mut bytes = vec![0; (indices.len() * bits as usize).div_ceil(8)];
    for (i, &index) in indices.iter().enumerate() {
        for bit in 0..bits as usize {
            let place = i * bits as usize + bit;
            bytes[place / 8] |= ((index >> bit & 1) as u8) << (place % 8);
        }
    }
    bytes
}

/// The indices of a row of `count`.
pub fn unpack_row(bytes: &[u8], count: usize, bits: u32) -> Vec<u16> {
    let bit = |place: usize| u16::from(bytes[place / 8] >> (place % 8) & 1);
    let index = |i: usize| (0..bits as usize).fold(0, |index, b| index | bit(i * bits as usize + b) << b);
    (0..count).map(index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_bits_are_twelve_bits() {
        assert_eq!(pack_row(&[0xabc, 0x123, 0xfff], 12), [0xbc, 0x3a, 0x12, 0xff, 0x0f]);
        assert_eq!(unpack_row(&[0xbc, 0x3a, 0x12, 0xff, 0x0f], 3, 12), [0xabc, 0x123, 0xfff]);
    }

    #[test]
    fn every_width_comes_back() {
        let mut rng = fastrand::Rng::with_seed(crate::bus::seed(1));
        for bits in 1..=16 {
            for count in [0, 1, 2, 7, 8, 33] {
                let indices: Vec<u16> = (0..count).map(|_| rng.u16(..) >> (16 - bits)).collect();
                let bytes = pack_row(&indices, bits);
                assert_eq!(bytes.len(), (count * bits as usize).div_ceil(8));
                assert_eq!(unpack_row(&bytes, count, bits), indices, "{bits} bits");
            }
        }
    }
}
