//! What can happen to the port of a board: a host that is stopped, a board that is unplugged, silence, and another program that has
//! the port. The board is simulated, at the other end of a pseudo-terminal.
#![cfg(unix)]

mod common;

use common::{Place, kvforge, safetensors, stdout};
use hdl::engine::Engine;
use hdl::{Design, Stream};
use hw::memory::axi::AxiParams;
use hw::oaken::EngineParams;
use hw::oaken::mmu::params::MmuParams;
use hw::soc::oaken_cache::oaken_cache_of_bytes;
use hw::soc::oaken_cache::params::CacheParams;
use hw::soc::oaken_system::oaken_system_of_bytes;
use hw::soc::system_params::{Engines, SystemParams};
use serialport::{SerialPort, TTYPort};
use sim::bus::axi4_memory::MemoryModel;
use sim::with_memory::with_memory;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PARAMS: SystemParams = SystemParams {
    engine: EngineParams { lanes: 4, max_length: 1024, dense_bits: 4, settings: 1 },
    engines: Engines::Both,
    clock_hertz: 72_000_000,
    clocks_per_bit: 16,
    records: 512,
};
/// A cache for what the recordings of a place have: a head of 64 elements.
const CACHE: CacheParams = CacheParams {
    lanes: 4,
    mmu: MmuParams {
        axi: AxiParams { data_bytes: 8, address_bits: 25, id_bits: 0 },
        page_bytes: 1024,
        pages: 64,
        requests: 2,
        layers: 1,
        heads: 1,
        head_elements: 64,
        key_bits: 4,
        value_bits: 4,
        tokens: 16,
        tag_bits: 1,
        outstanding: 4,
    },
    clock_hertz: 72_000_000,
    clocks_per_bit: 16,
};
/// Cycles between two looks at the line.
const CYCLES: usize = 2000;

/// A program that is started while a pseudo-terminal is made has it open for as long as it runs: one test at a time.
static ONE: Mutex<()> = Mutex::new(());

/// A board at the port `board` of a place.
struct Board {
    /// Where it is plugged in; nothing once it is unplugged.
    port: Arc<Mutex<Option<TTYPort>>>,
    /// Bytes that came.
    heard: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    _one: MutexGuard<'static, ()>,
}

impl Board {
    /// A system, which is unplugged after so many bytes. A silent one never answers.
    fn new(place: &Place, last: usize, silent: bool) -> Board {
        Board::with(place, last, move |line| simulate_system(silent, line))
    }
    /// A cache.
    fn of_cache(place: &Place) -> Board {
        Board::with(place, usize::MAX, simulate_cache)
    }
    fn with(place: &Place, last: usize, simulate: impl FnOnce(Line) + Send + 'static) -> Board {
        let one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let (heard, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let port = Arc::new(Mutex::new(Some(plugged(place))));
        let (at, hears, stops) = (port.clone(), heard.clone(), stop.clone());
        let (runs, running) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let goes_on = |bytes| {
                let _ = runs.send(()); // at first somebody waits for it
                if hears.fetch_add(bytes, Ordering::Relaxed) + bytes >= last {
                    *at.lock().unwrap() = None;
                }
                !stops.load(Ordering::Relaxed)
            };
            simulate(Line { port: &at, goes_on: &goes_on });
        });
        running.recv().unwrap();
        Board { port, heard, stop, thread: Some(thread), _one: one }
    }
    /// Unplugged, and plugged in again: some systems keep a pseudo-terminal for the first program that had it.
    fn replug(&self, place: &Place) {
        *self.port.lock().unwrap() = Some(plugged(place));
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

/// A new pseudo-terminal at the port `board`: the board's end.
fn plugged(place: &Place) -> TTYPort {
    let (board, port) = TTYPort::pair().unwrap();
    let link = place.path().join("board");
    let _ = std::fs::remove_file(&link); // it may not be there
    std::os::unix::fs::symlink(port.name().unwrap(), link).unwrap();
    let mut clone = board.try_clone_native().unwrap(); // which is closed in programs that are started
    clone.set_timeout(Duration::from_millis(1)).unwrap();
    clone
}

/// What a simulated board has at its end.
struct Line<'a> {
    port: &'a Mutex<Option<TTYPort>>,
    /// It is told how many bytes came.
    goes_on: &'a dyn Fn(usize) -> bool,
}

