//! A matrix of weights times vectors.

use super::error::RunError;
use super::matrix_unit::{hardware, params};
use super::queries::{Queries, Recorded};
use super::request::{Count, Request};
use super::results::{Results, Row, Tally, Words};
use super::scores::{end_of, part_of};
use super::unit::Unit;
use crate::binary16::from_f64;
use crate::bus::Stalls;
use crate::golden::reference::to_f64;
use crate::golden::vq::matrix::MatrixCommand;
use crate::golden::vq::product::matrix_vector64;
use crate::golden::vq::{Book, Tensor, VqFile};
use crate::vq::Source;
use crate::vq::pack::{check_shape, source_of};
use crate::vq::plan::{matrix_command, tiles};
use crate::vq::rotate;
use crate::vq_benches::command_feed::Until;
use crate::vq_benches::matrix::{MatrixBench, matrix_of};
use hdl::sim::Simulator;
use hw::vq::matrix_vector::{MatrixParams, matrix_vector};

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
    pub(super) fn new(file: &'f VqFile, request: &Request, recorded: &Recorded) -> Result<MatrixSetup<'f>, RunError> {
        let tensor = tensor(file, request.tensor.as_deref())?;
        let params = params(&file.scheme, tensor)?;
        let count = Count::of(request, words_of(tensor).iter().sum())?;
        let original = match recorded.original.is_empty() {
            true => None,
            false => {
                let source = source_of(tensor, &recorded.original)?;
                check_shape(tensor, source)?;
                Some(source.clone())
            }
        };
        let vectors = match &recorded.queries {
            None => Queries::random(request, count, (tensor.cols, 1.0)),
            Some(queries) => queries.of_matrix(tensor.cols, count)?,
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

    /// Vectors.
    pub(super) fn count(&self) -> usize {
        self.turned.len()
    }

    pub(super) fn run(&self, progress: &dyn Fn()) -> Result<Results, RunError> {
        let design = matrix_vector(self.params).map_err(RunError::Hardware)?;
        let bench = MatrixBench::of(&design, self.params);
        let whole = matrix_of(self.file, self.tensor, vec![]);
        let command = |vector: &Vec<u16>| MatrixCommand { vectors: vec![vector.clone()], ..whole.clone() };
        let commands = || self.turned.iter().map(command);
        let mut simulator = Simulator::new(&design);
        let played = bench.play(&mut simulator, commands(), [Stalls::Never; 7], 1, Until::Reports(&mut || progress()));
        let played = played.map_err(RunError::Simulation)?;

        let mut tally = Tally::default();
        let found: Vec<u16> = played.products.iter().map(|beat| beat.field(0) as u16).collect();
        for (i, command) in commands().enumerate() {
            let (expected, end) = bench.unit.run(&command);
            let expected: Vec<u16> = expected.iter().map(|row| row.sums[0]).collect();
            let found = part_of(&found, i, self.count(), self.tensor.rows);
            tally.compare(&format!("vector {i}, products"), found, &expected);
            end_of(&mut tally, i, &played.reports[i], end.map_or_else(|fault| fault.cause as u64, |()| 0));
            self.measure(&mut tally, i, to_f64(found));
        }
        let [books, indices] = words_of(self.tensor).map(|words| self.count() * words);
        let cycles = played.times.reports.last().unwrap_or(&0) - played.times.commands.first().unwrap_or(&0);
        let row = tally.row("products", cycles, Words { books, indices, queries: 0 }, Some(self.plan()));
        // books have a bus of their own
        let words_per_cycle = indices as f64 / cycles as f64;
        Ok(self.results(vec![Row { words_per_cycle, ..row }]))
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

    /// The plan's cycles of the same unit on the same tiles, with a bus for books and one for indices.
    fn plan(&self) -> u64 {
        let (Tensor { rows, cols, .. }, p) = (self.tensor, self.params);
        let tile = ((p.tile_rows as usize).min(*rows), (p.tile_columns as usize).min(*cols));
        self.count() as u64 * matrix_command(p, &tiles((*rows, *cols), tile), false)
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

/// Words of the books, and of the indices.
fn words_of(tensor: &Tensor) -> [usize; 2] {
    let book = |book: &Book| 1 + book.values.len().div_ceil(4);
    let indices = tensor.indices.iter().map(|part| part.len() / 8).sum();
    [tensor.books.iter().map(book).sum(), indices]
}

fn tensor<'f>(file: &'f VqFile, name: Option<&str>) -> Result<&'f Tensor, RunError> {
    let found = file.tensors.iter().find(|tensor| name.is_none_or(|name| tensor.name == name));
    found.ok_or_else(|| {
        let present: Vec<&str> = file.tensors.iter().map(|tensor| &*tensor.name).collect();
        RunError::Tensor { name: name.unwrap_or_default().into(), present: present.join(", ") }
    })
}
