use super::*;
use crate::bus::seed;
use crate::golden::vq::{Algorithm, Scheme, Tensor};
use crate::vq::{Source, TrainOptions, pack, train};
use fastrand::Rng;
use request::Count;

const SIZE: usize = 64;

fn random(kind: TensorKind, name: &str, layer: u32, rows: usize, cols: usize) -> Source {
    let mut rng = Rng::with_seed(seed(u64::from(layer) + rows as u64 + kind as u64));
    let data = (0..rows * cols).map(|_| half::f16::from_f32(2.0 * rng.f32() - 1.0).to_bits()).collect();
    Source { kind, layer, name: name.into(), rows, cols, data }
}

fn packed(scheme: &Scheme, sources: &[Source], options: &TrainOptions) -> VqFile {
    let books = train(scheme, sources, options, &|| ()).expect("books");
    pack(&books, sources, 1, &|| ()).expect("indices")
}

/// Keys and values of layers 3 and 7, two heads each.
fn keys_and_values(algorithm: Algorithm, tokens: usize) -> (VqFile, Vec<Source>) {
    let of_layer = |layer| {
        [(TensorKind::Key, 'k'), (TensorKind::Value, 'v')]
            .map(|(kind, letter)| random(kind, &format!("layer{layer}.{letter}"), layer, tokens, 2 * SIZE))
    };
    let sources = [of_layer(3), of_layer(7)].concat();
    let options = TrainOptions { iterations: 1, head: SIZE, ..TrainOptions::of(algorithm) };
    (packed(&algorithm.scheme(), &sources, &options), sources)
}

fn request(unit: Unit) -> Request {
    Request { unit: Some(unit), layer: None, head: None, tensor: None, tokens: None, count: Some(2), seed: 5 }
}

