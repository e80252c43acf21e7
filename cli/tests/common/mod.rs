//! A folder with good and bad files to run the command in.
#![allow(dead_code)]

use half::f16;
use safetensors::tensor::{Dtype, TensorView, serialize};
use sim::golden::vq::{Algorithm, Tensor, TensorKind, VqFile};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder of its own for one test.
pub struct Place(TempDir);

/// Runs the command there.
pub fn kvforge(place: &Place, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kvforge"));
    // what a terminal or a user's settings could change
    command.env_remove("CLICOLOR_FORCE").env("NO_COLOR", "1");
    command.current_dir(place.path()).args(arguments.split_whitespace()).output().unwrap()
}

/// Runs the command there, which succeeds, and gives what it prints.
#[track_caller]
pub fn stdout(place: &Place, arguments: &str) -> String {
    let output = kvforge(place, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const TEXTS: &[(&str, &str)] = &[
    ("good.toml", "block = \"fifo\"\n\n[parameters]\nwidth = 8\ndepth = 4\n"),
    ("broken.toml", "block = \"fifo\"\n\n[parameters\nwidth = 8\n"),
    ("table.toml", "block = \"fifo\"\n\n[parameters]\nwidth = 8\ndepth = 4\n"),
    ("MyFifo.toml", "block = \"fifo\"\n\n[parameters]\nwidth = 8\ndepth = 4\n"),
    ("twice.toml", "block = \"fifo\"\n\n[parameters]\nwidth = 8\nwidth = 16\n"),
    ("empty.toml", "description = \"nothing\"\n"),
    ("block.toml", "block = \"fifi\"\n"),
    ("block_type.toml", "block = 4\n"),
    ("below.toml", "block = \"register_slice\"\nparameters.width = 8\nverilog.foo = 1\ndescription.en = \"a slice\"\n"),
    ("key.toml", "block = \"register_slice\"\nparamters = 3\n\n[parameters]\nwidth = 8\n\n[verilog]\nrst = 1\n"),
    ("tables.toml", "block = \"fifo\"\ndescription = 1\nparameters = 2\nverilog = 3\n"),
    ("parameter.toml", "block = \"fifo\"\n\n[parameters]\nwidth = 8\ndepht = 4\n"),
    ("missing.toml", "# a FIFO\nblock = \"fifo\"\n\n[parameters]\nwidth = 8\n"),
    ("type.toml", "block = \"fifo\"\n\n[parameters]\nwidth = \"8\"\ndepth = 4.5\nstyle = true\n"),
    ("range.toml", "block = \"fifo\"\n\n[parameters]\nwidth = 0\ndepth = 99_999_999_999_999_999_999\n"),
    ("lanes.toml", "block = \"oaken_dequantizer\"\n\n[parameters]\nlanes = 12 # divides no 64\nmax_length = 768\n"),
    ("multiple.toml", "block = \"oaken_quantizer\"\n\n[parameters]\nmax_length = 1000\n"),
    ("choice.toml", "block = \"fifo\"\n[parameters]\nwidth = 8\ndepth = 4\nstyle = \"lutram\"\n"),
    ("together.toml", "block = \"widen\"\n\n[parameters]\nwords = 256\nword_width = 32\nratio = 64\n"),
    ("reset.toml", "block = \"register_slice\"\nparameters.width = 8\nverilog.reset = \"sync_low\"\n"),
    (
        "verilog.toml",
        "block = \"fifo\"\nparameters = { width = 8, depth = 4 }\n\n[verilog]\nlut_ram = \"no\"\nlutram = false\n",
    ),
    (
        "orangecrab.toml",
        "block = \"oaken_board\"\n\n[parameters]\nlanes = 4\nmax_length = 1024\nclock_hertz = 72_000_000\nclocks_per_bit = 625\n\
         pll = \"ehxplll\"\noscillator_hertz = 48_000_000\nleds = 3\nleds_low = true\n",
    ),
    ("format.json", "{\"format\": \"something else\", \"version\": 1}\n"),
];

impl Place {
    /// Makes the folder and everything in it.
    pub fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        place.write_recordings();
        for (name, text) in TEXTS {
            place.write(name, text.as_bytes());
        }
        place.write("latin1.toml", b"# gr\xf6\xdfe\nblock = \"fifo\"\n");
        std::fs::create_dir(place.path().join("folder")).unwrap();

        let output = kvforge(&place, "profile --kv good.safetensors --out good.json");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let good: serde_json::Value = serde_json::from_str(&place.read("good.json")).unwrap();
        let mut version = good.clone();
        version["version"] = 7.into();
        place.write("version.json", version.to_string().as_bytes());
        let mut bits = good.clone();
        bits["layers"][0]["dense_bits"] = 2.into();
        place.write("bits.json", bits.to_string().as_bytes());
        let mut order = good;
        order["layers"][0]["thresholds"]["t_low"] = 0.5.into();
        order["layers"][0]["bits"]["t_low"] = "3800".into();
        place.write("order.json", order.to_string().as_bytes());
        place
    }

    /// The same with weights, codebooks and packed keys and values, good and bad.
    pub fn with_codebooks() -> Place {
        let place = Place::new();
        std::fs::create_dir(place.path().join("configs")).unwrap();
        place.write("configs/table.toml", b"block = \"register_slice\"\nparameters.width = 8\n");
        place.write("weights.safetensors", &safetensors(&[("weight.a", &[64, 64]), ("b", &[48, 64])], values));
        place.write("longer.safetensors", &safetensors(&[("layer0.k", &[9, 64]), ("layer0.v", &[9, 64])], values));
        for arguments in [
            "vq train --algorithm cq-2 --kv good.safetensors --out good.vq",
            "vq pack --books good.vq --kv good.safetensors --out packed.vq",
        ] {
            let output = kvforge(&place, arguments);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let good = std::fs::read(place.path().join("good.vq")).unwrap();
        place.write("short.vq", &good[..good.len() - 100]);
        let mut damaged = good;
        damaged[1000] ^= 1;
        place.write("damaged.vq", &damaged);
        place.pack_what_is_run();
        place
    }

    /// Packed keys, values and weights that units take or do not, and recordings beside them.
    fn pack_what_is_run(&self) {
        let long: [(&str, &[usize]); 2] = [("layer0.k", &[8200, 64]), ("layer0.v", &[8200, 64])];
        self.write("long.safetensors", &safetensors(&long, values));
        self.write("queries_layer.safetensors", &safetensors(&[("layer3.q", &[40, 128])], values));
        self.write("queries_narrow.safetensors", &safetensors(&[("layer0.q", &[40, 96])], values));
        self.write("vectors.safetensors", &safetensors(&[("vectors", &[3, 64])], values));
        self.write_damaged_queries();
        self.write_large_matrices();
        self.write("vectors_wide.safetensors", &safetensors(&[("vectors", &[3, 96])], values));
        let weights = "--weights weights.safetensors --tensor weight.a";
        for arguments in [
            "vq pack --books good.vq --kv long.safetensors --out long.vq",
            &format!("vq train {weights} --algorithm gptvq-2 --out weight_books.vq"),
            "vq pack --books weight_books.vq --weights weights.safetensors --out weights.vq",
            &format!("vq train {weights} --vector 4 --bits 6 --out six_books.vq"),
            "vq pack --books six_books.vq --weights weights.safetensors --out six.vq",
            &format!("vq train {weights} --algorithm aqlm-3 --out aqlm_books.vq"),
            "vq pack --books aqlm_books.vq --weights weights.safetensors --out aqlm.vq",
            "vq train --kv good.safetensors --vector 8 --bits 8 --out eight_books.vq",
            "vq pack --books eight_books.vq --kv good.safetensors --out eight.vq",
        ] {
            let output = kvforge(self, arguments);
            assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let packed = std::fs::read(self.path().join("packed.vq")).unwrap();
        self.write("short_packed.vq", &packed[..packed.len() - 20]);
    }

    /// Recordings whose keys and values are good, and whose queries are not; and the other way round.
    fn write_damaged_queries(&self) {
        let [k, v]: [(&str, &[usize]); 2] = [("layer0.k", &[8, 64]), ("layer0.v", &[8, 64])];
        // the queries are longer than the others
        let nan = |i| if i == 600 { f16::NAN } else { values(i) };
        self.write("nan_queries.safetensors", &safetensors(&[("layer0.q", &[8, 128]), k, v], nan));
        let keys: [(&str, &[usize]); 2] = [("layer0.q", &[8, 128]), ("layer0.k", &[8, 100])];
        self.write("queries_bad_keys.safetensors", &safetensors(&keys, values));
    }

    /// Matrices with more rows, or columns, than a unit has.
    fn write_large_matrices(&self) {
        for (name, rows, cols) in [("tall.vq", 65_536, 16), ("broad.vq", 1, 16_400)] {
            let tensor = Tensor {
                kind: TensorKind::Weight,
                layer: 0,
                name: "weight.a".into(),
                rows,
                cols,
                tile_rows: 0,
                tile_cols: cols,
                books: vec![],
                scales: vec![0x3c00],
                rotation: None,
                indices: vec![vec![0; rows * cols / 2]],
            };
            let file = VqFile { scheme: Algorithm::QuipSharp4.scheme(), packed: true, tensors: vec![tensor] };
            self.write(name, &file.to_bytes());
        }
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path().join(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn write_recordings(&self) {
        let good = safetensors(&[("layer0.k", &[8, 64]), ("layer0.v", &[8, 64])], values);
        self.write("good.safetensors", &good);
        self.write("other.safetensors", &safetensors(&[("layer3.k", &[8, 64]), ("layer3.v", &[8, 64])], values));
        self.write("wide.safetensors", &safetensors(&[("layer0.k", &[8, 128]), ("layer0.v", &[8, 128])], values));
        // three heads, of two layers
        let heads: [(&str, &[usize]); 4] =
            [("layer0.k", &[4, 192]), ("layer0.v", &[4, 192]), ("layer7.k", &[4, 192]), ("layer7.v", &[4, 192])];
        self.write("heads.safetensors", &safetensors(&heads, values));
        self.write("uneven.safetensors", &safetensors(&[("layer0.k", &[4, 192]), ("layer0.v", &[3, 192])], values));
        self.write("layer30.safetensors", &safetensors(&[("layer30.k", &[4, 192]), ("layer30.v", &[4, 192])], values));
        self.write("short.safetensors", &good[..good.len() - 100]);
        self.write("header.safetensors", &good[..20]);
        self.write("cube.safetensors", &safetensors(&[("layer0.k", &[2, 4, 64])], values));
        self.write("columns.safetensors", &safetensors(&[("model.layer0.v", &[8, 100])], values));
        self.write("token.safetensors", &safetensors(&[("layer0.k", &[1, 64])], values));
        self.write("nameless.safetensors", &safetensors(&[("keys", &[8, 64]), ("values", &[8, 64])], values));
        let nan = |i| if i == 70 { f16::NAN } else { values(i) };
        self.write("nan.safetensors", &safetensors(&[("layer0.k", &[8, 64])], nan));
        let view = TensorView::new(Dtype::I32, vec![1, 64], &[0; 256]).unwrap();
        self.write("integers.safetensors", &serialize([("layer0.k", view)], None).unwrap());
        self.write("array.npy", b"\x93NUMPY\x01\x00");
        self.write_queries();
    }

    /// Queries, keys and values, good and bad.
    fn write_queries(&self) {
        let layer = |tokens: [usize; 3], elements: [usize; 3]| {
            let shapes: Vec<[usize; 2]> = (0..3).map(|i| [tokens[i], elements[i]]).collect();
            let names = ["layer0.q", "layer0.k", "layer0.v"];
            let tensors: Vec<(&str, &[usize])> = names.into_iter().zip(shapes.iter().map(|s| &s[..])).collect();
            safetensors(&tensors, values)
        };
        self.write("queries.safetensors", &layer([40; 3], [128, 64, 64]));
        self.write("queries_odd.safetensors", &layer([40; 3], [192, 128, 128]));
        self.write("queries_many.safetensors", &layer([40; 3], [576, 64, 64]));
        self.write("queries_values.safetensors", &layer([40; 3], [128, 64, 128]));
        self.write("queries_tokens.safetensors", &layer([40, 40, 39], [128, 64, 64]));
        let (q, v): ((_, &[usize]), (_, &[usize])) = (("layer0.q", &[40, 64]), ("layer0.v", &[40, 64]));
        self.write("queries_keyless.safetensors", &safetensors(&[q, v], values));
        self.write(
            "queries_twice.safetensors",
            &safetensors(&[("a.layer0.q", &[40, 64]), ("b.layer0.q", &[40, 64])], values),
        );
        let nan = |i| if i == 70 { f16::NAN } else { values(i) };
        self.write("queries_nan.safetensors", &safetensors(&[q, v], nan));
        let large = |_| f16::from_f32(500.0);
        let all: [(&str, &[usize]); 3] = [q, ("layer0.k", &[40, 64]), v];
        self.write("queries_large.safetensors", &safetensors(&all, large));
    }
}

/// A few values of both signs, small and large, the same every time.
fn values(i: usize) -> f16 {
    let x = ((i * 7919) % 1000) as f32 / 500.0 - 1.0;
    f16::from_f32(x * x * x * 4.0)
}

/// A file of binary16 tensors.
pub fn safetensors(tensors: &[(&str, &[usize])], value: impl Fn(usize) -> f16) -> Vec<u8> {
    let bytes = |shape: &[usize]| (0..shape.iter().product()).flat_map(|i| value(i).to_le_bytes()).collect::<Vec<u8>>();
    let data: Vec<Vec<u8>> = tensors.iter().map(|(_, shape)| bytes(shape)).collect();
    let views = tensors.iter().zip(&data);
    let views = views.map(|((name, shape), data)| (*name, TensorView::new(Dtype::F16, shape.to_vec(), data).unwrap()));
    serialize(views, None).unwrap()
}
