//! Files of quantized keys and values: `.kvq` ([docs/kvq.md](../../../docs/kvq.md)).

use fpga::link::system::RecordParts;
use sim::data::Kind;
use sim::golden::oaken::{DenseBits, HEADER_BYTES, Thresholds, decode, is_legal_length};
use std::fmt::{self, Display};

/// What a file begins with: three letters and the version of the page.
const MAGIC: [u8; 4] = *b"KVQ\x01";
/// Bytes of the check at the end.
const CHECK: usize = 4;

/// The quantized keys or values of a layer.
#[derive(Clone, PartialEq, Debug)]
pub struct KvqTensor {
    pub layer: u32,
    pub kind: Kind,
    /// Elements of a vector.
    pub length: usize,
    pub bits: DenseBits,
    pub thresholds: Thresholds,
    /// One for each vector.
    pub records: Vec<RecordParts>,
}

/// Why a file cannot be used.
#[derive(Clone, PartialEq, Debug)]
pub enum KvqError {
    /// It begins with something else.
    Other,
    /// It is of another version of the page.
    Version(u8),
    /// It is not as it was written: what its end says, and what its bytes have.
    Damaged { said: u32, found: u32 },
    /// It is as it was written, and not as the page has it.
    Content(String),
}

impl Display for KvqError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KvqError::Other => write!(f, "it is no .kvq file: it does not begin with the letters KVQ"),
            KvqError::Version(version) => {
                write!(f, "it is of version {version} of the format; this program reads {}", MAGIC[3])
            }
            KvqError::Damaged { said, found } => {
                write!(
                    f,
                    "it is damaged or cut: it ends with the CRC-32 {said:08x}, and that of its bytes is {found:08x}"
                )
            }
            KvqError::Content(what) => f.write_str(what),
        }
    }
}

/// The bytes of a file.
pub fn to_bytes(tensors: &[KvqTensor]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend((tensors.len() as u32).to_le_bytes());
    for tensor in tensors {
        bytes.extend(tensor.layer.to_le_bytes());
        bytes.extend([u8::from(tensor.kind == Kind::Value), tensor.bits.get() as u8, 0, 0]);
        bytes.extend((tensor.length as u32).to_le_bytes());
        bytes.extend((tensor.records.len() as u32).to_le_bytes());
        tensor.thresholds.bits().iter().for_each(|t| bytes.extend(t.to_le_bytes()));
        tensor.records.iter().for_each(|record| bytes.extend(record.sparse.iter().chain(&record.dense)));
    }
    let check = crc32fast::hash(&bytes);
    bytes.extend(check.to_le_bytes());
    bytes
}

/// What is in a file; every record of it can be decoded.
pub fn from_bytes(bytes: &[u8]) -> Result<Vec<KvqTensor>, KvqError> {
    let Some((magic, _)) = bytes.split_first_chunk::<4>().filter(|(magic, _)| magic[..3] == MAGIC[..3]) else {
        return Err(KvqError::Other);
    };
    if *magic != MAGIC {
        return Err(KvqError::Version(magic[3]));
    }
    let (content, check) = bytes.split_at(bytes.len() - CHECK);
    let found = crc32fast::hash(content);
    let said = check.try_into().map_or(0, u32::from_le_bytes);
    if said != found {
        return Err(KvqError::Damaged { said, found });
    }
    let mut rest = content.get(MAGIC.len()..).unwrap_or_default();
    let count = number(&mut rest)?;
    let tensors = (0..count).map(|_| tensor(&mut rest)).collect::<Result<Vec<_>, _>>()?;
    match rest.len() {
        0 => Ok(tensors),
        more => Err(KvqError::Content(format!("{more} bytes stand behind its last tensor"))),
    }
}

/// So many bytes from the front.
fn take<'b>(rest: &mut &'b [u8], count: usize) -> Result<&'b [u8], KvqError> {
    let ends = || KvqError::Content("it ends before its last record does".into());
    let (front, behind) = rest.split_at_checked(count).ok_or_else(ends)?;
    *rest = behind;
    Ok(front)
}

