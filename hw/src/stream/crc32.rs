//! CRC-32 of IEEE 802.3: a step over so many bits of data, as Ethernet, AXI4-Stream packets and the VQ format (docs/vq-format.md) have it.
//!
//! | port | |
//! | --- | --- |
//! | `crc` | what the step begins with: all ones in front of the first data |
//! | `data` | the next bits, the first one low (bits of a byte are taken lowest first) |
//! | `next` | the register behind them. Inverted, behind the last data, it is the CRC-32 |
//!
//! - Parameters: bits of `data`, from 1 to [`MAX_BITS`]. No registers: combinational from both inputs to the output.
//! - The step is linear. So leading zeros do nothing to a register of 0, and data behind all ones are the same as data behind 0 of
//!   which the first 32 bits are inverted: data of less bits than a step has are filled with zeros in front in that way.
//! - Sums that several bits need are made once: a pair that most bits have, then the next, greedily (Paar, 1997).

use hdl::*;

/// Bits of the register.
pub const REGISTER_BITS: u32 = 32;
/// The most bits of a step.
pub const MAX_BITS: u32 = 256;
/// The polynomial, its lowest coefficient in the highest bit.
const POLYNOMIAL: u32 = 0xedb8_8320;
/// A pair that fewer sums have is left to synthesis, whose LUTs take four inputs.
const SHARED_BY: u32 = 4;

ports! {
    /// Ports of a step.
    pub struct Crc32StepPorts(data_bits: u32) {
        /// The register.
        input crc: Signal = bits(REGISTER_BITS),
        /// Data.
        input data: Signal = bits(data_bits),
        /// The register behind them.
        output next: Signal = bits(REGISTER_BITS),
    }
}

/// A step of so many bits.
#[module]
pub fn crc32_step(data_bits: u32) -> Result<Design<Crc32StepPorts>, Errors> {
    let name = format!("crc32_step_{data_bits}");
    if !(1..=MAX_BITS).contains(&data_bits) {
        let help = format!("from 1 to {MAX_BITS}: a wider bus takes several steps");
        return Err(Errors::parameter(&name, format!("data_bits = {data_bits} is out of range"), help));
    }
    let m = Module::new(name);
    m.doc("A step of the CRC-32 of IEEE 802.3, the first bit of the data low.");
    let io = Crc32StepPorts::new(m, data_bits);
    // data fall on the low bits of the register, which are shifted out first
    let fed = match data_bits {
        0..REGISTER_BITS => io.data ^ io.crc.trunc(data_bits),
        _ => io.data ^ io.crc.zext(data_bits),
    };
    let Sums { shared, bits: sums } = sums(data_bits);
    let mut terms: Vec<Signal> = (0..data_bits).map(|i| fed.bit(i)).collect();
    for (a, b) in shared {
        let both = terms[a] ^ terms[b];
        terms.push(both);
    }
    let zero = fed.zeros(1);
    let of_data =
        sums.into_iter().map(|sum| sum.into_iter().map(|term| terms[term]).reduce(|a, b| a ^ b).unwrap_or(zero));
    let bits: Vec<Signal> = of_data.rev().collect();
    io.next.set(cat(&bits) ^ (io.crc >> data_bits.min(REGISTER_BITS)));
    m.finish(io)
}

/// Bits of the register as sums of terms: first the bits that are fed in, then the shared sums of two terms before.
struct Sums {
    shared: Vec<(usize, usize)>,
    bits: Vec<Vec<usize>>,
}

/// What each bit of the register gets of the bits that are fed in.
fn sums(data_bits: u32) -> Sums {
    // for each term a mask of the bits that have it: a 1 that is fed in becomes the polynomial, which is shifted by the data behind it
    let shift = |r: u32| (r >> 1) ^ if r & 1 == 1 { POLYNOMIAL } else { 0 };
    let mut terms: Vec<u32> = (1..=data_bits).map(|fed| (fed..data_bits).fold(POLYNOMIAL, |r, _| shift(r))).collect();
    let mut shared = vec![];
    while let Some((a, b)) = commonest_pair(&terms) {
        let both = terms[a] & terms[b];
        terms[a] &= !both;
        terms[b] &= !both;
        terms.push(both);
        shared.push((a, b));
    }
    let bits = (0..REGISTER_BITS).map(|bit| (0..terms.len()).filter(|term| terms[*term] >> bit & 1 == 1).collect());
    Sums { shared, bits: bits.collect() }
}

/// The pair of terms that most bits have, of several the first.
fn commonest_pair(terms: &[u32]) -> Option<(usize, usize)> {
    let mut best = (SHARED_BY - 1, None);
    for (a, x) in terms.iter().enumerate() {
        for (b, y) in terms.iter().enumerate().skip(a + 1) {
            let uses = (x & y).count_ones();
            if uses > best.0 {
                best = (uses, Some((a, b)));
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The CRC-32 bit by bit, as the standard has it.
    fn reference(bytes: &[u8]) -> u32 {
        let bits = bytes.iter().flat_map(|byte| (0..8).map(move |i| u32::from(byte >> i & 1)));
        !bits.fold(!0, |r, bit| (r >> 1) ^ if (r ^ bit) & 1 == 1 { POLYNOMIAL } else { 0 })
    }

    /// The CRC-32 of some bytes in steps of so many bits.
    fn crc(data_bits: u32, bytes: &[u8]) -> u32 {
        let design = crc32_step(data_bits).unwrap();
        let mut sim = jit::simulator(&design);
        let io = design.ports;
        let all = BigUint::from_bytes_le(bytes);
        let mut register = !0u32;
        for step in 0..8 * bytes.len() as u32 / data_bits {
            sim.poke(io.crc, u64::from(register));
            let mask = (BigUint::from(1u32) << data_bits) - 1u32;
            sim.poke_big(io.data, &((&all >> (step * data_bits)) & mask));
            register = sim.peek(io.next) as u32;
        }
        !register
    }

    #[test]
    fn the_check_value_of_the_standard() {
        for data_bits in [1, 2, 8, 9, 12, 18, 24, 36, 72] {
            assert_eq!(crc(data_bits, b"123456789"), 0xcbf4_3926, "{data_bits} bits");
        }
    }

    #[test]
    fn random_data_in_steps_of_any_width() {
        let mut rng = fastrand::Rng::with_seed(::sim::bus::seed(1));
        for data_bits in [1, 7, 16, 31, 32, 33, 48, 64, 128, 256] {
            for _ in 0..5 {
                let bytes: Vec<u8> = (0..4 * data_bits).map(|_| rng.u8(..)).collect();
                assert_eq!(crc(data_bits, &bytes), reference(&bytes), "{data_bits} bits");
            }
        }
    }

    #[test]
    fn illegal_widths_are_refused() {
        for data_bits in [0, 257] {
            let message = crc32_step(data_bits).unwrap_err().to_string();
            assert!(message.contains(&format!("data_bits = {data_bits} is out of range")), "{message}");
        }
    }
}
