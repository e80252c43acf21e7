use super::*;
use ::sim::golden::link::{Cause, frame, received};
use fastrand::Rng;
use hdl::engine::Engine;

/// What came out: contents, and how often each cause was told.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    contents: Vec<Vec<u8>>,
    damaged: usize,
    too_long: usize,
    no_room: usize,
}

impl Outcome {
    /// What the page says of a line whose contents are taken in time.
    fn of(line: &[u8]) -> Outcome {
        let mut outcome = Outcome::default();
        for frame in received(line) {
            match frame {
                Ok(content) => outcome.contents.push(content),
                Err(Cause::Damaged) => outcome.damaged += 1,
                Err(Cause::TooLong) => outcome.too_long += 1,
            }
        }
        outcome
    }
}

/// Runs a line, of which bytes come in some cycles; `ready` says whether a byte is taken in a cycle.
fn run(line: &[u8], comes: impl Fn(usize) -> bool, ready: impl Fn(usize) -> bool) -> Outcome {
    let design = frame_receiver(HELD).unwrap_or_else(|e| panic!("{e}"));
    let io = design.ports;
    let mut engine = jit::simulator(&design);
    engine.poke(io.s.valid, 0);
    engine.poke(io.m.ready, 0);
    engine.reset(1);
    let (mut outcome, mut content, mut bytes, mut idle) = (Outcome::default(), vec![], line.iter(), 0);
    for cycle in 0.. {
        let byte = comes(cycle).then(|| bytes.next()).flatten();
        engine.poke(io.s.valid, u64::from(byte.is_some()));
        engine.poke(io.s.payload, u64::from(byte.copied().unwrap_or(cycle as u8)));
        engine.poke(io.m.ready, u64::from(ready(cycle)));
        assert_eq!(engine.peek(io.s.ready), 1);
        if engine.peek(io.m.valid) == 1 && ready(cycle) {
            content.push(engine.peek(io.m.payload.byte) as u8);
            if engine.peek(io.m.payload.last) == 1 {
                outcome.contents.push(std::mem::take(&mut content));
            }
        }
        outcome.damaged += engine.peek(io.damaged) as usize;
        outcome.too_long += engine.peek(io.too_long) as usize;
        outcome.no_room += engine.peek(io.no_room) as usize;
        engine.step();
        idle = if bytes.len() == 0 && engine.peek(io.m.valid) == 0 { idle + 1 } else { 0 };
        if idle > 10 {
            break;
        }
    }
    assert_eq!(content, Vec::<u8>::new(), "a content without its end");
    assert_eq!(design.combinational_paths(), []);
    outcome
}

fn content(rng: &mut Rng, length: usize) -> Vec<u8> {
    let zeros = [0, 5, 60, 100][rng.usize(0..4)];
    (0..length).map(|_| if rng.u8(0..100) < zeros { 0 } else { rng.u8(1..) }).collect()
}

#[test]
fn contents_of_every_length_come_out_as_they_were() {
    let mut rng = Rng::with_seed(::sim::bus::seed(1));
    let contents: Vec<Vec<u8>> = (3..=243).map(|length| content(&mut rng, length)).collect();
    let line: Vec<u8> = contents.iter().flat_map(|content| frame(content)).collect();
    let expected = Outcome { contents, ..Outcome::default() };
    assert_eq!(run(&line, |_| true, |_| true), expected);
    assert_eq!(run(&line, |cycle| cycle % 3 == 0, |cycle| cycle % 2 == 0), expected);
}