fn run(file: &VqFile, request: &Request, original: &[Source]) -> Results {
    let recorded = Recorded { original: original.to_vec(), queries: None };
    let setup = Setup::new(file, request, &recorded).unwrap_or_else(|e| panic!("{e}"));
    let told = std::cell::Cell::new(0);
    let results = setup.run(&|| told.set(told.get() + 1)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(told.get(), setup.steps(), "{request:?}");
    for row in &results.results {
        assert_eq!((row.mismatches, &row.fault), (0, &None), "{request:?}: {row:?}");
        println!("{row:?}");
    }
    results
}

#[test]
fn units_for_keys_and_values_are_right_and_measured() {
    for (algorithm, positions) in [(Algorithm::Cq4, 32), (Algorithm::Cq2, 16)] {
        let (file, sources) = keys_and_values(algorithm, 300);
        for unit in [Unit::Head, Unit::Scores, Unit::Values, Unit::Encoder] {
            let request = Request { layer: Some(7), head: Some(1), tokens: Some(290), ..request(unit) };
            let results = run(&file, &request, &sources);
            assert!(results.hardware.configuration.is_some(), "{:?}", results.hardware);
            assert_eq!(results.rows, 290);
            for row in &results.results {
                let passes = if unit == Unit::Head { 2 } else { 1 };
                let of_tokens = if unit == Unit::Encoder { 0 } else { 290 * positions / 8 };
                assert_eq!(row.words.indices, 2 * passes * of_tokens, "{row:?}");
                let (plan, cycles) = (row.plan_cycles.unwrap() as f64, row.cycles as f64);
                // the plan does not count how results leave; of a head it takes the memory's latency and the softmax from its bound
                let (less, more) = if unit == Unit::Head { (0.998, 1.002) } else { (0.995, 1.006) };
                println!("{algorithm} {unit}: {cycles} cycles, planned {plan}");
                assert!((less..more).contains(&(cycles / plan)), "{algorithm} {unit}: {cycles} of {plan}");
                let (exact, original) = (row.float64_db, row.original_db.unwrap());
                assert!(unit == Unit::Encoder || exact.unwrap() > 45.0, "{algorithm} {unit}: {exact:?}");
                assert!(original < 50.0, "{algorithm} {unit}: {original}");
            }
        }
    }
}

#[test]
fn without_the_original_only_float64_is_beside() {
    let (file, _) = keys_and_values(Algorithm::Cq2, 20);
    let results = run(&file, &Request { unit: None, ..request(Unit::Head) }, &[]);
    let row = &results.results[0];
    assert_eq!((results.unit, results.subject.as_str()), (Unit::Head, "layer 3, key-value head 0"));
    assert!(row.float64_db.is_some() && row.original_db.is_none(), "{row:?}");
    // an encoder finds what its tokens decode to again, moved a little
    let results = run(&file, &request(Unit::Encoder), &[]);
    assert_eq!((results.seed, results.results.len()), (Some(5), 2));
}

#[test]
fn scales_of_tokens_are_multiplied() {
    let scheme = Scheme { scales: crate::golden::vq::Scales::Row, ..Algorithm::Cq2.scheme() };
    let sources =
        [random(TensorKind::Key, "layer0.k", 0, 40, SIZE), random(TensorKind::Value, "layer0.v", 0, 40, SIZE)];
    let file = packed(&scheme, &sources, &TrainOptions { iterations: 1, head: SIZE, ..TrainOptions::default() });
    for unit in [Unit::Scores, Unit::Values] {
        let results = run(&file, &Request { tokens: Some(30), ..request(unit) }, &sources);
        assert!(results.hardware.parameters.contains(&("scaled", "true".into())), "{:?}", results.hardware);
    }
    let error = Setup::new(&file, &request(Unit::Head), &Recorded::default()).unwrap_err().to_string();
    assert_eq!(error, "VQ<4,8,1>: scales, and the unit head takes none");
}

#[test]
fn matrices_are_multiplied_and_turned_back() {
    let small = Some((128, 128));
    // with how many words of full books
    for (algorithm, tile, (rows, cols), name, full) in [
        (Algorithm::Gptvq2, None, (300, 288), Some("vq_matrix_vector_gptvq2"), 4 * 257),
        // other tiles: another unit, and other cycles
        (Algorithm::Gptvq2, small, (256, 256), None, 4 * 257),
        (Algorithm::QuipSharp4, None, (128, 192), Some("vq_matrix_vector_quip4"), 0),
        (Algorithm::Aqlm3, None, (64, 128), Some("vq_matrix_vector_aqlm3"), 2 * 8193),
    ] {
        let source = [random(TensorKind::Weight, "weight.a", 0, rows, cols)];
        let of = TrainOptions::of(algorithm);
        let options = TrainOptions { iterations: 1, rounds: 0, beam: 1, tile: tile.or(of.tile), ..of };
        let file = packed(&algorithm.scheme(), &source, &options);
        let results = run(&file, &Request { unit: None, ..request(Unit::Matrix) }, &source);
        assert_eq!(results.hardware.configuration, name, "{:?}", results.hardware);
        let row = &results.results[0];
        let (exact, original) = (row.float64_db.unwrap(), row.original_db.unwrap());
        assert!(exact > 50.0 && original > 4.0 && original < 70.0, "{algorithm}: {exact}, {original}");
        assert_eq!(row.numbers, 2 * rows);
        // one bus for books and one for indices, in the plan as in the simulation
        let (plan, cycles) =
            (row.plan_cycles.unwrap() as f64, (row.cycles as usize + 2 * full - row.words.books) as f64);
        assert!((0.998..1.002).contains(&(cycles / plan)), "{algorithm}: {cycles} cycles, planned {plan}");
        assert!(row.words_per_cycle < 1.0, "{algorithm}: {row:?}");
    }
}

#[test]
fn recorded_queries_are_those_of_the_heads_last_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recording.safetensors");
    // two key heads, four query heads; a query is its token and its head
    let numbers = |cols: usize| -> Vec<u8> {
        let number = |i: usize| half::f16::from_f32((i / cols) as f32 * 8.0 + (i % cols / SIZE) as f32);
        (0..20 * cols).flat_map(|i| number(i).to_le_bytes()).collect()
    };
    let (queries, keys) = (numbers(4 * SIZE), numbers(2 * SIZE));
    let view =
        |data, cols| safetensors::tensor::TensorView::new(safetensors::Dtype::F16, vec![20, cols], data).unwrap();
    let tensors = [("layer3.q", view(&queries, 4 * SIZE)), ("layer3.k", view(&keys, 2 * SIZE))];
    std::fs::write(&path, safetensors::serialize(tensors, None).unwrap()).unwrap();
    let recorded = RecordedQueries::read(&path).unwrap();
    assert!(recorded.has_layer(3) && !recorded.has_layer(7));
    let count = |count| Count::of(&Request { count, ..request(Unit::Head) }, 1).unwrap();
    let found = recorded.of_head((3, 1), (SIZE, 2, 15), count(Some(3))).unwrap();
    let first: Vec<f32> = found.numbers.iter().map(|query| 8.0 * half::f16::from_bits(query[0]).to_f32()).collect();
    assert_eq!(first, [14.0 * 8.0 + 2.0, 14.0 * 8.0 + 3.0, 13.0 * 8.0 + 2.0]);
    let error = |layer, head, size, asked| {
        recorded.of_head((layer, head), (size, 2, 15), count(Some(asked))).unwrap_err().to_string()
    };
    assert!(error(7, 0, SIZE, 1).ends_with("no queries of layer 7; its layers with queries: 3"));
    let other = recorded.of_head((3, 0), (SIZE, 1, 15), count(Some(1))).unwrap_err().to_string();
    assert!(other.ends_with(&format!("2 key heads of {SIZE}: legal are the file's 1")), "{other}");
    assert!(error(3, 2, SIZE, 1).ends_with("2 key heads: it has no queries of key head 2"));
    assert!(error(3, 0, 48, 1).ends_with("queries of 256 elements, which are not whole heads of 48"));
    assert!(error(3, 0, SIZE, 31).ends_with("31 queries of a key head in 15 tokens: legal is 1 to 30"));
    let alone = folder.path().join("queries.safetensors");
    std::fs::write(&alone, safetensors::serialize([("layer3.q", view(&queries, 4 * SIZE))], None).unwrap()).unwrap();
    let odd = RecordedQueries::read(&alone).unwrap().of_head((3, 0), (SIZE, 3, 15), count(Some(1)));
    let text = format!("4 query heads of {SIZE}, and 3 key heads: legal is a multiple of these");
    assert!(odd.unwrap_err().to_string().ends_with(&text));
    // without a number the usual one, or all that there are
    let usual = |tokens| recorded.of_head((3, 1), (SIZE, 2, tokens), count(None)).unwrap().numbers.len();
    assert_eq!([15, 1].map(usual), [4, 2]);
}

