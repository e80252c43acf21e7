//! The host against a board of this file, on a line that loses, doubles and damages bytes.

use super::*;
use fastrand::Rng;
use std::collections::VecDeque;
use std::io;

/// A board as docs/link.md has it, with one register and a system that gives back what it gets.
struct Board {
    receiver: Receiver,
    open: bool,
    next: u8,
    answer: Vec<u8>,
    register: u32,
    packets: Vec<u8>,
    ends: VecDeque<usize>,
    room: usize,
    done: usize,
}

impl Board {
    fn new(room: usize) -> Board {
        let (packets, ends) = (vec![], VecDeque::new());
        Board {
            receiver: Receiver::default(),
            open: false,
            next: 0,
            answer: vec![],
            register: 0,
            packets,
            ends,
            room,
            done: 0,
        }
    }
    fn answers(&mut self, content: &[u8]) -> Vec<u8> {
        let (number, operation, payload) = (content[0], content[2], &content[3..]);
        let repeated = self.open && number.wrapping_add(1) == self.next && operation != 0;
        if !repeated {
            self.answer = match operation == 0 || self.open && number == self.next {
                false => {
                    self.open = false;
                    vec![number, 1, operation]
                }
                true => {
                    (self.open, self.next) = (true, number.wrapping_add(1));
                    self.done += 1;
                    let (status, payload) = self.does(operation, payload);
                    [&[number, status, operation], &payload[..]].concat()
                }
            };
        }
        [&[0][..], &encode(&self.answer).expect("a content")].concat()
    }
    fn does(&mut self, operation: u8, payload: &[u8]) -> (u8, Vec<u8>) {
        match operation {
            0 => (0, b"kvf\x01".to_vec()),
            1 if payload == [4, 1] => (0, self.register.to_le_bytes().to_vec()),
            2 if payload[..2] == [4, 1] => {
                self.register = u32::from_le_bytes(payload[2..].try_into().expect("four bytes"));
                (0, vec![])
            }
            1 | 2 => (3, vec![]),
            3 | 4 if self.packets.len() + payload.len() > self.room => (4, vec![]),
            3 | 4 => {
                self.packets.extend(payload);
                self.ends.extend((operation == 4).then_some(self.packets.len()));
                (0, vec![])
            }
            5 => {
                let end = self.ends.front().copied();
                let count = usize::from(payload[0]).min(end.unwrap_or(self.packets.len()));
                let mut bytes: Vec<u8> = self.packets.drain(..count).collect();
                let is_last = end == Some(count);
                self.ends.iter_mut().for_each(|end| *end -= count);
                if is_last {
                    self.ends.pop_front();
                }
                bytes.push(u8::from(is_last));
                (0, bytes)
            }
            _ => (2, vec![]),
        }
    }
}

/// A line to such a board on which one byte of `of` is disturbed, each way.
struct Disturbed {
    board: Board,
    rng: Rng,
    of: u32,
    coming: VecDeque<u8>,
    time: Duration,
    /// A byte that comes for ever.
    trickle: Option<u8>,
}

impl Disturbed {
    fn new(of: u32, seed: u64, room: usize) -> Disturbed {
        let (coming, time, trickle) = (VecDeque::new(), Duration::ZERO, None);
        Disturbed { board: Board::new(room), rng: Rng::with_seed(seed), of, coming, time, trickle }
    }
    fn disturb(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![];
        for byte in bytes {
            match if self.of > 0 && self.rng.u32(..self.of) == 0 { self.rng.u8(..3) } else { 3 } {
                0 => {}
                1 => out.extend([*byte, *byte]),
                2 => out.push(byte ^ 1 << self.rng.u8(..8)),
                _ => out.push(*byte),
            }
        }
        out
    }
}

impl Line for Disturbed {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in self.disturb(bytes) {
            if let Some(Ok(content)) = self.board.receiver.take(byte) {
                let answer = self.board.answers(&content);
                let answer = self.disturb(&answer);
                self.coming.extend(answer);
            }
        }
        Ok(())
    }
    fn receive(&mut self, patience: Duration) -> io::Result<Option<u8>> {
        self.time += Duration::from_micros(1);
        let byte = self.coming.pop_front().or(self.trickle);
        self.time += if byte.is_none() { patience } else { Duration::ZERO };
        Ok(byte)
    }
    fn time(&self) -> Duration {
        self.time
    }
}

fn host(of: u32, seed: u64, room: usize) -> Host<Disturbed> {
    Host { attempts: 200, ..Host::new(Disturbed::new(of, seed, room), Duration::from_millis(1)) }
}

#[test]
fn requests_are_done() {
    let mut host = host(0, 0, 10_000);
    host.open().unwrap();
    host.write(0x104, 0x1234_5678).unwrap();
    assert_eq!(host.read(0x104).unwrap(), 0x1234_5678);
    assert_eq!(host.read(0x108).unwrap_err().to_string(), "there is no register at 0x0108, or it cannot be written");
    let packet: Vec<u8> = (0..700u32).map(|i| i as u8).collect();
    host.put(&packet, 0).unwrap();
    assert_eq!(host.take_packet(1).unwrap(), Some(packet));
    assert_eq!(host.take_packet(3).unwrap(), None);
}

#[test]
fn on_a_disturbed_line_nothing_is_lost_or_done_twice() {
    for round in 0..20 {
        let seed = hdl::bus::run_seed(round);
        let mut host = host(400, seed, 10_000);
        host.open().unwrap();
        let before = host.line().board.done;
        let mut rng = Rng::with_seed(seed);
        for value in 0..50u32 {
            host.write(0x104, value).unwrap();
            let packet: Vec<u8> = (0..rng.usize(1..600)).map(|_| rng.u8(..)).collect();
            host.put(&packet, 0).unwrap();
            assert_eq!(host.take_packet(1).unwrap(), Some(packet), "seed {seed}");
            assert_eq!(host.read(0x104).unwrap(), value);
        }
        assert!(host.line().board.done - before >= 200, "seed {seed}");
    }
}

#[test]
fn what_cannot_be_done_is_told() {
    let mut deaf = host(1, 0, 0);
    deaf.attempts = 3;
    assert_eq!(deaf.open().unwrap_err().to_string(), "no answer, after 3 attempts of 1 ms each");
    let mut full = host(0, 0, 100);
    full.open().unwrap();
    assert!(matches!(full.put(&[0; 200], 5), Err(HostError::NoRoom)));
    full.line().board.open = false;
    assert!(matches!(full.read(0x104), Err(HostError::Closed)));
    assert!(matches!(full.done(Operation::Read, &[], 0), Err(HostError::Closed)));
}

#[test]
fn bytes_that_are_no_answer_do_not_hold_it_up() {
    for byte in [0, 5, 0xff] {
        let mut host = host(0, 0, 100);
        host.attempts = 3;
        host.line().of = 1; // what is sent does not arrive
        host.line().trickle = Some(byte);
        assert!(matches!(host.open(), Err(HostError::NoAnswer { attempts: 3, .. })), "{byte}");
    }
}

#[test]
fn what_another_host_left_is_drained() {
    let mut host = host(0, 0, 1000);
    host.open().unwrap();
    host.put(&[1; 300], 0).unwrap();
    host.done(Operation::Put, &[2; 100], 0).unwrap();
    host.drain(3).unwrap();
    host.put(&[3; 10], 0).unwrap();
    assert_eq!(host.take_packet(1).unwrap(), Some(vec![3; 10]));
}
