use super::*;
use crate::stream::testing::*;

#[test]
fn passes_every_word_once_and_in_order() {
    for width in [1, 16, 65] {
        let design = build(register_slice_forward(width));
        let words = counting(300, width);
        check_stream(&design, &design.ports.s, &design.ports.m, &words, &words);
    }
}

#[test]
fn moves_a_word_in_every_cycle_and_holds_one() {
    let design = build(register_slice_forward(16));
    let t = timing(&design, &design.ports.s, &design.ports.m, &counting(100, 16), 100);
    assert_eq!(t.sent, (0..100).collect::<Vec<_>>());
    assert_eq!(t.received, (1..101).collect::<Vec<_>>());
    assert_eq!(held(&design, &design.ports.s, &design.ports.m), 1);
    assert_eq!(design.combinational_paths(), [("m_ready", "s_ready")]);
}

#[test]
fn refuses_a_width_of_zero() {
    assert_eq!(message(register_slice_forward(0)), "width = 0 is out of range");
}

#[module]
fn between_streams(width: u32) -> Result<Design<RegisterSlicePorts>, Errors> {
    let m = Module::new("between_streams");
    let io = RegisterSlicePorts::new(m, width);
    let held = register_slice_forward_after(m, io.s)?;
    io.m.set(held);
    m.finish(io)
}

#[test]
fn stands_behind_a_stream() {
    let design = build(between_streams(8));
    check_stream(&design, &design.ports.s, &design.ports.m, &counting(50, 8), &counting(50, 8));
}
