use super::*;
use crate::stream::testing::*;

#[test]
fn joins_words_and_closes_packets() {
    let lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 1, 1, 17];
    for (word_width, words, ratio) in [(8, 1, 2), (8, 2, 3), (16, 1, 4), (5, 3, 5), (8, 4, 16)] {
        let design = build(widen(word_width, words, ratio));
        let sent = packets(&lengths, word_width, words);
        let expected = packets(&lengths, word_width, words * ratio);
        check_packets(&design, (&design.ports.s, &design.ports.m), &sent, &expected);
    }
}

#[test]
fn takes_a_beat_in_every_cycle() {
    let design = build(widen(8, 1, 4));
    let t = timing(&design, &design.ports.s, &design.ports.m, &packets(&[400], 8, 1), 100);
    assert_eq!(t.sent, (0..400).collect::<Vec<_>>());
    assert_eq!(t.received, (0..100).map(|i| 4 * i + 4).collect::<Vec<_>>());
    assert_eq!(design.combinational_paths(), [("m_ready", "s_ready")]);
    // packets of one word: each needs a wide beat of its own
    let t = timing(&design, &design.ports.s, &design.ports.m, &packets(&[1; 50], 8, 1), 50);
    assert_eq!(t.received, (1..51).collect::<Vec<_>>());
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(widen(8, 1, 1)), "ratio = 1 is out of range");
    assert_eq!(message(widen(8, 1, 1025)), "ratio = 1025 is out of range");
    assert_eq!(message(widen(0, 1, 2)), "word_width = 0, words = 1");
    assert_eq!(message(widen(1024, 64, 2)), "the wide beat has 131072 bits");
}
