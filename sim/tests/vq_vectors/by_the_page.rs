//! A reader written from docs/vq-format.md alone, sections 3 to 7; nothing of it is the crate's. Numbers are kept in float64, in which sums and products
//! of two binary16 numbers are exact, and are rounded where the page says so.

use half::f16;

/// A number of two bytes.
fn number(bytes: &[u8], at: usize) -> f64 {
    f16::from_le_bytes([bytes[at], bytes[at + 1]]).to_f64()
}

/// Two bytes for each number.
pub fn numbers(bytes: &[u8]) -> Vec<f64> {
    (0..bytes.len() / 2).map(|i| number(bytes, 2 * i)).collect()
}

/// Rounded to binary16.
fn fl(x: f64) -> f64 {
    f16::from_f64(x).to_f64()
}

fn tree(mut terms: Vec<f64>) -> f64 {
    while terms.len() > 1 {
        terms = terms.chunks(2).map(|pair| if pair.len() == 2 { fl(pair[0] + pair[1]) } else { pair[0] }).collect();
    }
    terms.first().copied().unwrap_or(0.0)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    tree(a.iter().zip(b).map(|(a, b)| fl(a * b)).collect())
}

/// The little-endian number of some bytes.
fn integer(bytes: &[u8], at: usize, count: usize) -> usize {
    (0..count).rev().fold(0, |number, i| number << 8 | usize::from(bytes[at + i]))
}

/// The points `A(a)`.
fn stored_points() -> Vec<[f64; 8]> {
    let all = (0..3usize.pow(8)).map(|n| std::array::from_fn(|i| [0.5, 1.5, 2.5][n / 3usize.pow(7 - i as u32) % 3]));
    let mut points: Vec<[f64; 8]> = all.filter(|p: &[f64; 8]| p.iter().map(|x| x * x).sum::<f64>() <= 10.0).collect();
    assert_eq!(points.len(), 227);
    let rest = "8F 4F 2F 1F EC EA E6 E9 E5 E3 DC DA D6 D9 D5 D3 BC BA B6 B9 B5 73 7C 7A 76 79 75 37 CE";
    for byte in rest.split(' ').map(|hex| u8::from_str_radix(hex, 16).expect("hexadecimal")) {
        points.push(std::array::from_fn(|i| if byte >> (7 - i) & 1 == 1 { 1.5 } else { 0.5 }));
    }
    points
}

fn point(stored: &[[f64; 8]], index: usize) -> Vec<f64> {
    let (mut point, signs) = (stored[index / 256], index % 256);
    let odd_sum = point.iter().sum::<f64>() % 2.0 == 1.0;
    let odd = signs.count_ones() % 2;
    let signs = signs ^ odd as usize;
    for (i, bit) in [0, 4, 1, 5, 2, 6, 3, 7].into_iter().enumerate() {
        let negated = (signs >> bit & 1 == 1) != (i == 7 && odd_sum);
        point[i] = (if negated { -point[i] } else { point[i] }) + if odd == 1 { -0.25 } else { 0.25 };
    }
    point.to_vec()
}

/// A part: rows and columns where it begins, and for each row, group and residual the index and its entry.
struct Part {
    row: usize,
    col: usize,
    cols: usize,
    indices: Vec<Vec<usize>>,
    books: Vec<Vec<Vec<f64>>>,
}

/// The first tensor of a file.
pub struct Page {
    vector: usize,
    residuals: usize,
    groups_have_books: bool,
    lattice: Option<Vec<[f64; 8]>>,
    inverse_ratio: f64,
    rows: usize,
    cols: usize,
    scales: Vec<f64>,
    parts: Vec<Part>,
}

