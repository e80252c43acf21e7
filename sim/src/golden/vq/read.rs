//! Reading files (sections 3, 4 and 8): everything is checked, nothing is believed before its CRC was right.

use super::crc::{crc32, crc32_of_two};
use super::error::{Fault, FormatError};
use super::file::{Book, Part, Rotation, Tensor, TensorKind, VqFile};
use super::scheme::{Books, Scales, Scheme};
use super::write::{ALIGNMENT, HEADER_BYTES, NAME_BYTES, RECORD_BYTES};
use super::{MAGIC, VERSION, unpack_row};

const MAX_SIDE: u32 = super::MAX_SIDE as u32;
/// Books are numbered with 20 bits.
const MAX_BOOKS: u32 = super::MAX_BOOKS as u32;

type Result<T> = std::result::Result<T, FormatError>;

impl VqFile {
    /// Reads a file; one that is not legal gives an error with cause and position.
    pub fn from_bytes(bytes: &[u8]) -> Result<VqFile> {
        let mut reader = Reader { bytes, at: 0 };
        let header = header(&mut reader)?;
        let mut next_book = 0;
        let mut tensors = header.records;
        for (tensor, offset) in &mut tensors {
            reader.expect_here(offset)?;
            read_data(&mut reader, &header.scheme, header.packed, tensor, &mut next_book)?;
        }
        if next_book != header.books {
            let legal = format!("{next_book}, as many as the tensors have");
            return Err(field("the number of books", header.books, legal).at(20));
        }
        match bytes.len() - reader.at {
            0 => Ok(()),
            left => Err(Fault::Trailing(left as u64).at(reader.at as u64)),
        }?;
        let tensors = tensors.into_iter().map(|(tensor, _)| tensor).collect();
        Ok(VqFile { scheme: header.scheme, packed: header.packed, tensors })
    }
}

/// The header, and the tensors without their data, each with its offset and the place that holds it.
struct Header {
    scheme: Scheme,
    packed: bool,
    books: u32,
    records: Vec<(Tensor, Place)>,
}

/// An offset that a record states, and where it states it.
struct Place {
    offset: u64,
    stated_at: u64,
}

fn header(reader: &mut Reader) -> Result<Header> {
    if !reader.bytes.starts_with(MAGIC) {
        return Err(Fault::Magic.at(0));
    }
    let fixed = reader.take(HEADER_BYTES as u64, || "the header".into())?;
    if fixed[8] != VERSION {
        return Err(Fault::Version(fixed[8]).at(8));
    }
    let (tensors, found) = (u16_at(fixed, 18), reader.bytes.len() as u64);
    let records = reader.take(RECORD_BYTES as u64 * u64::from(tensors), || "the table of tensors".into())?;
    reader.crc(crc32_of_two(fixed, records), || "the header".into())?;
    if u64_at(fixed, 24) != found {
        return Err(Fault::Length { header: u64_at(fixed, 24), found }.at(24));
    }
    let packed = choice(fixed[9], "the content", &[false, true]).map_err(|fault| fault.at(9))?;
    let scheme = scheme(fixed)?;
    let records = records.chunks_exact(RECORD_BYTES).enumerate();
    let records = records.map(|(i, bytes)| record(bytes, i, &scheme, packed)).collect::<Result<_>>()?;
    Ok(Header { scheme, packed, books: u32_at(fixed, 20), records })
}

fn scheme(fixed: &[u8]) -> Result<Scheme> {
    let all = [Books::Lattice, Books::Tile, Books::Group];
    let books = choice(fixed[13], "the sharing of books", &all).map_err(|fault| fault.at(13))?;
    let all = [Scales::None, Scales::Tensor, Scales::Row];
    let scales = choice(fixed[14], "the sharing of scales", &all).map_err(|fault| fault.at(14))?;
    if fixed[15] != 0 {
        return Err(Fault::NotZero { what: "byte 15 of the header".into() }.at(15));
    }
    let scheme = Scheme {
        vector: fixed[10].into(),
        bits: fixed[11].into(),
        residuals: fixed[12].into(),
        books,
        scales,
        inverse_ratio: u16_at(fixed, 16),
    };
    scheme.check().map_err(|error| Fault::Scheme(error).at(10))?;
    Ok(scheme)
}

