use super::*;
use hdl::engine::Engine;

/// The line, cycle by cycle, as the contract says it.
#[test]
fn the_line_is_what_a_uart_sends() {
    for clocks in [16usize, 19] {
        let design = uart_transmitter(clocks as u32).unwrap_or_else(|e| panic!("{e}"));
        let io = design.ports;
        let mut engine = jit::simulator(&design);
        engine.poke(io.s.valid, 0);
        engine.reset(2);
        let bytes = [0x00u64, 0xff, 0xa5, 0x01, 0x80];
        let mut expected = vec![1; 5];
        for byte in bytes {
            let bits = [0].into_iter().chain((0..8).map(|i| byte >> i & 1)).chain([1]);
            expected.extend(bits.flat_map(|bit| vec![bit; clocks]));
            expected.push(1); // the cycle in which the next byte is taken
        }
        let (mut line, mut sent) = (vec![], 0);
        for cycle in 0..expected.len() {
            // the first byte is taken in cycle 4; its start bit begins in cycle 5
            let offer = cycle >= 4 && sent < bytes.len();
            engine.poke(io.s.valid, u64::from(offer));
            engine.poke(io.s.payload, bytes.get(sent).copied().unwrap_or(0xee));
            line.push(engine.peek(io.line));
            sent += usize::from(offer && engine.peek(io.s.ready) == 1);
            engine.step();
        }
        assert_eq!(line, expected, "{clocks} cycles a bit");
        assert_eq!(sent, bytes.len());
        assert_eq!(design.combinational_paths(), []);
    }
}
