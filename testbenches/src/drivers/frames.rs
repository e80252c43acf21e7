//! Frame receiver, frame transmitter and link, against the page's model of the line.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::soc::frame_receiver::{HELD, frame_receiver};
use hw::soc::frame_transmitter::frame_transmitter;
use hw::soc::link::link;
use sim::golden::link::{Board, Cause, frame, received};

/// A content with many zeros, some, or none.
fn content(rng: &mut Rng, length: usize) -> Vec<u8> {
    let zeros = [0, 5, 60, 100][rng.usize(0..4)];
    (0..length).map(|_| if rng.u8(0..100) < zeros { 0 } else { rng.u8(1..) }).collect()
}

fn any_length(rng: &mut Rng) -> usize {
    match rng.u8(0..8) {
        0 => 3,
        1 => rng.usize(230..244),
        _ => rng.usize(3..30),
    }
}

/// Frames, of which some are hit: a bit flipped, a byte lost, doubled, zeroed or put in.
fn disturbed_line(rng: &mut Rng, frames: usize) -> Vec<u8> {
    let mut line = vec![];
    for _ in 0..frames {
        let length = any_length(rng);
        let mut bytes = frame(&content(rng, length));
        for _ in 0..[0, 0, 1, 3][rng.usize(0..4)] {
            let at = rng.usize(0..bytes.len());
            match rng.u8(0..5) {
                0 => bytes[at] ^= 1 << rng.u8(0..8),
                1 if bytes.len() > 1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, bytes[at]),
                3 => bytes[at] = 0,
                _ => bytes.insert(at, rng.u8(..)),
            }
        }
        line.extend(bytes);
    }
    line
}

/// A frame receiver.
pub fn frame_receiver_driver(name: impl Into<String>) -> Driver {
    let design = build(frame_receiver(HELD));
    let io = design.ports;
    let port = |signal| design.port_index(signal).expect("a port");
    let s = [port(io.s.valid), port(io.s.ready), port(io.s.payload)];
    let m = [port(io.m.valid), port(io.m.ready), port(io.m.payload.byte), port(io.m.payload.last)];
    let told = [port(io.damaged), port(io.too_long), port(io.no_room)];
    Driver::new(name, design, move |engine, effort| receive(engine, (s, m, told), effort))
}

type ReceiverPorts = ([usize; 3], [usize; 4], [usize; 3]);

/// Disturbed lines; then one of which nothing is taken until it is full.
fn receive(engine: &mut dyn Engine, ports: ReceiverPorts, effort: Effort) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    for _ in 0..if effort.long { 30 } else { 2 } {
        let longer = [vec![9; 300], vec![0], frame(b"behind"), vec![0, 0]].concat();
        let line = [disturbed_line(&mut rng, 20), longer, disturbed_line(&mut rng, 10), vec![0]].concat();
        let (mut contents, mut told) = (vec![], [0; 3]);
        for frame in received(&line) {
            match frame {
                Ok(content) => contents.push(content),
                Err(cause) => told[usize::from(cause == Cause::TooLong)] += 1,
            }
        }
        receives(engine, ports, &line, 0, (&contents, told), &mut rng)?;

        let long: Vec<Vec<u8>> = (0..3).map(|_| content(&mut rng, 243)).collect();
        let small: Vec<Vec<u8>> = (0..3).map(|_| content(&mut rng, 13)).collect();
        let line: Vec<u8> = long.iter().chain(&small).flat_map(|content| frame(content)).collect();
        let fits = [&long[..2], &small[..2]].concat();
        receives(engine, ports, &line, 4 * line.len(), (&fits, [0, 0, 2]), &mut rng)?;
    }
    Ok(())
}