fn choice<T: Copy>(byte: u8, name: &str, all: &[T]) -> std::result::Result<T, Fault> {
    let legal = || format!("0 to {}", all.len() - 1);
    all.get(usize::from(byte)).copied().ok_or_else(|| field(name, byte, legal()))
}

fn field(name: &str, found: impl Into<u64>, legal: impl Into<String>) -> Fault {
    Fault::Field { name: name.into(), found: found.into(), legal: legal.into() }
}

fn record(bytes: &[u8], number: usize, scheme: &Scheme, packed: bool) -> Result<(Tensor, Place)> {
    let start = (HEADER_BYTES + number * RECORD_BYTES) as u64;
    let kinds = [TensorKind::Key, TensorKind::Value, TensorKind::Weight];
    let kind = choice(bytes[0], "the kind of tensor", &kinds).map_err(|fault| fault.at(start))?;
    if bytes[2] != 0 || bytes[3] != 0 {
        return Err(Fault::NotZero { what: format!("bytes 2 and 3 of the record of tensor {number}") }.at(start + 2));
    }
    check_sides(bytes, kind, scheme, packed, start)?;
    let side = |i| u32_at(bytes, i) as usize;
    let rotation = rotation_of_record(bytes, kind, start)?;
    let name = name(&bytes[RECORD_BYTES - NAME_BYTES..]).ok_or_else(|| Fault::Name(number).at(start + 32))?;
    let tensor = Tensor {
        kind,
        layer: u32_at(bytes, 4),
        name,
        rows: side(8),
        cols: side(12),
        tile_rows: side(16),
        tile_cols: side(20),
        books: vec![],
        scales: vec![],
        rotation,
        indices: vec![],
    };
    Ok((tensor, Place { offset: u64_at(bytes, 24), stated_at: start + 24 }))
}

fn check_sides(bytes: &[u8], kind: TensorKind, scheme: &Scheme, packed: bool, start: u64) -> Result<()> {
    let [layer, rows, cols, tile_rows, tile_cols] = [4, 8, 12, 16, 20].map(|i| u32_at(bytes, i));
    let vector = scheme.vector as u32;
    let check = |legal: bool, name, found: u32, what: String, at| {
        if legal { Ok(()) } else { Err(field(name, found, what).at(start + at)) }
    };
    let weight = kind == TensorKind::Weight;
    check(!weight || layer == 0, "the layer of weights", layer, "0".into(), 4)?;
    if weight || packed {
        check((1..=MAX_SIDE).contains(&rows), "rows", rows, format!("1 to {MAX_SIDE}"), 8)?;
    } else {
        check(rows == 0, "rows", rows, "0 for keys and values without indices".into(), 8)?;
    }
    let side = |cols: u32| (1..=MAX_SIDE).contains(&cols) && cols.is_multiple_of(vector);
    let sides = || format!("a multiple of {vector} from {vector} to {MAX_SIDE}");
    check(side(cols), "columns", cols, sides(), 12)?;
    check(tile_rows == 0 || weight && tile_rows <= MAX_SIDE, "rows of a tile", tile_rows, tile_legal(weight), 16)?;
    check(side(tile_cols), "columns of a tile", tile_cols, sides(), 20)
}

fn tile_legal(weight: bool) -> String {
    if weight { format!("0 to {MAX_SIDE}") } else { "0 for keys and values".into() }
}

/// A rotation without its signs, which come with the data.
fn rotation_of_record(bytes: &[u8], kind: TensorKind, start: u64) -> Result<Option<Rotation>> {
    let block_log2 = u32::from(bytes[1]);
    let fits = |side: u32| side.is_multiple_of(1 << block_log2);
    let wrong = |legal: &str| Err(field("log2 of a rotation's block", bytes[1], legal).at(start + 1));
    match block_log2 {
        0 => Ok(None),
        1..=8 if kind != TensorKind::Weight => wrong("0 for keys and values"),
        1..=8 if fits(u32_at(bytes, 8)) && fits(u32_at(bytes, 12)) => {
            Ok(Some(Rotation { block_log2, rows: vec![], cols: vec![] }))
        }
        1..=8 => wrong("what divides rows and columns into whole blocks"),
        _ => wrong("0 to 8"),
    }
}

