//! What the VQ algorithms are worth on real keys, values and weights.
//!
//! The short form takes the recordings in `data/`: one head, and a corner of a matrix. Where `KVFORGE_RECORDINGS` names the
//! folder of the whole recordings, `KVFORGE_LONG=1` takes these: three heads, all of the matrix.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use sim::data::Recording;
use sim::golden::vq::attention::Head;
use sim::golden::vq::encode::Rule;
use sim::golden::vq::product::Way;
use sim::golden::vq::{Algorithm, Books, Part, Scheme, Tensor, TensorKind, VqFile, encode, pack_row};
use sim::vq::run::{Recorded, Request, Row, Setup, Unit};
use sim::vq::{Source, TrainOptions, kv_sources, measure, pack, train, weight_sources};

fn folder() -> (PathBuf, bool) {
    let whole = std::env::var_os("KVFORGE_RECORDINGS").filter(|_| std::env::var_os("KVFORGE_LONG").is_some());
    let long = whole.is_some();
    (whole.map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../data"), PathBuf::from), long)
}

fn path(name: &str) -> PathBuf {
    folder().0.join(name).with_extension("safetensors")
}

/// Keys and values of layer 10; of the short form only the first head.
fn kv(name: &str) -> Vec<Source> {
    let sources = kv_sources(&[Recording::read(path(name)).expect("a recording")], &[10]).expect("layer 10");
    if folder().1 { sources } else { sources.into_iter().map(first_head).collect() }
}

fn first_head(source: Source) -> Source {
    let data = source.data.chunks(source.cols).flat_map(|row| &row[..64]).copied().collect();
    Source { cols: 64, data, ..source }
}

fn packed(scheme: &Scheme, training: &[Source], sources: &[Source], options: &TrainOptions) -> VqFile {
    let books = train(scheme, training, options, &|| ()).expect("books");
    pack(&books, sources, options.beam, &|| ()).expect("indices")
}

/// Signal to quantization noise of each tensor.
fn decibels(file: &VqFile, sources: &[Source]) -> Vec<f64> {
    file.tensors.iter().map(|tensor| measure(file, tensor, sources).expect("measured").binary16_db).collect()
}

/// Fewer iterations in the short form.
fn options(algorithm: Algorithm) -> TrainOptions {
    let usual = TrainOptions::of(algorithm);
    if folder().1 { usual } else { TrainOptions { iterations: 15, rounds: 1, beam: 2, ..usual } }
}

/// Keys and values that are stored: those of which the books know nothing.
static RUN: LazyLock<Vec<Source>> = LazyLock::new(|| kv("smollm2_run"));
/// Them with books of another text. Training is most of the time here, so that all tests share them.
static CQ4: LazyLock<VqFile> = LazyLock::new(|| run_with_books_of(Algorithm::Cq4, "smollm2_vq"));
static CQ2: LazyLock<VqFile> = LazyLock::new(|| run_with_books_of(Algorithm::Cq2, "smollm2_vq"));

/// A matrix, and what three algorithms make of it.
static WEIGHTS: LazyLock<Vec<Source>> =
    LazyLock::new(|| weight_sources(&path("smollm2_vq"), &["weight.blk.10.ffn_down".into()]).expect("weights"));
static MATRICES: LazyLock<[(Algorithm, VqFile); 3]> = LazyLock::new(|| {
    [Algorithm::Gptvq2, Algorithm::Aqlm3, Algorithm::QuipSharp4]
        .map(|algorithm| (algorithm, packed(&algorithm.scheme(), &WEIGHTS, &WEIGHTS, &options(algorithm))))
});

fn run_with_books_of(algorithm: Algorithm, trained: &str) -> VqFile {
    packed(&algorithm.scheme(), &kv(trained), &RUN, &options(algorithm))
}

/// What was measured, in dB: in the short form, and in the long one, whose figures are those of docs/vq.md. The same input gives the same books.
fn as_measured(found: f64, short: f64, long: f64, case: &str) {
    let measured = if folder().1 { long } else { short };
    println!("{case}: {found:.2} dB");
    let margin = if folder().1 { 0.3 } else { 0.1 };
    assert!((found - measured).abs() < margin, "{case}: {found:.2} dB, not {measured}");
}

#[test]
fn keys_and_values_are_as_good_as_expected() {
    // in the long form as the issue expects, or better; the short one has the first head only, on 224 tokens
    let check = |file: &VqFile, measured: [(f64, f64); 2], case: &str| {
        for ((found, (short, long)), tensor) in decibels(file, &RUN).into_iter().zip(measured).zip(&file.tensors) {
            as_measured(found, short, long, &format!("{case}, {}", tensor.name));
        }
    };
    check(&CQ4, [(25.52, 26.13), (20.56, 20.26)], "CQ-4");
    check(&CQ2, [(15.55, 16.06), (10.73, 10.32)], "CQ-2");
    // books of 224 vectors at most know those by heart, and little else
    if folder().1 {
        let few = "smollm2_profile";
        check(&run_with_books_of(Algorithm::Cq4, few), [(0.0, 24.68), (0.0, 18.08)], "CQ-4 of fewer tokens");
        check(&run_with_books_of(Algorithm::Cq2, few), [(0.0, 15.84), (0.0, 9.94)], "CQ-2 of fewer tokens");
    }
}

#[test]
fn weights_are_as_good_as_expected() {
    // 8,192 vectors are not many for the two books of AQLM-3 together, which know them by heart
    let measured = [(10.28, 10.36), (31.30, 17.52), (20.58, 20.58)];
    for ((algorithm, file), (short, long)) in MATRICES.iter().zip(measured) {
        as_measured(decibels(file, &WEIGHTS)[0], short, long, algorithm.name());
    }
}

fn to_bits(x: &[f64]) -> Vec<u16> {
    x.iter().map(|&x| half::f16::from_f64(x).to_bits()).collect()
}

fn to_f64(x: &[u16]) -> Vec<f64> {
    x.iter().map(|&x| half::f16::from_bits(x).to_f64()).collect()
}

/// Signal to noise, in dB.
fn beside(exact: &[f64], found: &[f64]) -> f64 {
    let error: f64 = exact.iter().zip(found).map(|(x, y)| (x - y).powi(2)).sum();
    10.0 * (exact.iter().map(|x| x * x).sum::<f64>() / error).log10()
}

/// The numbers of a head of all tokens.
fn of_head(all: &[f64], cols: usize, head: usize) -> Vec<f64> {
    all.chunks(cols).flat_map(|row| &row[64 * head..64 * (head + 1)]).copied().collect()
}

/// Every layer and head that was recorded. In the short form books are those of 224 tokens, and improved less: what arithmetic loses does not depend on how
/// good they are, and the distance is to what these lose.
#[test]
fn arithmetic_loses_far_less_than_the_books() {
    let recordings: &[&str] = if folder().1 { &["smollm2_profile", "smollm2_long"] } else { &["smollm2_profile"] };
    let of = |names: &[&str]| {
        let all: Vec<_> = names.iter().map(|name| Recording::read(path(name)).expect("a recording")).collect();
        kv_sources(&all, &[]).expect("keys and values")
    };
    let (training, run) = (of(recordings), of(&["smollm2_run"]));
    let mut rng = fastrand::Rng::with_seed(sim::bus::seed(9));
    println!(
        "dB\nalgorithm, layer, head: what the books lose of scores, what arithmetic loses by table and by multiplication; of weighted sums of values likewise"
    );
    for algorithm in [Algorithm::Cq4, Algorithm::Cq2] {
        let iterations = if folder().1 { 15 } else { 3 };
        let options = TrainOptions { iterations, ..TrainOptions::of(algorithm) };
        let file = packed(&algorithm.scheme(), &training, &run, &options);
        let cases: Vec<(usize, usize)> =
            (0..run.len() / 2).flat_map(|pair| (0..3).map(move |head| (2 * pair, head))).collect();
        assert_eq!(cases.len(), 18, "six layers of three heads");
        let mut least = [f64::INFINITY; 2];
        for (at, head) in cases {
            let Arithmetic { books, scores, sums } = arithmetic(&file, &run, (at, head), &mut rng);
            println!(
                "{algorithm}, {}, head {head}: {:.1}, {:.1} and {:.1}; {:.1}, {:.1} and {:.1}",
                &run[at].name[..run[at].name.len() - 2],
                books[0],
                scores[0],
                scores[1],
                books[1],
                sums[0],
                sums[1]
            );
            for (i, (of, books)) in [(scores, books[0]), (sums, books[1])].into_iter().enumerate() {
                let distance = of[0].min(of[1]) - books;
                // the issue asks for 25
                assert!(distance > 30.0, "{algorithm}, {}, head {head}: {distance:.1} dB", run[at].name);
                least[i] = least[i].min(distance);
            }
        }
        println!("{algorithm}: least distance of scores {:.1} dB, of values {:.1} dB", least[0], least[1]);
    }
}

/// In dB.
struct Arithmetic {
    /// What the books lose of scores and of weighted sums of values.
    books: [f64; 2],
    /// What arithmetic loses of scores, by table and by multiplication.
    scores: [f64; 2],
    /// Of weighted sums of values.
    sums: [f64; 2],
}

/// A head whose keys are tensor `at`; its values follow them. The query is random, the weights are the softmax of its scores.
fn arithmetic(file: &VqFile, run: &[Source], (at, number): (usize, usize), rng: &mut fastrand::Rng) -> Arithmetic {
    let [keys, values] = [at, at + 1].map(|i| Head { scheme: &file.scheme, tensor: &file.tensors[i], number });
    let [original_keys, original_values] = [at, at + 1].map(|i| {
        assert_eq!(file.tensors[i].name, run[i].name);
        of_head(&run[i].values(), run[i].cols, number)
    });
    let query = to_bits(&(0..64).map(|_| rng.f64() - 0.5).collect::<Vec<_>>());
    let exact = keys.scores64(&to_f64(&query));
    let dot = |key: &[f64]| key.iter().zip(to_f64(&query)).map(|(x, y)| x * y).sum::<f64>();
    let of_keys = beside(&original_keys.chunks(64).map(dot).collect::<Vec<_>>(), &exact);
    let scores = [Way::Table, Way::Multiply].map(|way| beside(&exact, &to_f64(&keys.scores(&query, way))));
    let most = exact.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = exact.iter().map(|score| ((score - most) / 8.0).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let weights = to_bits(&weights.iter().map(|weight| weight / sum).collect::<Vec<_>>());
    let exact = values.values64(&to_f64(&weights));
    let mut original = vec![0.0; 64];
    for (value, weight) in original_values.chunks(64).zip(to_f64(&weights)) {
        original.iter_mut().zip(value).for_each(|(sum, x)| *sum += weight * x);
    }
    let books = [of_keys, beside(&original, &exact)];
    let sums = [values.values_by_table(&weights, 4), values.values_by_multiplication(&weights)];
    Arithmetic { books, scores, sums: sums.map(|found| beside(&exact, &to_f64(&found))) }
}

/// Where keys are long, `x.c` and `|c|^2/2` are large beside their difference, and binary16 cannot tell near entries apart.
#[test]
fn the_hardwares_encoder_loses_little() {
    // docs/vq.md: 0.30 and 0.02 dB of keys
    for (algorithm, file, most) in [("CQ-4", &*CQ4, 0.31), ("CQ-2", &*CQ2, 0.03)] {
        for (rule, most) in [(Rule::Product, most), (Rule::Distance, 0.002)] {
            let pairs = file.tensors.iter().zip(&*RUN);
            let tensors = pairs.map(|(tensor, source)| encoded(file, tensor, source, rule)).collect();
            let in_hardware = VqFile { tensors, ..file.clone() };
            for (software, hardware) in decibels(file, &RUN).into_iter().zip(decibels(&in_hardware, &RUN)) {
                println!("{algorithm}, {rule:?}: software {software:.3} dB, hardware {hardware:.3} dB");
                assert!(hardware > software - most, "{software:.4} and {hardware:.4} dB");
            }
        }
    }
}

/// The tensor with the indices that the hardware finds.
fn encoded(file: &VqFile, tensor: &Tensor, source: &Source, rule: Rule) -> Tensor {
    let part = |part: Part| {
        let row = |values: &[u16]| {
            let indices = encode::row(&file.scheme, tensor, &part, &values[part.cols.clone()], rule);
            pack_row(&indices, file.scheme.bits)
        };
        source.data.chunks(source.cols).flat_map(row).collect()
    };
    Tensor { indices: tensor.parts(&file.scheme).map(part).collect(), ..tensor.clone() }
}

/// So many queries or vectors through a unit, without one through what consumes the file: what came out of it.
fn in_hardware(file: &VqFile, unit: Option<Unit>, count: usize) -> Row {
    let (layer, head, tensor, tokens) = (None, None, None, None);
    let request = Request { unit, layer, head, tensor, tokens, count: Some(count), seed: sim::bus::seed(11) };
    let setup = Setup::new(file, &request, &Recorded::default()).expect("a unit for the file");
    setup.run(&|| ()).expect("simulated").results.remove(0)
}

/// Attention and products in the built-in simulator, every number that of the golden model: one command of each algorithm. (Ten million lookups
/// each, as machine code, are long forms of the tests of the units in `hw/src/vq`.)
#[test]
fn hardware_has_every_number_of_the_model() {
    let heads = [(Algorithm::Cq4, &*CQ4), (Algorithm::Cq2, &*CQ2)];
    for (algorithm, file) in heads.into_iter().chain(MATRICES.iter().map(|(algorithm, file)| (*algorithm, file))) {
        let lookups = |row: &Row| row.words.indices * 64 / file.scheme.bits as usize;
        let row = in_hardware(file, None, 1);
        println!("{algorithm}: {} lookups, {} numbers, {} cycles", lookups(&row), row.numbers, row.cycles);
        assert_eq!((row.mismatches, &row.fault), (0, &None), "{algorithm}: {:?}", row.first_mismatch);
        assert!(row.numbers > 0, "{algorithm}: {row:?}");
    }
}

/// Weights by table, for comparison: the rows of a tile of GPTVQ-2 through the unit for scores, which takes the tile's book once for each group of
/// columns. Of a group an entry is used once on average, so that a table pays nothing back.
#[test]
fn weights_by_table_take_as_long_as_their_books() {
    let (_, matrix) = &MATRICES[0];
    let Tensor { books, indices, .. } = &matrix.tensors[0];
    let whole = &matrix.tensors[0];
    let first = |books| Tensor { rows: 256, cols: 256, books, indices: vec![indices[0].clone()], ..whole.clone() };
    let tile = VqFile { tensors: vec![first(vec![books[0].clone()])], ..matrix.clone() };
    let tokens = Tensor { kind: TensorKind::Key, tile_rows: 0, ..first(vec![books[0].clone(); 64]) };
    let by_table =
        VqFile { scheme: Scheme { books: Books::Group, ..matrix.scheme }, tensors: vec![tokens], ..matrix.clone() };

    let [multiplied, looked_up] = [in_hardware(&tile, None, 2), in_hardware(&by_table, Some(Unit::Scores), 2)];
    for (way, row) in [("by multiplication", &multiplied), ("by table", &looked_up)] {
        println!("{way}: {} cycles, {:?} dB beside float64", row.cycles, row.float64_db);
        assert_eq!((row.mismatches, &row.fault), (0, &None), "{way}: {:?}", row.first_mismatch);
        assert!(row.float64_db.is_some_and(|db| db > 61.0), "{way}: {row:?}");
    }
    let ratio = looked_up.cycles as f64 / multiplied.cycles as f64;
    assert!((7.8..8.0).contains(&ratio), "{ratio}");
}