/// The numbers of the ports of a line of bytes: payload and valid, and payload, valid and ready.
fn numbers<P>(design: &Design<P>, from: Stream, to: Stream) -> [usize; 5] {
    [from.payload, from.valid, to.payload, to.valid, to.ready].map(|signal| design.port_index(signal).unwrap())
}

fn simulate_system(silent: bool, line: Line) {
    let design = oaken_system_of_bytes("board", PARAMS).unwrap_or_else(|errors| panic!("{errors}"));
    let numbers = numbers(&design, design.ports.from_host, design.ports.to_host);
    simulate(&mut jit::simulator(&design), numbers, silent, line);
}

fn simulate_cache(line: Line) {
    let design = oaken_cache_of_bytes("board", CACHE).unwrap_or_else(|errors| panic!("{errors}"));
    let numbers = numbers(&design, design.ports.from_host, design.ports.to_host);
    let model = MemoryModel { latency: 12, ..MemoryModel::default() };
    let mut simulator = jit::simulator(&design);
    simulate(&mut with_memory(&mut simulator, &design, &design.ports.m_axi, (model, 1)), numbers, false, line);
}

/// Runs what is behind a port.
fn simulate(simulator: &mut dyn Engine, numbers: [usize; 5], silent: bool, Line { port, goes_on }: Line) {
    let [payload, valid, answer, answers, ready] = numbers;
    simulator.poke_u64(valid, 0);
    simulator.poke_u64(ready, 1);
    simulator.reset(2);
    let (mut bytes, mut came) = ([0; 512], 0);
    while goes_on(came) {
        // nothing comes of a port that nobody has open
        came = port.lock().unwrap().as_mut().map_or(0, |port| port.read(&mut bytes).unwrap_or(0));
        let mut out = vec![];
        for cycle in 0..came + CYCLES {
            simulator.poke_u64(valid, u64::from(cycle < came));
            simulator.poke_u64(payload, u64::from(bytes[cycle.min(511)]));
            if simulator.peek_u64(answers) == 1 {
                out.push(simulator.peek_u64(answer) as u8);
            }
            simulator.step();
        }
        if !silent && let Some(port) = port.lock().unwrap().as_mut() {
            let _ = port.write_all(&out); // nor does anything go there
        }
    }
}

#[track_caller]
fn stderr(place: &Place, arguments: &str) -> String {
    let output = kvforge(place, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

/// Starts a host, and stops it when so many bytes of it have come. No signal is caught, so that Ctrl-C stops a host as this does.
fn stop_after(bytes: usize, arguments: &str, board: &Board, place: &Place) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kvforge"));
    command.current_dir(place.path()).args(arguments.split(' '));
    let start = board.heard.load(Ordering::Relaxed);
    let mut host = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while board.heard.load(Ordering::Relaxed) < start + bytes {
        assert_eq!(host.try_wait().unwrap(), None, "it has ended before {bytes} bytes");
        std::thread::sleep(Duration::from_micros(200));
    }
    host.kill().unwrap();
    host.wait().unwrap();
    board.replug(place);
}

/// In the midst of a request, of setting up, of vectors.
#[test]
fn a_host_that_is_stopped_leaves_the_board_usable() {
    let place = Place::new();
    let board = Board::new(&place, usize::MAX, false);
    for bytes in [1, 100, 600, 900, 1200, 1500, 1800] {
        stop_after(bytes, "host --port board quantize good.safetensors -o out.kvq", &board, &place);
        assert!(stdout(&place, "host --port board info").starts_with("Oaken system 0.1.0"));
        board.replug(&place);
    }
    assert!(!place.path().join("out.kvq").exists());
    let text = stdout(&place, "host --port board roundtrip good.safetensors --vectors 1");
    assert!(text.ends_with("every element is the golden model's\n"), "{text}");
}

#[test]
fn an_unplugged_board_is_told_soon_and_no_file_is_touched() {
    let place = Place::new();
    let board = Board::new(&place, 1500, false);
    let start = Instant::now();
    std::fs::write(place.path().join("out.kvq"), "old").unwrap();
    let error = stderr(&place, "host --port board quantize good.safetensors -o out.kvq");
    let time = start.elapsed(); // also that until it was unplugged
    assert!(board.port.lock().unwrap().is_none());
    let (first, rest) = error.split_once('\n').unwrap();
    // what the system calls it depends on what was under way
    assert!(first.starts_with("error: board: the line is gone: "), "{error}");
    let expected = " |
 = note: a board that is unplugged looks like this; no file was written
 = help: plug it in and start again: a new run opens the link
";
    assert_eq!(rest, expected);
    assert!(time < Duration::from_secs(2), "{time:?}");
    assert_eq!(std::fs::read(place.path().join("out.kvq")).unwrap(), b"old");
    let names = std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.filter(|name| name.to_string_lossy().starts_with("out")).count(), 1);
}

