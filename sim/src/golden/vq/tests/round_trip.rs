use super::super::*;
use super::file;
use fastrand::Rng;

#[test]
fn every_file_comes_back() {
    for round in 0..300 {
        let seed = crate::bus::run_seed(round);
        let file = file(&mut Rng::with_seed(seed));
        let bytes = file.to_bytes();
        assert_eq!(VqFile::from_bytes(&bytes).as_ref(), Ok(&file), "seed {seed}");
        assert!(bytes.len().is_multiple_of(8));
    }
}

/// The example of the format's page: two tokens of one head of four values, VQ<2,3,1>.
pub(super) fn example() -> VqFile {
    let scheme =
        Scheme { vector: 2, bits: 3, residuals: 1, books: Books::Group, scales: Scales::None, inverse_ratio: 0 };
    // 1 and 2; -1 and 0.5; 0 and 0
    let first = Book { values: vec![0x3c00, 0x4000, 0xbc00, 0x3800, 0x0000, 0x0000], vector: 2 };
    // 3 and 4
    let second = Book { values: vec![0x4200, 0x4400], vector: 2 };
    let tensor = Tensor {
        kind: TensorKind::Value,
        layer: 7,
        name: "layer7.v".into(),
        rows: 2,
        cols: 4,
        tile_rows: 0,
        tile_cols: 4,
        books: vec![first, second],
        scales: vec![],
        rotation: None,
        indices: vec![vec![0b000_010, 0b000_001]],
    };
    VqFile { scheme, packed: true, tensors: vec![tensor] }
}

#[test]
fn the_example_of_the_page_byte_by_byte() {
    let bytes = example().to_bytes();
    #[rustfmt::skip]
    let expected = [
        // header
        b"KVFORGVQ".as_slice(), &[1, 1, 2, 3, 1, 2, 0, 0], &[0, 0], &[1, 0], &[2, 0, 0, 0],
        &[0xb8, 0, 0, 0, 0, 0, 0, 0],
        // tensor
        &[1, 0, 0, 0], &[7, 0, 0, 0], &[2, 0, 0, 0], &[4, 0, 0, 0], &[0, 0, 0, 0], &[4, 0, 0, 0],
        &[0x88, 0, 0, 0, 0, 0, 0, 0], b"layer7.v", &[0; 56],
    ].concat();
    assert_eq!(bytes[..128], expected);
    assert_eq!(bytes[128..132], crc::crc32(&bytes[..128]).to_le_bytes());
    assert_eq!(bytes[132..136], [0; 4]);
    // book 0 with three entries, 12 bytes of them, and 4 that fill up
    assert_eq!(bytes[136..140], [2, 0, 0, 0]);
    assert_eq!(bytes[144..160], [0, 0x3c, 0, 0x40, 0, 0xbc, 0, 0x38, 0, 0, 0, 0, 0, 0, 0, 0]);
    // book 1 with one entry
    assert_eq!(bytes[160..164], [0, 0x10, 0, 0]);
    assert_eq!(bytes[168..176], [0, 0x42, 0, 0x44, 0, 0, 0, 0]);
    // two rows of 6 bits, their CRC-32, 2 bytes that fill up
    assert_eq!(bytes[176..178], [2, 1]);
    assert_eq!(bytes[178..182], crc::crc32(&[2, 1]).to_le_bytes());
    assert_eq!(bytes[182..], [0, 0]);
}

#[test]
fn the_example_decodes_to_what_the_page_says() {
    let file = example();
    let values = decode::tensor64(&file.scheme, &file.tensors[0]);
    assert_eq!(values, [0.0, 0.0, 3.0, 4.0, -1.0, 0.5, 3.0, 4.0]);
    let rounded = decode::tensor16(&file.scheme, &file.tensors[0]);
    assert_eq!(rounded, [0, 0, 0x4200, 0x4400, 0xbc00, 0x3800, 0x4200, 0x4400]);
}

#[test]
fn parts_go_from_left_to_right_then_down() {
    let scheme = Algorithm::Gptvq2.scheme();
    let mut tensor = example().tensors.remove(0);
    (tensor.rows, tensor.cols, tensor.tile_rows, tensor.tile_cols) = (300, 600, 256, 256);
    let parts: Vec<_> = tensor.parts(&scheme).map(|p| (p.rows.start, p.cols.clone(), p.first_book, p.groups)).collect();
    let across =
        |row, first| [(row, 0..256, first, 64), (row, 256..512, first + 1, 64), (row, 512..600, first + 2, 22)];
    assert_eq!(parts, [across(0, 0), across(256, 3)].concat());
}
