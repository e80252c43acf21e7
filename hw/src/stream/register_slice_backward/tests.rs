use super::*;
use crate::stream::testing::*;

#[test]
fn passes_every_word_once_and_in_order() {
    for width in [1, 16, 65] {
        let design = build(register_slice_backward(width));
        let words = counting(300, width);
        check_stream(&design, &design.ports.s, &design.ports.m, &words, &words);
    }
}

#[test]
fn passes_words_straight_through_and_holds_one() {
    let design = build(register_slice_backward(16));
    let t = timing(&design, &design.ports.s, &design.ports.m, &counting(100, 16), 100);
    assert_eq!(t.sent, (0..100).collect::<Vec<_>>());
    assert_eq!(t.received, t.sent);
    assert_eq!(held(&design, &design.ports.s, &design.ports.m), 1);
    assert_eq!(design.combinational_paths(), [("s_valid", "m_valid"), ("s_payload", "m_payload")]);
}

#[test]
fn refuses_a_width_of_zero() {
    assert_eq!(message(register_slice_backward(0)), "width = 0 is out of range");
}

#[module]
fn between_streams(width: u32) -> Result<Design<RegisterSlicePorts>, Errors> {
    let m = Module::new("between_streams");
    let io = RegisterSlicePorts::new(m, width);
    let held = register_slice_backward_after(m, io.s)?;
    io.m.set(held);
    m.finish(io)
}

#[test]
fn stands_behind_a_stream() {
    let design = build(between_streams(8));
    check_stream(&design, &design.ports.s, &design.ports.m, &counting(50, 8), &counting(50, 8));
}