/// Runs a line from reset; from cycle `opens` on what comes out is taken.
fn receives(
    engine: &mut dyn Engine,
    (s, m, told): ReceiverPorts,
    line: &[u8],
    opens: usize,
    expected: (&[Vec<u8>], [u64; 3]),
    rng: &mut Rng,
) -> Result<(), String> {
    [s[0], s[2], m[1]].into_iter().for_each(|port| engine.poke(port, 0));
    engine.reset(1);
    let (mut contents, mut content, mut causes, mut held) = (vec![], vec![], [0; 3], None);
    let mut bytes = line.iter();
    for cycle in 0..4 * line.len() + opens + 1200 {
        let byte = if rng.u8(0..3) > 0 { bytes.next() } else { None };
        let ready = cycle > opens && (opens > 0 || rng.u8(0..8) > 0);
        engine.poke(s[0], u64::from(byte.is_some()));
        engine.poke(s[2], u64::from(byte.copied().unwrap_or(rng.u8(..))));
        engine.poke(m[1], u64::from(ready));
        let there = (engine.peek(m[0]) == 1).then(|| (engine.peek(m[2]), engine.peek(m[3])));
        if engine.peek(s[1]) != 1 || (held.is_some() && held != there) {
            return Err(format!("cycle {cycle}: s_ready fell, or {held:?} was not taken and became {there:?}"));
        }
        if let Some((byte, last)) = there.filter(|_| ready) {
            content.push(byte as u8);
            if last == 1 {
                contents.push(std::mem::take(&mut content));
            }
        }
        held = there.filter(|_| !ready);
        causes.iter_mut().zip(told).for_each(|(count, port)| *count += engine.peek(port));
        engine.step();
    }
    if bytes.len() > 0 || !content.is_empty() || (&contents[..], causes) != expected {
        return Err(format!("received {contents:x?} and told {causes:?} instead of {expected:x?}"));
    }
    Ok(())
}

/// A frame transmitter.
pub fn frame_transmitter_driver(name: impl Into<String>) -> Driver {
    let design = build(frame_transmitter());
    let io = design.ports;
    let port = |signal| design.port_index(signal).expect("a port");
    let s = [port(io.s.valid), port(io.s.ready), port(io.s.payload.byte), port(io.s.payload.last)];
    let m = [port(io.m.valid), port(io.m.ready), port(io.m.payload)];
    let control = [port(io.again), port(io.idle), port(io.refused)];
    Driver::new(name, design, move |engine, effort| transmit(engine, (s, m, control), effort))
}

/// Contents of all kinds, some of them sent again, some of lengths that no frame carries.
fn transmit(
    engine: &mut dyn Engine,
    (s, m, [again, idle, refused]): ([usize; 4], [usize; 3], [usize; 3]),
    effort: Effort,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    for port in [s[0], s[2], s[3], m[1], again] {
        engine.poke(port, 0);
    }
    engine.reset(1);
    let mut last: Option<Vec<u8>> = None;
    for i in 0..if effort.long { 400 } else { 24 } {
        let length =
            [any_length(&mut rng), any_length(&mut rng), 1, 2, 244, 260][if i % 5 == 3 { 2 + i / 5 % 4 } else { 0 }];
        let legal = (3..=243).contains(&length);
        let bytes = content(&mut rng, length);
        let repeats = if i == 0 { 0 } else { rng.usize(0..3) };
        let mut expected = vec![];
        for _ in 0..repeats {
            expected.extend(last.iter().flat_map(|content| [vec![0], frame(content)].concat()));
        }
        last = legal.then(|| bytes.clone());
        expected.extend(last.iter().flat_map(|content| [vec![0], frame(content)].concat()));

        let (mut line, mut told, mut left, mut held) = (vec![], 0, repeats, None);
        let mut next = 0;
        for cycle in 0..expected.len() * 3 + 4 * length + 100 {
            let is_idle = engine.peek(idle) == 1;
            let asks = left > 0 && is_idle && rng.u8(0..3) == 0;
            let offers = left == 0 && !asks && next < length && rng.u8(0..4) > 0;
            let ready = rng.u8(0..4) > 0;
            engine.poke(again, u64::from(asks || (!is_idle && rng.u8(0..9) == 0)));
            engine.poke(s[0], u64::from(offers));
            engine.poke(s[2], if offers { bytes[next].into() } else { rng.u64(0..256) });
            engine.poke(s[3], if offers { u64::from(next + 1 == length) } else { rng.u64(0..2) });
            engine.poke(m[1], u64::from(ready));
            left -= usize::from(asks);
            next += usize::from(offers && engine.peek(s[1]) == 1);
            let there = (engine.peek(m[0]) == 1).then(|| engine.peek(m[2]) as u8);
            if held.is_some() && held != there {
                return Err(format!("content {i}, cycle {cycle}: {held:?} was not taken and became {there:?}"));
            }
            line.extend(there.filter(|_| ready));
            held = there.filter(|_| !ready);
            told += engine.peek(refused);
            engine.step();
        }
        if line != expected || told != u64::from(!legal) || engine.peek(idle) != 1 {
            return Err(format!("content {i} of {length} bytes: {line:x?} instead of {expected:x?}, {told} refused"));
        }
    }
    Ok(())
}

