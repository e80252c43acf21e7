//! Oaken's byte packer.

use super::Driver;
use super::parts::{build, one_to_one};
use super::stream::{Streams, Traffic, random};
use fastrand::Rng;
use hdl::BigUint;
use hw::oaken::packer::{HEADER_BYTES, byte_packer};
use sim::bus::{Beat, packet};

/// Vectors of beats: bytes, how many count, first, last, header.
fn vectors(rng: &mut Rng, streams: &Streams) -> Traffic {
    let slots = streams.sources[0].payload[0].width / 8;
    let mut beats = vec![];
    for _ in 0..160 {
        // many short and full ones: two that end in two words each, one behind the other, need the spare word
        let longest = [1, 2, 16][rng.usize(0..3)];
        let (length, most) = (rng.usize(1..=longest), [0, 1, slots / 2, slots, slots][rng.usize(0..5)]);
        let header = random(rng, 8 * HEADER_BYTES);
        for i in 0..length {
            let (first, last) = (u32::from(i == 0), u32::from(i + 1 == length));
            // the header counts with the first beat only
            let header = if i == 0 { header.clone() } else { random(rng, 8 * HEADER_BYTES) };
            let count = if rng.bool() { most } else { rng.u32(0..=most) };
            beats.push(Beat(vec![random(rng, 8 * slots), count.into(), first.into(), last.into(), header]));
        }
    }
    vec![beats]
}

fn bytes_of(number: &BigUint, count: usize) -> Vec<u8> {
    let mut bytes = number.to_bytes_le();
    bytes.resize(count.max(bytes.len()), 0);
    bytes.truncate(count);
    bytes
}

/// Header and bytes of each vector, in words from the start of one.
fn packed(sent: &[Beat], width: usize) -> Vec<Beat> {
    let (mut words, mut bytes) = (vec![], vec![]);
    for beat in sent {
        if beat.field(2) == 1 {
            bytes = bytes_of(&beat.0[4], HEADER_BYTES as usize);
        }
        bytes.extend(bytes_of(&beat.0[0], beat.field(1) as usize));
        if beat.field(3) == 1 {
            words.extend(packet(&bytes, width));
        }
    }
    words
}

/// A packer of up to `slots` bytes into words of `width`.
pub fn driver(name: &str, width: u32, slots: u32) -> Driver {
    let design = build(byte_packer(width, slots));
    let plain = one_to_one(&design, (&design.ports.s, &design.ports.m));
    let model = Box::new(move |sent: &Traffic| vec![packed(&sent[0], width as usize)]);
    let streams = Streams { feed: vectors, model, ..plain };
    let driver = Driver::new(name, design, move |engine, effort| streams.test(engine, effort));
    Driver { assume: Some(format!("s_count <= {slots}")), ..driver }
}
