use super::*;
use hdl::bus::{Bench, Stalls};
use hdl::engine::Engine;

/// What a UART sends, another one receives: all bytes, in order, back to back or not.
#[test]
fn two_of_them_talk_to_each_other() {
    for clocks in [16, 17, 25] {
        let design = uart(clocks).unwrap_or_else(|e| panic!("{e}"));
        let io = design.ports;
        let mut engine = jit::simulator(&design);
        let bytes: Vec<u64> = (0..=255).chain([0, 0, 255, 255, 0x55]).collect();
        let (mut sent, mut received) = (0, vec![]);
        engine.poke(io.rx, 1);
        engine.poke(io.s.valid, 0);
        engine.poke(io.m.ready, 1);
        engine.reset(2);
        let mut gap = 0;
        for cycle in 0..bytes.len() * 11 * clocks as usize + 1000 {
            if cycle > 40 && sent < bytes.len() {
                // pauses of all lengths up to two bits before every third byte
                let pause = if sent % 3 == 0 { sent % (2 * clocks as usize) } else { 0 };
                engine.poke(io.s.valid, u64::from(gap >= pause));
                engine.poke(io.s.payload, bytes[sent]);
                let ready = engine.peek(io.s.ready) == 1;
                if ready && gap >= pause {
                    (sent, gap) = (sent + 1, 0);
                } else {
                    gap += usize::from(ready);
                }
            } else {
                engine.poke(io.s.valid, 0);
            }
            received.extend((engine.peek(io.m.valid) == 1).then(|| engine.peek(io.m.payload)));
            assert_eq!((engine.peek(io.framing), engine.peek(io.overrun)), (0, 0));
            let line = engine.peek(io.tx);
            engine.step();
            engine.poke(io.rx, line);
        }
        assert_eq!(received, bytes, "{clocks} cycles a bit");
        assert_eq!(design.combinational_paths(), []);
    }
}

/// The handshakes of both streams hold while their other ends pause.
#[test]
fn handshakes_hold_under_pauses() {
    let design = uart(16).unwrap_or_else(|e| panic!("{e}"));
    let io = design.ports;
    let mut engine = jit::simulator(&design);
    engine.poke(io.rx, 1);
    let mut bench = Bench::new(&mut engine, ::sim::bus::seed(1));
    let s = bench.source(&design, &io.s, Stalls::Percent(50));
    let m = bench.sink(&design, &io.m, Stalls::Percent(50));
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    bench.send(s, (0..20).map(|i| [i]));
    bench.run(20 * 11 * 16).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((bench.sent_at(s).len(), bench.beats(m).len()), (20, 0));
}

#[test]
fn illegal_parameters_are_refused() {
    for clocks in [0, 15, 1_000_001] {
        let message = uart(clocks).unwrap_err().to_string();
        assert!(message.contains(&format!("clocks_per_bit = {clocks} is out of range")), "{message}");
    }
}