/// The ports of a link.
#[derive(Clone, Copy)]
struct LinkAt {
    s: [usize; 3],
    m: [usize; 3],
    /// The write side of the bus: valid and ready of address, data and response, then what they carry.
    aw: [usize; 4],
    w: [usize; 4],
    b: [usize; 3],
    ar: [usize; 4],
    r: [usize; 4],
    /// valid, ready, data, last, keep
    put: [usize; 5],
    take: [usize; 5],
    events: [usize; 6],
}

/// A link with buffers of so many bytes.
pub fn link_driver(name: impl Into<String>, buffer: usize) -> Driver {
    let design = build(link(buffer));
    let io = design.ports;
    let port = |signal| design.port_index(signal).expect("a port");
    let (x, e) = (io.m_axil, io.events);
    let stream = |s: hw::stream::axi_stream::AxiStream| [s.tvalid, s.tready, s.tdata, s.tlast, s.tkeep].map(port);
    let at = LinkAt {
        s: [io.s.valid, io.s.ready, io.s.payload].map(port),
        m: [io.m.valid, io.m.ready, io.m.payload].map(port),
        aw: [x.awvalid, x.awready, x.awaddr, x.awprot].map(port),
        w: [x.wvalid, x.wready, x.wdata, x.wstrb].map(port),
        b: [x.bvalid, x.bready, x.bresp].map(port),
        ar: [x.arvalid, x.arready, x.araddr, x.arprot].map(port),
        r: [x.rvalid, x.rready, x.rdata, x.rresp].map(port),
        put: stream(io.m_axis),
        take: stream(io.s_axis),
        events: [e.frame, e.damaged, e.too_long, e.no_room, e.repeated, e.refused].map(port),
    };
    Driver::new(name, design, move |engine, effort| talk(engine, at, effort))
}

/// What stands behind the link: registers, and packets that come back.
struct Behind {
    board: Board,
    write: (Option<u16>, Option<u32>),
    line: Vec<u8>,
    events: [u64; 6],
}

impl Behind {
    /// A cycle.
    fn step(&mut self, engine: &mut dyn Engine, at: LinkAt, rng: &mut Rng) -> Result<(), String> {
        let ready = rng.u8(0..4) > 0;
        engine.poke(at.m[1], u64::from(ready));
        if engine.peek(at.m[0]) == 1 && ready {
            self.line.push(engine.peek(at.m[2]) as u8);
        }
        for i in [0, 2, 3, 4] {
            let value = engine.peek(at.put[i]);
            engine.poke(at.take[i], value);
        }
        let taken = engine.peek(at.take[1]);
        engine.poke(at.put[1], taken);
        if engine.peek(at.put[0]) == 1 && engine.peek(at.put[4]) != 1 {
            return Err("a byte that is put has no keep".into());
        }
        self.events.iter_mut().zip(at.events).for_each(|(count, port)| *count += engine.peek(port));
        self.bus(engine, at, rng)?;
        engine.step();
        Ok(())
    }
    fn bus(&mut self, engine: &mut dyn Engine, at: LinkAt, rng: &mut Rng) -> Result<(), String> {
        let (aw, w) = (rng.bool() && self.write.0.is_none(), rng.bool() && self.write.1.is_none());
        engine.poke(at.aw[1], u64::from(aw));
        engine.poke(at.w[1], u64::from(w));
        engine.poke(at.b[0], 0);
        if let (Some(address), Some(value)) = self.write {
            if engine.peek(at.b[1]) == 1 {
                let register = self.board.registers.get_mut(&address).filter(|register| register.1);
                engine.poke(at.b[2], if register.is_some() { rng.u64(0..2) } else { rng.u64(2..4) });
                engine.poke(at.b[0], 1);
                register.into_iter().for_each(|register| register.0 = value);
                self.write = (None, None);
            }
        } else {
            if engine.peek(at.aw[0]) == 1 && aw {
                self.write.0 = Some(engine.peek(at.aw[2]) as u16);
            }
            if engine.peek(at.w[0]) == 1 && w {
                self.write.1 = Some(engine.peek(at.w[2]) as u32);
            }
        }
        if [at.aw[3], at.ar[3]].iter().any(|port| engine.peek(*port) != 0) || engine.peek(at.w[3]) != 15 {
            return Err("protection or strobes are wrong".into());
        }
        let takes = engine.peek(at.ar[0]) == 1 && engine.peek(at.r[1]) == 1 && rng.u8(0..4) == 0;
        engine.poke(at.ar[1], u64::from(takes));
        engine.poke(at.r[0], u64::from(takes));
        if takes {
            let register = self.board.registers.get(&(engine.peek(at.ar[2]) as u16));
            engine.poke(at.r[2], u64::from(register.map_or(0, |register| register.0)));
            engine.poke(at.r[3], if register.is_some() { rng.u64(0..2) } else { rng.u64(2..4) });
        }
        Ok(())
    }
    /// Sends bytes, and waits until the line rests.
    fn send(
        &mut self,
        engine: &mut dyn Engine,
        at: LinkAt,
        bytes: &[u8],
        rng: &mut Rng,
    ) -> Result<Vec<Vec<u8>>, String> {
        for byte in bytes {
            engine.poke(at.s[0], 1);
            engine.poke(at.s[2], u64::from(*byte));
            if engine.peek(at.s[1]) != 1 {
                return Err("s_ready fell".into());
            }
            self.step(engine, at, rng)?;
            engine.poke(at.s[0], 0);
        }
        let (mut rests, mut length) = (0, self.line.len());
        while rests < 300 {
            self.step(engine, at, rng)?;
            rests = if self.line.len() == length { rests + 1 } else { 0 };
            length = self.line.len();
        }
        received(&std::mem::take(&mut self.line)).into_iter().map(|a| a.map_err(|c| format!("{c:?}"))).collect()
    }
}