fn number(rest: &mut &[u8]) -> Result<u32, KvqError> {
    Ok(take(rest, 4)?.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn tensor(rest: &mut &[u8]) -> Result<KvqTensor, KvqError> {
    let layer = number(rest)?;
    let wrong = |what: &dyn Display| KvqError::Content(format!("layer {layer}: {what}"));
    let kind = match take(rest, 1)? {
        [0] => Kind::Key,
        [1] => Kind::Value,
        other => return Err(wrong(&format!("the kind {} is neither 0 (keys) nor 1 (values)", other[0]))),
    };
    let bits = DenseBits::new(take(rest, 1)?[0].into()).map_err(|error| wrong(&error))?;
    if take(rest, 2)? != [0, 0] {
        return Err(wrong(&"its bytes 6 and 7 are not 0"));
    }
    let length = number(rest)? as usize;
    if !is_legal_length(length) {
        return Err(wrong(&format!("vectors of {length} elements; legal is a multiple of 64 up to 8192")));
    }
    let count = number(rest)?;
    let mut threshold = || take(rest, 2).map(|two| u16::from_le_bytes([two[0], two[1]]));
    let t = [threshold()?, threshold()?, threshold()?, threshold()?];
    let thresholds = Thresholds::from_bits(t[0], t[1], t[2], t[3]).map_err(|error| wrong(&error))?;
    let mut records = vec![];
    for i in 0..count {
        let record = record(rest, length, bits)?;
        decode(&record.dense, &record.sparse, length, bits, &thresholds)
            .map_err(|error| wrong(&format!("the record of its {kind} {i} is not legal: {error}")))?;
        records.push(record);
    }
    Ok(KvqTensor { layer, kind, length, bits, thresholds, records })
}

/// A record: its counts say where its sparse part ends.
fn record(rest: &mut &[u8], length: usize, bits: DenseBits) -> Result<RecordParts, KvqError> {
    let mut end = HEADER_BYTES;
    for _ in 0..length / 64 {
        end += 1 + usize::from(*rest.get(end).unwrap_or(&0));
    }
    Ok(RecordParts { sparse: take(rest, end)?.to_vec(), dense: take(rest, bits.dense_bytes(length))?.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::golden::oaken::encode;

    fn tensors() -> Vec<KvqTensor> {
        let thresholds = Thresholds::from_f32(-2.0, -0.125, 0.125, 2.0).unwrap();
        let of = |layer, kind, bits, length: usize| {
            let bits = DenseBits::new(bits).unwrap();
            let vector =
                |v: usize| (0..length).map(move |i| 0x2c00 + (i * 97 + v * 13) as u16 % 0x1800).collect::<Vec<u16>>();
            let records = (0..3).map(|v| encode(&vector(v), bits, &thresholds));
            let records = records.map(|r| RecordParts { sparse: r.sparse, dense: r.dense }).collect();
            KvqTensor { layer, kind, length, bits, thresholds, records }
        };
        vec![of(0, Kind::Key, 4, 64), of(0, Kind::Value, 3, 192), of(7, Kind::Key, 6, 128)]
    }

    #[test]
    fn what_is_written_is_read() {
        for tensors in [tensors(), vec![]] {
            assert_eq!(from_bytes(&to_bytes(&tensors)), Ok(tensors));
        }
    }

    /// The example of the page.
    #[test]
    fn an_empty_file_is_the_one_of_the_page() {
        assert_eq!(to_bytes(&[]), [0x4b, 0x56, 0x51, 1, 0, 0, 0, 0, 0xbd, 0x2f, 0x62, 0xab]);
    }

    #[test]
    fn every_damaged_and_every_cut_file_is_refused() {
        let good = to_bytes(&tensors());
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            assert!(from_bytes(&bad).is_err(), "byte {at}");
            assert!(from_bytes(&good[..at]).is_err(), "{at} bytes");
        }
    }

    /// With the right check and the wrong content, as a faulty writer makes it.
    #[test]
    fn what_is_not_as_the_page_has_it_is_named() {
        let wrong = |at: usize, byte: u8| {
            let mut bytes = to_bytes(&tensors());
            bytes[at] = byte;
            let end = bytes.len() - CHECK;
            let check = crc32fast::hash(&bytes[..end]).to_le_bytes();
            bytes[end..].copy_from_slice(&check);
            from_bytes(&bytes).unwrap_err().to_string()
        };
        for (at, byte, expected) in [
            (4, 4, "it ends before its last record does"),
            (4, 2, "bytes stand behind its last tensor"),
            (12, 2, "layer 0: the kind 2 is neither 0 (keys) nor 1 (values)"),
            (13, 7, "layer 0: "),
            (14, 1, "layer 0: its bytes 6 and 7 are not 0"),
            (16, 65, "layer 0: vectors of 65 elements"),
            (25, 0x40, "layer 0: threshold S_low is 2, above T_low"),
            (39, 0x80, "layer 0: the record of its key 0 is not legal"),
        ] {
            let found = wrong(at, byte);
            assert!(found.contains(expected), "byte {at}: {found}");
        }
    }
}
