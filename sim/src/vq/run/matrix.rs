//! A matrix of weights times vectors.

use super::error::RunError;
use super::queries::{Queries, Recorded};
use super::request::{Request, in_range};
use super::results::{Hardware, Results, Row, Tally, Words};
use super::scores::{end_of, part_of};
use super::unit::Unit;
use crate::binary16::from_f64;
use crate::bus::Stalls;
use crate::golden::reference::to_f64;
use crate::golden::vq::matrix::MatrixCommand;
use crate::golden::vq::product::matrix_vector64;
use crate::golden::vq::{Books, Scales, Scheme, Tensor, VqFile};
use crate::vq::Source;
use crate::vq::pack::{check_shape, source_of};
use crate::vq::plan::{Cost, Machine, Matrix, Store, Task, Way, cost};
use crate::vq::rotate;
use crate::vq_matrix_bench::{MatrixBench, matrix_of};
use hdl::sim::Simulator;
use hw::vq::matrix_vector::{MAX_TILE_ROWS, MatrixParams, MatrixScales, MatrixSource, matrix_vector};

/// The most columns.
const MAX_COLUMNS: usize = 4096;

/// A matrix and vectors.
#[derive(Debug)]
pub(super) struct MatrixSetup<'f> {
    file: &'f VqFile,
    tensor: &'f Tensor,
    params: MatrixParams,
    /// As they are, and as the unit gets them: turned as the matrix is.
    vectors: Queries,
    turned: Vec<Vec<u16>>,
    original: Option<Source>,
}

