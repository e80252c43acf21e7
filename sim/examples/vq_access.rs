//! How evenly codebook entries are used, and what that means for a cache of them (docs/vq.md):
//! `cargo run --release -p kvforge-sim --example vq_access -- FOLDER`, with the folder of the whole recordings.

use std::error::Error;
use std::path::Path;

use sim::data::Recording;
use sim::golden::vq::{Algorithm, Books, VqFile};
use sim::vq::{Sharing, Source, TrainOptions, access, kv_sources, pack, rate, train, weight_sources};

/// Lanes that share a book.
const LANES: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder of the whole recordings is missing")?;
    let path = |name: &str| Path::new(&folder).join(name).with_extension("safetensors");
    let kv = |name: &str| Ok::<_, Box<dyn Error>>(kv_sources(&[Recording::read(path(name))?], &[10, 20])?);
    let (training, run) = (kv("smollm2_vq")?, kv("smollm2_run")?);
    let weights = weight_sources(&path("smollm2_vq"), &[])?;
    let files = Algorithm::ALL.map(|algorithm| match algorithm.is_for_kv() {
        true => packed(algorithm, &training, &run),
        false => packed(algorithm, &weights, &weights),
    });
    println!(
        "shares of lookups\nalgorithm  tensor                  first 16  first 32  an eighth   a quarter a half    entries of a book"
    );
    for (algorithm, file) in Algorithm::ALL.iter().zip(&files) {
        let file = file.as_ref().map_err(ToString::to_string)?;
        for tensor in &file.tensors {
            let access = access(&file.scheme, tensor);
            let entries = access.uses[0].len();
            let shares = [16, 32, entries / 8, entries / 4, entries / 2]
                .map(|entries| format!("{:6.1} %", 100.0 * access.share_of_first(entries)));
            println!("{algorithm:<9}  {:<22}  {}  {}", tensor.name, shares.join("  "), access.uses[0].len());
        }
    }
    println!("\nlookups a cycle and lane, {LANES} lanes on one book\n{}", HEADING.join("  "));
    for (algorithm, file) in Algorithm::ALL.iter().zip(&files) {
        let file = file.as_ref().map_err(ToString::to_string)?;
        println!("{algorithm:<9}  {}", rates(file).map(|rate| format!("{rate:9.2}")).join("  "));
    }
    Ok(())
}

fn packed(algorithm: Algorithm, training: &[Source], sources: &[Source]) -> Result<VqFile, Box<dyn Error>> {
    let options = TrainOptions { rounds: 2, ..TrainOptions::of(algorithm) };
    Ok(pack(&train(&algorithm.scheme(), training, &options, &|| ())?, sources, options.beam, &|| ())?)
}

const HEADING: [&str; 12] = [
    "algorithm",
    " lockstep",
    "broadcast",
    "   slip 4",
    " window 8",
    "16 banks,",
    "window 8; ",
    "lockstep,",
    "32 in registers;",
    "together:",
    "slip 4",
    "window 8, 16 banks",
];

/// Banks and registers as the heading says, mean over the books.
fn rates(file: &VqFile) -> [f64; 9] {
    let lockstep = Sharing::Lockstep { broadcast: false };
    let slip = |broadcast| Sharing::Slip { ahead: 4, broadcast, ports: 1 };
    let window = |broadcast| Sharing::Window { beats: 8, broadcast };
    let alternatives = [
        (8, 0, lockstep),
        (8, 0, Sharing::Lockstep { broadcast: true }),
        (8, 0, slip(false)),
        (8, 0, window(false)),
        (16, 0, window(false)),
        (8, 32, lockstep),
        // lanes that want the same entry get it together
        (8, 0, slip(true)),
        (8, 0, window(true)),
        (16, 0, window(true)),
    ];
    let streams = streams(file);
    alternatives.map(|(banks, registers, sharing)| {
        let rates = streams.iter().map(|lanes| rate(lanes, banks, registers, sharing));
        rates.sum::<f64>() / streams.len() as f64
    })
}

/// The lookups of some books, dealt out to the lanes: neighbouring lookups in the same book at the same time.
fn streams(file: &VqFile) -> Vec<Vec<Vec<u16>>> {
    let mut all = vec![];
    for tensor in &file.tensors {
        for (number, part) in tensor.parts(&file.scheme).enumerate() {
            let rows: Vec<Vec<u16>> =
                (0..part.rows.len()).map(|row| tensor.row_indices(&file.scheme, number, &part, row)).collect();
            // the lookups of the first residual's book, or of every eighth group's
            let books = match file.scheme.books {
                Books::Group => (0..part.groups).step_by(8).map(|group| vec![group]).collect(),
                _ => vec![(0..part.groups).map(|group| group * file.scheme.residuals).collect::<Vec<_>>()],
            };
            for positions in books {
                let lookups: Vec<u16> =
                    rows.iter().flat_map(|row| positions.iter().map(|&p| entry(file, row[p]))).take(4096).collect();
                let steps = lookups.len() / LANES;
                all.push(
                    (0..LANES).map(|lane| (0..steps).map(|step| lookups[step * LANES + lane]).collect()).collect(),
                );
            }
        }
    }
    all
}

/// Of an index of the lattice only the high byte is looked up.
fn entry(file: &VqFile, index: u16) -> u16 {
    if file.scheme.books == Books::Lattice { index >> 8 } else { index }
}
