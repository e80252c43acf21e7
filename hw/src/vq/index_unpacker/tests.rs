use super::*;
use fastrand::Rng;
use hdl::engine::Engine;

/// A command, and the bytes of its rows.
struct Task {
    start: u32,
    rows: Vec<Vec<u32>>,
}

fn task(rng: &mut Rng, p: UnpackerParams, most: usize) -> Task {
    let (length, rows) = (rng.usize(1..=most), rng.usize(1..=5));
    let row = |rng: &mut Rng| (0..length).map(|_| rng.u32(0..1 << p.index_bits)).collect();
    Task { start: rng.u32(0..p.bus_bytes), rows: (0..rows).map(|_| row(rng)).collect() }
}

/// The words that have the rows of a task; what is before and behind them is random.
fn words(rng: &mut Rng, task: &Task, p: UnpackerParams) -> Vec<Vec<u8>> {
    let mut bytes: Vec<u8> = (0..task.start).map(|_| rng.u8(..)).collect();
    for row in &task.rows {
        let mut bits: Vec<bool> = row.iter().flat_map(|x| (0..p.index_bits).map(move |i| x >> i & 1 == 1)).collect();
        bits.resize(bits.len().next_multiple_of(8), false);
        bytes.extend(bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |x, bit| x << 1 | u8::from(*bit))));
    }
    while !bytes.len().is_multiple_of(p.bus_bytes as usize) {
        bytes.push(rng.u8(..));
    }
    bytes.chunks(p.bus_bytes as usize).map(<[u8]>::to_vec).collect()
}

/// A beat as it comes out: indices, end of the row, end of the command.
type Out = (Vec<u32>, bool, bool);

fn expected(task: &Task, p: UnpackerParams) -> Vec<Out> {
    let mut out = vec![];
    for (i, row) in task.rows.iter().enumerate() {
        let beats = row.chunks(p.lanes as usize).collect::<Vec<_>>();
        for (j, beat) in beats.iter().enumerate() {
            let row_end = j + 1 == beats.len();
            out.push((beat.to_vec(), row_end, row_end && i + 1 == task.rows.len()));
        }
    }
    out
}

/// Sends tasks through; each port moves in so many of a hundred cycles. Gives what came out, and in which cycle.
fn run(p: UnpackerParams, tasks: &[Task], moves: [u8; 3], rng: &mut Rng) -> Vec<(u64, Out)> {
    let design = index_unpacker(p).unwrap();
    let mut sim = jit::simulator(&design);
    let IndexUnpackerPorts { command, s, m, .. } = design.ports;
    let all: Vec<Vec<u8>> = tasks.iter().flat_map(|task| words(rng, task, p)).collect();
    let beats: usize = tasks.iter().map(|task| expected(task, p).len()).sum();
    sim.reset(2);
    let (mut told, mut sent, mut out) = (0, 0, vec![]);
    let mut offered = [false; 2];
    for cycle in 0..1000 + 40 * (beats + all.len()) as u64 {
        offered[0] = told < tasks.len() && (offered[0] || rng.u8(0..100) < moves[0]);
        offered[1] = sent < all.len() && (offered[1] || rng.u8(0..100) < moves[1]);
        sim.poke(command.valid, u64::from(offered[0]));
        if let Some(task) = tasks.get(told) {
            sim.poke(command.payload.start, u64::from(task.start));
            sim.poke(command.payload.indices, task.rows[0].len() as u64 - 1);
            sim.poke(command.payload.rows, task.rows.len() as u64 - 1);
        }
        sim.poke(s.valid, u64::from(offered[1]));
        let word = all.get(sent).map_or(BigUint::ZERO, |bytes| BigUint::from_bytes_le(bytes));
        sim.poke_big(s.payload, &word);
        let takes = rng.u8(0..100) < moves[2];
        sim.poke(m.ready, u64::from(takes));
        if takes && sim.peek(m.valid) == 1 {
            let count = sim.peek(m.payload.count) as usize + 1;
            let index = m.payload.index.into_iter().take(count).map(|x| sim.peek(x) as u32).collect();
            out.push((cycle, (index, sim.peek(m.payload.row_end) == 1, sim.peek(m.payload.last) == 1)));
        }
        for (i, (ready, at)) in [(command.ready, &mut told), (s.ready, &mut sent)].into_iter().enumerate() {
            if offered[i] && sim.peek(ready) == 1 {
                (offered[i], *at) = (false, *at + 1);
            }
        }
        sim.step();
        if out.len() == beats {
            break;
        }
    }
    assert_eq!((told, sent, out.len()), (tasks.len(), all.len(), beats), "{p:?}");
    out
}

fn params(bus_bytes: u32, lanes: u32, index_bits: u32) -> UnpackerParams {
    UnpackerParams { bus_bytes, lanes, index_bits }
}

#[test]
fn rows_of_any_length_from_any_byte() {
    let mut rng = Rng::with_seed(::sim::bus::seed(1));
    let shapes =
        [(8, 8, 8), (8, 4, 12), (8, 5, 12), (8, 4, 16), (4, 1, 1), (4, 31, 1), (16, 9, 13), (8, 3, 7), (64, 32, 16)];
    for (bus_bytes, lanes, index_bits) in shapes {
        let p = params(bus_bytes, lanes, index_bits);
        for moves in [[100, 100, 100], [60, 40, 100], [100, 100, 40], [50, 80, 70]] {
            let tasks: Vec<Task> =
                (0..30).map(|i| task(&mut rng, p, [3, 70][i % 2] * lanes as usize / 2 + 1)).collect();
            let out: Vec<Out> = run(p, &tasks, moves, &mut rng).into_iter().map(|(_, out)| out).collect();
            let expected: Vec<Out> = tasks.iter().flat_map(|task| expected(task, p)).collect();
            assert!(out == expected, "{p:?} {moves:?}");
        }
    }
}

#[test]
fn a_beat_in_every_cycle() {
    let mut rng = Rng::with_seed(::sim::bus::seed(2));
    for (bus_bytes, lanes, index_bits) in [(8, 8, 8), (8, 4, 12), (8, 4, 16), (32, 16, 9)] {
        let p = params(bus_bytes, lanes, index_bits);
        let row = |rng: &mut Rng| (0..20 * lanes).map(|_| rng.u32(0..1 << index_bits)).collect();
        let tasks = [3, 0].map(|start| Task { start, rows: (0..20).map(|_| row(&mut rng)).collect() });
        let out = run(p, &tasks, [100; 3], &mut rng);
        let cycles = out[399].0 - out[0].0 + 1;
        assert_eq!(cycles, 400, "{p:?}: one beat a cycle");
        assert!(out[799].0 - out[400].0 + 1 == 400 && out[400].0 - out[399].0 <= 2, "{p:?}: nor any pause behind it");
    }
}

#[test]
fn illegal_parameters_are_refused() {
    for (p, text) in [
        (params(12, 1, 8), "bus_bytes = 12"),
        (params(8, 0, 8), "lanes = 0 with index_bits = 8 and a bus of 64 bits"),
        (params(8, 9, 8), "lanes = 9 with"),
        (params(8, 1, 17), "index_bits = 17 is out of range"),
        (params(8, 1, 0), "index_bits = 0 is out of range"),
    ] {
        let message = index_unpacker(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