/// A request of any kind; few bytes wait, so that there is always room.
fn any_request(rng: &mut Rng, sequence: u8, held: usize) -> Vec<u8> {
    let address = [0u16, 4, 4, 0x1008, 2][rng.usize(0..5)].to_le_bytes();
    let bytes = |rng: &mut Rng, most: usize| {
        let count = rng.usize(0..if held > 150 { 1 } else { most });
        content(rng, count)
    };
    let (operation, payload) = match rng.u8(0..10) {
        0..=1 => (1, address.to_vec()),
        2..=3 => (2, [&address[..], &rng.u32(..).to_le_bytes()].concat()),
        4 => (3, bytes(rng, 241)),
        5 => (4, bytes(rng, 100)),
        6..=7 => (5, vec![[0, 1, 30, 239, 240][rng.usize(0..5)]]),
        8 => (rng.u8(1..8), bytes(rng, 9)),
        _ => (rng.u8(6..), vec![]),
    };
    [&[sequence, rng.u8(..), operation], &payload[..]].concat()
}

/// Requests, some of them more than once, some damaged, some of wrong numbers.
fn talk(engine: &mut dyn Engine, at: LinkAt, effort: Effort) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    let idle = [at.s[0], at.m[1], at.aw[1], at.w[1], at.b[0], at.ar[1], at.r[0], at.put[1], at.take[0]];
    idle.into_iter().for_each(|port| engine.poke(port, 0));
    engine.reset(1);
    let mut board = Board::default();
    board.registers = [(0, (0x6b76_0001, false)), (4, (0, true)), (0x1008, (7, true))].into();
    let mut behind = Behind { board: board.clone(), write: (None, None), line: vec![], events: [0; 6] };
    let (mut sequence, mut expected_events) = (7u8, [0; 6]);
    for i in 0..if effort.long { 1000 } else { 60 } {
        let opens = i % 20 == 0;
        sequence = sequence.wrapping_add(1);
        let number = if i % 20 == 19 { sequence.wrapping_add(rng.u8(2..250)) } else { sequence };
        let request = if opens { vec![number, 0, 0] } else { any_request(&mut rng, number, board.take.len()) };
        for _ in 0..[1, 1, 2][rng.usize(0..3)] {
            if rng.u8(0..4) == 0 {
                let mut bytes = frame(&request);
                bytes[1] ^= 0x10 | u8::from(bytes[1] == 0x10);
                expected_events[1] += 1;
                let answers = behind.send(engine, at, &bytes, &mut rng)?;
                if !answers.is_empty() {
                    return Err(format!("a damaged request is answered with {answers:x?}"));
                }
            }
            let before = board.answers();
            let expected = board.answer(&request, true);
            expected_events[0] += 1;
            expected_events[4] += u64::from(before == board.answers());
            expected_events[5] += u64::from(expected[1] == 1);
            board.take.extend(board.put.drain(..));
            let found = behind.send(engine, at, &frame(&request), &mut rng)?;
            if found != [expected.clone()] {
                return Err(format!("request {i}: {request:x?}: {found:x?} instead of {expected:x?}"));
            }
        }
    }
    if behind.events != expected_events || behind.board.registers != board.registers {
        let found = (behind.events, &behind.board.registers);
        return Err(format!("{found:x?} instead of {:x?}", (expected_events, &board.registers)));
    }
    Ok(())
}