#[test]
fn what_cannot_be_run_is_refused() {
    let (file, _) = keys_and_values(Algorithm::Cq2, 20);
    let of = |request: Request| Setup::new(&file, &request, &Recorded::default()).unwrap_err().to_string();
    let head = request(Unit::Head);
    let cases = [
        (Request { layer: Some(4), ..head.clone() }, "no keys of layer 4; its layers with keys: 3, 7"),
        (Request { head: Some(2), ..head.clone() }, "head = 2: legal is 0 to 1, the layer has 2 key-value heads of 64"),
        (Request { tokens: Some(0), ..head.clone() }, "tokens = 0: legal is 1 to 20"),
        (Request { tokens: Some(21), ..head.clone() }, "tokens = 21: legal is 1 to 20"),
        (Request { count: Some(0), ..head.clone() }, "count = 0: legal is 1 to 1024, the most of a run"),
        (Request { tensor: Some("a".into()), ..head }, "tensor means nothing to the unit head"),
        (request(Unit::Matrix), "the unit matrix is for weights"),
        (Request { count: Some(21), ..request(Unit::Encoder) }, "count = 21: legal is 1 to 20"),
    ];
    for (request, text) in cases {
        let message = of(request);
        assert!(message.contains(text), "{message}");
    }
    let books = VqFile { packed: false, ..file.clone() };
    assert!(matches!(Setup::new(&books, &request(Unit::Head), &Recorded::default()), Err(RunError::NotPacked)));
}