impl<'f> MatrixSetup<'f> {
    pub fn new(file: &'f VqFile, request: &Request, recorded: &Recorded) -> Result<MatrixSetup<'f>, RunError> {
        let tensor = tensor(file, request.tensor.as_deref())?;
        let params = params(&file.scheme, tensor)?;
        let original = match recorded.original.is_empty() {
            true => None,
            false => {
                let source = source_of(tensor, &recorded.original)?;
                check_shape(tensor, source)?;
                Some(source.clone())
            }
        };
        let vectors = match &recorded.queries {
            None => Queries::random(request, tensor.cols, 1.0),
            Some(queries) => queries.of_matrix(tensor.cols, request.count)?,
        };
        let turned = |vector: &Vec<u16>| match &tensor.rotation {
            None => vector.clone(),
            Some(rotation) => {
                let turned = rotate::input(to_f64(vector), rotation);
                turned.iter().map(|x| from_f64(*x).to_bits()).collect()
            }
        };
        let turned = vectors.numbers.iter().map(turned).collect();
        Ok(MatrixSetup { file, tensor, params, vectors, turned, original })
    }

    pub fn count(&self) -> usize {
        self.turned.len()
    }

    pub fn run(&self, progress: &dyn Fn()) -> Result<Results, RunError> {
        let design = matrix_vector(self.params).map_err(RunError::Hardware)?;
        let bench = MatrixBench::of(&design, self.params);
        let command = |vector: &Vec<u16>| matrix_of(self.file, self.tensor, vec![vector.clone()]);
        let commands: Vec<MatrixCommand> = self.turned.iter().map(command).collect();
        let mut simulator = Simulator::new(&design);
        let played = bench.play(&mut simulator, &commands, [Stalls::Never; 7], 1, &mut || progress());
        let played = played.map_err(RunError::Simulation)?;

        let mut tally = Tally::default();
        let found: Vec<u16> = played.products.iter().map(|beat| beat.field(0) as u16).collect();
        for (i, command) in commands.iter().enumerate() {
            let (expected, end) = bench.unit.run(command);
            let expected: Vec<u16> = expected.iter().map(|row| row.sums[0]).collect();
            let found = part_of(&found, i, commands.len(), self.tensor.rows);
            tally.compare(&format!("vector {i}, products"), found, &expected);
            end_of(&mut tally, i, &played.reports[i], end.map_or_else(|fault| fault.cause as u64, |()| 0));
            self.measure(&mut tally, i, to_f64(found));
        }
        let of_commands = |words: fn(&MatrixCommand) -> usize| commands.iter().map(words).sum::<usize>();
        let words = Words {
            books: of_commands(|c| c.books.iter().map(Vec::len).sum()),
            indices: of_commands(|c| c.words.len()),
            queries: 0,
        };
        let cycles = played.times.reports.last().unwrap_or(&0) - played.times.commands.first().unwrap_or(&0);
        Ok(self.results(vec![tally.row("products", cycles, words, self.plan())]))
    }

    /// Beside float64 on what is stored, and, turned back, beside the unquantized matrix.
    fn measure(&self, tally: &mut Tally, i: usize, found: Vec<f64>) {
        tally.beside_exact(&matrix_vector64(&self.file.scheme, self.tensor, &to_f64(&self.turned[i])), &found);
        let Some(source) = &self.original else { return };
        let vector = to_f64(&self.vectors.numbers[i]);
        let product = |row: &[u16]| to_f64(row).iter().zip(&vector).map(|(w, x)| w * x).sum();
        let exact: Vec<f64> = source.data.chunks(source.cols).map(product).collect();
        let sized = found.into_iter().chain(std::iter::repeat(0.0)).take(exact.len()).collect();
        let found = self.tensor.rotation.iter().fold(sized, rotate::output);
        tally.beside_original(&exact, &found);
    }

    /// The plan's cycles of the same unit, where the file is of an algorithm that it knows.
    fn plan(&self) -> Option<u64> {
        use crate::golden::vq::Algorithm;
        let same =
            |a: &&Algorithm| Scheme { inverse_ratio: self.file.scheme.inverse_ratio, ..a.scheme() } == self.file.scheme;
        let algorithm = *Algorithm::ALL.iter().filter(|a| !a.is_for_kv()).find(same)?;
        let task =
            Task::Matrix(Matrix { algorithm, rows: self.tensor.rows, cols: self.tensor.cols, batch: self.count() });
        let store = if self.params.source == MatrixSource::Lattice { Store::Lattice } else { Store::Copies };
        let lanes = self.params.lanes as usize;
        let machine = Machine { way: Way::Multiply, store, units: 1, lanes, queries: 1, together: 1, split: 1 };
        let Cost { cycles, .. } = cost(&task, &machine);
        Some(cycles)
    }

    fn results(&self, results: Vec<Row>) -> Results {
        let Tensor { name, rows, cols, .. } = self.tensor;
        Results {
            unit: Unit::Matrix,
            hardware: hardware(self.params),
            scheme: self.file.scheme.to_string(),
            subject: format!("{name}, {rows} x {cols}"),
            rows: *rows,
            count: self.count(),
            queries_from: self.vectors.from.clone(),
            seed: self.vectors.seed,
            results,
        }
    }
}

fn tensor<'f>(file: &'f VqFile, name: Option<&str>) -> Result<&'f Tensor, RunError> {
    let found = file.tensors.iter().find(|tensor| name.is_none_or(|name| tensor.name == name));
    found.ok_or_else(|| {
        let present: Vec<&str> = file.tensors.iter().map(|tensor| &*tensor.name).collect();
        RunError::Tensor { name: name.unwrap_or_default().into(), present: present.join(", ") }
    })
}

