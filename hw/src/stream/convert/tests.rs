use super::*;
use crate::stream::beat;
use crate::stream::testing::*;
use hdl::{ports, stream};

ports! {
    struct ThereAndBackPorts(words: u32) {
        input s: Stream<Beat> = stream(beat(8, words)),
        output m: Stream<Beat> = stream(beat(8, words)),
    }
}

#[module]
fn there_and_back(words: u32, between: u32) -> Result<Design<ThereAndBackPorts>, Errors> {
    let m = Module::new("there_and_back");
    let io = ThereAndBackPorts::new(m, words);
    let other = convert_after(m, io.s, between)?;
    let back = convert_after(m, other, words)?;
    io.m.set(back);
    m.finish(io)
}

#[test]
fn every_width_to_every_other_and_back() {
    let lengths: Vec<u64> = (1..20).collect();
    for words in 1..=6 {
        for between in 1..=6 {
            let design = build(there_and_back(words, between));
            let beats = packets(&lengths, 8, words);
            check_packets(&design, (&design.ports.s, &design.ports.m), &beats, &beats);
        }
    }
}

#[test]
fn chooses_the_part() {
    let name = |from, to| build(convert(8, from, to)).name().to_string();
    assert_eq!(name(2, 6), "widen_16x3");
    assert_eq!(name(6, 2), "narrow_3x16");
    assert_eq!(name(3, 5), "pack_3_to_5x8");
    assert_eq!(name(5, 3), "gearbox_5_to_3x8");
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(convert(8, 4, 4)), "words_in = 4, words_out = 4");
    assert_eq!(message(convert(8, 4, 0)), "words_in = 4, words_out = 0");
    assert_eq!(message(convert(128, 4, 1024)), "the wider beat has 131072 bits");
}