#[test]
fn a_silent_board_is_told() {
    let place = Place::new();
    let _board = Board::new(&place, usize::MAX, true);
    let start = Instant::now();
    let expected = "\
error: board: no answer, after 10 attempts of 200 ms each
 |
 = note: another rate, another bitstream or none, or sending and receiving lines swapped look like this
 = help: `--board` says which rate; `kvforge flash --board orangecrab-25f` loads a bitstream
";
    assert_eq!(stderr(&place, "host --port board info"), expected);
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

#[test]
fn a_port_that_another_program_has_is_told() {
    let place = Place::new();
    let _board = Board::new(&place, usize::MAX, false);
    let path = place.path().join("board");
    let held = serialport::new(path.to_str().unwrap(), 115_200).open().unwrap();
    let expected = "\
error: cannot open board: another program has it open
 |
 = help: a terminal program, or another kvforge? `fuser board` says which it is
";
    assert_eq!(stderr(&place, "host --port board info"), expected);
    drop(held);
}

/// What one host appends is there for the next, until it is released.
#[test]
fn a_cache_keeps_what_was_appended() {
    let place = Place::new();
    let board = Board::of_cache(&place);
    let host = |arguments: &str| {
        let text = stdout(&place, &format!("host --port board cache {arguments}"));
        board.replug(&place);
        text
    };
    assert!(host("info").ends_with("memory   64 of 64 pages of 1024 bytes are free\n"), "{}", host("info"));
    let text = host("append good.safetensors --tokens 5");
    assert!(text.starts_with("5 tokens, 10 vectors in "), "{text}");
    // dense and sparse slices of keys and of values: a page each
    assert!(text.ends_with("memory   60 of 64 pages of 1024 bytes are free\n"), "{text}");
    assert!(
        host("append good.safetensors --request 1 --tokens 2")
            .ends_with("memory   56 of 64 pages of 1024 bytes are free\n")
    );
    assert_eq!(host("read -o five.safetensors"), "written: five.safetensors, 2 tensors of 5 tokens\n");
    assert_eq!(host("read --tokens 3 -o three.safetensors"), "written: three.safetensors, 2 tensors of 3 tokens\n");
    stdout(&place, "host --port sim quantize good.safetensors -o model.kvq");
    stdout(&place, "host --port sim dequantize model.kvq -o model.safetensors");
    let vectors = |name: &str| {
        let bytes = std::fs::read(place.path().join(name)).unwrap();
        let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        ["layer0.k", "layer0.v"].map(|tensor| file.tensor(tensor).unwrap().data().to_vec())
    };
    let (model, five, three) =
        (vectors("model.safetensors"), vectors("five.safetensors"), vectors("three.safetensors"));
    for i in 0..2 {
        assert!(five[i] == model[i][..5 * 128] && three[i] == model[i][..3 * 128], "tensor {i}");
    }
    assert!(host("release").ends_with("memory   60 of 64 pages of 1024 bytes are free\n"));
    let error = stderr(&place, "host --port board cache read -o none.safetensors");
    assert_eq!(error, "error: board: head 0 of the keys of layer 0 of request 0 is read: the request is not open\n");
    board.replug(&place);
    let error = stderr(&place, "host --port board cache append wide.safetensors");
    assert!(
        error.contains("wide.safetensors: the keys of layer 0 have 128 elements, and those of the board 64"),
        "{error}"
    );
}

/// In the midst of connecting, of setting up, of appending, of reading: the next one finds the cache as it was between two vectors.
#[test]
fn a_host_that_is_stopped_leaves_the_cache_usable() {
    let place = Place::new();
    let board = Board::of_cache(&place);
    let append = "append good.safetensors";
    let stops = (170..420).step_by(50).map(|bytes| (append, bytes));
    let later = [(append, 1), (append, 900), (append, 1200), (append, 1500), ("read -o out.safetensors", 500)];
    for (command, bytes) in stops.chain(later) {
        if command != append {
            stdout(&place, "host --port board cache append good.safetensors --tokens 1");
            board.replug(&place);
        }
        stop_after(bytes, &format!("host --port board cache {command}"), &board, &place);
        let output = kvforge(&place, "host --port board cache release");
        board.replug(&place);
        // it was stopped before its request began, or behind that
        let [text, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let closed = "error: board: request 0 is released: the request is not open\n";
        let free = "memory   64 of 64 pages of 1024 bytes are free\n";
        assert!(text == free || error == closed, "stopped after {bytes} bytes: {text}{error}");
        let text = stdout(&place, "host --port board cache roundtrip good.safetensors --tokens 1");
        board.replug(&place);
        assert!(text.ends_with("every one of 128 elements is the golden model's\n"), "{text}");
    }
    assert!(!place.path().join("out.safetensors").exists());
    let text = stderr(&place, "host --port board info");
    assert!(text.ends_with(" = help: it is an Oaken cache: `kvforge host cache` has its commands\n"), "{text}");
}

/// What would make what is there worthless, or mix it with something else.
#[test]
fn a_cache_that_holds_vectors_is_not_changed() {
    let place = Place::new();
    let board = Board::of_cache(&place);
    let host = |arguments: &str| {
        let output = kvforge(&place, &format!("host --port board cache {arguments}"));
        board.replug(&place);
        let text = if output.status.success() { output.stdout } else { output.stderr };
        String::from_utf8(text).unwrap()
    };
    // other vectors, other thresholds
    place.write(
        "half.safetensors",
        &safetensors(&[("layer0.k", &[8, 64]), ("layer0.v", &[8, 64])], |i| half::f16::from_f32(i as f32 / 1024.0)),
    );
    host("append good.safetensors --tokens 2");
    let other = "\
error: board: the board has vectors under other thresholds, which would lose their meaning
 |
 = help: give `--thresholds` with those that it has (`kvforge profile` makes the file of the first recording), or end all requests with `cache release`
";
    assert_eq!(host("append half.safetensors --request 1"), other);
    assert_eq!(host("roundtrip half.safetensors --request 1"), other);
    let open = "\
error: request 0 is open already, and would be changed
 |
 = help: another `--request`, or `cache release`, which ends this one
";
    assert_eq!(host("roundtrip good.safetensors"), open);
    assert!(host("append half.safetensors --request 1 --thresholds good.json").starts_with("8 tokens, 16 vectors in "));
    // 16 tokens at most
    assert!(host("append good.safetensors").starts_with("8 tokens, 16 vectors in "));
    let full = "\
error: board: a vector is appended to the keys of layer 0 of request 0: the request has as many tokens as it may
 |
 = note: 6 tokens of the recording are in request 0, and perhaps part of the next
 = help: `cache release` ends the request, and frees its pages
";
    assert_eq!(host("append good.safetensors"), full);
    assert_eq!(host("read -o all.safetensors"), "written: all.safetensors, 2 tensors of 16 tokens\n");
    host("release");
    host("release --request 1");
    assert!(host("append half.safetensors").starts_with("8 tokens, 16 vectors in "));
}
