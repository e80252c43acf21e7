//! Slices of records, as they are stored by head.

use proptest::prelude::*;

use super::properties::{any_thresholds, any_vector, any_width};
use super::*;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x51ce),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_slice_is_a_legal_record_of_the_same_values(
        vector in any_vector(),
        dense_bits in any_width(),
        thresholds in any_thresholds(),
    ) {
        let (record, _, decoded) = round_trip(&vector, dense_bits, &thresholds);
        let chunks = vector.len() / CHUNK;
        for (first, end) in (0..chunks).flat_map(|first| (first + 1..=chunks).map(move |end| (first, end))) {
            let slice = record.slice(dense_bits, first..end).expect("a legal record");
            let elements = CHUNK * first..CHUNK * end;
            let back = decode(&slice.dense, &slice.sparse, elements.len(), dense_bits, &thresholds);
            prop_assert_eq!(back.as_deref(), Ok(&decoded[elements.clone()]));
            let counts = GroupCounts::of(&vector[elements], &thresholds);
            prop_assert_eq!(slice.dense.len(), 8 * dense_bits.get() as usize * (end - first));
            prop_assert_eq!(slice.sparse.len(), 8 + end - first + counts.outer + counts.inner);
        }
    }
}

/// Bytes of the sparse part of a slice of so many chunks that stands at the start of some memory.
fn sparse_bytes(memory: &[u8], chunks: usize) -> usize {
    (0..chunks).fold(HEADER_BYTES, |at, _| at + 1 + usize::from(memory[at]))
}

#[test]
fn a_head_is_read_back_without_the_other_heads() {
    // Heads of 128 elements, three in a vector; each has a memory of its own for either part.
    let (heads, chunks) = (3, 2);
    let tokens: Vec<Vec<u16>> = (0..20_usize)
        .map(|token| (0..384).map(|i| bits(((token * 977 + i * 7919) % 1000) as f32 / 150.0 - 3.3)).collect())
        .collect();
    for dense_bits in DenseBits::ALL {
        let mut memory = vec![(vec![], vec![]); heads];
        let mut expected = vec![vec![]; heads];
        for token in &tokens {
            let (record, _, decoded) = round_trip(token, dense_bits, &usual());
            for head in 0..heads {
                let slice = record.slice(dense_bits, head * chunks..(head + 1) * chunks).unwrap();
                memory[head].0.extend(slice.dense);
                memory[head].1.extend(slice.sparse);
                expected[head].push(decoded[128 * head..128 * (head + 1)].to_vec());
            }
        }
        for ((dense, sparse), expected) in memory.iter().zip(&expected) {
            let mut at = 0;
            for (slice, expected) in dense.chunks(dense_bits.dense_bytes(128)).zip(expected) {
                let length = sparse_bytes(&sparse[at..], chunks);
                let back = decode(slice, &sparse[at..at + length], 128, dense_bits, &usual());
                assert_eq!(back.as_ref(), Ok(expected));
                at += length;
            }
            assert_eq!(at, sparse.len());
        }
    }
}

#[test]
fn a_record_whose_counts_are_wrong_has_no_slices() {
    let mut record = encode(&[0x3c00; 128], FOUR, &usual());
    record.sparse[8] = 65;
    assert_eq!(record.slice(FOUR, 0..1), Err(FormatError::Count { offset: 8, chunk: 0, found: 65 }));
    record.sparse[8] = 7;
    let cut = FormatError::EntriesCutShort { offset: 8, chunk: 0, count: 7, found: 1 };
    assert_eq!(record.slice(FOUR, 1..2), Err(cut));
}

#[test]
#[should_panic(expected = "chunks 1..3 of a record that has 2")]
fn chunks_beyond_the_record_panic() {
    let _ = encode(&[0x3c00; 128], FOUR, &usual()).slice(FOUR, 1..3);
}
