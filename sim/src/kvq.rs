//! Files of quantized keys and values: `.kvq` ([docs/kvq.md](../../docs/kvq.md)).

use crate::data::Kind;
use crate::golden::oaken::{
    DenseBits, DenseBitsError, FormatError, HEADER_BYTES, Record, ThresholdError, Thresholds, decode, is_legal_length,
};
use crate::golden::vq::crc::crc32;
use std::collections::HashSet;
use thiserror::Error;

/// What a file begins with: three letters and the version of the page.
const MAGIC: [u8; 4] = *b"KVQ\x01";
/// Bytes of the check at the end.
const CHECK: usize = 4;
/// Bytes of a file without tensors.
const SHORTEST: usize = 12;

/// What a file holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KvqFile {
    /// Keys and values, layer by layer.
    pub tensors: Vec<KvqTensor>,
}

/// The quantized keys or values of a layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KvqTensor {
    /// The layer, from 0.
    pub layer: u32,
    /// Keys or values.
    pub kind: Kind,
    /// Elements of a vector.
    pub length: usize,
    /// Bits of a code in the dense part.
    pub bits: DenseBits,
    /// Where the groups of elements end.
    pub thresholds: Thresholds,
    /// One for each vector.
    pub records: Vec<Record>,
}

/// Why a file is not legal.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("byte {offset}: {fault}")]
pub struct KvqError {
    /// Where the faulty thing begins, counted from the start of the file.
    pub offset: usize,
    /// What is wrong.
    pub fault: KvqFault,
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum KvqFault {
    /// It begins with something else.
    #[error("no .kvq file: it does not begin with the letters KVQ")]
    Magic,
    /// It is of another version of the page.
    #[error("version {0}: legal is 1")]
    Version(u8),
    /// It is not as it was written.
    #[error("damaged or cut: the CRC-32 is {stored:08x}, the bytes before it give {computed:08x}")]
    Crc {
        /// What is stored.
        stored: u32,
        /// What it should be.
        computed: u32,
    },
    /// It ends too early.
    #[error("cut short: {needed} bytes are needed, and {left} are left")]
    CutShort {
        /// Bytes of what is missing.
        needed: usize,
        /// Bytes until the check.
        left: usize,
    },
    /// A field is out of range.
    #[error("{name} is {found}: legal is {legal}")]
    Field {
        /// The field.
        name: &'static str,
        /// What it holds.
        found: u32,
        /// What it may hold.
        legal: &'static str,
    },
    /// Codes of such a width there are not.
    #[error(transparent)]
    Bits(#[from] DenseBitsError),
    /// The thresholds are not in order, or no numbers.
    #[error(transparent)]
    Thresholds(#[from] ThresholdError),
    /// A layer's keys or values are there twice.
    #[error("layer {layer} {kind} is there twice: legal is once")]
    Twice {
        /// The layer.
        layer: u32,
        /// Keys or values.
        kind: Kind,
    },
    /// A record cannot be decoded.
    #[error("the record of {kind} {number} of layer {layer}, bytes counted from its start: {error}")]
    Record {
        /// The layer.
        layer: u32,
        /// Keys or values.
        kind: Kind,
        /// Which of them, from 0.
        number: u32,
        /// Why not.
        error: FormatError,
    },
    /// Bytes are left after the last tensor.
    #[error("{0} bytes too many after the last tensor")]
    Trailing(usize),
}

impl KvqFault {
    /// The fault at a byte.
    fn at(self, offset: usize) -> KvqError {
        KvqError { offset, fault: self }
    }
}

impl KvqFile {
    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.tensors.len() as u32).to_le_bytes());
        for tensor in &self.tensors {
            bytes.extend(tensor.layer.to_le_bytes());
            bytes.extend([u8::from(tensor.kind == Kind::Value), tensor.bits.get() as u8, 0, 0]);
            bytes.extend((tensor.length as u32).to_le_bytes());
            bytes.extend((tensor.records.len() as u32).to_le_bytes());
            tensor.thresholds.bits().iter().for_each(|t| bytes.extend(t.to_le_bytes()));
            tensor.records.iter().for_each(|record| bytes.extend(record.sparse.iter().chain(&record.dense)));
        }
        let check = crc32(&bytes);
        bytes.extend(check.to_le_bytes());
        bytes
    }
    /// Reads a file, every record of which can be decoded.
    ///
    /// # Errors
    /// If it is not legal: cause and position.
    pub fn from_bytes(bytes: &[u8]) -> Result<KvqFile, KvqError> {
        if !bytes.starts_with(&MAGIC[..3]) {
            return Err(KvqFault::Magic.at(0));
        }
        if bytes.len() < SHORTEST {
            return Err(KvqFault::CutShort { needed: SHORTEST, left: bytes.len() }.at(0));
        }
        if bytes[3] != MAGIC[3] {
            return Err(KvqFault::Version(bytes[3]).at(3));
        }
        let (content, check) = bytes.split_at(bytes.len() - CHECK);
        let (stored, computed) = (check.try_into().map_or(0, u32::from_le_bytes), crc32(content));
        if stored != computed {
            return Err(KvqFault::Crc { stored, computed }.at(content.len()));
        }
        let mut reader = Reader { content, at: MAGIC.len() };
        let count = reader.number()?;
        let (mut tensors, mut seen) = (vec![], HashSet::new());
        for _ in 0..count {
            let at = reader.at;
            let tensor = tensor(&mut reader)?;
            let (layer, kind) = (tensor.layer, tensor.kind);
            if !seen.insert((layer, kind == Kind::Value)) {
                return Err(KvqFault::Twice { layer, kind }.at(at));
            }
            tensors.push(tensor);
        }
        match content.len() - reader.at {
            0 => Ok(KvqFile { tensors }),
            more => Err(KvqFault::Trailing(more).at(reader.at)),
        }
    }
}

