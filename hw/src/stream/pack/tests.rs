use super::*;
use crate::stream::testing::*;
use fastrand::Rng;
use sim::bus::Beat as SentBeat;

const LENGTHS: [u64; 20] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 1, 1, 17, 11, 1, 13, 10, 12, 25, 2];

#[test]
fn converts_to_more_words() {
    for (word_width, from, to) in [(8, 3, 5), (8, 4, 6), (8, 1, 4), (5, 7, 8), (16, 2, 3), (8, 6, 9), (1, 5, 16)] {
        let design = build(pack(word_width, from, to, Beats::Full));
        let sent = packets(&LENGTHS, word_width, from);
        let expected = packets(&LENGTHS, word_width, to);
        check_packets(&design, (&design.ports.s, &design.ports.m), &sent, &expected);
    }
}

/// The same packets in beats of up to `most` words, some of them empty.
fn scattered(rng: &mut Rng, lengths: &[u64], word_width: u32, words_in: u32) -> Vec<SentBeat> {
    let mut beats = vec![];
    for packet in packets_of_words(lengths, word_width) {
        let mut rest = packet.as_slice();
        let most = [1, words_in as usize / 2 + 1, words_in as usize][rng.usize(0..3)].min(words_in as usize);
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rng.usize(0..=most.min(rest.len())));
            // the end may come with the last words only: an empty last beat is tested by itself
            beats.push(beat_of(rng, now, word_width, words_in, later.is_empty()));
            rest = later;
        }
    }
    beats
}

/// A beat of these words; what is not kept is anything.
fn beat_of(rng: &mut Rng, words: &[u64], word_width: u32, words_in: u32, last: bool) -> SentBeat {
    let mask = (1u64 << word_width) - 1;
    let all = (0..words_in as usize).map(|i| words.get(i).copied().unwrap_or(rng.u64(..) & mask));
    let data = all.enumerate().map(|(i, w)| hdl::BigUint::from(w) << (i * word_width as usize)).sum();
    let keep = (hdl::BigUint::from(1u32) << words.len()) - 1u32;
    SentBeat(vec![data, keep, u32::from(last).into()])
}

#[test]
fn packs_beats_of_any_number_of_words() {
    let mut rng = Rng::with_seed(sim::bus::seed(5));
    for (word_width, from, to) in
        [(8, 4, 4), (8, 3, 5), (8, 1, 2), (8, 8, 8), (4, 5, 7), (8, 2, 6), (8, 7, 7), (3, 16, 16)]
    {
        let design = build(pack(word_width, from, to, Beats::Any));
        for _ in 0..4 {
            let lengths: Vec<u64> =
                (0..40).map(|i| rng.u64(1..=if i % 2 == 0 { 3 } else { 3 * u64::from(to) })).collect();
            let sent = scattered(&mut rng, &lengths, word_width, from);
            let expected = packets(&lengths, word_width, to);
            check_packets(&design, (&design.ports.s, &design.ports.m), &sent, &expected);
        }
    }
}

/// The end of a packet comes without words: behind a beat that is not full, behind a full one, and alone.
#[test]
fn an_end_without_words_is_not_lost() {
    for beats in [Beats::Full, Beats::Any] {
        let design = build(pack(8, 2, 4, beats));
        let sent: [[u64; 3]; 6] = [[0x2211, 3, 0], [0, 0, 1], [0x2211, 3, 0], [0x4433, 3, 0], [0, 0, 1], [0, 0, 1]];
        let expected: [[u64; 3]; 4] = [[0x2211, 3, 1], [0x4433_2211, 15, 0], [0, 0, 1], [0, 0, 1]];
        let (sent, expected) = (sent.map(SentBeat::from), expected.map(SentBeat::from));
        check_packets(&design, (&design.ports.s, &design.ports.m), &sent, &expected);
    }
    // a whole beat waits while the rest of the packet before leaves, and its end comes behind it
    let design = build(pack(8, 2, 2, Beats::Any));
    let sent: [[u64; 3]; 4] = [[0x11, 1, 0], [0x3322, 3, 1], [0x5544, 3, 0], [0, 0, 1]];
    let expected: [[u64; 3]; 4] = [[0x2211, 3, 0], [0x33, 1, 1], [0x5544, 3, 0], [0, 0, 1]];
    let (sent, expected) = (sent.map(SentBeat::from), expected.map(SentBeat::from));
    check_packets(&design, (&design.ports.s, &design.ports.m), &sent, &expected);
}

#[test]
fn with_full_beats_keep_counts_only_at_the_last() {
    let design = build(pack(8, 2, 3, Beats::Full));
    let sent: [[u64; 3]; 2] = [[0x2211, 0, 0], [0x4433, 1, 1]];
    check_packets(
        &design,
        (&design.ports.s, &design.ports.m),
        &sent.map(SentBeat::from),
        &[[0x33_2211u64, 7, 1].into()],
    );
}

#[test]
fn takes_a_beat_in_every_cycle_whatever_the_lengths() {
    for (from, to, beats) in [(3, 5, Beats::Full), (7, 8, Beats::Full), (4, 4, Beats::Any), (5, 7, Beats::Any)] {
        let design = build(pack(8, from, to, beats));
        let mut rng = Rng::with_seed(sim::bus::seed(3));
        let lengths: Vec<u64> = (0..200).map(|_| rng.u64(1..30)).chain([1; 20]).collect();
        let sent = match beats {
            Beats::Full => packets(&lengths, 8, from),
            Beats::Any => scattered(&mut rng, &lengths, 8, from),
        };
        let t = timing(&design, &design.ports.s, &design.ports.m, &sent, packets(&lengths, 8, to).len());
        assert_eq!(t.sent, (0..sent.len() as u64).collect::<Vec<_>>(), "{}", design.name());
        assert!(t.received.last().unwrap() <= &(sent.len() as u64 + 1));
        assert_eq!(design.combinational_paths(), [("m_ready", "s_ready")]);
    }
    // the latency
    let design = build(pack(8, 3, 5, Beats::Full));
    let t = timing(&design, &design.ports.s, &design.ports.m, &packets(&[9], 8, 3), 2);
    assert_eq!(t.received, [2, 3]);
    let t = timing(&design, &design.ports.s, &design.ports.m, &packets(&[6], 8, 3), 2);
    assert_eq!(t.received, [2, 3], "what is left of a last beat");
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(pack(8, 4, 4, Beats::Full)), "words_in = 4, words_out = 4");
    assert_eq!(message(pack(8, 1, 1, Beats::Any)), "words_in = 1, words_out = 1");
    assert_eq!(message(pack(8, 5, 4, Beats::Any)), "words_in = 5, words_out = 4");
    assert_eq!(message(pack(8, 0, 4, Beats::Any)), "words_in = 0, words_out = 4");
    assert_eq!(message(pack(0, 1, 4, Beats::Any)), "word_width = 0");
    assert_eq!(message(pack(128, 1, 1024, Beats::Any)), "the wider beat has 131072 bits");
}