impl Page {
    pub fn read(file: &[u8]) -> Page {
        let [vector, bits, residuals, books, scales] = [10, 11, 12, 13, 14].map(|at| usize::from(file[at]));
        let [rows, cols, tile_rows, tile_cols] = [40, 44, 48, 52].map(|at| integer(file, at, 4));
        let tile_rows = if tile_rows == 0 { rows } else { tile_rows };
        let mut at = integer(file, 56, 8);
        let mut parts = vec![];
        for row in (0..rows).step_by(tile_rows) {
            for col in (0..cols).step_by(tile_cols) {
                parts.push(Part { row, col, cols: tile_cols.min(cols - col), indices: vec![], books: vec![] });
            }
        }
        for part in &mut parts {
            let count = [0, residuals, part.cols / vector * residuals][books];
            for _ in 0..count {
                let entries = 1 + integer(file, at, 2) % 4096;
                let all = numbers(&file[at + 8..at + 8 + 2 * entries * vector]);
                part.books.push(all.chunks(vector).map(<[f64]>::to_vec).collect());
                at = (at + 8 + 2 * entries * vector).next_multiple_of(8);
            }
        }
        let scale_count = [0, 1, rows][scales];
        let mut scales = numbers(&file[at..at + 2 * scale_count]);
        if scale_count == 1 {
            scales = vec![scales[0]; rows];
        }
        at += if scale_count > 0 { (2 * scale_count + 4).next_multiple_of(8) } else { 0 };
        if file[33] > 0 {
            at += (rows.div_ceil(8) + cols.div_ceil(8) + 4).next_multiple_of(8);
        }
        for part in &mut parts {
            let each = part.cols / vector * residuals;
            let row_bytes = (each * bits).div_ceil(8);
            for _ in 0..tile_rows.min(rows - part.row) {
                let row = &file[at..at + row_bytes];
                let bit = |i: usize| usize::from(row[i / 8] >> (i % 8) & 1);
                let index = |i: usize| (0..bits).map(|b| bit(bits * i + b) << b).sum();
                part.indices.push((0..each).map(index).collect());
                at += row_bytes;
            }
            at = (at + 4).next_multiple_of(8);
        }
        let lattice = (books == 0).then(stored_points);
        let inverse_ratio = number(file, 16);
        Page { vector, residuals, groups_have_books: books == 2, lattice, inverse_ratio, rows, cols, scales, parts }
    }

