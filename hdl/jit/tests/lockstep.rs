//! Machine code against the interpreter, cycle by cycle, on random stimuli: all ports in every cycle, all signals now and then.

mod common;

use common::{check, finish, input, lockstep, number, output};
use fastrand::Rng;
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;

/// Every operator at the edges of words, once to an output and once to a register.
#[test]
fn operators_of_all_widths() {
    for (own, width) in (0..).zip([1, 2, 31, 32, 63, 64, 65, 100, 127, 128, 129, 192, 300]) {
        let m = Module::new("operators");
        let (a, b, c) = (input(m, "a", width), input(m, "b", width), input(m, "c", 1));
        let (by, wide_by, narrow) = (input(m, "by", 9), input(m, "wide_by", 70), input(m, "narrow", 7));
        let mut values = vec![a + b, a - b, a & b, a | b, a ^ b, !a, a * b, a.mul_signed(b), a * narrow];
        values.extend([a.eq(b), a.lt(b), a.le(b), a.gt(b), a.ge(b), a.ne(b)]);
        values.extend([a.lt_signed(b), a.le_signed(b), a.gt_signed(b), a.ge_signed(b)]);
        values.extend([a.any(), a.all(), a.parity(), (a + b).any(), (a - b).all(), (!a).parity()]);
        values.extend([
            a << by,
            a >> by,
            a.sra(by),
            a << wide_by,
            a >> wide_by,
            a.sra(wide_by),
            (a + b) >> by,
            (a - b).sra(by),
        ]);
        values.extend([c.mux(a, b), c.mux(a + b, b), (a - b).msb().mux(a, b), c.repeat(width), a.repeat(3)]);
        values.extend([a.cat(b), cat(&[c, a, narrow, b]), cat(&[a + b, c, a - b]), (a + b).zext(width + 3)]);
        values.extend([a.sext(width + 1), a.sext(width + 64), (a + b).sext(200 + width), narrow.sext(7 + width)]);
        for lo in [0, 1, 7, 31, 63, 64, 65].into_iter().filter(|lo| *lo < width) {
            for wide in [1, 5, 64, 66, width - lo].into_iter().filter(|wide| lo + wide <= width) {
                values.extend([a.bits(lo + wide - 1, lo), (a + b).bits(lo + wide - 1, lo)]);
            }
        }
        for (i, value) in values.into_iter().enumerate() {
            output(m, format!("y{i}"), value);
            let register = m.reg_reset(bits(value.width()), 0).named(&format!("r{i}"));
            register.set(value);
            output(m, format!("q{i}"), register);
        }
        check(&finish(m), 300, own);
    }
}

/// Bits at a place that a signal gives, read and assigned.
#[test]
fn dynamic_places() {
    for (own, (width, part)) in (0..).zip([(8, 3), (64, 5), (65, 1), (128, 64), (200, 33), (256, 7), (257, 64)]) {
        let m = Module::new("places");
        let (a, value) = (input(m, "a", width), input(m, "value", part));
        // so many bits cannot reach past the end
        let at = input(m, "at", (width - part + 1).ilog2()).zext(clog2(width as usize));
        output(m, "read", a.part(at, part));
        output(m, "read_sum", (a + a).part(at, part));
        let wire = m.wire(bits(width)).named("wire");
        wire.set(a);
        wire.part(at, part).set(value);
        output(m, "assigned", wire);
        let register = m.reg_reset(bits(width), 5).named("register");
        register.part(at, part).set(value);
        output(m, "register_q", register);
        check(&finish(m), 400, own);
    }
}

/// Elements that signals choose, of every length and kind of vector, read and assigned: whole, and a bit of them.
#[test]
fn elements_of_vectors() {
    let shapes = [(1, 1), (8, 1), (1, 2), (64, 2), (8, 3), (65, 3), (20, 5), (7, 16), (33, 33)];
    for (own, (width, length)) in (0..).zip(shapes) {
        let m = Module::new("elements");
        let (to, from) = (input(m, "to", clog2(length)), input(m, "from", clog2(length)));
        let (value, write, set) = (input(m, "value", width), input(m, "write", 1), input(m, "set", 1));
        let wires = m.wire(vector(bits(width), length));
        for (made, elements) in
            [m.reg_reset(vector(bits(width), length), 1), m.reg_file_reset(bits(width), length, 1), wires]
                .into_iter()
                .enumerate()
        {
            if made == 2 {
                elements.iter().for_each(|element| element.set(value + 1));
            }
            m.when(write, || elements.at(to).set(value));
            m.when(set, || elements.at(to).bit(width / 2).set(1));
            output(m, format!("y{made}"), elements.at(from));
            output(m, format!("all{made}"), elements.pack());
        }
        check(&finish(m), 400, own);
    }
}

