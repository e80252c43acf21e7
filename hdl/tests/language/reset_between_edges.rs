//! Asynchronous resets between clock edges, and properties where a reset comes from inside.
#![allow(missing_docs)]

use hdl::{engine::Engine, sim::Simulator, *};

ports! {
    struct ClearedPorts() {
        input r: Signal = bits(1),
        input a: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// A register that a port clears resets a counter.
#[module]
fn cleared() -> Design<ClearedPorts> {
    let m = Module::new("cleared");
    let io = ClearedPorts::new(m);
    let c = m.reg(bits(1)).asynchronous_reset(io.r, 0);
    c.set(io.a);
    let count = m.reg(bits(8)).asynchronous_reset(c, 7);
    count.set(count + 1);
    io.y.set(count);
    m.finish(io).unwrap()
}

/// What a reset has reset stays so when a port ends it before the next edge.
#[test]
fn a_reset_that_ends_between_two_edges() {
    let design = cleared();
    let mut sim = Simulator::new(&design);
    let ClearedPorts { r, a, y } = design.ports;
    sim.poke(r, 1);
    sim.step();
    for look in [true, false] {
        sim.poke(r, 0);
        sim.poke(a, 0);
        (0..3).for_each(|_| sim.step());
        sim.poke(a, 1);
        sim.step();
        assert!(!look || sim.peek(y) == 7, "the edge has set `c`, which resets");
        sim.poke(r, 1);
        assert_eq!(sim.peek(y), 7, "`r` has ended the reset");
        sim.step();
        assert_eq!(sim.peek(y), 8);
    }
    // a pulse that was looked at
    sim.poke(a, 0);
    sim.poke(r, 0);
    (0..3).for_each(|_| sim.step());
    assert_eq!(sim.peek(y), 11);
}

ports! {
    struct CheckedPorts() {
        input r: Signal = bits(1),
        input a: Signal = bits(1),
        output y: Signal = bits(1),
    }
}

#[module]
fn checked() -> Design<CheckedPorts> {
    let m = Module::new("checked");
    let io = CheckedPorts::new(m);
    m.reset_from(m.current_domain(), io.r);
    let q = m.reg_reset(bits(1), 0);
    q.set(io.a);
    m.assert(!q, "q is 0");
    m.cover(q, "q is 1");
    io.y.set(q);
    m.finish(io).unwrap()
}

#[module]
fn around() -> Design<CheckedPorts> {
    let m = Module::new("around");
    let io = CheckedPorts::new(m);
    let unit = m.instance(&checked());
    unit.r.set(io.r);
    unit.a.set(io.a);
    let q = m.reg_reset(bits(1), 0);
    q.set(unit.y);
    io.y.set(q);
    m.finish(io).unwrap()
}

/// A domain with a reset of its own is in reset while that is 1, whatever the port around it says.
#[test]
fn properties_under_a_reset_from_inside() {
    for design in [checked(), around()] {
        let mut sim = Simulator::new(&design);
        sim.keep_failures(true);
        let CheckedPorts { r, a, .. } = design.ports;
        sim.poke(r, 1);
        sim.step();
        sim.poke(r, 0);
        sim.poke(a, 1);
        sim.set_reset(0, true);
        (0..5).for_each(|_| sim.step());
        assert_eq!((sim.failures().len(), sim.covers()[0].2), (1, 4), "{}", design.name());
        sim.poke(r, 1);
        (0..3).for_each(|_| sim.step());
        assert_eq!(sim.covers()[0].2, 4, "in reset, nothing is looked at");
    }
}

/// A look at what is inside counts as one at a port.
#[test]
#[module]
fn a_reset_seen_by_looking_inside() {
    for inside in [false, true] {
        let m = Module::new("seen");
        let io = ClearedPorts::new(m);
        io.a.unused();
        let count = m.reg(bits(8)).asynchronous_reset(io.r, 7);
        count.set(count + 1);
        io.y.set(count);
        let design = m.finish(io).unwrap();
        let mut sim = Simulator::new(&design);
        let ClearedPorts { r, y, .. } = design.ports;
        sim.poke(r, 1);
        sim.step();
        sim.poke(r, 0);
        (0..3).for_each(|_| sim.step());
        let probe = sim.find("count").unwrap();
        sim.poke(r, 1);
        let seen = if inside { sim.limbs(probe)[0] } else { sim.peek(y) };
        assert_eq!(seen, 7);
        sim.poke(r, 0);
        assert_eq!(sim.peek(y), 7, "it stays until the next edge");
    }
}
