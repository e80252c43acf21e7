use super::*;
use ::sim::golden::link::{Board, frame, received};
use fastrand::Rng;
use hdl::engine::Engine;
use std::collections::VecDeque;

/// A link whose packets come back as they were put, with registers behind a bus that takes its time.
struct Bench {
    engine: Box<dyn Engine>,
    io: LinkPorts,
    rng: Rng,
    board: Board,
    /// What came out that is no whole frame yet.
    line: Vec<u8>,
    /// Of the write that comes: address, value.
    write: (Option<u16>, Option<u32>),
    answers: Vec<Vec<u8>>,
    /// How often each event was told, in their order.
    events: [usize; 6],
    /// Bytes come back.
    echo: bool,
}

impl Bench {
    fn new(seed: u64) -> Bench {
        let design = link(512).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(design.combinational_paths(), []);
        let io = design.ports;
        let mut engine: Box<dyn Engine> = Box::new(jit::simulator(&design));
        for port in [io.s.valid, io.m.ready, io.m_axis.tready, io.s_axis.tvalid] {
            engine.poke(port, 0);
        }
        let axil = io.m_axil;
        for port in [axil.awready, axil.wready, axil.arready, axil.bvalid, axil.rvalid, axil.bresp, axil.rresp] {
            engine.poke(port, 0);
        }
        engine.reset(1);
        engine.poke(io.s_axis.tkeep, 1);
        engine.poke(io.m.ready, 1);
        let mut board = Board::default();
        board.registers = [(0, (0x6b76_0001, false)), (4, (0, true)), (0x1008, (7, true))].into();
        let (line, write, answers) = (vec![], (None, None), vec![]);
        let rng = Rng::with_seed(seed);
        Bench { engine, io, rng, board, line, write, answers, events: [0; 6], echo: true }
    }
    /// A cycle of everything but the line in.
    fn step(&mut self) {
        let (engine, io) = (&mut self.engine, &self.io);
        if engine.peek(io.m.valid) == 1 {
            self.line.push(engine.peek(io.m.payload) as u8);
        }
        for (from, to) in [
            (io.m_axis.tvalid, io.s_axis.tvalid),
            (io.m_axis.tdata, io.s_axis.tdata),
            (io.m_axis.tlast, io.s_axis.tlast),
            (io.s_axis.tready, io.m_axis.tready),
        ] {
            let value = if self.echo { engine.peek(from) } else { 0 };
            engine.poke(to, value);
        }
        let e = io.events;
        for (count, event) in
            self.events.iter_mut().zip([e.frame, e.damaged, e.too_long, e.no_room, e.repeated, e.refused])
        {
            *count += engine.peek(event) as usize;
        }
        self.bus();
        self.engine.step();
    }
    /// The slave of the bus: it takes what comes at random times, and answers at random times.
    fn bus(&mut self) {
        let (engine, axil) = (&mut self.engine, self.io.m_axil);
        let (aw, w) = (self.rng.u8(0..3) == 0, self.rng.u8(0..3) == 0);
        engine.poke(axil.awready, u64::from(aw && self.write.0.is_none()));
        engine.poke(axil.wready, u64::from(w && self.write.1.is_none()));
        engine.poke(axil.bvalid, 0);
        if let (Some(address), Some(value)) = self.write {
            if engine.peek(axil.bready) == 1 {
                let register = self.board.registers.get_mut(&address).filter(|register| register.1);
                engine.poke(axil.bresp, if register.is_some() { 0 } else { 2 });
                engine.poke(axil.bvalid, 1);
                register.into_iter().for_each(|register| register.0 = value);
                self.write = (None, None); // it is taken at once
            }
        } else {
            if engine.peek(axil.awvalid) == 1 && aw && self.write.0.is_none() {
                self.write.0 = Some(engine.peek(axil.awaddr) as u16);
            }
            if engine.peek(axil.wvalid) == 1 && w && self.write.1.is_none() {
                self.write.1 = Some(engine.peek(axil.wdata) as u32);
            }
        }
        // a read: address and data in one cycle, at a random time
        let takes = engine.peek(axil.arvalid) == 1 && self.rng.u8(0..4) == 0;
        engine.poke(axil.arready, u64::from(takes));
        engine.poke(axil.rvalid, u64::from(takes));
        if takes {
            let register = self.board.registers.get(&(engine.peek(axil.araddr) as u16));
            engine.poke(axil.rdata, u64::from(register.map_or(0, |register| register.0)));
            engine.poke(axil.rresp, if register.is_some() { 0 } else { 2 });
        }
    }
    /// Sends bytes, and waits until the line rests. Gives the contents that came back; all of them are right.
    fn send(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        for byte in bytes {
            self.engine.poke(self.io.s.valid, 1);
            self.engine.poke(self.io.s.payload, u64::from(*byte));
            self.step();
            self.engine.poke(self.io.s.valid, 0);
            (0..self.rng.u8(0..3)).for_each(|_| self.step());
        }
        let (mut rests, mut length) = (0, self.line.len());
        while rests < 300 {
            self.step();
            rests = if self.line.len() == length { rests + 1 } else { 0 };
            length = self.line.len();
        }
        let line = std::mem::take(&mut self.line);
        let answers: Vec<Vec<u8>> = received(&line).into_iter().map(|answer| answer.expect("a right frame")).collect();
        self.answers.extend(answers.clone());
        answers
    }
}

