//! The line between host and board as docs/link.md says it: frames, whole at a time, and a board that answers requests.

use std::collections::{BTreeMap, VecDeque};

/// Why a frame is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Blocks, length (too short) or check are wrong.
    Damaged,
    /// The body is too long.
    TooLong,
}

/// The CRC-32 of IEEE 802.3, as its definition has it: a division of polynomials, the highest power first.
pub fn check(content: &[u8]) -> u32 {
    // bits of a byte lowest first, then 32 zeros; the first 32 bits are inverted, and so is the remainder
    let mut bits: Vec<bool> = content.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1)).collect();
    bits.extend([false; 32]);
    bits.iter_mut().take(32).for_each(|bit| *bit = !*bit);
    const DIVISOR: u64 = 0x1_04c1_1db7;
    for at in 0..8 * content.len() {
        if bits[at] {
            (0..33).for_each(|i| bits[at + i] ^= DIVISOR >> (32 - i) & 1 == 1);
        }
    }
    let remainder = &bits[8 * content.len()..];
    // the first bit on the line is the lowest one of the number
    remainder.iter().enumerate().fold(0, |sum, (i, bit)| sum | u32::from(!*bit) << i)
}

/// The frame of a content, with the zero behind it.
pub fn frame(content: &[u8]) -> Vec<u8> {
    assert!((3..=243).contains(&content.len()), "a content has 3 to 243 bytes");
    let mut body = content.to_vec();
    body.extend(check(content).to_le_bytes());
    body.push(0); // the one that is thought behind it
    let mut line = vec![];
    while let Some(zero) = body.iter().position(|byte| *byte == 0) {
        line.push(zero as u8 + 1);
        line.extend(body.drain(..zero));
        body.remove(0);
    }
    line.push(0);
    line
}

/// What a receiver makes of a line: a content or a cause for each frame whose end has come.
pub fn received(line: &[u8]) -> Vec<Result<Vec<u8>, Cause>> {
    let complete = line.iter().rposition(|byte| *byte == 0).map_or(0, |end| end + 1);
    line[..complete].split(|byte| *byte == 0).filter(|frame| !frame.is_empty()).map(unpacked).collect()
}

/// The content of what stands between two zeros.
fn unpacked(frame: &[u8]) -> Result<Vec<u8>, Cause> {
    if frame.len() - 1 > 247 {
        return Err(Cause::TooLong);
    }
    let mut body = vec![];
    let mut at = 0;
    while at < frame.len() {
        let end = at + usize::from(frame[at]);
        body.extend(frame.get(at + 1..end).ok_or(Cause::Damaged)?);
        body.push(0);
        at = end;
    }
    body.pop(); // the one that is thought behind it
    if body.len() < 7 {
        return Err(Cause::Damaged);
    }
    let (content, sum) = body.split_at(body.len() - 4);
    if check(content).to_le_bytes() != *sum {
        return Err(Cause::Damaged);
    }
    Ok(content.to_vec())
}

/// A board behind the line.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// Number of the request before, while the link is open.
    former: Option<u8>,
    answer: Vec<u8>,
    answers: usize,
    /// Its registers by address: what they hold, and whether they can be written.
    pub registers: BTreeMap<u16, (u32, bool)>,
    /// The bytes that were put, with the ends of packets.
    pub put: Vec<(u8, bool)>,
    /// The bytes that can be taken, with the ends of packets.
    pub take: VecDeque<(u8, bool)>,
}

impl Board {
    /// How many answers were new ones.
    pub fn answers(&self) -> usize {
        self.answers
    }
    /// The answer to a request; `room` says whether the bytes of a put fit.
    pub fn answer(&mut self, request: &[u8], room: bool) -> Vec<u8> {
        let (sequence, operation) = (request[0], request[2]);
        if operation != 0 && self.former == Some(sequence) {
            return self.answer.clone();
        }
        self.answers += 1;
        let next = self.former.map(|former| former.wrapping_add(1));
        let (status, payload) = if operation == 0 || next == Some(sequence) {
            self.former = Some(sequence);
            self.done(operation, &request[3..], room)
        } else {
            self.former = None;
            (1, vec![])
        };
        self.answer = [&[sequence, status, operation], &payload[..]].concat();
        self.answer.clone()
    }
    /// Status and payload of an answer.
    fn done(&mut self, operation: u8, payload: &[u8], room: bool) -> (u8, Vec<u8>) {
        match (operation, payload) {
            (0, []) => (0, b"kvf\x01".to_vec()),
            (1, [low, high]) => match self.registers.get(&u16::from_le_bytes([*low, *high])) {
                Some((value, _)) => (0, value.to_le_bytes().to_vec()),
                None => (3, vec![]),
            },
            (2, [low, high, a, b, c, d]) => match self.registers.get_mut(&u16::from_le_bytes([*low, *high])) {
                Some((value, true)) => {
                    *value = u32::from_le_bytes([*a, *b, *c, *d]);
                    (0, vec![])
                }
                _ => (3, vec![]),
            },
            (4, []) => (2, vec![]),
            (3 | 4, _) if !room => (4, vec![]),
            (3, bytes) => {
                self.put.extend(bytes.iter().map(|byte| (*byte, false)));
                (0, vec![])
            }
            (4, bytes) => {
                self.put.extend(bytes.iter().enumerate().map(|(i, byte)| (*byte, i + 1 == bytes.len())));
                (0, vec![])
            }
            (5, [most]) if *most < 240 => {
                let (mut bytes, mut ended) = (vec![], false);
                while bytes.len() < usize::from(*most) && !ended {
                    let Some((byte, last)) = self.take.pop_front() else { break };
                    bytes.push(byte);
                    ended = last;
                }
                bytes.push(ended.into());
                (0, bytes)
            }
            _ => (2, vec![]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_examples() {
        assert_eq!(check(b"123456789"), 0xcbf4_3926);
        let page = include_str!("../../../docs/link.md");
        let bytes = |cell: &str| -> Vec<u8> {
            cell.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("a byte")).collect()
        };
        let rows = |head: &str| -> Vec<(Vec<u8>, Vec<u8>)> {
            let rows = page.split_once(head).expect("the table").1.lines().skip(2);
            let rows = rows.take_while(|row| row.starts_with('|')).map(|row| row.split('|').collect::<Vec<_>>());
            rows.map(|cells| (bytes(cells[1]), bytes(cells[2]))).collect()
        };
        let frames = rows("| content | frame |");
        for (content, line) in &frames {
            assert_eq!(frame(content), *line);
            assert_eq!(received(line), [Ok(content.clone())]);
        }
        let requests = rows("| request | answer | |");
        let mut board = Board::default();
        board.registers.insert(0x0104, (0x1234_5678, false));
        for (request, answer) in &requests {
            assert_eq!(board.answer(request, true), *answer, "{request:x?}");
            board.take.extend(board.put.drain(..));
        }
        assert!(frames.len() >= 3 && requests.len() >= 8, "{} frames, {} requests", frames.len(), requests.len());
    }
}
