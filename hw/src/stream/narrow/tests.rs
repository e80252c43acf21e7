use super::*;
use crate::stream::testing::*;
use crate::stream::widen::widen_after;

#[test]
fn cuts_beats_and_leaves_empty_ones_out() {
    let lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 1, 1, 17];
    for (word_width, words, ratio) in [(8, 1, 2), (8, 2, 3), (16, 1, 4), (5, 3, 5), (8, 4, 16)] {
        let design = build(narrow(word_width, words, ratio));
        let sent = packets(&lengths, word_width, words * ratio);
        let expected = packets(&lengths, word_width, words);
        check_stream(&design, &design.ports.s, &design.ports.m, &sent, &expected);
    }
}

#[test]
fn keeps_holes_and_the_end_of_an_empty_beat() {
    let design = build(narrow(8, 1, 4));
    let sent = [[0x4433_2211, 0b0101, 0].into(), [0x8877_6655, 0b0000, 1].into(), [0x1234_5678, 0b1000, 1].into()];
    let expected = [
        [0x11, 1, 0],
        [0x22, 0, 0],
        [0x33, 1, 0],
        [0x55, 0, 1],
        [0x78, 0, 0],
        [0x56, 0, 0],
        [0x34, 0, 0],
        [0x12, 1, 1],
    ];
    check_stream(&design, &design.ports.s, &design.ports.m, &sent, &expected.map(sim::bus::Beat::from));
}

#[test]
fn gives_a_beat_in_every_cycle() {
    let design = build(narrow(8, 1, 4));
    let t = timing(&design, &design.ports.s, &design.ports.m, &packets(&[400], 8, 4), 400);
    assert_eq!(t.sent, (0..100).map(|i| 4 * i).collect::<Vec<_>>());
    assert_eq!(t.received, (1..401).collect::<Vec<_>>());
    let paths = design.combinational_paths();
    assert_eq!(paths, [("m_ready", "s_ready")]);
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(narrow(8, 1, 1)), "ratio = 1 is out of range");
    assert_eq!(message(narrow(8, 0, 2)), "word_width = 8, words = 0");
}

ports! {
    struct ThereAndBackPorts() {
        input s: Stream<Beat> = stream(beat(8, 1)),
        output m: Stream<Beat> = stream(beat(8, 1)),
    }
}

#[test]
fn undoes_what_widen_does() {
    #[module]
    fn there_and_back(ratio: u32) -> Result<Design<ThereAndBackPorts>, Errors> {
        let m = Module::new("there_and_back");
        let io = ThereAndBackPorts::new(m);
        let wide = widen_after(m, io.s, ratio)?;
        let back = narrow_after(m, wide, ratio)?;
        io.m.set(back);
        m.finish(io)
    }
    for ratio in [1, 2, 7, 16] {
        let design = build(there_and_back(ratio));
        let beats = packets(&[1, 5, 16, 17, 100], 8, 1);
        check_stream(&design, &design.ports.s, &design.ports.m, &beats, &beats);
    }
    assert!(message(there_and_back(0)).contains("ratio = 0"));
}