/// Rows and columns.
type Sides = (usize, usize);

/// A file whose tensors have a shape, and neither books nor indices: what is refused needs none.
fn shaped(scheme: Scheme, kind: TensorKind, shapes: &[(Sides, Sides)]) -> VqFile {
    let tensor = |(&((rows, cols), (tile_rows, tile_cols)), kind): (&_, TensorKind)| {
        let (books, scales, indices) = (vec![], vec![], vec![]);
        let name = "weight.a".to_string();
        Tensor { kind, layer: 0, name, rows, cols, tile_rows, tile_cols, books, scales, rotation: None, indices }
    };
    let kinds = [kind, TensorKind::Value];
    VqFile { scheme, packed: true, tensors: shapes.iter().zip(kinds).map(tensor).collect() }
}

fn refused(file: &VqFile, unit: Unit) -> String {
    Setup::new(file, &request(unit), &Recorded::default()).unwrap_err().to_string()
}

#[test]
fn matrices_that_no_unit_takes_are_refused() {
    let [gptvq, aqlm, quip] = [Algorithm::Gptvq2, Algorithm::Aqlm3, Algorithm::QuipSharp4].map(Algorithm::scheme);
    let cases = [
        (gptvq, (65_536, 32), (256, 256), "rows = 65536: legal is 1 to 65535, the most of a command"),
        (quip, (128_256, 64), (0, 64), "rows = 128256: legal is 1 to 65535, the most of a command"),
        (quip, (64, 16_400), (0, 16_400), "columns = 16400: legal is 1 to 16384, the most of the unit"),
        (gptvq, (64, 48), (256, 256), "48 columns in tiles of 256, and the unit matrix takes multiples of 32"),
        (gptvq, (64, 96), (64, 48), "96 columns in tiles of 48, and the unit matrix takes multiples of 32"),
        (aqlm, (64, 96), (0, 96), "96 columns in tiles of 96, and the unit matrix takes multiples of 64"),
        (aqlm, (512, 128), (256, 128), "2 residuals in tiles of 256 x 128, and the unit matrix takes one tile"),
        (aqlm, (64, 128), (0, 64), "2 residuals in tiles of 64 x 64, and the unit matrix takes one tile"),
        (Scheme { residuals: 3, ..gptvq }, (64, 64), (0, 64), "3 residuals, and the unit matrix takes 1 or 2"),
        (
            Scheme { bits: 6, ..aqlm },
            (64, 64),
            (0, 64),
            "indices of 6 bits with 2 residuals, and the unit matrix takes 8",
        ),
        (Scheme { bits: 9, ..gptvq }, (64, 64), (0, 64), "indices of 9 bits, and the unit matrix takes 8 bits"),
        (Scheme { vector: 3, ..gptvq }, (64, 96), (0, 96), "vectors of 3 values, and the unit matrix takes 1, 2, 4"),
        (Scheme { vector: 1, ..aqlm }, (64, 96), (0, 96), "vectors of 1 value with 2 indices of 12 bits, and the unit"),
        (Scheme { residuals: 1, inverse_ratio: 0, ..quip }, (64, 64), (0, 64), "1 point of the lattice, and the unit"),
        (
            Algorithm::Cq4.scheme(),
            (64, 64),
            (0, 64),
            "books for each group, and the unit matrix takes books for each tile",
        ),
    ];
    for (scheme, whole, tile, text) in cases {
        let message = refused(&shaped(scheme, TensorKind::Weight, &[(whole, tile)]), Unit::Matrix);
        assert!(message.contains(text), "{message}, not {text}");
    }
    // the widest that there is has a unit
    let widest = shaped(quip, TensorKind::Weight, &[((65_535, 16_384), (0, 16_384))]);
    assert!(Setup::new(&widest, &request(Unit::Matrix), &Recorded::default()).is_ok());
}

