//! The pins of a serial line, bit by bit: what a host sends, and the bytes that come back meanwhile.

use hdl::engine::Engine;

/// The pins of a UART in a simulated design.
#[derive(Clone, Debug)]
pub struct UartPins {
    /// The ports of the design, by their numbers.
    rx: usize,
    tx: usize,
    /// Cycles of a bit.
    clocks: usize,
    /// Cycles since the start bit of the byte that comes, if one does, and its bits so far.
    coming: Option<(usize, u16)>,
    /// What came.
    pub received: Vec<u8>,
    /// Cycles so far.
    pub cycles: u64,
}

impl UartPins {
    /// The pins at these ports, of so many cycles a bit.
    pub fn new(rx: usize, tx: usize, clocks: u32) -> UartPins {
        UartPins { rx, tx, clocks: clocks as usize, coming: None, received: vec![], cycles: 0 }
    }
    /// Cycles of a bit.
    pub fn clocks(&self) -> usize {
        self.clocks
    }
    /// Lets the line rest.
    pub fn rest(&mut self, engine: &mut dyn Engine, cycles: usize) {
        engine.poke_u64(self.rx, 1);
        (0..cycles).for_each(|_| self.step(engine));
    }
    /// A cycle, with a look at what the board sends.
    pub fn step(&mut self, engine: &mut dyn Engine) {
        let level = engine.peek_u64(self.tx) as u16;
        self.coming = match self.coming {
            None => (level == 0).then_some((1, 0)),
            Some((cycles, bits)) if cycles % self.clocks == self.clocks / 2 && cycles > self.clocks => {
                let bits = bits | level << (cycles / self.clocks - 1);
                if cycles > 9 * self.clocks {
                    // without its stop bit a byte is dropped
                    self.received.extend((level == 1).then_some(bits as u8));
                    None
                } else {
                    Some((cycles + 1, bits))
                }
            }
            Some((cycles, bits)) => Some((cycles + 1, bits)),
        };
        engine.step();
        self.cycles += 1;
    }
    /// Sends bytes.
    pub fn send(&mut self, engine: &mut dyn Engine, bytes: &[u8]) {
        for byte in bytes {
            for bit in [0].into_iter().chain((0..8).map(|i| byte >> i & 1)).chain([1]) {
                engine.poke_u64(self.rx, u64::from(bit));
                (0..self.clocks).for_each(|_| self.step(engine));
            }
        }
    }
}