fn name(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = std::str::from_utf8(&bytes[..end]).ok()?;
    let filled = bytes[end..].iter().all(|&byte| byte == 0);
    (filled && !text.is_empty() && !text.contains(char::is_control)).then(|| text.to_string())
}

fn read_data(
    reader: &mut Reader,
    scheme: &Scheme,
    packed: bool,
    tensor: &mut Tensor,
    next_book: &mut u32,
) -> Result<()> {
    if scheme.books != Books::Lattice {
        for part in tensor.parts(scheme) {
            for _ in 0..part.books {
                tensor.books.push(book(reader, scheme, *next_book)?);
                *next_book += 1;
            }
        }
    }
    tensor.scales = scales(reader, tensor, scheme)?;
    if let Some(rotation) = &mut tensor.rotation {
        (rotation.rows, rotation.cols) = signs(reader, &tensor.name, tensor.rows, tensor.cols)?;
    }
    if packed {
        for (number, part) in tensor.parts(scheme).enumerate() {
            let indices = part_indices(reader, scheme, tensor, number, &part)?;
            tensor.indices.push(indices);
        }
    }
    Ok(())
}

fn book(reader: &mut Reader, scheme: &Scheme, expected: u32) -> Result<Book> {
    let what = || format!("book {expected}");
    let start = reader.at as u64;
    if expected == MAX_BOOKS {
        return Err(field("the number of books", MAX_BOOKS + 1, format!("at most {MAX_BOOKS}")).at(start));
    }
    let header = reader.take(8, what)?;
    let (id, count) = (u32_at(header, 0) >> 12, (u32_at(header, 0) & 0xfff) as usize + 1);
    if count > scheme.max_entries() {
        let legal = format!("1 to {}", scheme.max_entries());
        return Err(field(&format!("the number of entries of book {expected}"), count as u64, legal).at(start));
    }
    let entries = reader.take((2 * count * scheme.vector) as u64, what)?;
    let (stored, computed) = (u32_at(header, 4), crc32_of_two(&header[..4], entries));
    if stored != computed {
        return Err(Fault::Crc { what: what(), stored, computed }.at(start));
    }
    if id != expected {
        return Err(field("the number of a book", id, format!("{expected}, its place in the file")).at(start));
    }
    let values = words(entries);
    if let Some(place) = values.iter().position(|&bits| !is_finite(bits)) {
        let (entry, element, bits) = (place / scheme.vector, place % scheme.vector, values[place]);
        return Err(Fault::Entry { book: expected, entry, element, bits }.at(start + 8 + 2 * place as u64));
    }
    reader.align(what)?;
    Ok(Book { values, vector: scheme.vector })
}

fn scales(reader: &mut Reader, tensor: &Tensor, scheme: &Scheme) -> Result<Vec<u16>> {
    let (count, start) = (tensor.scale_count(scheme), reader.at as u64);
    if count == 0 {
        return Ok(vec![]);
    }
    let scales = words(reader.block(2 * count as u64, || format!("the scales of {}", tensor.name))?);
    match scales.iter().position(|bits| !(0x0001..=0x7bff).contains(bits)) {
        None => Ok(scales),
        Some(scale) => {
            let fault = Fault::Scale { tensor: tensor.name.clone(), scale, bits: scales[scale] };
            Err(fault.at(start + 2 * scale as u64))
        }
    }
}