/// A request of any kind, mostly a legal one; `held` bytes wait in the system.
fn any_request(rng: &mut Rng, sequence: u8, held: usize) -> Vec<u8> {
    let address = [0u16, 4, 4, 0x1008, 0x1008, 2, 0xfffc][rng.usize(0..7)].to_le_bytes();
    let bytes = |rng: &mut Rng, count: usize| -> Vec<u8> { (0..count).map(|_| rng.u8(..) & rng.u8(..)).collect() };
    let most = if held > 400 { 1 } else { 241 };
    let (operation, payload) = match rng.u8(0..12) {
        0..=1 => (1, address.to_vec()),
        2..=3 => (2, [&address[..], &bytes(rng, 4)].concat()),
        4..=5 => (3, (0..rng.usize(0..most)).map(|_| rng.u8(..)).collect()),
        6 => (4, (0..rng.usize(0..most)).map(|_| rng.u8(..)).collect()),
        7..=9 => (5, vec![[0, 1, 30, 239, 240][rng.usize(0..5)]]),
        10 => (rng.u8(1..8), (0..rng.usize(0..9)).map(|_| rng.u8(..)).collect()),
        _ => (rng.u8(6..), vec![]),
    };
    [&[sequence, rng.u8(..), operation], &payload[..]].concat()
}

/// Each request once and undisturbed, and now and then again: the answers are those of the page.
#[test]
fn answers_are_those_of_the_page() {
    let mut bench = Bench::new(::sim::bus::seed(1));
    let mut board = bench.board.clone();
    let mut rng = Rng::with_seed(::sim::bus::seed(2));
    let (mut sequence, mut statuses) = (5u8, [0; 5]);
    for i in 0..600 {
        let opens = i % 50 == 0;
        sequence = if opens { rng.u8(..) } else { sequence.wrapping_add(1) };
        let wrong = rng.u8(0..40) == 0; // such a request closes the link, until it is opened
        let number = if wrong { sequence.wrapping_add(rng.u8(2..250)) } else { sequence };
        let held = board.take.len();
        let request = if opens { vec![number, 0, 0] } else { any_request(&mut rng, number, held) };
        let times = [1, 1, 1, 2, 3][rng.usize(0..5)];
        for _ in 0..times {
            let expected = board.answer(&request, true);
            statuses[usize::from(expected[1])] += 1;
            assert_eq!(bench.send(&frame(&request)), [expected], "request {i}: {request:x?}");
            board.take.extend(board.put.drain(..));
        }
    }
    assert_eq!(bench.board.registers, board.registers);
    assert!(statuses[0] > 200 && statuses[1] > 20 && statuses[2] > 20 && statuses[3] > 20, "{statuses:?}");
    let [frames, damaged, too_long, no_room, repeated, refused] = bench.events;
    assert_eq!((damaged, too_long, no_room), (0, 0, 0));
    assert!(frames > 600 && repeated > 100 && refused > 20, "{:?}", bench.events);
}