/// Two write ports with lanes, all kinds of read ports, a write that depends on what is read, two clocks; some addresses are
/// past the end.
#[test]
fn memories() {
    let shapes = [
        (1, 1, 1),
        (8, 2, 1),
        (1, 1, 2),
        (8, 1, 16),
        (32, 4, 11),
        (64, 8, 11),
        (65, 5, 5),
        (96, 12, 16),
        (200, 2, 3),
        (200, 200, 9),
    ];
    for (own, (width, lanes, depth)) in (0..).zip(shapes) {
        let m = Module::new("memories");
        m.unchecked_clocks("a test of the engines: random data goes from clock to clock");
        let addr = ["a0", "a1", "a2", "a3", "a4"].map(|n| input(m, n, clog2(depth)));
        let (data, more) = (input(m, "data", width), input(m, "more", width));
        let (mask, enable) = (input(m, "mask", lanes), input(m, "enable", 1));
        let mut rng = Rng::with_seed(hdl::bus::run_seed(own));
        let memory = m.memory(bits(width), depth).init((0..depth).map(|_| number(&mut rng, width)));
        let other = m.memory(bits(width), depth);
        memory.write_lanes(addr[0], data, mask);
        memory.write(addr[1], memory.read(addr[2]) ^ more, enable);
        output(m, "now", memory.read(addr[3]));
        output(m, "later", memory.read_sync(addr[4]));
        output(m, "held", memory.read_sync_enabled(addr[1], enable));
        let copied = memory.read_sync(addr[2]);
        other.write(addr[4], copied, !enable);
        let crossed = m.domain("clk_b", "rst_b", || {
            other.write(addr[0], data, enable);
            (memory.read_sync(addr[3]), other.read_sync_enabled(addr[2], enable))
        });
        output(m, "crossed", crossed.0 ^ crossed.1);
        output(m, "other_now", other.read(addr[0]));
        check(&finish(m), 600, own);
    }
}

/// Registers that take each other's values: in circles, along chains, and past registers that hold.
#[test]
fn states_in_any_order() {
    for own in 0..20 {
        let mut rng = Rng::with_seed(hdl::bus::run_seed(own));
        let m = Module::new("states");
        m.unchecked_clocks("a test of the engines: random data goes from clock to clock");
        let data = input(m, "data", 70);
        let enables: Vec<Signal> = (0..3).map(|i| input(m, &format!("enable{i}"), 1)).collect();
        let register = |i: usize, rng: &mut Rng| {
            let width = [1, 8, 64, 70][rng.usize(..4)];
            let mut make = || m.reg_reset(bits(width), rng.bool() as u32).named(&format!("r{i}"));
            if own % 2 == 1 && i.is_multiple_of(5) { m.domain("clk_b", "rst_b", make) } else { make() }
        };
        let registers: Vec<Signal> = (0..40).map(|i| register(i, &mut rng)).collect();
        let fit = |s: Signal, width| if s.width() < width { s.sext(width) } else { s.trunc(width) };
        for (i, &register) in registers.iter().enumerate() {
            let width = register.width();
            let pick = |rng: &mut Rng| match rng.usize(..8) {
                0 => fit(data, width),
                1 => fit(registers[(i + 1) % 40], width),
                2 => fit(registers[(i + 39) % 40], width),
                _ => fit(registers[rng.usize(..40)], width),
            };
            let value = match rng.u32(..4) {
                0 => pick(&mut rng) + pick(&mut rng),
                1 => pick(&mut rng).lt(pick(&mut rng)).mux(pick(&mut rng), pick(&mut rng)),
                _ => pick(&mut rng),
            };
            match rng.usize(..5) {
                k @ 0..3 => {
                    m.when(enables[k], || register.set(value));
                }
                3 => {
                    m.when(enables[0], || ()).otherwise(|| register.set(value));
                }
                _ => register.set(value),
            }
            output(m, format!("q{i}"), register);
        }
        check(&finish(m), 500, own);
    }
}