#[test]
fn heads_that_no_unit_takes_are_refused() {
    let cq = Algorithm::Cq2.scheme();
    let of = |scheme, size| shaped(scheme, TensorKind::Key, &[((40, 4 * size), (0, size)); 2]);
    let cases = [
        (Scheme { scales: crate::golden::vq::Scales::Row, ..cq }, 64, "scales, and the unit head takes none"),
        (
            Scheme { books: crate::golden::vq::Books::Tile, ..cq },
            64,
            "books for each tile, and the unit head takes books",
        ),
        (Scheme { residuals: 2, ..cq }, 64, "2 residuals, and the unit head takes 1"),
        (cq, 48, "12 indices of a token, and the unit head takes a multiple of 8"),
        (cq, 4096, "1024 indices of a token, and the unit head takes a multiple of 8 up to"),
    ];
    for (scheme, size, text) in cases {
        let message = refused(&of(scheme, size), Unit::Head);
        assert!(message.contains(text), "{message}, not {text}");
    }
    // one design for keys and values, or one for each
    let shapes = [((40, 128), (0, 64)), ((40, 128), (0, 32))];
    let uneven = shaped(cq, TensorKind::Key, &shapes);
    for unit in [Unit::Head, Unit::Encoder] {
        let message = refused(&uneven, unit);
        assert!(message.contains("keys in heads of 64 and values in heads of 32, and the unit"), "{message}");
    }
    let narrow = shaped(cq, TensorKind::Key, &[((40, 128), (0, 64)), ((40, 128), (0, 16))]);
    assert!(refused(&narrow, Unit::Values).contains("4 indices of a token"), "the values count too");
}

/// As many queries as words allow: a million for each is too much for a run of a thousand.
#[test]
fn a_run_has_an_end() {
    let of = |count, words| Count::of(&Request { count, ..request(Unit::Matrix) }, words);
    assert_eq!(of(None, 600_000).unwrap().among(usize::MAX), 4);
    assert_eq!(of(None, 9_000_000).unwrap().among(usize::MAX), 1);
    assert_eq!(of(Some(27), 600_000).unwrap().among(usize::MAX), 27);
    let message = of(Some(28), 600_000).unwrap_err().to_string();
    assert_eq!(message, "count = 28: legal is 1 to 27, each reads 600000 words, and a run 16777216 at most");
}

/// The lowest layer that has keys and values, not the lowest of the file.
#[test]
fn the_layer_is_one_that_the_unit_can_have() {
    let (mut file, _) = keys_and_values(Algorithm::Cq2, 20);
    file.tensors.remove(0);
    let setup = |unit| Setup::new(&file, &request(unit), &Recorded::default()).unwrap().layer();
    assert_eq!([Unit::Head, Unit::Scores].map(setup), [Some(7), Some(7)]);
    let asked = Request { layer: Some(3), ..request(Unit::Head) };
    let message = Setup::new(&file, &asked, &Recorded::default()).unwrap_err().to_string();
    assert_eq!(message, "it has no keys of layer 3; its layers with keys: 7");
}

#[test]
fn a_token_has_a_key_and_a_value() {
    let sources =
        [random(TensorKind::Key, "layer0.k", 0, 40, SIZE), random(TensorKind::Value, "layer0.v", 0, 32, SIZE)];
    let options = TrainOptions { iterations: 1, head: SIZE, ..TrainOptions::of(Algorithm::Cq2) };
    let file = packed(&Algorithm::Cq2.scheme(), &sources, &options);
    let error = Setup::new(&file, &request(Unit::Head), &Recorded::default()).unwrap_err().to_string();
    assert_eq!(error, "VQ<4,8,1>: 40 keys and 32 values, and the unit head takes as many of the one as of the other");
    run(&file, &request(Unit::Scores), &[]); // needs no values
}
