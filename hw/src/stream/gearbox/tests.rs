use super::*;
use crate::stream::testing::*;
use sim::bus::Beat as SentBeat;

#[test]
fn converts_to_fewer_words() {
    let lengths: Vec<u64> = (1..=30).chain([64, 1, 1, 2, 1, 97]).collect();
    for (word_width, from, to) in
        [(8, 5, 3), (8, 3, 2), (8, 6, 4), (5, 8, 7), (8, 8, 3), (16, 9, 6), (4, 16, 5), (1, 7, 4)]
    {
        let design = build(gearbox(word_width, from, to));
        let sent = packets(&lengths, word_width, from);
        let expected = packets(&lengths, word_width, to);
        check_packets(&design, (&design.ports.s, &design.ports.m), &sent, &expected);
    }
}

#[test]
fn an_end_without_words_is_not_lost() {
    let design = build(gearbox(8, 3, 2));
    let full = |data: u64| [data, 7, 0];
    // behind a word that is left, behind none, and alone
    let sent = [full(0x33_2211), [0, 0, 1], full(0x33_2211), full(0x66_5544), [0, 0, 1], [0, 0, 1]];
    let expected: [[u64; 3]; 7] =
        [[0x2211, 3, 0], [0x33, 1, 1], [0x2211, 3, 0], [0x4433, 3, 0], [0x6655, 3, 0], [0, 0, 1], [0, 0, 1]];
    let (sent, expected) = (sent.map(SentBeat::from), expected.map(SentBeat::from));
    check_packets(&design, (&design.ports.s, &design.ports.m), &sent, &expected);
}

#[test]
fn gives_a_beat_in_every_cycle_also_from_packet_to_packet() {
    for (from, to) in [(5, 3), (3, 2), (8, 7), (8, 3), (6, 4)] {
        let design = build(gearbox(8, from, to));
        let lengths: Vec<u64> = (1..60).chain([1; 20]).collect();
        let (sent, expected) = (packets(&lengths, 8, from), packets(&lengths, 8, to));
        let t = timing(&design, &design.ports.s, &design.ports.m, &sent, expected.len());
        assert_eq!(t.received, (1..=expected.len() as u64).collect::<Vec<_>>(), "{}", design.name());
        assert_eq!(design.combinational_paths(), [("m_ready", "s_ready")]);
    }
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(gearbox(8, 3, 5)), "words_in = 3, words_out = 5");
    assert_eq!(message(gearbox(8, 6, 3)), "words_in = 6, words_out = 3");
    assert_eq!(message(gearbox(8, 1025, 4)), "words_in = 1025, words_out = 4");
    assert_eq!(message(gearbox(0, 5, 4)), "word_width = 0");
}
