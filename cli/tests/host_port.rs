//! What can happen to the port of a board: a host that is stopped, a board that is unplugged, silence, and another program that has
//! the port. The board is simulated, at the other end of a pseudo-terminal.
#![cfg(unix)]

mod common;

use common::{Place, kvforge, stdout};
use hdl::engine::Engine;
use hw::oaken::EngineParams;
use hw::soc::oaken_system::oaken_system_of_bytes;
use hw::soc::system_params::{Engines, SystemParams};
use serialport::{SerialPort, TTYPort};
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
    /// One that is unplugged after so many bytes. A silent one never answers.
    fn new(place: &Place, last: usize, silent: bool) -> Board {
        let one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let (heard, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let port = Arc::new(Mutex::new(Some(plugged(place))));
        let (at, hears, stops) = (port.clone(), heard.clone(), stop.clone());
        let (runs, running) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            simulate(&at, silent, |bytes| {
                let _ = runs.send(()); // at first somebody waits for it
                if hears.fetch_add(bytes, Ordering::Relaxed) + bytes >= last {
                    *at.lock().unwrap() = None;
                }
                !stops.load(Ordering::Relaxed)
            });
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

/// A system behind a port; `goes_on` is told how many bytes came.
fn simulate(port: &Mutex<Option<TTYPort>>, silent: bool, goes_on: impl Fn(usize) -> bool) {
    let design = oaken_system_of_bytes("board", PARAMS).unwrap_or_else(|errors| panic!("{errors}"));
    let number = |signal| design.port_index(signal).unwrap();
    let (from, to) = (design.ports.from_host, design.ports.to_host);
    let [payload, valid] = [from.payload, from.valid].map(number);
    let [answer, answers, ready] = [to.payload, to.valid, to.ready].map(number);
    let mut simulator = jit::simulator(&design);
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

/// In the midst of a request, of setting up, of vectors: no signal is caught, so that Ctrl-C stops a host as this does.
#[test]
fn a_host_that_is_stopped_leaves_the_board_usable() {
    let place = Place::new();
    let board = Board::new(&place, usize::MAX, false);
    for bytes in [1, 100, 600, 900, 1200, 1500, 1800] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kvforge"));
        command.current_dir(place.path()).args("host --port board quantize good.safetensors -o out.kvq".split(' '));
        let start = board.heard.load(Ordering::Relaxed);
        let mut host = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while board.heard.load(Ordering::Relaxed) < start + bytes {
            assert_eq!(host.try_wait().unwrap(), None, "it has ended before {bytes} bytes");
            std::thread::sleep(Duration::from_micros(200));
        }
        host.kill().unwrap();
        host.wait().unwrap();
        board.replug(&place);
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
