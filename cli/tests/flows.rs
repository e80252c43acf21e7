//! Bitstreams by the pinned tools, one of each family, of a small design: a UART that sends back what it hears, with the PLL of the
//! device. What `kvforge flash --dry-run` says of them, of damaged ones and on other boards.

use fpga::boards::{Board, find};
use fpga::build::{Request, build, programs};
use hdl::*;
use hw::soc::pll_cell::pll_cell;
use hw::soc::uart::uart;
use hw::stream::reset_synchronizer::reset_synchronizer;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

ports! {
    struct EchoPorts() {
        /// the line from the host
        input uart_rx: Signal = bits(1),
        /// the line to the host
        output uart_tx: Signal = bits(1),
    }
}

/// What the board hears, it sends.
fn echo(board: &Board) -> Design<EchoPorts> {
    let m = Module::new("echo");
    let io = EchoPorts::new(m);
    let pll = m.instance(&pll_cell(board.pll().unwrap()).unwrap());
    let clock = m.clock_from("system_clk", pll.clock);
    let synchronizer = reset_synchronizer(2).unwrap();
    let reset = m.in_domain(clock, || m.instance(&synchronizer));
    reset.reset.set(m.cross(!pll.locked, clock, "a reset synchronizer takes it up"));
    m.reset_from(clock, reset.clk_reset);
    let design = uart(board.clocks_per_bit().unwrap()).unwrap();
    let line = m.in_domain(clock, || m.instance(&design));
    m.port_domain(io.uart_rx, m.asynchronous());
    m.port_domain(io.uart_tx, clock);
    line.rx.set(io.uart_rx);
    line.s.set(line.m);
    io.uart_tx.set(line.tx);
    m.finish(io).unwrap()
}

/// Its bitstream, by the pinned tools; `None` where they are not set up.
fn built(board: &str, folder: &str) -> Option<PathBuf> {
    let board = find(board).unwrap();
    if !::sim::tools::have(&programs(board)) {
        return None;
    }
    let tools = ::sim::tools::find("yosys")?.parent()?.to_path_buf();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder).join(board.name);
    let source = verilog(&echo(board).erase(), &Options { lut_ram: false, ..Options::default() });
    let clock = f64::from(board.clock.system_hertz) / 1e6;
    let request = Request {
        board,
        top: source.top(),
        verilog: &source.single(),
        tools: &tools,
        folder: &folder,
        seeds: 1,
        clock,
    };
    let built = build(&request, |_| {}).unwrap_or_else(|error| panic!("{}: {error}", board.name));
    let [system] = &built.report.clocks[..] else { panic!("{:?}", built.report.clocks) };
    assert!(system.reached > system.demanded && system.critical.is_some(), "{system:?}");
    assert!((system.demanded / clock - 1.0).abs() < 0.01, "{system:?}");
    Some(built.bitstream)
}

/// What the dry run says of a file, whose folder it does not tell.
fn dry_run(board: &str, file: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kvforge"));
    command.env_remove("CLICOLOR_FORCE").env("NO_COLOR", "1").current_dir(file.parent().unwrap());
    let name = file.file_name().unwrap().to_str().unwrap();
    let output = command.args(["flash", "--board", board, "--dry-run", name]).output().unwrap();
    let text = [&output.stdout[..], &output.stderr].concat();
    format!("$ kvforge flash --board {board} --dry-run {name}\n{}\n", String::from_utf8(text).unwrap().trim_end())
}

/// The same bytes twice, and what is said of them whole, cut, with one bit flipped and on other boards.
fn looked_at(board: &str, others: &[&str], golden: &str) {
    let Some(file) = built(board, "flows") else { return };
    let whole = fs::read(&file).unwrap();
    let again = built(board, "flows-again").unwrap();
    assert!(whole == fs::read(again).unwrap(), "two builds of {board} differ");
    let mut text = dry_run(board, &file);
    for other in others {
        text += &dry_run(other, &file);
    }
    let ending = file.extension().unwrap().to_str().unwrap();
    let cut = file.with_file_name(format!("cut.{ending}"));
    fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 3] ^= 1;
    let flipped = file.with_file_name(format!("damaged.{ending}"));
    fs::write(&flipped, damaged).unwrap();
    text += &dry_run(board, &cut);
    text += &dry_run(board, &flipped);
    snapbox::assert_data_eq!(text, snapbox::Data::read_from(&PathBuf::from(golden), None).raw());
}

#[test]
fn ice40() {
    looked_at("icebreaker", &["icesugar", "orangecrab-25f"], "tests/flows/ice40.txt");
}

#[test]
fn gowin() {
    looked_at("tang-nano-9k", &["tang-nano-20k", "icesugar"], "tests/flows/gowin.txt");
}
