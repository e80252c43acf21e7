use super::*;
use crate::bus::seed;
use crate::golden::vq::{Algorithm, Scheme};
use crate::vq::{Source, TrainOptions, pack, train};
use fastrand::Rng;

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
    Request { unit: Some(unit), layer: None, head: None, tensor: None, tokens: None, count: 2, seed: 5 }
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
                // the plan counts neither the head's softmax and memory nor how results leave
                let more = if unit == Unit::Head { 1.12 } else { 1.006 };
                assert!((0.995..more).contains(&(cycles / plan)), "{algorithm} {unit}: {cycles} of {plan}");
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
    for (algorithm, rows, cols, name) in [
        (Algorithm::Gptvq2, 300, 288, "vq_matrix_vector_gptvq2"),
        (Algorithm::QuipSharp4, 128, 192, "vq_matrix_vector_quip4"),
    ] {
        let source = [random(TensorKind::Weight, "weight.a", 0, rows, cols)];
        let options = TrainOptions { iterations: 2, ..TrainOptions::of(algorithm) };
        let file = packed(&algorithm.scheme(), &source, &options);
        let results = run(&file, &Request { unit: None, ..request(Unit::Matrix) }, &source);
        assert_eq!(results.hardware.configuration, Some(name));
        let row = &results.results[0];
        let (exact, original) = (row.float64_db.unwrap(), row.original_db.unwrap());
        assert!(exact > 50.0 && original > 4.0 && original < 30.0, "{algorithm}: {exact}, {original}");
        assert_eq!(row.numbers, 2 * rows);
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
    let found = recorded.of_head((3, 1), (SIZE, 2, 15), 3).unwrap();
    let first: Vec<f32> = found.numbers.iter().map(|query| 8.0 * half::f16::from_bits(query[0]).to_f32()).collect();
    assert_eq!(first, [14.0 * 8.0 + 2.0, 14.0 * 8.0 + 3.0, 13.0 * 8.0 + 2.0]);
    let error =
        |layer, head, size, count| recorded.of_head((layer, head), (size, 2, 15), count).unwrap_err().to_string();
    assert!(error(7, 0, SIZE, 1).ends_with("no queries of layer 7: it has layers 3"));
    assert!(error(3, 2, SIZE, 1).ends_with("2 key heads: it has no queries of key head 2"));
    assert!(error(3, 0, 48, 1).ends_with("queries of 256 elements, which are not whole heads of 48"));
    assert!(error(3, 0, SIZE, 31).ends_with("31 queries of a key head in 15 tokens: legal is 1 to 30"));
}

#[test]
fn what_cannot_be_run_is_refused() {
    let (file, _) = keys_and_values(Algorithm::Cq2, 20);
    let of = |request: Request| Setup::new(&file, &request, &Recorded::default()).unwrap_err().to_string();
    let head = request(Unit::Head);
    let cases = [
        (Request { layer: Some(4), ..head.clone() }, "no keys of layer 4; its layers with keys: 3, 7"),
        (Request { head: Some(2), ..head.clone() }, "head 2: legal is 0 to 1"),
        (Request { tokens: Some(0), ..head.clone() }, "tokens 0: legal is 1 to 20"),
        (Request { tokens: Some(21), ..head.clone() }, "tokens 21: legal is 1 to 20"),
        (Request { count: 0, ..head.clone() }, "count 0: legal is 1 to 1024"),
        (Request { tensor: Some("a".into()), ..head }, "tensor means nothing to the unit head"),
        (request(Unit::Matrix), "the unit matrix is for weights"),
        (Request { count: 21, ..request(Unit::Encoder) }, "count 21: legal is 1 to 20"),
    ];
    for (request, text) in cases {
        let message = of(request);
        assert!(message.contains(text), "{message}");
    }
    let books = VqFile { packed: false, ..file.clone() };
    assert!(matches!(Setup::new(&books, &request(Unit::Head), &Recorded::default()), Err(RunError::NotPacked)));
}
