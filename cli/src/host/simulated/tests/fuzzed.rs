//! Frames of all kinds that are wrong, and right ones that ask for anything: each is dropped, or answered as docs/link.md has it, and
//! behind them the system is right.

use super::*;
use sim::golden::link::{Board, check, frame, received};

/// Frames between two looks at the system.
const BATCH: usize = 500;

/// Stuffs any body, whatever its length; [`bytes`] has a zero in every 200, since a block holds 254 at most.
fn stuffed(body: &[u8]) -> Vec<u8> {
    let mut line = vec![];
    for block in body.split(|byte| *byte == 0) {
        line.push(block.len() as u8 + 1);
        line.extend(block);
    }
    line.push(0);
    line
}

fn bytes(rng: &mut Rng, count: usize) -> Vec<u8> {
    (0..count).map(|i| if i % 200 == 199 { 0 } else { rng.u8(..) }).collect()
}

/// What no board may take for a frame, but by chance.
fn wrong(rng: &mut Rng, kind: usize) -> Vec<u8> {
    let content = 3 + rng.usize(..60);
    let content = bytes(rng, content);
    match kind {
        0 => {
            let count = if rng.u8(..8) == 0 { 600 } else { 40 };
            let count = rng.usize(..count);
            [bytes(rng, count), vec![0]].concat()
        }
        1 => {
            // a byte is another one, or it is lost, or there twice
            let mut line = frame(&content);
            let at = rng.usize(..line.len() - 1);
            match rng.u8(..3) {
                0 => line[at] = rng.u8(..),
                1 => drop(line.remove(at)),
                _ => line.insert(at, line[at]),
            }
            line
        }
        2 => {
            let check = check(&content) ^ 1 << rng.u32(..32);
            stuffed(&[content, check.to_le_bytes().to_vec()].concat())
        }
        _ => {
            let count = if rng.bool() { rng.usize(..3) } else { rng.usize(244..420) };
            let content = bytes(rng, count);
            stuffed(&[&content[..], &check(&content).to_le_bytes()].concat())
        }
    }
}

/// A request: most have the next number, and an address that may be one.
fn request(rng: &mut Rng, next: u8) -> Vec<u8> {
    let sequence = match rng.u8(..12) {
        0 => rng.u8(..),
        1 => next.wrapping_sub(1),
        _ => next,
    };
    let operation = if rng.u8(..20) == 0 { rng.u8(..) } else { rng.u8(..6) };
    let near = [0, 0x1000, 0x2000][rng.usize(..3)] + 4 * rng.u16(..24);
    let address = if rng.bool() { near } else { rng.u16(..) }.to_le_bytes();
    let value = [rng.u32(..), rng.u32(..4), 64 * rng.u32(..17)][rng.usize(..3)].to_le_bytes();
    let payload = match operation {
        _ if rng.u8(..20) == 0 => {
            let count = rng.usize(..241);
            bytes(rng, count)
        }
        0 => vec![],
        1 => address.to_vec(),
        2 => [&address[..], &value].concat(),
        5 => vec![rng.u8(..)],
        _ => {
            let count = rng.usize(..241);
            bytes(rng, count)
        }
    };
    [vec![sequence, 0, operation], payload].concat()
}

/// A board on a line, and the model of what it answers.
struct Fuzzed {
    line: Shared<Simulated>,
    model: Board,
    former: Vec<u8>,
    next: u8,
    dropped: u32,
    answered: u32,
}

impl Fuzzed {
    /// Sends bytes, and compares what comes with the model's answers to the frames among them.
    fn send(&mut self, bytes: &[u8]) {
        self.line.send(bytes).unwrap();
        for frame in received(bytes) {
            match frame {
                Err(_) => self.dropped += 1,
                Ok(content) => self.compare(&content),
            }
        }
    }
    fn compare(&mut self, request: &[u8]) {
        let found = self.answer();
        let before = self.model.answers();
        let want = self.model.answer(request, found[1] != 4);
        self.model.put.clear();
        let again = self.model.answers() == before;
        let right = match (want[1], want[2]) {
            _ if again => found == self.former,
            // the model has no registers and no bytes
            (3, 1) => (found[0], found[2]) == (want[0], 1) && [(3, 3), (0, 7)].contains(&(found[1], found.len())),
            (3, 2) => (found[0], found[2]) == (want[0], 2) && [0, 3].contains(&found[1]) && found.len() == 3,
            (0, 5) => found[..3] == want[..3] && (4..=4 + usize::from(request[3])).contains(&found.len()),
            _ => found == want,
        };
        assert!(right, "{request:x?} is answered {found:x?}; the model answers {want:x?}");
        self.former = found;
        self.next = request[0].wrapping_add(1);
        self.answered += 1;
    }
    /// The next frame that comes.
    fn answer(&mut self) -> Vec<u8> {
        let mut line = vec![];
        loop {
            let byte = self.line.receive(Duration::ZERO).unwrap();
            line.push(byte.unwrap_or_else(|| panic!("it hangs: no answer, only {line:x?}")));
            if let Some(answer) = received(&line).pop() {
                return answer.unwrap_or_else(|why| panic!("{why:?}: {line:x?}"));
            }
        }
    }
}

/// With `KVFORGE_LONG=1` 100,000 frames.
#[test]
fn whatever_comes_is_dropped_or_answered_and_the_system_is_right_behind_it() {
    let batches = if sim::bus::long() { 100_000 / BATCH } else { 3 };
    let mut rng = Rng::with_seed(run_seed(17));
    let line = Shared::new(named(SYSTEM, LineKind::Bytes).unwrap());
    let (mut kinds, mut answered) = ([0; 5], 0);
    for batch in 0..batches {
        let before = line.connected().counters().unwrap();
        let (model, former) = (Board::default(), vec![]);
        let mut board = Fuzzed { line: Shared(line.0.clone()), model, former, next: 0, dropped: 0, answered: 0 };
        board.send(&frame(&[rng.u8(..), 0, 0]));
        for _ in 0..BATCH {
            // more of the right ones, so that much is under way
            let kind = rng.usize(..8).min(4);
            kinds[kind] += 1;
            let bytes = if kind == 4 { frame(&request(&mut rng, board.next)) } else { wrong(&mut rng, kind) };
            board.send(&bytes);
        }
        answered += board.answered;
        let dropped = board.dropped;
        let mut system = line.connected();
        let counters = system.counters().unwrap().since(before);
        assert_eq!(counters.dropped, dropped, "batch {batch}");
        system.drain().unwrap_or_else(|error| panic!("batch {batch}: {error}"));
        for path in Path::ALL {
            right(&mut system, &mut rng, path, 1).unwrap_or_else(|error| panic!("batch {batch}, {path:?}: {error}"));
        }
    }
    println!("{} frames, {answered} answered; random, damaged, check, length, right: {kinds:?}", batches * BATCH);
    assert!(kinds.iter().all(|count| *count > 50), "{kinds:?}");
}
