use super::*;
use ::sim::golden::link::frame;
use fastrand::Rng;
use hdl::engine::Engine;

/// What is done: a content is sent, or the frame before again.
enum Do {
    Send(Vec<u8>),
    Again,
}

/// The transmitter, what came out of it so far, and how often it refused something.
struct Bench<C, R> {
    engine: Box<dyn Engine>,
    io: FrameTransmitterPorts,
    /// Whether a byte is offered, and whether one is taken, in a cycle.
    comes: C,
    ready: R,
    cycle: usize,
    line: Vec<u8>,
    refused: usize,
}

impl<C: Fn(usize) -> bool, R: Fn(usize) -> bool> Bench<C, R> {
    fn step(&mut self) {
        let ready = (self.ready)(self.cycle);
        self.engine.poke(self.io.m.ready, u64::from(ready));
        if self.engine.peek(self.io.m.valid) == 1 && ready {
            self.line.push(self.engine.peek(self.io.m.payload) as u8);
        }
        self.refused += self.engine.peek(self.io.refused) as usize;
        self.engine.step();
        self.cycle += 1;
        assert!(self.cycle < 1_000_000, "it stands still");
    }
    fn again(&mut self) {
        while self.engine.peek(self.io.idle) == 0 {
            self.step();
        }
        self.engine.poke(self.io.again, 1);
        self.step();
        self.engine.poke(self.io.again, 0);
    }
    fn send(&mut self, content: &[u8]) {
        for (i, byte) in content.iter().enumerate() {
            while !(self.comes)(self.cycle) {
                self.step();
            }
            self.engine.poke(self.io.s.valid, 1);
            self.engine.poke(self.io.s.payload.byte, u64::from(*byte));
            self.engine.poke(self.io.s.payload.last, u64::from(i + 1 == content.len()));
            while self.engine.peek(self.io.s.ready) == 0 {
                self.step();
            }
            self.step();
            self.engine.poke(self.io.s.valid, 0);
        }
    }
}

/// What came out: the bytes, and contents refused.
fn run(wishes: &[Do], comes: impl Fn(usize) -> bool, ready: impl Fn(usize) -> bool) -> (Vec<u8>, usize) {
    let design = frame_transmitter().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(design.combinational_paths(), []);
    let io = design.ports;
    let mut engine: Box<dyn Engine> = Box::new(jit::simulator(&design));
    for port in [io.s.valid, io.s.payload.byte, io.s.payload.last, io.again, io.m.ready] {
        engine.poke(port, 0);
    }
    engine.reset(1);
    let mut bench = Bench { engine, io, comes, ready, cycle: 0, line: vec![], refused: 0 };
    for wish in wishes {
        match wish {
            Do::Again => bench.again(),
            Do::Send(content) => bench.send(content),
        }
    }
    (0..2000).for_each(|_| bench.step());
    assert_eq!((bench.engine.peek(io.idle), bench.engine.peek(io.m.valid)), (1, 0));
    (bench.line, bench.refused)
}

fn content(rng: &mut Rng, length: usize) -> Vec<u8> {
    let zeros = [0, 5, 60, 100][rng.usize(0..4)];
    (0..length).map(|_| if rng.u8(0..100) < zeros { 0 } else { rng.u8(1..) }).collect()
}

/// The bytes of a frame, with the zero in front of it.
fn bytes(content: &[u8]) -> Vec<u8> {
    [vec![0], frame(content)].concat()
}

#[test]
fn frames_of_every_length_are_those_of_the_page() {
    let mut rng = Rng::with_seed(::sim::bus::seed(1));
    let contents: Vec<Vec<u8>> = (3..=243).map(|length| content(&mut rng, length)).collect();
    let expected: Vec<u8> = contents.iter().flat_map(|content| bytes(content)).collect();
    let wishes: Vec<Do> = contents.into_iter().map(Do::Send).collect();
    assert!(run(&wishes, |_| true, |_| true) == (expected.clone(), 0));
    assert!(run(&wishes, |cycle| cycle % 3 == 0, |cycle| cycle % 5 == 2) == (expected, 0));
}

#[test]
fn the_last_frame_is_sent_again_as_often_as_one_likes() {
    let (a, b) = (b"\x01\x00\x00\x00first".to_vec(), b"\x02\x00\x09second".to_vec());
    let wishes = [Do::Again, Do::Send(a.clone()), Do::Again, Do::Again, Do::Send(b.clone()), Do::Again]
        .into_iter()
        .collect::<Vec<_>>();
    let expected = [bytes(&a), bytes(&a), bytes(&a), bytes(&b), bytes(&b)].concat();
    assert_eq!(run(&wishes, |_| true, |_| true), (expected.clone(), 0));
    assert_eq!(run(&wishes, |cycle| cycle % 2 == 0, |cycle| cycle % 7 == 0), (expected, 0));
}

/// What no frame carries is dropped and told; nothing is sent again then, and what follows is right.
#[test]
fn contents_that_no_frame_carries_are_refused() {
    let clean = b"\x03\x00\x01clean".to_vec();
    for length in [1, 2, 244, 245, 300, 600] {
        let wishes = [Do::Send(clean.clone()), Do::Send(vec![7; length]), Do::Again, Do::Send(clean.clone())];
        let expected = [bytes(&clean), bytes(&clean)].concat();
        assert_eq!(run(&wishes, |_| true, |_| true), (expected, 1), "{length} bytes");
    }
}

#[test]
fn a_frame_begins_when_it_is_said_to() {
    let design = frame_transmitter().unwrap_or_else(|e| panic!("{e}"));
    let io = design.ports;
    let mut engine = jit::simulator(&design);
    engine.poke(io.again, 0);
    engine.poke(io.m.ready, 1);
    engine.poke(io.s.valid, 0);
    engine.reset(1);
    engine.poke(io.s.valid, 1);
    for last in [0, 0, 1] {
        engine.poke(io.s.payload.last, last);
        engine.step();
    }
    engine.poke(io.s.valid, 0);
    // the last byte was taken in the cycle before
    let first = (1..20).find(|_| {
        let there = engine.peek(io.m.valid) == 1;
        engine.step();
        there
    });
    assert_eq!(first, Some(9));
    let sent = (0..9).filter(|_| {
        let there = engine.peek(io.m.valid) == 1;
        engine.step();
        there
    });
    assert_eq!(sent.count(), 9, "a byte in every cycle: ten with the zeros, one of them before");
}
