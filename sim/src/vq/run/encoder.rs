//! Indices of new keys and values.

use super::attention::HeadSetup;
use super::error::RunError;
use super::part::HeadPart;
use super::results::{Hardware, Results, Row, Tally, Words};
use super::scores::{end_of, named, part_of, table_parameters};
use crate::bus::{Beat, Stalls};
use crate::golden::reference::to_f64;
use crate::golden::vq::tables::{LANES, TableCommand};
use crate::vq::plan::encoder_command;
use crate::vq_benches::command_feed::Until;
use crate::vq_benches::table::EncoderBench;
use hdl::Design;
use hdl::sim::Simulator;
use hw::vq::encoder::{EncoderPorts, encoder};

pub(super) fn run(setup: &HeadSetup, progress: &dyn Fn()) -> Result<Results, RunError> {
    let p = setup.keys().table();
    let design = encoder(p).map_err(RunError::Hardware)?;
    let of_part = |(part, vectors): (&HeadPart, &Vec<Vec<u16>>)| encode(&design, part, vectors, progress);
    let rows = setup.parts.iter().zip(&setup.vectors).map(of_part).collect::<Result<Vec<_>, _>>()?;
    let configuration = named(p, ["vq_encoder_cq4", "vq_encoder_cq2"]);
    let hardware = Hardware { block: "vq_encoder", configuration, parameters: table_parameters(p), around: None };
    Ok(setup.results(hardware, rows))
}

/// Encodes new keys or values.
fn encode(
    design: &Design<EncoderPorts>,
    part: &HeadPart,
    vectors: &[Vec<u16>],
    progress: &dyn Fn(),
) -> Result<Row, RunError> {
    let (p, books) = (part.table(), part.books());
    let bench = EncoderBench::of(design, p);
    let command =
        |vector: &Vec<u16>| TableCommand { first: part.first, tokens: 0, query: vector.clone(), words: books.clone() };
    let commands = || vectors.iter().map(command);
    let mut simulator = Simulator::new(design);
    let played = bench.play(&mut simulator, commands(), [Stalls::Never; 5], 1, Until::Reports(&mut || progress()));
    let played = played.map_err(RunError::Simulation)?;

    let mut tally = Tally { nearest: Some(0), ..Tally::default() };
    let indices = |beat: &Beat| (0..LANES).map(|i| beat.field(0) >> (8 * i) & 0xff).map(|index| index as u16).collect();
    let found: Vec<u16> = played.out.iter().flat_map(|beat| -> Vec<u16> { indices(beat) }).collect();
    for (i, command) in commands().enumerate() {
        let expected = bench.unit.encode(&command);
        let end = expected.as_ref().map_or_else(|fault| fault.cause as u64, |_| 0);
        let found = part_of(&found, i, vectors.len(), p.positions as usize);
        tally.compare(&format!("vector {i}, indices"), found, &expected.unwrap_or_default());
        end_of(&mut tally, i, &played.reports[i], end);
        let vector = to_f64(&command.query);
        tally.beside_original(&vector, &entries(part, found));
        let nearest = nearest64(part, &vector);
        let same = nearest.iter().zip(found).filter(|(nearest, found)| nearest == found).count();
        tally.nearest = tally.nearest.map(|before| before + same);
    }
    let words = Words { books: vectors.len() * books.len(), ..Words::default() };
    let plan = vectors.len() as u64 * encoder_command(p);
    Ok(tally.row(part.name(), played.times.cycles(), words, Some(plan)))
}

/// What indices decode to; of one without an entry, zeros.
fn entries(part: &HeadPart, indices: &[u16]) -> Vec<f64> {
    let entry = |(book, index): (&crate::golden::vq::Book, &u16)| match usize::from(*index) < book.count() {
        true => to_f64(book.entry(usize::from(*index))),
        false => vec![0.0; book.vector],
    };
    part.tensor.books.iter().zip(indices).flat_map(entry).collect()
}

/// The nearest entries, chosen in float64; of equally near ones the first.
fn nearest64(part: &HeadPart, vector: &[f64]) -> Vec<u16> {
    let of_group = |(book, group): (&crate::golden::vq::Book, &[f64])| {
        let distance = |e: usize| to_f64(book.entry(e)).iter().zip(group).map(|(c, x)| (c - x).powi(2)).sum::<f64>();
        let nearest = (0..book.count()).map(|e| (distance(e), e)).min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map_or(0, |(_, e)| e as u16)
    };
    part.tensor.books.iter().zip(vector.chunks(part.scheme.vector)).map(of_group).collect()
}