    fn book<'a>(&self, part: &'a Part, position: usize) -> &'a [Vec<f64>] {
        &part.books[if self.groups_have_books { position } else { position % self.residuals }]
    }

    fn entry(&self, part: &Part, position: usize, index: usize) -> Vec<f64> {
        match &self.lattice {
            Some(stored) => point(stored, index),
            None => self.book(part, position)[index].clone(),
        }
    }

    /// A row of a part, without its scale.
    fn row(&self, part: &Part, row: usize) -> Vec<f64> {
        let group = |(group, indices): (usize, &[usize])| {
            let entries: Vec<Vec<f64>> = indices
                .iter()
                .enumerate()
                .map(|(residual, index)| self.entry(part, group * self.residuals + residual, *index))
                .collect();
            let value = |i: usize| match &self.lattice {
                Some(_) if self.residuals == 2 => fl(entries[0][i] + fl(self.inverse_ratio * entries[1][i])),
                _ => tree(entries.iter().map(|entry| entry[i]).collect()),
            };
            (0..self.vector).map(value).collect::<Vec<_>>()
        };
        part.indices[row].chunks(self.residuals).enumerate().flat_map(group).collect()
    }

    fn scaled(&self, row: usize, value: f64) -> f64 {
        self.scales.get(row).map_or(value, |scale| fl(scale * value))
    }

    /// Section 6.
    pub fn decoded(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.rows * self.cols];
        for part in &self.parts {
            for row in 0..part.indices.len() {
                let at = (part.row + row) * self.cols + part.col;
                for (i, value) in self.row(part, row).into_iter().enumerate() {
                    all[at + i] = self.scaled(part.row + row, value);
                }
            }
        }
        all
    }

    /// Section 7, by multiplication.
    pub fn scores(&self, query: &[f64]) -> Vec<f64> {
        let of_part = |part: &Part| {
            let query = query[part.col..part.col + part.cols].to_vec();
            let score = |row: usize| self.scaled(row, dot(&self.row(part, row), &query));
            (0..self.rows).map(score).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(of_part).collect()
    }

    /// The same by table.
    pub fn scores_by_table(&self, query: &[f64]) -> Vec<f64> {
        let of_part = |part: &Part| {
            let query = &query[part.col..part.col + part.cols];
            let score = |row: usize| self.scaled(row, self.tile_by_table(part, row, query));
            (0..self.rows).map(score).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(of_part).collect()
    }

    /// The weighted sums of the values of all heads, by multiplication.
    pub fn sums(&self, weights: &[f64]) -> Vec<f64> {
        let values = self.decoded();
        (0..self.cols)
            .map(|col| tree((0..self.rows).map(|row| fl(weights[row] * values[row * self.cols + col])).collect()))
            .collect()
    }

    /// The same by table, with so many copies.
    pub fn sums_by_table(&self, weights: &[f64], copies: usize) -> Vec<f64> {
        let mut all = vec![];
        for part in &self.parts {
            let outputs = |position: usize| {
                let book = self.book(part, position);
                let mut sums = vec![vec![0.0; copies]; book.len()];
                for (token, indices) in part.indices.iter().enumerate() {
                    let sum = &mut sums[indices[position]][token % copies];
                    *sum = fl(*sum + self.scaled(token, weights[token]));
                }
                let sums: Vec<f64> = sums.into_iter().map(tree).collect();
                let output = |i: usize| tree(sums.iter().zip(book).map(|(sum, entry)| fl(sum * entry[i])).collect());
                (0..self.vector).map(output).collect::<Vec<_>>()
            };
            let all_outputs: Vec<Vec<f64>> = (0..part.indices[0].len()).map(outputs).collect();
            for residuals in all_outputs.chunks(self.residuals) {
                all.extend((0..self.vector).map(|i| tree(residuals.iter().map(|output| output[i]).collect())));
            }
        }
        all
    }

    /// Matrix times vector, by multiplication or by table.
    pub fn product(&self, vector: &[f64], by_table: bool) -> Vec<f64> {
        let mut sums: Vec<Option<f64>> = vec![None; self.rows];
        for part in &self.parts {
            let vector = &vector[part.col..part.col + part.cols];
            for row in 0..part.indices.len() {
                let sum = &mut sums[part.row + row];
                let tile = if by_table { self.tile_by_table(part, row, vector) } else { self.tile(part, row, vector) };
                *sum = Some(sum.map_or(tile, |sum| fl(sum + tile)));
            }
        }
        sums.into_iter().enumerate().map(|(row, sum)| self.scaled(row, sum.unwrap_or(0.0))).collect()
    }

    /// The sum of a tile's row, by table.
    fn tile_by_table(&self, part: &Part, row: usize, vector: &[f64]) -> f64 {
        let product = |(position, index): (usize, &usize)| {
            let at = position / self.residuals * self.vector;
            dot(&vector[at..at + self.vector], &self.entry(part, position, *index))
        };
        tree(part.indices[row].iter().enumerate().map(product).collect())
    }

    /// The sum of a tile's row; of two residuals of the lattice each by itself first.
    fn tile(&self, part: &Part, row: usize, vector: &[f64]) -> f64 {
        if self.lattice.is_none() || self.residuals == 1 {
            return dot(&self.row(part, row), vector);
        }
        let of_residual = |residual: usize| {
            let indices = part.indices[row].iter().skip(residual).step_by(2);
            dot(&indices.flat_map(|index| self.entry(part, 0, *index)).collect::<Vec<_>>(), vector)
        };
        fl(of_residual(0) + fl(self.inverse_ratio * of_residual(1)))
    }
}