/// The bytes before the check, and how far they are read.
struct Reader<'b> {
    content: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn rest(&self) -> &'b [u8] {
        &self.content[self.at..]
    }
    /// The next bytes.
    fn take(&mut self, count: usize) -> Result<&'b [u8], KvqError> {
        let rest = self.rest();
        let short = KvqFault::CutShort { needed: count, left: rest.len() };
        let taken = rest.get(..count).ok_or(short.at(self.at))?;
        self.at += count;
        Ok(taken)
    }
    fn number(&mut self) -> Result<u32, KvqError> {
        Ok(self.take(4)?.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }
}

fn tensor(reader: &mut Reader) -> Result<KvqTensor, KvqError> {
    let field = |name, found, legal| KvqFault::Field { name, found, legal };
    let layer = reader.number()?;
    let start = reader.at;
    let kind = match reader.take(1)?[0] {
        0 => Kind::Key,
        1 => Kind::Value,
        other => return Err(field("the kind", other.into(), "0 for keys, 1 for values").at(start)),
    };
    let bits = DenseBits::new(reader.take(1)?[0].into()).map_err(|error| KvqFault::from(error).at(start + 1))?;
    let free = reader.take(2)?.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
    if free != 0 {
        return Err(field("what is kept free", free, "0").at(start + 2));
    }
    let length = reader.number()?;
    if !is_legal_length(length as usize) {
        return Err(field("the length", length, "a multiple of 64 from 64 to 8192").at(start + 4));
    }
    let length = length as usize;
    let count = reader.number()?;
    if count == 0 {
        return Err(field("the number of vectors", count, "1 and more").at(start + 8));
    }
    let at = reader.at;
    let mut threshold = || reader.take(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
    let t = [threshold()?, threshold()?, threshold()?, threshold()?];
    let thresholds = Thresholds::from_bits(t[0], t[1], t[2], t[3]).map_err(|error| KvqFault::from(error).at(at))?;
    let mut records = vec![];
    for number in 0..count {
        let (at, illegal) = (reader.at, |error| KvqFault::Record { layer, kind, number, error });
        let (sparse, dense) = parts(reader, length, bits)?;
        decode(&dense, &sparse, length, bits, &thresholds).map_err(|error| illegal(error).at(at))?;
        let Some(record) = Record::of_parts(sparse, dense) else { unreachable!("what was decoded has a header") };
        records.push(record);
    }
    Ok(KvqTensor { layer, kind, length, bits, thresholds, records })
}

/// The sparse and the dense part of a record: its counts say where the sparse one ends.
fn parts(reader: &mut Reader, length: usize, bits: DenseBits) -> Result<(Vec<u8>, Vec<u8>), KvqError> {
    let mut end = HEADER_BYTES;
    for _ in 0..length / 64 {
        // more than there are elements in a chunk is not legal, and told by `decode`
        end += 1 + usize::from(reader.rest().get(end).map_or(0, |count| (*count).min(64)));
    }
    Ok((reader.take(end)?.to_vec(), reader.take(bits.dense_bytes(length))?.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::oaken::encode;

    fn file() -> KvqFile {
        let thresholds = Thresholds::from_f32(-2.0, -0.125, 0.125, 2.0).unwrap();
        let of = |layer, kind, bits, length: usize| {
            let bits = DenseBits::new(bits).unwrap();
            let vector =
                |v: usize| (0..length).map(move |i| 0x2c00 + (i * 97 + v * 13) as u16 % 0x1800).collect::<Vec<u16>>();
            let records = (0..3).map(|v| encode(&vector(v), bits, &thresholds)).collect();
            KvqTensor { layer, kind, length, bits, thresholds, records }
        };
        KvqFile { tensors: vec![of(0, Kind::Key, 4, 64), of(0, Kind::Value, 3, 192), of(7, Kind::Key, 6, 128)] }
    }

    #[test]
    fn what_is_written_is_read() {
        for file in [file(), KvqFile::default()] {
            assert_eq!(KvqFile::from_bytes(&file.to_bytes()), Ok(file));
        }
    }

    /// The example of the page.
    #[test]
    fn an_empty_file_is_the_one_of_the_page() {
        assert_eq!(KvqFile::default().to_bytes(), [0x4b, 0x56, 0x51, 1, 0, 0, 0, 0, 0xbd, 0x2f, 0x62, 0xab]);
    }

    #[test]
    fn every_damaged_and_every_cut_file_is_refused() {
        let good = file().to_bytes();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            assert!(KvqFile::from_bytes(&bad).is_err(), "byte {at}");
            assert!(KvqFile::from_bytes(&good[..at]).is_err(), "{at} bytes");
        }
    }

    /// With the right check and the wrong content, as a faulty writer makes it.
    #[test]
    fn what_is_not_as_the_page_has_it_is_named() {
        let wrong = |at: usize, byte: u8| {
            let mut bytes = file().to_bytes();
            bytes[at] = byte;
            let end = bytes.len() - CHECK;
            let check = crc32(&bytes[..end]).to_le_bytes();
            bytes[end..].copy_from_slice(&check);
            KvqFile::from_bytes(&bytes).unwrap_err().to_string()
        };
        for (at, byte, expected) in [
            (0, b'X', "byte 0: no .kvq file"),
            (3, 2, "byte 3: version 2: legal is 1"),
            (4, 4, "cut short: 4 bytes are needed, and 0 are left"),
            (4, 2, "bytes too many after the last tensor"),
            (12, 2, "byte 12: the kind is 2: legal is 0 for keys, 1 for values"),
            (13, 7, "byte 13: dense codes of 7 bits"),
            (14, 1, "byte 14: what is kept free is 1: legal is 0"),
            (20, 0, "byte 20: the number of vectors is 0: legal is 1 and more"),
            (16, 65, "byte 16: the length is 65: legal is a multiple of 64 from 64 to 8192"),
            (25, 0x40, "byte 24: threshold S_low is 2, above T_low"),
            (39, 0x80, "byte 32: the record of key 0 of layer 0, bytes counted from its start: "),
        ] {
            let found = wrong(at, byte);
            assert!(found.contains(expected), "byte {at}: {found}");
        }
    }

    #[test]
    fn what_is_there_twice_and_what_is_too_short_is_named() {
        let [key, value, _] = file().tensors.try_into().unwrap();
        let mut twice = KvqFile { tensors: vec![key.clone(), value, key] };
        let error = KvqFile::from_bytes(&twice.to_bytes()).unwrap_err().to_string();
        assert!(error.ends_with(": layer 0 key is there twice: legal is once"), "{error}");
        twice.tensors[2].layer = 1;
        assert_eq!(KvqFile::from_bytes(&twice.to_bytes()), Ok(twice));
        let error = KvqFile::from_bytes(b"KVQ").unwrap_err().to_string();
        assert_eq!(error, "byte 0: cut short: 12 bytes are needed, and 3 are left");
    }

    /// Bytes changed behind a check that is right again: whatever is accepted is what would be written.
    #[test]
    fn no_content_makes_the_reader_panic() {
        let good = file().to_bytes();
        let end = good.len() - CHECK;
        let mut rng = fastrand::Rng::with_seed(crate::bus::run_seed(4));
        let mut accepted = 0;
        for _ in 0..20_000 {
            let mut bytes = good[..if rng.u8(..4) == 0 { rng.usize(MAGIC.len()..end) } else { end }].to_vec();
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(..bytes.len());
                bytes[at] = rng.u8(..);
            }
            bytes.extend(crc32(&bytes).to_le_bytes());
            if let Ok(file) = KvqFile::from_bytes(&bytes) {
                assert!(file.to_bytes() == bytes);
                accepted += 1;
            }
        }
        assert!(accepted > 100, "{accepted}");
    }
}