/// Flips, loses, doubles a byte of some.
fn disturbed(rng: &mut Rng, bytes: &[u8], percent: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    while rng.u8(0..100) < percent {
        let at = rng.usize(0..bytes.len());
        match rng.u8(0..4) {
            0 => bytes[at] ^= 1 << rng.u8(0..8),
            1 if bytes.len() > 1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, bytes[at]),
            _ => bytes[at] = 0,
        }
    }
    bytes
}

/// A host as the page has it, over a line that is disturbed both ways: nothing is lost, wrong, or done twice.
#[test]
fn over_a_disturbed_line_everything_is_done_once() {
    let mut bench = Bench::new(::sim::bus::seed(3));
    let mut board = bench.board.clone();
    let mut rng = Rng::with_seed(::sim::bus::seed(4));
    let (mut sequence, mut sent, mut requests) = (0u8, 0, 0);
    let mut wishes: VecDeque<Vec<u8>> = VecDeque::from([vec![0, 0, 0]]);
    while requests < 250 {
        let request = wishes.pop_front().unwrap_or_else(|| any_request(&mut rng, sequence, board.take.len()));
        let expected = board.answer(&request, true);
        board.take.extend(board.put.drain(..));
        // until its answer comes; both ways a part of the frames is damaged
        let answer = (0..1000).find_map(|_| {
            sent += 1;
            let line = [vec![0], disturbed(&mut rng, &frame(&request), 30)].concat();
            let answers = bench.send(&line);
            let lost = rng.u8(0..100) < 20;
            answers.into_iter().find(|answer| !lost && answer[0] == request[0] && answer[2] == request[2])
        });
        assert_eq!(answer, Some(expected), "request {requests}: {request:x?}");
        sequence = sequence.wrapping_add(1);
        requests += 1;
    }
    assert_eq!(bench.board.registers, board.registers);
    let [_, damaged, _, no_room, repeated, refused] = bench.events;
    assert!(sent > 300 && damaged > 30 && repeated > 30, "{sent} sent, {:?}", bench.events);
    assert_eq!((no_room, refused), (0, 0));
}

/// Bytes that do not fit are not taken at all, and the link answers all the same.
#[test]
fn a_system_that_takes_nothing_still_answers() {
    let mut bench = Bench::new(::sim::bus::seed(6));
    bench.echo = false;
    let mut board = bench.board.clone();
    assert_eq!(bench.send(&frame(&[9, 0, 0])), [board.answer(&[9, 0, 0], true)]);
    let bytes: Vec<u8> = (0..240).map(|i| i as u8).collect();
    for sequence in 10..15u8 {
        let request = [&[sequence, 0, 3 + sequence % 2], &bytes[..]].concat();
        // 240 bytes wait, then 480 of 512; the FIFO's output holds none of them
        let expected = board.answer(&request, sequence < 12);
        assert_eq!(bench.send(&frame(&request)), [expected], "request {sequence}");
    }
    assert_eq!(board.put.len(), 480);
    bench.echo = true;
    (0..600).for_each(|_| bench.step());
    board.take.extend(board.put.drain(..));
    for sequence in 15..21u8 {
        let request = [sequence, 0, 5, 200];
        assert_eq!(bench.send(&frame(&request)), [board.answer(&request, true)]);
    }
    assert_eq!(board.take.len(), 0);
}

#[test]
fn illegal_buffers_are_refused() {
    for buffer in [0, 256, 513, 1 << 17] {
        let message = link(buffer).unwrap_err().to_string();
        assert!(message.contains(&format!("buffer = {buffer} is not legal")), "{message}");
    }
}
