use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ::safetensors::Dtype;
use ::safetensors::tensor::TensorView;
use half::{bf16, f16};
use tempfile::TempDir;

use super::recording::parse_name;
use super::*;

/// A folder for one test's files.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// What reading a path of this folder gives as an error, with the folder left out.
    fn message(&self, path: &Path) -> String {
        self.without_folder(&Recording::read(path).unwrap_err())
    }

    fn without_folder(&self, error: &DataError) -> String {
        error.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }
}

type Tensor<'a> = (&'a str, Dtype, Vec<usize>, Vec<u8>);

fn safetensors_bytes(tensors: &[Tensor]) -> Vec<u8> {
    let views = tensors.iter().map(|(name, dtype, shape, bytes)| {
        (*name, TensorView::new(*dtype, shape.clone(), bytes).expect("shape and bytes agree"))
    });
    let metadata = HashMap::from([("model".to_string(), "a model".to_string())]);
    ::safetensors::serialize(views, Some(metadata)).unwrap()
}

fn zeros(name: &str, rows: usize, cols: usize) -> Tensor<'_> {
    (name, Dtype::F16, vec![rows, cols], vec![0; rows * cols * 2])
}

fn f16_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|&v| f16::from_f32(v).to_le_bytes()).collect()
}

fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn npy_bytes(header: &str, data: &[u8]) -> Vec<u8> {
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy_bytes(&format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n"), data)
}

/// 128 numbers that differ, exact in bfloat16.
fn numbers() -> Vec<f32> {
    (0..128).map(|i| i as f32 - 64.0).collect()
}

fn numbers_as_binary16() -> Vec<u16> {
    numbers().iter().map(|&v| f16::from_f32(v).to_bits()).collect()
}

#[test]
fn safetensors_of_every_type_become_the_same_binary16() {
    let folder = Folder::new();
    let bf16_bytes = numbers().iter().flat_map(|&v| bf16::from_f32(v).to_le_bytes()).collect();
    let path = folder.write(
        "run.safetensors",
        &safetensors_bytes(&[
            ("model.layer10.v", Dtype::F16, vec![2, 64], f16_bytes(&numbers())),
            ("layer2.k", Dtype::BF16, vec![2, 64], bf16_bytes),
            ("layer2.v", Dtype::F32, vec![1, 128], f32_bytes(&numbers())),
            ("layer2.q", Dtype::I8, vec![3], vec![0; 3]),
            ("tokens", Dtype::I32, vec![1], vec![0; 4]),
        ]),
    );
    let recording = Recording::read(&path).unwrap();
    assert_eq!((recording.name(), recording.model.as_deref()), ("run".into(), Some("a model")));
    let shapes: Vec<_> = recording.tensors.iter().map(|t| (t.layer, t.kind, t.rows, t.cols)).collect();
    assert_eq!(shapes, [(2, Kind::Key, 2, 64), (2, Kind::Value, 1, 128), (10, Kind::Value, 2, 64)]);
    for tensor in &recording.tensors {
        assert_eq!(tensor.data, numbers_as_binary16());
    }
    assert_eq!(recording.tensors[0].vectors().nth(1), Some(&numbers_as_binary16()[64..]));
}

#[test]
fn npy_of_every_type_and_order_become_the_same_binary16() {
    let folder = Folder::new();
    let f64_bytes: Vec<u8> = numbers().iter().flat_map(|&v| f64::from(v).to_le_bytes()).collect();
    let by_columns: Vec<f32> = (0..128).map(|i| numbers()[(i % 2) * 64 + i / 2]).collect();
    folder.write("a_layer0.k.npy", &npy("'<f2'", "False", "(2, 64)", &f16_bytes(&numbers())));
    folder.write("a_layer0.v.npy", &npy("'<f4'", "False", "(2, 64)", &f32_bytes(&numbers())));
    folder.write("a_layer1.k.npy", &npy("'<f8'", "False", "(2, 64)", &f64_bytes));
    folder.write("a_layer1.v.npy", &npy("'<f2'", "True", "(2, 64)", &f16_bytes(&by_columns)));
    folder.write("tokens.npy", b"not looked at");
    let recording = Recording::read(folder.0.path()).unwrap();
    let names: Vec<_> = recording.tensors.iter().map(|t| (t.layer, t.kind)).collect();
    assert_eq!(names, [(0, Kind::Key), (0, Kind::Value), (1, Kind::Key), (1, Kind::Value)]);
    for tensor in &recording.tensors {
        assert_eq!(tensor.data, numbers_as_binary16(), "layer {} {}", tensor.layer, tensor.kind);
    }
    let single = Recording::read(folder.0.path().join("a_layer1.v.npy")).unwrap();
    assert_eq!(single.tensors, recording.tensors[3..]);
    let renamed = folder.write("x.npy", &npy("'<f2'", "False", "(2, 64)", &f16_bytes(&numbers())));
    assert_eq!(read_npy(renamed, 7, Kind::Value).unwrap().tensors[0].layer, 7);
}

#[test]
fn float32_is_rounded_to_nearest_ties_to_even() {
    let folder = Folder::new();
    let mut values = vec![0.0; 64];
    let tie = 2f32.powi(-11);
    values[..4].copy_from_slice(&[1.0 + tie, 1.0 + 3.0 * tie, 1.0 + tie + 1e-7, 65519.0]);
    let tensor = ("layer0.k", Dtype::F32, vec![1, 64], f32_bytes(&values));
    let path = folder.write("run.safetensors", &safetensors_bytes(&[tensor]));
    assert_eq!(Recording::read(path).unwrap().tensors[0].data[..4], [0x3c00, 0x3c02, 0x3c01, 0x7bff]);
}

#[test]
fn names_tell_layer_and_kind_only_at_their_end() {
    assert_eq!(parse_name("layer0.k"), Some((0, Kind::Key)));
    assert_eq!(parse_name("model.layer31.v"), Some((31, Kind::Value)));
    for name in
        ["layer0.q", "layer.k", "layer-1.k", "layer1.k.weight", "player1.k", "layer1_k", "layer99999999999.k", ""]
    {
        assert_eq!(parse_name(name), None, "{name}");
    }
}

#[test]
fn messages_about_safetensors_files() {
    let folder = Folder::new();
    let file = |name: &str, bytes: &[u8]| folder.message(&folder.write(name, bytes));
    let whole = safetensors_bytes(&[zeros("layer0.k", 2, 64)]);
    let legal = "legal are safetensors files, npy files, and folders of npy files";

    let missing = folder.message(&folder.0.path().join("none.safetensors"));
    assert_eq!(missing, "cannot read none.safetensors: No such file or directory (os error 2)");
    assert_eq!(file("a", b"abc"), "a is cut short: it has 3 bytes, a safetensors file at least 8");
    assert_eq!(file("a", &whole[..20]), "a is cut short: it ends after 20 bytes, inside its header");
    let short = whole.len() - 1;
    let expected = format!("a is cut short: its {short} bytes are not as many as its tensors need");
    assert_eq!(file("a", &whole[..short]), expected);
    let text = file("notes.txt", b"These are notes, not tensors.");
    assert_eq!(text, format!("notes.txt is not a safetensors file (header too large); {legal}"));
    let json = file("a", b"\x02\0\0\0\0\0\0\0{]");
    assert!(json.starts_with("a is not a safetensors file (invalid JSON in header: "), "{json}");
    assert_eq!(
        file("a", &safetensors_bytes(&[zeros("tokens", 2, 64), zeros("layer0.q", 1, 64)])),
        r#"a holds no keys or values: no name among ["layer0.q", "tokens"] ends in layer<N>.k or layer<N>.v"#
    );
    assert_eq!(
        file("a", &safetensors_bytes(&[zeros("layer1.k", 2, 64), zeros("b.layer1.k", 2, 64)])),
        "a holds layer 1 key twice"
    );
}

#[test]
fn messages_about_tensors() {
    let folder = Folder::new();
    let one = |tensor: Tensor| folder.message(&folder.write("a", &safetensors_bytes(&[tensor])));
    let columns = "legal is a multiple of 64 from 64 to 8192";
    let shape = "legal is [tokens, elements] with at least one token";

    let integers = one(("layer0.k", Dtype::I16, vec![1, 64], vec![0; 128]));
    assert_eq!(integers, "a, tensor layer0.k: elements are I16; legal is F16, BF16 or F32");
    let flat = one(("layer0.v", Dtype::F16, vec![128], vec![0; 256]));
    assert_eq!(flat, format!("a, tensor layer0.v: shape [128]; {shape}"));
    let heads = one(("layer0.v", Dtype::F16, vec![1, 2, 64], vec![0; 256]));
    assert_eq!(heads, format!("a, tensor layer0.v: shape [1, 2, 64]; {shape}"));
    assert_eq!(one(zeros("layer0.v", 0, 64)), format!("a, tensor layer0.v: shape [0, 64]; {shape}"));
    assert_eq!(one(zeros("layer0.k", 2, 96)), format!("a, tensor layer0.k: 96 elements a token; {columns}"));
    assert_eq!(one(zeros("layer0.k", 1, 8256)), format!("a, tensor layer0.k: 8256 elements a token; {columns}"));

    let mut values = vec![0.0; 128];
    values[64 + 5] = f32::NAN;
    let nan = one(("layer0.k", Dtype::F16, vec![2, 64], f16_bytes(&values)));
    assert_eq!(nan, "a, tensor layer0.k: row 1, column 5 is NaN; legal are finite numbers");
    values[63] = f32::NEG_INFINITY;
    let infinite = one(("layer0.k", Dtype::F32, vec![2, 64], f32_bytes(&values)));
    assert_eq!(infinite, "a, tensor layer0.k: row 0, column 63 is -inf; legal are finite numbers");
    values[1] = 65520.0;
    let large = one(("layer0.k", Dtype::F32, vec![2, 64], f32_bytes(&values)));
    assert_eq!(large, "a, tensor layer0.k: row 0, column 1 is 65520, beyond binary16; legal is -65504 to 65504");
}

#[test]
fn messages_about_npy_files() {
    let folder = Folder::new();
    let file = |name: &str, bytes: &[u8]| folder.message(&folder.write(name, bytes));
    let name = "layer0.k.npy";
    let whole = npy("'<f2'", "False", "(2, 64)", &[0; 256]);
    let types = "legal is '<f2', '<f4' or '<f8'";

    assert_eq!(file(name, b"hello"), "layer0.k.npy is not an npy file: it does not start with \\x93NUMPY");
    assert_eq!(file(name, &whole[..9]), "layer0.k.npy is cut short: it ends after 9 bytes, inside its header");
    assert_eq!(file(name, &whole[..40]), "layer0.k.npy is cut short: it ends after 40 bytes, inside its header");
    assert_eq!(
        file(name, &whole[..whole.len() - 6]),
        "layer0.k.npy is cut short: shape [2, 64] of '<f2' does not fit 250 bytes of data"
    );
    assert_eq!(
        file(name, &[&whole[..], &[0]].concat()),
        "layer0.k.npy is not an npy file: shape [2, 64] of '<f2' does not fit 257 bytes of data"
    );
    let version = [b"\x93NUMPY\x09\x00", &whole[8..]].concat();
    assert_eq!(file(name, &version), "layer0.k.npy is not an npy file: version 9 is unknown, legal are 1 to 3");
    let no_shape = npy_bytes("{'descr': '<f2', 'fortran_order': False}", &[]);
    assert_eq!(file(name, &no_shape), "layer0.k.npy is not an npy file: its header has no 'shape'");
    let bad_shape = npy("'<f2'", "False", "(2, x)", &[]);
    assert_eq!(file(name, &bad_shape), "layer0.k.npy is not an npy file: x in its 'shape' is no length");
    let integers = npy("'<i4'", "False", "(2, 64)", &[]);
    assert_eq!(file(name, &integers), format!("layer0.k.npy, tensor layer 0 key: elements are '<i4'; {types}"));
    let big_endian = npy("'>f2'", "False", "(2, 64)", &[]);
    assert_eq!(file(name, &big_endian), format!("layer0.k.npy, tensor layer 0 key: elements are '>f2'; {types}"));
    let structure = npy("[('a', '<f2')]", "False", "(2, 64)", &[]);
    assert!(file(name, &structure).contains("elements are [('a', '<f2')]; legal"));
    let legal_names = "legal names end in layer<N>.k.npy or layer<N>.v.npy";
    assert_eq!(file("keys.npy", &whole), format!("keys.npy: the name does not tell layer and kind; {legal_names}"));
    let huge = npy("'<f8'", "False", "(9999999999999999999, 64)", &[]);
    assert!(file(name, &huge).starts_with("layer0.k.npy is cut short: shape [9999999999999999999, 64]"));

    let empty = Folder::new();
    empty.write("other.npy", b"");
    let message = Recording::read(empty.0.path()).unwrap_err().to_string();
    let expected = "holds no keys or values: no name among 1 npy files ends in layer<N>.k or layer<N>.v";
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn messages_about_recordings_that_disagree() {
    let folder = Folder::new();
    let read =
        |name: &str, tensors: &[Tensor]| Recording::read(folder.write(name, &safetensors_bytes(tensors))).unwrap();
    let a = read("a", &[zeros("layer0.k", 2, 64), zeros("layer0.v", 2, 64)]);
    let fewer = read("b", &[zeros("layer0.k", 3, 64)]);
    let wider = read("c", &[zeros("layer0.k", 2, 64), zeros("layer0.v", 2, 128)]);
    let longer = read("d", &[zeros("layer0.k", 9, 64), zeros("layer0.v", 9, 64)]);
    let message = |recordings: [&Recording; 2]| {
        folder.without_folder(&check_agreement(&recordings.map(Recording::clone)).unwrap_err())
    };
    let missing = "recordings disagree: a has layer 0 value, b has not";
    assert_eq!(message([&a, &fewer]), missing);
    assert_eq!(message([&fewer, &a]), missing);
    let columns = "recordings disagree: layer 0 value has 64 elements a token in a and 128 in c";
    assert_eq!(message([&a, &wider]), columns);
    assert!(check_agreement(&[a, longer]).is_ok());
}
