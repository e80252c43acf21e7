//! `pipeline_enabled` with a random enable: whatever stands in the scope, every item gives what the model says, once.

use crate::common::numbers::Random;
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;

ports! {
    struct WordPorts() {
        input advance: Signal = bits(1),
        input n: Signal = bits(4),
        output difference: Signal = bits(4),
    }
}

/// Word `n` of the memory is `n`.
#[module]
fn looked_up(own_enable: bool) -> Design<WordPorts> {
    let m = Module::new("looked_up");
    let io = WordPorts::new(m);
    let p = m.pipeline_enabled("look_up", io.advance);
    let n = p.enter(io.n);
    let table = m.memory(bits(4), 16).init(0u32..16);
    let word = if own_enable { table.read_sync_enabled(n, io.advance) } else { table.read_sync(n) };
    io.difference.set(p.leave(word - n.meet(word)));
    m.finish(io).unwrap()
}

#[test]
fn a_word_stands_with_its_address() {
    for own_enable in [false, true] {
        let mut sim = Simulator::new(&looked_up(own_enable));
        let mut random = Random::new(1);
        for cycle in 0..500 {
            sim.poke(0, random.below(2));
            sim.poke(1, random.below(16));
            sim.step();
            assert_eq!(sim.peek(2), 0, "cycle {cycle}");
        }
    }
}

ports! {
    struct SquarePorts() {
        input advance: Signal = bits(1),
        input x: Signal = bits(4),
        output square: Signal = bits(8),
    }
}

/// Two cycles, in which its own pipeline moves; the same by hand; a pipeline around the one or the other.
#[module]
fn square(kind: u32) -> Design<SquarePorts> {
    let m = Module::new(format!("square{kind}"));
    let io = SquarePorts::new(m);
    m.latency(2);
    match kind {
        0 => {
            let p = m.pipeline_enabled("square", io.advance);
            let x = p.enter(io.x).next();
            io.square.set(p.leave((x * x).next()));
        }
        1 => {
            let x = m.reg(bits(4)).enable(io.advance);
            let y = m.reg(bits(8)).enable(io.advance);
            x.set(io.x);
            y.set(x * x);
            io.square.set(y);
        }
        _ => {
            let p = m.pipeline_enabled("around", io.advance);
            let inner = m.instance(&square(kind - 2));
            inner.x.set(p.enter(io.x));
            io.square.set(p.leave(inner.square));
        }
    }
    m.finish(io).unwrap()
}

ports! {
    struct AllPorts() {
        input advance: Signal = bits(1),
        input valid: Signal = bits(1),
        input x: Signal = bits(4),
        output out_valid: Signal = bits(1),
        output item: Signal = bits(4),
        output times: Signal = bits(8),
        output sum: Signal = bits(8),
        output earlier: Signal = bits(8),
        output plain: Signal = bits(4),
        output square: Signal = bits(8),
    }
}

/// A memory that counts, state, a register, and an instance.
#[module]
fn all(kind: u32) -> Design<AllPorts> {
    let m = Module::new("all");
    let io = AllPorts::new(m);
    let p = m.pipeline_enabled("all", io.advance);
    let valid = p.enter_valid(io.valid).next();
    let x = p.enter(io.x).next();
    let counts = m.memory(bits(8), 16).init([0u32]);
    let times = counts.read(x) + 1;
    counts.write(x, times, valid);
    let sum = p.state(m.reg_reset(bits(8), 0), x);
    m.when(valid, || sum.set(sum + x.zext(8)));
    let plain = m.reg(bits(4));
    plain.set(x); // one stage later than `x`
    let unit = m.instance(&square(kind));
    unit.x.set(x);
    let square = unit.square;

    io.times.set(p.leave(times.meet(square)));
    io.sum.set(p.leave(p.after(sum).meet(square)));
    io.earlier.set(p.leave(sum.meet(square)));
    io.plain.set(p.leave(plain.meet(square)));
    io.item.set(p.leave((plain ^ x.next()).meet(square) ^ x.meet(square)));
    io.out_valid.set(p.leave(valid.meet(square)));
    io.square.set(p.leave(square));
    m.finish(io).unwrap()
}