/// Bytes that are flipped, lost, doubled, made zero, put in: what comes out is what the page says, and frames that were not hit are among it.
#[test]
fn disturbed_lines_give_what_the_page_says() {
    let mut rng = Rng::with_seed(::sim::bus::seed(2));
    let (mut told, mut clean) = ([0; 2], 0);
    for _ in 0..30 {
        let mut line = vec![];
        for _ in 0..40 {
            let length = if rng.u8(0..4) == 0 { rng.usize(230..244) } else { rng.usize(3..40) };
            let mut bytes = frame(&content(&mut rng, length));
            for _ in 0..[0, 0, 1, 1, 5][rng.usize(0..5)] {
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
        line.extend([0; 3]);
        line.extend(frame(b"clean")); // the first clean one behind all of it is taken
        let expected = Outcome::of(&line);
        assert_eq!(expected.contents.last().map(|c| &c[..]), Some(&b"clean"[..]));
        told[0] += expected.damaged;
        told[1] += expected.too_long;
        clean += expected.contents.len();
        let pause = rng.usize(1..9);
        assert_eq!(run(&line, |cycle| cycle % pause != 1, |_| true), expected);
    }
    assert!(told[0] > 100 && told[1] > 2 && clean > 300, "{told:?}, {clean} clean");
}

#[test]
fn short_frames_are_told_and_nothing_between_zeros_is_not() {
    for bytes in [&[1][..], &[2], &[1, 1], &[7, 1, 2, 3, 4, 5, 6]] {
        let line = [&[0, 0][..], bytes, &[0, 0], &frame(&[0, 1, 2])].concat();
        let outcome = run(&line, |_| true, |_| true);
        assert_eq!(outcome, Outcome { contents: vec![vec![0, 1, 2]], damaged: 1, ..Outcome::default() }, "{bytes:?}");
    }
}

#[test]
fn the_longest_frames_and_those_one_byte_longer() {
    let mut rng = Rng::with_seed(::sim::bus::seed(3));
    let longest = content(&mut rng, 243);
    let mut longer = frame(&content(&mut rng, 243));
    longer.insert(1, 1); // a block of nothing more: the body has 248 bytes
    let line = [frame(&longest), longer, vec![9; 2000], vec![0], frame(&longest)].concat();
    let outcome = run(&line, |_| true, |_| true);
    assert_eq!(outcome, Outcome { contents: vec![longest.clone(), longest], too_long: 2, ..Outcome::default() });
}

/// Two of the longest contents wait; the third does not fit, and is dropped whole. What comes behind it is right.
#[test]
fn what_finds_no_room_is_dropped_and_told() {
    let mut rng = Rng::with_seed(::sim::bus::seed(4));
    let contents: Vec<Vec<u8>> = (0..3).map(|_| content(&mut rng, 243)).collect();
    let small: Vec<Vec<u8>> = (0..3).map(|_| content(&mut rng, 13)).collect();
    let line: Vec<u8> = contents.iter().chain(&small).flat_map(|content| frame(content)).collect();
    // 26 bytes are left behind the two: two of the small ones fit
    let came = line.len() + 10;
    let outcome = run(&line, |_| true, |cycle| cycle > came);
    let expected = [&contents[..2], &small[..2]].concat();
    assert_eq!(outcome, Outcome { contents: expected, no_room: 2, ..Outcome::default() });
}

/// Each bit of a frame flipped: nothing wrong is handed on, and the frame behind is.
#[test]
fn every_single_flip_is_found() {
    let (first, second) = (b"\x05\x00\x01value", b"\x06\x00\x01next");
    let bytes = frame(first);
    for bit in 0..8 * (bytes.len() - 1) {
        let mut line = bytes.clone();
        line[bit / 8] ^= 1 << (bit % 8);
        line.extend(frame(second));
        let outcome = run(&line, |_| true, |_| true);
        assert_eq!(outcome, Outcome::of(&line), "bit {bit}");
        assert_eq!(outcome.contents, [second.to_vec()], "bit {bit}");
    }
}

#[test]
fn illegal_sizes_are_refused() {
    for held in [0, 4, 500, 1 << 17] {
        let message = frame_receiver(held).unwrap_err().to_string();
        assert!(message.contains(&format!("held = {held} is not legal")), "{message}");
    }
}