/// The unit for a matrix, if there is one.
fn params(scheme: &Scheme, tensor: &Tensor) -> Result<MatrixParams, RunError> {
    let Scheme { vector, books, scales, .. } = *scheme;
    if let Some((what, legal)) = mistake(scheme, tensor) {
        return Err(RunError::Scheme { scheme: scheme.to_string(), what, unit: Unit::Matrix, legal });
    }
    in_range("columns", tensor.cols, MAX_COLUMNS, || "the most of the unit".into())?;
    let (lattice, whole) = (books == Books::Lattice, tensor.tile_cols >= tensor.cols);
    let tile_rows = match tensor.tile_rows {
        rows if rows == 0 || (lattice && whole) => MAX_TILE_ROWS,
        rows => rows as u32,
    };
    if !lattice {
        let rows = if tensor.tile_rows == 0 { tensor.rows } else { tensor.tile_rows.min(tensor.rows) };
        in_range("rows of a tile", rows, MAX_TILE_ROWS as usize, || "the most of the unit".into())?;
    }
    let tile_columns = match whole {
        true if lattice => MAX_COLUMNS,
        _ => tensor.tile_cols.next_multiple_of(word_columns(scheme)).min(MAX_COLUMNS),
    };
    let entries = MatrixSource::Books { entries: 256, vector: vector as u32 };
    Ok(MatrixParams {
        source: if lattice { MatrixSource::Lattice } else { entries },
        lanes: if lattice { 4 } else { 8.min(64 / vector as u32) },
        vectors: 1,
        tile_rows: tile_rows.min(MAX_TILE_ROWS),
        tile_columns: tile_columns as u32,
        max_columns: MAX_COLUMNS as u32,
        scales: match scales {
            Scales::None => MatrixScales::None,
            Scales::Tensor => MatrixScales::Tensor,
            Scales::Row => MatrixScales::Row,
        },
    })
}

/// Columns of a word of indices.
fn word_columns(scheme: &Scheme) -> usize {
    if scheme.books == Books::Lattice { 16 } else { 8 * scheme.vector }
}

/// What the unit does not do, and what it does.
fn mistake(scheme: &Scheme, tensor: &Tensor) -> Option<(String, String)> {
    let Scheme { vector, bits, residuals, books, .. } = *scheme;
    let (lattice, word) = (books == Books::Lattice, word_columns(scheme));
    let uneven = |cols: usize| !cols.is_multiple_of(word);
    Some(match () {
        () if books == Books::Group => ("books for each group".into(), "books for each tile, or the lattice".into()),
        () if !lattice && bits != 8 => (format!("indices of {bits} bits"), "8, or the 16 of the lattice".into()),
        () if lattice && residuals != 2 => (format!("{residuals} point of the lattice"), "2".into()),
        () if !lattice && residuals != 1 => (format!("{residuals} residuals"), "1".into()),
        () if !vector.is_power_of_two() => (format!("vectors of {vector} values"), "1, 2, 4, 8, 16".into()),
        () if uneven(tensor.cols) || (tensor.tile_cols < tensor.cols && uneven(tensor.tile_cols)) => {
            let what = format!("{} columns in tiles of {}", tensor.cols, tensor.tile_cols);
            (what, format!("multiples of {word}, which are whole words of indices"))
        }
        () => return None,
    })
}

fn hardware(p: MatrixParams) -> Hardware {
    let (source, entries) = match p.source {
        MatrixSource::Lattice => ("lattice", vec![]),
        MatrixSource::Books { entries, vector }
        | MatrixSource::Groups { entries, vector }
        | MatrixSource::Residual { entries, vector } => {
            ("tiles", vec![("entries", entries.to_string()), ("vector", vector.to_string())])
        }
    };
    let sides = [
        ("lanes", p.lanes),
        ("tile_rows", p.tile_rows),
        ("tile_columns", p.tile_columns),
        ("max_columns", p.max_columns),
    ];
    let scales = match p.scales {
        MatrixScales::None => "none",
        MatrixScales::Tensor => "matrix",
        MatrixScales::Row => "row",
    };
    let parameters = [vec![("source", source.into())], entries].concat();
    let parameters = parameters.into_iter().chain(sides.map(|(name, n)| (name, n.to_string())));
    let parameters = parameters.chain([("scales", scales.into())]).collect();
    Hardware { block: "vq_matrix_vector", configuration: configuration(p), parameters, around: None }
}

/// The named configuration that is this unit.
fn configuration(p: MatrixParams) -> Option<&'static str> {
    let (tile, whole) = ((p.tile_rows, p.tile_columns), (MAX_TILE_ROWS, p.max_columns));
    match (p.source, p.scales) {
        (MatrixSource::Lattice, MatrixScales::Tensor) if tile == whole => Some("vq_matrix_vector_quip4"),
        (MatrixSource::Books { entries: 256, vector: 4 }, MatrixScales::None) if tile == (256, 256) => {
            Some("vq_matrix_vector_gptvq2")
        }
        _ => None,
    }
}
