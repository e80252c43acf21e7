use super::*;
use crate::golden::vq::{Algorithm, Books, Scales, Scheme, TensorKind, VqFile, decode};
use fastrand::Rng;
use half::f16;

/// Made numbers in heaps, so that there is something to find.
fn source(kind: TensorKind, name: &str, rows: usize, cols: usize) -> Source {
    let mut rng = Rng::with_seed(crate::bus::run_seed(rows as u64));
    let number = |_| f16::from_f32(rng.i32(-3..=3) as f32 + rng.f32() / 4.0).to_bits();
    let data = (0..rows * cols).map(number).collect();
    Source { kind, layer: 3 * u32::from(kind != TensorKind::Weight), name: name.into(), rows, cols, data }
}

fn quick(algorithm: Algorithm) -> TrainOptions {
    TrainOptions { iterations: 8, rounds: 2, ..TrainOptions::of(algorithm) }
}

fn small(algorithm: Algorithm) -> (Scheme, Source) {
    let source = match algorithm.is_for_kv() {
        true => source(TensorKind::Key, "layer3.k", 60, 128),
        false => source(TensorKind::Weight, "w", 64, 128),
    };
    // the books of AQLM-3 would have an entry for each vector
    let bits = if algorithm == Algorithm::Aqlm3 { 6 } else { algorithm.scheme().bits };
    (Scheme { bits, ..algorithm.scheme() }, source)
}

#[test]
fn same_seed_same_bytes_on_any_number_of_threads() {
    for algorithm in Algorithm::ALL {
        let (scheme, source) = small(algorithm);
        let sources = [source];
        let bytes = |threads, seed| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let options = TrainOptions { seed, ..quick(algorithm) };
            let books = pool.install(|| train(&scheme, &sources, &options, &|| ())).unwrap();
            let packed = pool.install(|| pack(&books, &sources, 4, &|| ())).unwrap();
            (books.to_bytes(), packed.to_bytes())
        };
        let one = bytes(1, 5);
        assert!(one == bytes(3, 5), "{algorithm}");
        assert!(one != bytes(1, 6), "{algorithm}: another seed gives other books, or signs");
    }
}

/// Entries are finite; the sums of two, turned back by the scale, are not.
#[test]
fn values_that_binary16_does_not_hold_are_refused() {
    let (scheme, mut source) = small(Algorithm::QuipSharp4);
    let mut rng = Rng::with_seed(crate::bus::run_seed(5));
    source.data.fill_with(|| f16::from_f32((rng.f32() - 0.5) * 131_000.0).to_bits());
    let sources = [source];
    let books = train(&scheme, &sources, &quick(Algorithm::QuipSharp4), &|| ()).unwrap();
    let error = pack(&books, &sources, 4, &|| ()).unwrap_err().to_string();
    assert!(error.starts_with("w: row ") && error.contains("at most 65504"), "{error}");
}

#[test]
fn what_is_trained_and_packed_is_legal_and_comes_back_about_right() {
    for algorithm in Algorithm::ALL {
        let (scheme, source) = small(algorithm);
        let sources = [source];
        let books = train(&scheme, &sources, &quick(algorithm), &|| ()).unwrap();
        assert_eq!(VqFile::from_bytes(&books.to_bytes()).as_ref(), Ok(&books), "{algorithm}");
        let file = pack(&books, &sources, 4, &|| ()).unwrap();
        assert_eq!(VqFile::from_bytes(&file.to_bytes()).as_ref(), Ok(&file), "{algorithm}");
        let measured = measure(&file, &file.tensors[0], &sources).unwrap();
        assert!(measured.float64_db > 5.0, "{algorithm}: {measured:?}");
        // 60 tokens are known by heart: then nothing is lost at all
        assert!(measured.binary16_db > measured.float64_db.min(50.0) - 0.05, "{algorithm}: {measured:?}");
    }
}

#[test]
fn entries_are_in_falling_order_of_use() {
    for algorithm in [Algorithm::Cq2, Algorithm::Gptvq2, Algorithm::Aqlm3] {
        let (scheme, source) = small(algorithm);
        let (scheme, sources) = (Scheme { bits: 4, ..scheme }, [source]);
        let options = quick(algorithm);
        let books = train(&scheme, &sources, &options, &|| ()).unwrap();
        let file = pack(&books, &sources, options.beam, &|| ()).unwrap();
        let access = access(&scheme, &file.tensors[0]);
        assert_eq!(access.total() as usize, 128 * sources[0].rows * scheme.residuals / scheme.vector);
        for uses in &access.uses {
            assert!(uses.is_sorted_by(|a, b| a >= b), "{algorithm}: {uses:?}");
        }
        assert!(access.share_of_first(4) >= 0.25 && access.share_of_first(16) == 1.0);
    }
}

#[test]
fn several_residuals_trained_together_lose_less() {
    let (scheme, source) = small(Algorithm::Aqlm3);
    let sources = [source];
    let with = |rounds, beam| {
        let options = TrainOptions { rounds, beam, ..quick(Algorithm::Aqlm3) };
        let file = pack(&train(&scheme, &sources, &options, &|| ()).unwrap(), &sources, beam, &|| ()).unwrap();
        measure(&file, &file.tensors[0], &sources).unwrap().float64_db
    };
    let (apart, together) = (with(0, 1), with(6, 4));
    assert!(together > apart + 0.3, "{together:.2} dB, one after the other {apart:.2} dB");
}

