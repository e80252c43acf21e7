//! Parts that put the words of packets into beats of another width, and the slices with one entry.

use super::Driver;
use super::built::build;
use super::stream::{Feed, Streams, Traffic, in_beats, packet_words, packets, random};
use fastrand::Rng;
use hdl::{BigUint, Bundle, Design};
use hw::stream::gearbox::gearbox;
use hw::stream::narrow::narrow;
use hw::stream::pack::{Beats, pack};
use hw::stream::register_slice_backward::register_slice_backward;
use hw::stream::register_slice_forward::register_slice_forward;
use hw::stream::widen::widen;
use sim::bus::{Beat, StreamPorts};

/// A part with one stream in and one out.
pub(super) fn one_to_one<P, S: Bundle, M: Bundle>(design: &Design<P>, (s, m): (&S, &M)) -> Streams {
    Streams::new(vec![StreamPorts::of(design, s)], vec![StreamPorts::of(design, m)])
}

/// A forward register slice.
pub fn forward_driver(name: impl Into<String>, width: u32) -> Driver {
    let design = build(register_slice_forward(width));
    let plain = one_to_one(&design, (&design.ports.s, &design.ports.m));
    let streams = Streams { latency: Some(1), full_rate: Some(0), capacity: Some(1), ..plain };
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

/// A backward register slice.
pub fn backward_driver(name: impl Into<String>, width: u32) -> Driver {
    let design = build(register_slice_backward(width));
    let plain = one_to_one(&design, (&design.ports.s, &design.ports.m));
    let streams = Streams { latency: Some(0), full_rate: Some(0), capacity: Some(1), ..plain };
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

/// Random packets in full beats, of which only the last one's `keep` says something: that of the others is anything.
fn full_beats(rng: &mut Rng, streams: &Streams) -> Traffic {
    let mut traffic = packets(rng, streams);
    let words = streams.sources[0].payload[1].width;
    for beat in traffic.iter_mut().flatten().filter(|beat| beat.field(2) == 0) {
        beat.0[1] = random(rng, words);
    }
    traffic
}

/// Random packets in beats of any number of words, some of them empty.
fn scattered(rng: &mut Rng, streams: &Streams) -> Traffic {
    let [data, keep, _] = &streams.sources[0].payload[..] else { panic!("a packet is data, keep and last") };
    let (lanes, word) = (keep.width as usize, data.width / keep.width);
    let mut beats = vec![];
    for _ in 0..60 {
        let most = [1, lanes][rng.usize(0..2)];
        let words: Vec<_> = (0..rng.usize(1..=5 * lanes)).map(|_| random(rng, word)).collect();
        let mut rest = &words[..];
        while !rest.is_empty() {
            // full beats often: two after the end of a packet that did not fit need all places
            let most = most.min(rest.len());
            let (now, later) = rest.split_at(if rng.bool() { most } else { rng.usize(0..=most) });
            let mut beat = in_beats(now, lanes, word).pop().unwrap_or(Beat(vec![0u32.into(); 3]));
            beat.0[2] = u32::from(later.is_empty()).into();
            beats.push(beat);
            rest = later;
        }
        if rng.u8(0..4) == 0 {
            // the end comes behind the words
            beats.last_mut().expect("a packet has a word").0[2] = 0u32.into();
            beats.push(Beat(vec![0u32.into(), 0u32.into(), 1u32.into()]));
        }
    }
    vec![beats]
}

/// What becomes of beats: full ones as soon as their words are there, and what is left with the end of the packet, if need be without
/// words. `full`: so many words has a beat in, the last one of a packet less, and the `keep` of the others says nothing.
fn regrouped(sent: &[Beat], (full, lanes): (Option<u32>, usize), word: u32) -> Vec<Beat> {
    let (mut held, mut out) = (vec![], vec![]);
    let beat = |words: Vec<BigUint>, last: bool| {
        let mut beat = in_beats(&words, lanes, word).pop().unwrap_or(Beat(vec![0u32.into(); 3]));
        beat.0[2] = u32::from(last).into();
        beat
    };
    for Beat(fields) in sent {
        let last = fields[2].bit(0);
        let all = full.filter(|_| !last).map(|words| (BigUint::from(1u32) << words) - 1u32);
        let alone = Beat(vec![fields[0].clone(), all.unwrap_or(fields[1].clone()), 1u32.into()]);
        held.extend(packet_words(&[alone], word).concat());
        let mut ended = false;
        while held.len() >= lanes {
            let rest = held.split_off(lanes);
            ended = last && rest.is_empty();
            out.push(beat(std::mem::replace(&mut held, rest), ended));
        }
        if last && !ended {
            out.push(beat(std::mem::take(&mut held), true));
        }
    }
    out
}

/// Packets whose beats have another width on the other side.
fn converter(plain: Streams, word: u32, words_out: usize, full_rate: usize) -> Streams {
    let model = move |sent: &Vec<Vec<_>>| vec![regrouped(&sent[0], (None, words_out), word)];
    Streams { feed: packets, model: Box::new(model), full_rate: Some(full_rate), ..plain }
}

/// A converter to wider beats; a beat goes in in every cycle.
pub fn widen_driver(name: impl Into<String>, word: u32, words: u32, ratio: u32) -> Driver {
    let design = build(widen(word, words, ratio));
    let plain = one_to_one(&design, (&design.ports.s, &design.ports.m));
    let streams = converter(plain, word, (words * ratio) as usize, 1);
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

/// A converter to narrower beats; a beat comes out in every cycle.
pub fn narrow_driver(name: impl Into<String>, word: u32, words: u32, ratio: u32) -> Driver {
    let design = build(narrow(word, words, ratio));
    let plain = one_to_one(&design, (&design.ports.s, &design.ports.m));
    let streams = Streams { latency: Some(1), ..converter(plain, word, words as usize, 0) };
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

/// A packer; a beat goes in in every cycle.
pub fn pack_driver(name: impl Into<String>, word: u32, words_in: u32, words_out: u32, beats: Beats) -> Driver {
    let design = build(pack(word, words_in, words_out, beats));
    let plain = one_to_one(&design, (&design.ports.s, &design.ports.m));
    let mut streams = converter(plain, word, words_out as usize, 1);
    let (feed, full): (Feed, _) = match beats {
        Beats::Any => (scattered, None),
        Beats::Full => (full_beats, Some(words_in)),
    };
    streams.feed = feed;
    streams.model = Box::new(move |sent| vec![regrouped(&sent[0], (full, words_out as usize), word)]);
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

/// A converter to less words, no divisor; a beat comes out in every cycle.
pub fn gearbox_driver(name: impl Into<String>, word: u32, words_in: u32, words_out: u32) -> Driver {
    let design = build(gearbox(word, words_in, words_out));
    let plain = one_to_one(&design, (&design.ports.s, &design.ports.m));
    let mut streams = Streams { latency: Some(1), ..converter(plain, word, words_out as usize, 0) };
    streams.feed = full_beats;
    streams.model = Box::new(move |sent| vec![regrouped(&sent[0], (Some(words_in), words_out as usize), word)]);
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

/// The part that `hw::stream::convert` chooses.
pub fn convert_driver(name: impl Into<String>, word: u32, words_in: u32, words_out: u32) -> Driver {
    match (words_in, words_out) {
        (from, to) if to.is_multiple_of(from) => widen_driver(name, word, from, to / from),
        (from, to) if from.is_multiple_of(to) => narrow_driver(name, word, to, from / to),
        (from, to) if from < to => pack_driver(name, word, from, to, Beats::Full),
        (from, to) => gearbox_driver(name, word, from, to),
    }
}