fn signs(reader: &mut Reader, tensor: &str, rows: usize, cols: usize) -> Result<(Vec<bool>, Vec<bool>)> {
    let start = reader.at as u64;
    let row_bytes = rows.div_ceil(8);
    let bytes = reader.block((row_bytes + cols.div_ceil(8)) as u64, || format!("the signs of {tensor}"))?;
    let (of_rows, of_cols) = bytes.split_at(row_bytes);
    for (bytes, count, offset) in [(of_rows, rows, 0), (of_cols, cols, row_bytes)] {
        if !is_filled_with_zeros(bytes, count) {
            let what = format!("the bits behind the signs of {tensor}");
            return Err(Fault::NotZero { what }.at(start + (offset + bytes.len() - 1) as u64));
        }
    }
    let bits = |bytes, count| unpack_row(bytes, count, 1).into_iter().map(|bit| bit == 1).collect();
    Ok((bits(of_rows, rows), bits(of_cols, cols)))
}

fn part_indices(reader: &mut Reader, scheme: &Scheme, tensor: &Tensor, number: usize, part: &Part) -> Result<Vec<u8>> {
    let name = || format!("part {number} of {}", tensor.name);
    let (start, row_bytes, count) = (reader.at as u64, part.row_bytes(scheme), part.indices_per_row(scheme));
    let bytes = reader.block(row_bytes as u64 * part.rows.len() as u64, || format!("the indices of {}", name()))?;
    for (row, packed) in bytes.chunks_exact(row_bytes).enumerate() {
        let at = start + (row * row_bytes) as u64;
        if !is_filled_with_zeros(packed, count * scheme.bits as usize) {
            let what = format!("the bits behind row {row} of {}", name());
            return Err(Fault::NotZero { what }.at(at + row_bytes as u64 - 1));
        }
        for (position, found) in unpack_row(packed, count, scheme.bits).into_iter().enumerate() {
            let Some(book) = part.book_of(scheme, position) else { break };
            let entries = tensor.books[book].count();
            if usize::from(found) >= entries {
                let fault = Fault::Index { part: name(), row, position, found, count: entries };
                return Err(fault.at(at + (position * scheme.bits as usize / 8) as u64));
            }
        }
    }
    Ok(bytes.to_vec())
}

/// Whether nothing is set behind the first `bits` bits of a row.
fn is_filled_with_zeros(row: &[u8], bits: usize) -> bool {
    bits.is_multiple_of(8) || row[bits / 8] >> (bits % 8) == 0
}

fn is_finite(bits: u16) -> bool {
    bits & 0x7c00 != 0x7c00
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, needed: u64, what: impl Fn() -> String) -> Result<&'a [u8]> {
        let left = (self.bytes.len() - self.at) as u64;
        if needed > left {
            return Err(Fault::CutShort { what: what(), needed, left }.at(self.at as u64));
        }
        let start = self.at;
        self.at += needed as usize;
        Ok(&self.bytes[start..self.at])
    }

    /// Bytes with their CRC-32, up to a multiple of 8 bytes.
    fn block(&mut self, needed: u64, what: impl Fn() -> String) -> Result<&'a [u8]> {
        let bytes = self.take(needed, &what)?;
        self.crc(crc32(bytes), what)?;
        Ok(bytes)
    }

    /// A CRC-32, up to a multiple of 8 bytes.
    fn crc(&mut self, computed: u32, what: impl Fn() -> String) -> Result<()> {
        let start = self.at as u64;
        let stored = u32_at(self.take(4, || format!("the CRC-32 of {}", what()))?, 0);
        if stored != computed {
            return Err(Fault::Crc { what: what(), stored, computed }.at(start));
        }
        self.align(what)
    }

    fn align(&mut self, what: impl Fn() -> String) -> Result<()> {
        let padding = self.at.next_multiple_of(ALIGNMENT) - self.at;
        let start = self.at as u64;
        let bytes = self.take(padding as u64, || format!("the padding behind {}", what()))?;
        match bytes.iter().position(|&byte| byte != 0) {
            None => Ok(()),
            Some(i) => Err(Fault::NotZero { what: format!("the padding behind {}", what()) }.at(start + i as u64)),
        }
    }

    fn expect_here(&self, place: &Place) -> Result<()> {
        let here = self.at as u64;
        if place.offset == here {
            return Ok(());
        }
        let legal = format!("{here}, right behind what comes before");
        Err(field("the offset of a tensor", place.offset, legal).at(place.stated_at))
    }
}

fn words(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