#[test]
fn a_row_of_zeros_and_a_tensor_of_zeros() {
    for algorithm in Algorithm::ALL {
        let (scheme, mut source) = small(algorithm);
        source.data.fill(0);
        let sources = [source];
        let file = pack(&train(&scheme, &sources, &quick(algorithm), &|| ()).unwrap(), &sources, 1, &|| ()).unwrap();
        let values = decode::tensor64(&scheme, &file.tensors[0]);
        // a lattice has no zero
        let most = if scheme.books == Books::Lattice { 1e-6 } else { 0.0 };
        assert!(values.iter().all(|x| x.abs() <= most), "{algorithm}");
        assert_eq!(VqFile::from_bytes(&file.to_bytes()), Ok(file));
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let says = |scheme: &Scheme, sources: &[Source], options: &TrainOptions| {
        train(scheme, sources, options, &|| ()).unwrap_err().to_string()
    };
    let (scheme, key) = small(Algorithm::Cq2);
    let options = TrainOptions::default();
    let keys = [key];
    assert_eq!(says(&scheme, &[], &options), "no tensor to train from");
    let odd = Scheme { vector: 3, ..scheme };
    let text = "layer3.k has 128 columns: vectors of 3 values need a multiple of 3";
    assert_eq!(says(&odd, &keys, &options), text);
    let heads = TrainOptions { head: 48, ..options };
    assert_eq!(says(&scheme, &keys, &heads), "layer3.k has 128 columns, which are not whole heads of 48");
    let parts = TrainOptions { head: 6, ..options };
    assert_eq!(
        says(&scheme, &keys, &parts),
        "heads of 6 columns: vectors of 4 values need a multiple of 4, 4 at least"
    );
    let weights = [source(TensorKind::Weight, "w", 60, 128)];
    let tiles = TrainOptions { tile: Some((4, 6)), ..options };
    assert_eq!(
        says(&scheme, &weights, &tiles),
        "tiles of 6 columns: vectors of 4 values need a multiple of 4, 4 at least"
    );
    let turned = TrainOptions { rotation: Some(64), ..options };
    let text = "w is [60, 128]: Hadamard blocks of 64 need multiples of 64";
    assert_eq!(says(&scheme, &weights, &turned), text);
    let long = [Source { name: "w".repeat(65), ..weights[0].clone() }];
    assert!(says(&scheme, &long, &options).ends_with("legal are 1 to 64 bytes without control characters"));

    let books = train(&scheme, &keys, &TrainOptions { iterations: 2, ..options }, &|| ()).unwrap();
    let says = |sources: &[Source]| pack(&books, sources, 1, &|| ()).unwrap_err().to_string();
    assert_eq!(says(&[]), "there are books for key layer3.k, and no such tensor is given; given are none");
    let wide = [source(TensorKind::Key, "layer3.k", 4, 192)];
    assert_eq!(says(&wide), "layer3.k has 192 columns: what the file was made from had 128 columns");
}

#[test]
fn scales_of_rows_make_rows_of_unlike_size_alike() {
    let mut weights = source(TensorKind::Weight, "w", 64, 64);
    for (row, data) in weights.data.chunks_mut(64).enumerate() {
        let factor = 2f32.powi(row as i32 % 8 - 4);
        data.iter_mut().for_each(|x| *x = f16::from_f32(f16::from_bits(*x).to_f32() * factor).to_bits());
    }
    let sources = [weights];
    let with = |scales| {
        let scheme = Scheme { vector: 4, bits: 6, residuals: 1, books: Books::Tile, scales, inverse_ratio: 0 };
        let file =
            pack(&train(&scheme, &sources, &TrainOptions::default(), &|| ()).unwrap(), &sources, 1, &|| ()).unwrap();
        let values = decode::tensor64(&scheme, &file.tensors[0]);
        // of the smallest rows
        let noise = |r: usize| {
            let row = r * 64..(r + 1) * 64;
            let pairs = values[row.clone()].iter().zip(sources[0].values()[row].to_vec());
            pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>()
        };
        noise(0) + noise(8) + noise(16)
    };
    assert!(with(Scales::Row) < with(Scales::None) / 4.0);
}

/// What the first book leaves over can be twice the largest number; entries are finite all the same, or nobody reads the file.
#[test]
fn entries_of_residuals_are_finite() {
    let row = |i: usize| match i {
        0 => [60_000.0, 60_000.0],
        _ if i % 2 == 1 => [-60_000.0, 60_000.0],
        _ => [-60_000.0, -60_000.0],
    };
    let data = (0..256).flat_map(row).map(|x| f16::from_f32(x).to_bits()).collect();
    let source = Source { kind: TensorKind::Weight, layer: 0, name: "w".into(), rows: 256, cols: 2, data };
    let scheme =
        Scheme { vector: 2, bits: 1, residuals: 2, books: Books::Tile, scales: Scales::None, inverse_ratio: 0 };
    for rounds in [0, 2] {
        let options = TrainOptions { rounds, ..quick(Algorithm::Gptvq2) };
        let books = train(&scheme, std::slice::from_ref(&source), &options, &|| ()).unwrap();
        assert_eq!(VqFile::from_bytes(&books.to_bytes()).as_ref(), Ok(&books));
    }
}
