use super::*;
use ::sim::golden::vq::e8p::point;
use hdl::engine::Engine;

/// Sends all codes through the lanes in turn, with a pattern of pauses at either end. Gives the vectors and the cycles that it took.
fn decode(lanes: usize, codes: &[u32], pauses: [u64; 2]) -> (Vec<[i32; 8]>, u64) {
    let design = e8p_decoder(lanes).unwrap();
    let mut sim = jit::simulator(&design);
    let E8pPorts { s, m, .. } = design.ports;
    sim.reset(2);
    let (mut sent, mut out, mut cycles) = (0, vec![], 0);
    while out.len() < codes.len() {
        let offers = sent < codes.len() && pauses[0] >> (cycles % 64) & 1 == 0;
        sim.poke(s.valid, u64::from(offers));
        for lane in 0..lanes {
            sim.poke(s.payload[lane], codes.get(sent + lane).map_or(0, |x| u64::from(*x)));
        }
        let takes = pauses[1] >> (cycles % 64) & 1 == 0;
        sim.poke(m.ready, u64::from(takes));
        if takes && sim.peek(m.valid) == 1 {
            for lane in 0..lanes {
                out.push(m.payload[lane].map(|x| (sim.peek(x) as i32) << 27 >> 27));
            }
        }
        sent += if offers && sim.peek(s.ready) == 1 { lanes } else { 0 };
        sim.step();
        cycles += 1;
    }
    (out, cycles)
}

#[test]
fn every_code_gives_its_vector() {
    let codes: Vec<u32> = (0..1 << 16).collect();
    let expected: Vec<_> = codes.iter().map(|code| point(*code as u16)).collect();
    let (vectors, cycles) = decode(4, &codes, [0, 0]);
    assert!(vectors == expected);
    assert_eq!(cycles, (1 << 14) + u64::from(LATENCY), "a code a cycle and lane");
}

#[test]
fn pauses_at_either_end_change_nothing() {
    let codes: Vec<u32> = (0..999).map(|i| i * 40_503 % 65_536).collect();
    let expected: Vec<_> = codes.iter().map(|code| point(*code as u16)).collect();
    for (lanes, pauses) in [(1, [0x5a5a_0ff0_1234_5678, 0x0f0f_3333_5555_0001]), (3, [0, !1]), (3, [!1, 0])] {
        assert!(decode(lanes, &codes, pauses).0 == expected, "{lanes} lanes");
    }
}

#[test]
fn illegal_lanes_are_refused() {
    for lanes in [0, 33] {
        let message = e8p_decoder(lanes).unwrap_err().to_string();
        assert!(message.contains(&format!("lanes = {lanes} is out of range")), "{message}");
    }
}
