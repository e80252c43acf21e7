//! The CRC-32 of IEEE 802.3 (section 4): reflected polynomial EDB88320, register all ones before, inverted after.

/// What each byte value does to the register.
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut register, mut bit) = (byte as u32, 0);
        while bit < 8 {
            register = (register >> 1) ^ if register & 1 == 1 { 0xedb8_8320 } else { 0 };
            bit += 1;
        }
        table[byte] = register;
        byte += 1;
    }
    table
}

/// The CRC-32 of some bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    !update(!0, bytes)
}

/// The CRC-32 of two runs of bytes, one after the other.
pub fn crc32_of_two(first: &[u8], second: &[u8]) -> u32 {
    !update(update(!0, first), second)
}

fn update(register: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(register, |register, &byte| (register >> 8) ^ TABLE[(register as u8 ^ byte) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32_of_two(b"1234", b"56789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