#[test]
fn what_stands_in_the_scope_stands_with_it() {
    for (kind, percent) in [(0, 50), (1, 30), (2, 80), (3, 100), (4, 50)] {
        let design = all(kind);
        let mut sim = Simulator::new(&design);
        let mut random = Random::new(u64::from(kind));
        let (mut wanted, mut counts, mut sum, mut given) = (std::collections::VecDeque::new(), [0u64; 16], 0, 0);
        sim.reset(2);
        for cycle in 0..2000 {
            let (advance, valid, x) = (u64::from(random.percent(percent)), random.below(2), random.below(16));
            [advance, valid, x].into_iter().enumerate().for_each(|(port, value)| sim.poke(port, value));
            if advance == 1 && sim.peek(3) == 1 {
                let got = [4, 5, 6, 7, 8, 9].map(|port| sim.peek(port));
                assert_eq!(Some(got), wanted.pop_front(), "kind {kind}, cycle {cycle}");
                given += 1;
            }
            if advance == 1 && valid == 1 {
                counts[x as usize] = (counts[x as usize] + 1) % 256;
                let before = sum;
                sum = (sum + x) % 256;
                wanted.push_back([x, counts[x as usize], sum, before, x, x * x]);
            }
            sim.step();
        }
        assert!(given > 250 && wanted.len() <= 3, "kind {kind}: {given} given, {} left", wanted.len());
    }
}

/// In a pipeline that never stands, the input that would hold an instance is 1.
#[test]
#[module]
fn an_instance_goes_on_where_nothing_stands() {
    let m = Module::new("goes_on");
    let io = SquarePorts::new(m);
    io.advance.unused();
    let p = m.pipeline("goes_on");
    let unit = m.instance(&square(0));
    unit.x.set(p.enter(io.x));
    io.square.set(p.leave(unit.square));
    let design = m.finish(io).unwrap();
    let mut sim = Simulator::new(&design);
    for x in 0..16 {
        sim.poke(1, x);
        sim.step();
        sim.step();
        assert_eq!(sim.peek(2), x * x);
    }
    assert!(verilog(&design, &Options::default()).single().contains(".advance(1'h1)"));
}

ports! {
    struct OwnPorts() {
        input advance: Signal = bits(1),
        input wanted: Signal = bits(1),
        input x: Signal = bits(4),
        output held: Signal = bits(4),
        output word: Signal = bits(4),
    }
}

/// The user's own enables and that of the pipeline: both must be 1.
#[test]
#[module]
fn enables_of_the_user_come_on_top() {
    let m = Module::new("own");
    let io = OwnPorts::new(m);
    let p = m.pipeline_enabled("own", io.advance);
    let (wanted, x) = p.enter((io.wanted, io.x));
    let held = m.reg_reset(bits(4), 0).enable(wanted);
    held.set(x);
    let table = m.memory(bits(4), 16).init(0u32..16);
    let word = table.read_sync_enabled(x, wanted);
    io.held.set(p.leave(held));
    io.word.set(p.leave(word));
    let mut sim = Simulator::new(&m.finish(io).unwrap());
    sim.power_up(PowerUp::Zero); // what was read last has no reset
    sim.reset(2);
    let (mut random, mut last) = (Random::new(8), 0);
    for _ in 0..300 {
        let (advance, wanted, x) = (random.below(2), random.below(2), random.below(16));
        [advance, wanted, x].into_iter().enumerate().for_each(|(port, value)| sim.poke(port, value));
        sim.step();
        last = if advance & wanted == 1 { x } else { last };
        assert_eq!([sim.peek(3), sim.peek(4)], [last, last]);
    }
}

ports! {
    struct BackPorts() {
        input advance: Signal = bits(1),
        input x: Signal = bits(8),
        output seen: Signal = bits(8),
        output written: Signal = bits(8),
        output bypass: Signal = bits(8),
    }
}

/// A sum that is read at stage 0 and written at stage 2, and the value of the item in front through a wire.
#[module]
fn back() -> Design<BackPorts> {
    let m = Module::new("back");
    let io = BackPorts::new(m);
    let p = m.pipeline_enabled("back", io.advance);
    let x = p.enter(io.x);
    let last = p.feedback(m.reg_reset(bits(8), 0), x);
    let in_front = p.feedback(m.wire(bits(8)), x);
    in_front.set(x.next());
    let seen = last.later(2);
    last.set(x.later(2));
    io.seen.set(p.leave(seen));
    io.written.set(p.leave(p.after(last)));
    io.bypass.set(p.leave(in_front.later(2)));
    m.latency_of((io.seen, io.bypass), 2);
    m.latency_of(io.written, 3);
    m.finish(io).unwrap()
}

#[test]
fn ways_back() {
    let mut sim = Simulator::new(&back());
    sim.reset(2);
    let (mut random, mut items) = (Random::new(4), vec![]);
    for _ in 0..500 {
        let (advance, x) = (random.below(2), random.below(256));
        sim.poke(0, advance);
        sim.poke(1, x);
        let n = items.len();
        if advance == 1 && n > 8 {
            // the item at stage 2 is `n - 2`; it saw what `n - 5` wrote, and `n - 3` stood in front of it
            assert_eq!([sim.peek(2), sim.peek(4)], [items[n - 5], items[n - 3]]);
            assert_eq!(sim.peek(3), items[n - 3], "written by the item one stage on");
        }
        if advance == 1 {
            items.push(x);
        }
        sim.step();
    }
    assert!(items.len() > 200);
}
