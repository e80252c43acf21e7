//! `cargo xtask boards`: bitstreams for the boards that have a system, that each is whole, and that the same input gives the same bytes.

use crate::programs::KVFORGE;
use crate::{setup, tools};
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::fs;
use std::path::PathBuf;

/// The boards for which there is a named configuration.
const BOARDS: [&str; 5] = ["orangecrab-25f", "colorlight-i5", "colorlight-i9", "ulx3s-85f", "tang-nano-9k"];

#[derive(Args)]
pub struct Options {
    /// Boards; all that have a system when none is named
    boards: Vec<String>,
    /// Build each twice, and compare the bitstreams byte for byte
    #[arg(long)]
    twice: bool,
}

impl Options {
    /// All boards, twice.
    pub fn all() -> Options {
        Options { boards: vec![], twice: true }
    }
}

pub fn run(options: &Options) -> Result<()> {
    setup::setup()?;
    let all = BOARDS.map(str::to_string).to_vec();
    let boards = if options.boards.is_empty() { &all } else { &options.boards };
    for board in boards {
        let bitstream = build(board, "target/boards")?;
        let file = bitstream.to_str().context("the path of the project is not UTF-8")?;
        KVFORGE.run(&["flash", "--board", board, "--dry-run", file])?;
        if options.twice {
            let again = build(board, "target/boards-again")?;
            let same = fs::read(&bitstream)? == fs::read(&again)?;
            ensure!(same, "{} and {} differ", bitstream.display(), again.display());
            println!("{board}: two builds give the same bytes");
        }
    }
    Ok(())
}

/// Builds for a board, and returns the bitstream.
fn build(board: &str, out: &str) -> Result<PathBuf> {
    let folder = tools::root().join(out);
    KVFORGE.run(&[
        "build",
        "--board",
        board,
        "--out",
        folder.to_str().context("the path of the project is not UTF-8")?,
    ])?;
    let configuration = board.replace('-', "_");
    let folder = folder.join(board).join(configuration);
    // a family's bitstreams have an ending of their own
    let mut files = ["bit", "bin", "fs"].into_iter().map(|ending| folder.join(format!("{board}.{ending}")));
    files.find(|file| file.exists()).with_context(|| format!("no bitstream in {}", folder.display()))
}