/// Enough logic for many functions and many blocks under enables, with values that pass from one to the other.
#[test]
fn large_designs() {
    for own in 0..3 {
        let mut rng = Rng::with_seed(hdl::bus::run_seed(own));
        let m = Module::new("large_one");
        let enables: Vec<Signal> = (0..3).map(|i| input(m, &format!("enable{i}"), 1)).collect();
        let inputs: Vec<Signal> = (0..4).map(|i| input(m, &format!("i{i}"), 16)).collect();
        let registers: Vec<Signal> = (0..300).map(|i| m.reg_reset(bits(16), i % 7).named(&format!("r{i}"))).collect();
        let mut pool = [inputs, registers.clone()].concat();
        for _ in 0..6000 {
            let recent = |rng: &mut Rng| pool[rng.usize(pool.len().saturating_sub(900)..pool.len())];
            let (a, b, c) = (recent(&mut rng), recent(&mut rng), pool[rng.usize(..pool.len())]);
            let value = match rng.u32(..6) {
                0 => a + b,
                1 => a - c,
                2 => a.lt(c).mux(b, c),
                3 => (a * b).bits(20, 5),
                4 => a ^ !c,
                _ => a.trunc(9).cat(b.bits(11, 5)),
            };
            pool.push(value);
        }
        pool.iter().for_each(|s| s.unused());
        for (i, register) in registers.iter().enumerate() {
            let value = pool[pool.len() - 1 - rng.usize(..4000)];
            match rng.usize(..4) {
                k @ 0..3 => {
                    m.when(enables[k], || register.set(value));
                }
                _ => register.set(value),
            }
            if i % 10 == 0 {
                output(m, format!("q{i}"), *register ^ value);
            }
        }
        check(&finish(m), 300, own);
    }
}

/// It goes over to machine code in the middle of a run, and clones go their own ways.
#[test]
fn in_the_middle_of_a_run() {
    let m = Module::new("middle");
    let (a, b) = (input(m, "a", 80), input(m, "b", 80));
    let sum = m.reg_reset(bits(80), 3).named("sum");
    sum.set(sum + (a ^ b));
    output(m, "y", sum);
    let design = finish(m);
    let mut sim = jit::simulator(&design);
    sim.power_up(PowerUp::Zero);
    sim.step();
    assert!(!sim.is_native());
    lockstep(&design, &mut jit::simulator(&design), 5000, 1);
    let (a, y) = (sim.port("a").unwrap(), sim.port("y").unwrap());
    let mut other = sim.clone();
    sim.poke_big(a, &1u32.into());
    (0..10_000).for_each(|_| sim.step());
    other.poke_big(a, &2u32.into());
    (0..10_000).for_each(|_| other.step());
    assert_eq!((sim.peek_big(y), other.peek_big(y)), (10_000u32.into(), 20_000u32.into()));
    assert!(sim.is_native() && other.is_native());
}

/// An edge of no clock changes nothing.
#[test]
fn no_clock() {
    let m = Module::new("still");
    let count = m.reg_reset(bits(8), 0).named("count");
    count.set(count + 1);
    output(m, "y", count);
    let mut sim = jit::compiled(&finish(m));
    sim.reset(1);
    [1, 0, 0, 1].into_iter().for_each(|clocks| sim.edge(clocks));
    assert_eq!(sim.peek(0), 2);
}

/// Properties are looked at in machine code too, and say the same.
#[test]
fn properties() {
    let m = Module::new("properties");
    let step = input(m, "step", 8);
    let count = m.reg_reset(bits(8), 0).named("count");
    count.set(count + step);
    m.assert(count.lt(200), "the count stays small");
    m.cover(count.eq(7), "seven");
    output(m, "y", count);
    let design = finish(m);
    let seen = [Simulator::new(&design), jit::compiled(&design)].map(|mut sim| {
        sim.power_up(PowerUp::Zero);
        sim.keep_failures(true);
        sim.poke(0, 7);
        (0..300).for_each(|_| sim.step());
        let covers: Vec<u64> = sim.covers().into_iter().map(|(.., count)| count).collect();
        (sim.failures().iter().map(|f| f.cycle).collect::<Vec<_>>(), covers)
    });
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[1], (vec![29], vec![2]));
}
