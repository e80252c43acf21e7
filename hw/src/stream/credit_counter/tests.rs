use super::*;
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::testing::*;
use hdl::engine::Engine;
use hdl::{bits, stream};

/// Against a count, with phases in which credits run out and in which more come back than were taken.
#[test]
fn counts_what_is_taken_and_given() {
    for credits in [1u32, 2, 3, 4, 7] {
        let design = build(credit_counter(credits));
        let port = |signal| design.port_index(signal).unwrap();
        let CreditCounterPorts { take, available, give, level, excess } = design.ports;
        let mut engine = jit::simulator(&design);
        let mut rng = fastrand::Rng::with_seed(sim::bus::seed(1));
        let (mut count, mut too_many) = (credits, false);
        let (mut was_empty, mut was_excess) = (false, false);
        engine.reset(2);
        for cycle in 0..3000 {
            let (taking, giving) = match cycle / 50 % 3 {
                0 => (rng.u8(0..10) < 8, rng.u8(0..10) < 3),
                1 => (rng.u8(0..10) < 3, rng.u8(0..10) < 8),
                _ => (rng.bool(), rng.bool()),
            };
            engine.poke(port(take), taking.into());
            engine.poke(port(give), giving.into());
            assert_eq!(engine.peek(port(level)), u64::from(count), "{credits} credits, cycle {cycle}");
            assert_eq!(engine.peek(port(available)), u64::from(count > 0));
            assert_eq!(engine.peek(port(excess)), u64::from(too_many));
            was_empty |= count == 0;
            was_excess |= too_many;
            let taken = taking && count > 0;
            too_many = giving && !taken && count == credits;
            count = count - u32::from(taken) + u32::from(giving && !too_many);
            engine.step();
        }
        assert!(was_empty && was_excess, "the test reached both ends");
        assert_eq!(design.combinational_paths(), []);
    }
}

ports! {
    struct LoopPorts() {
        input s: Stream = stream(bits(16)),
        output m: Stream = stream(bits(16)),
        output full: Signal = bits(1),
        output excess: Signal = bits(1),
    }
}

/// A sender with credits, a wire of two registers without ready, a buffer as large as the credits, and the credits back.
#[module]
fn far_buffer(credits: u32) -> Result<Design<LoopPorts>, Errors> {
    let m = Module::new("far_buffer");
    let io = LoopPorts::new(m);
    let give = m.wire(bits(1));
    let sender = with_credits(m, io.s, credits, give)?;
    sender.stream.ready.set(true);
    let mut far = (sender.stream.valid, sender.stream.payload);
    for _ in 0..2 {
        let valid = m.reg_reset(bits(1), 0);
        let word = m.reg(bits(16));
        valid.set(far.0);
        word.set(far.1);
        far = (valid, word);
    }
    let ready = m.wire(bits(1));
    let buffer = fifo_after(m, Stream { valid: far.0, ready, payload: far.1 }, credits as usize, Style::Distributed)?;
    io.m.set(buffer);
    give.set(buffer.transfer());
    io.full.set(far.0 & !ready);
    io.excess.set(sender.excess);
    m.finish(io)
}

#[test]
fn a_buffer_behind_credits_never_overflows() {
    let design = build(far_buffer(6));
    let words = counting(400, 16);
    // a word that came while the buffer is full would be lost
    check_stream(&design, &design.ports.s, &design.ports.m, &words, &words);
    let paths: Vec<_> = design.combinational_paths().into_iter().filter(|path| path.1 == "s_ready").collect();
    assert_eq!(paths, [], "nothing of the far end within the cycle");
}

#[test]
fn as_many_credits_as_the_loop_is_long_keep_the_rate() {
    // two registers, one cycle through the FIFO, one until the credit can be taken again
    let design = build(far_buffer(4));
    let t = timing(&design, &design.ports.s, &design.ports.m, &counting(100, 16), 100);
    assert_eq!(t.received, (3..103).collect::<Vec<_>>());
    let design = build(far_buffer(3));
    let t = timing(&design, &design.ports.s, &design.ports.m, &counting(99, 16), 99);
    assert_eq!(t.received, (0..99).map(|i| 3 + i / 3 * 4 + i % 3).collect::<Vec<_>>());
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(credit_counter(0)), "credits = 0 is out of range");
    assert_eq!(message(credit_counter(MAX_CREDITS + 1)), "credits = 1048577 is out of range");
}
