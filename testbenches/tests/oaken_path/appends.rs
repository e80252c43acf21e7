//! Appends as fast as a quantizer with 16 lanes gives vectors: 32 heads of 128, a bus of 128 bits, a memory of 40 cycles.

use super::*;

/// The width of Llama2-7B: 256 cycles for each vector.
const WIDE: EngineParams = EngineParams { max_length: 4096, ..ENGINE };
/// Vectors of a run.
const VECTORS: usize = 48;
/// Vectors of its beginning, before everything on the way is full.
const FILLING: usize = 8;

/// Recorded keys and values, as many tokens beside each other as make a vector.
fn keys_and_values() -> [Vec<Vec<u16>>; 2] {
    let recording = recording("smollm2_run");
    [Kind::Key, Kind::Value].map(|kind| {
        let tensor = recording.tensor(15, kind).expect("recorded");
        let elements: Vec<u16> = tensor.vectors().flatten().copied().collect();
        elements.chunks_exact(4096).map(<[u16]>::to_vec).collect()
    })
}

/// The quantizer takes a beat in every cycle if keys and values come in turn: nothing behind it holds it. What was written comes back bit for
/// bit.
#[test]
fn appends_hold_no_quantizer() {
    let vectors = keys_and_values();
    let all: Vec<&[u16]> = vectors.iter().flatten().map(Vec::as_slice).collect();
    let t = thresholds(&all);
    let axi = AxiParams { data_bytes: 16, address_bits: 32, id_bits: 0 };
    let p = MmuParams { axi, page_bytes: 4096, pages: 2048, outstanding: 16, ..params(32, 128) };
    let design = path(WIDE, p).unwrap_or_else(|e| panic!("{e}"));
    let mut engine = jit::simulator(&design);
    let model = MemoryModel { latency: 40, outstanding: 32, ..MemoryModel::default() };
    let mut rig = rig(&design, &mut engine, (Stalls::Never, model), 1);
    set_up(&mut rig, (&design, WIDE), [4096, 128], &t);
    rig.control(false, 0);
    let before = rig.memory.requests.len();
    for i in 0..VECTORS {
        let list = &vectors[i % 2];
        let vector = &list[i / 2 % list.len()];
        rig.append([0, 0, (i % 2) as u64], vector, there_and_back(vector, DenseBits::PAPER, &t), WIDE.lanes);
    }
    rig.answered(0);
    let taken = span(rig.bench.sent_at(rig.elements));
    let answers = &rig.bench.received_at(rig.answers[0])[FILLING..];
    let cycles = answers[answers.len() - 1] - answers[0];
    let beats: u64 = rig.memory.requests[before..].iter().map(|(_, request)| request.beats()).sum();
    println!("{} beats of elements in {taken} cycles; {beats} beats written", VECTORS * 256);
    assert_eq!(taken, 256 * VECTORS as u64, "the quantizer is never held");
    assert_eq!(cycles, 256 * (answers.len() as u64 - 1), "a vector is written in as many cycles");
    assert_eq!(beats, 9752);
    rig.read([0, 0, 0], 5, 0, 128);
    rig.check(128, WIDE.lanes);
}
