use super::*;
use hdl::engine::Engine;

/// The responder as it is without frames around it.
struct Bench {
    engine: Box<dyn Engine>,
    io: LinkResponderPorts,
}

impl Bench {
    fn new() -> Bench {
        let design = link_responder().unwrap_or_else(|e| panic!("{e}"));
        let io = design.ports;
        let mut engine: Box<dyn Engine> = Box::new(jit::simulator(&design));
        for port in [io.s.valid, io.put.ready, io.room, io.take.valid, io.m.ready] {
            engine.poke(port, 0);
        }
        let axil = io.m_axil;
        for port in [axil.awready, axil.wready, axil.arready, axil.bvalid, axil.rvalid] {
            engine.poke(port, 0);
        }
        engine.reset(1);
        for port in [io.put.ready, io.room, io.idle] {
            engine.poke(port, 1);
        }
        Bench { engine, io }
    }
    /// Gives the bytes of a request.
    fn give(&mut self, content: &[u8]) {
        for (i, byte) in content.iter().enumerate() {
            self.engine.poke(self.io.s.valid, 1);
            self.engine.poke(self.io.s.payload.byte, u64::from(*byte));
            self.engine.poke(self.io.s.payload.last, u64::from(i + 1 == content.len()));
            while self.engine.peek(self.io.s.ready) == 0 {
                self.engine.step();
            }
            self.engine.step();
        }
        self.engine.poke(self.io.s.valid, 0);
    }
    /// Takes an answer, and the cycles in front of its first byte.
    fn answer(&mut self) -> (Vec<u8>, usize) {
        let (mut bytes, mut waited) = (vec![], 0);
        self.engine.poke(self.io.m.ready, 1);
        for _ in 0..100 {
            if self.engine.peek(self.io.m.valid) == 1 {
                bytes.push(self.engine.peek(self.io.m.payload.byte) as u8);
                if self.engine.peek(self.io.m.payload.last) == 1 {
                    self.engine.step();
                    self.engine.poke(self.io.m.ready, 0);
                    return (bytes, waited);
                }
            } else if bytes.is_empty() {
                waited += 1;
            }
            self.engine.step();
        }
        panic!("no answer: {bytes:?}");
    }
}

#[test]
fn an_answer_begins_two_cycles_after_its_request() {
    let mut bench = Bench::new();
    bench.give(&[3, 0, 0]);
    assert_eq!(bench.answer(), (b"\x03\x00\x00kvf\x01".to_vec(), 1));
}

/// Contents that the frame receiver never gives end in nothing.
#[test]
fn a_content_without_a_whole_head_is_dropped() {
    let mut bench = Bench::new();
    bench.give(&[1]);
    bench.give(&[1, 0]);
    (0..20).for_each(|_| {
        assert_eq!(bench.engine.peek(bench.io.m.valid), 0);
        bench.engine.step();
    });
    bench.give(&[3, 0, 0]);
    assert_eq!(bench.answer().0, b"\x03\x00\x00kvf\x01");
}

/// Address and value of a write are taken in any order, and stand still until they are; then the answer of the bus counts.
#[test]
fn a_write_goes_over_the_bus_once() {
    for (first, second) in [("aw", "w"), ("w", "aw")] {
        let mut bench = Bench::new();
        let axil = bench.io.m_axil;
        bench.give(&[0, 0, 0]);
        bench.answer();
        bench.give(&[1, 0, 2, 0x34, 0x12, 0xdd, 0xcc, 0xbb, 0xaa]);
        bench.engine.step();
        for channel in [first, second] {
            let (valid, ready) =
                if channel == "aw" { (axil.awvalid, axil.awready) } else { (axil.wvalid, axil.wready) };
            for _ in 0..5 {
                assert_eq!(bench.engine.peek(valid), 1);
                assert_eq!((bench.engine.peek(axil.awaddr), bench.engine.peek(axil.wdata)), (0x1234, 0xaabb_ccdd));
                bench.engine.step();
            }
            bench.engine.poke(ready, 1);
            bench.engine.step();
            bench.engine.poke(ready, 0);
            assert_eq!(bench.engine.peek(valid), 0);
        }
        assert_eq!(bench.engine.peek(bench.io.m.valid), 0);
        bench.engine.poke(axil.bresp, 2);
        bench.engine.poke(axil.bvalid, 1);
        bench.engine.step();
        bench.engine.poke(axil.bvalid, 0);
        assert_eq!(bench.answer().0, [1, 3, 2]);
        // the same again does not reach the bus
        bench.give(&[1, 0, 2, 0x34, 0x12, 0xdd, 0xcc, 0xbb, 0xaa]);
        let again = (0..10).filter(|_| {
            assert_eq!((bench.engine.peek(axil.awvalid), bench.engine.peek(bench.io.m.valid)), (0, 0));
            bench.engine.step();
            bench.engine.peek(bench.io.again) == 1
        });
        assert_eq!(again.count(), 1);
    }
}
