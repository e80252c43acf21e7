//! Messages about state enums, switches over them, and tagged unions.

use crate::common;

use common::mistakes::{Io, panics, reports};
use hdl::*;

#[derive(Clone, Copy, State)]
enum Phase {
    Idle,
    Run,
    Flush,
}
#[derive(Clone, Copy, State)]
#[state(encoding = "one_hot")]
enum Hot {
    Idle,
    Run,
}

/// Of a register too: it would hold without a word.
#[test]
fn a_variant_without_a_case() {
    reports("state_missing", |m, io| {
        let phase = m.state(Phase::Idle);
        m.switch(phase, |s| {
            s.case(Phase::Idle, || phase.set(Phase::Run));
            s.case(Phase::Run, || phase.set(Phase::Idle));
        });
        io.y.set(phase.code().zext(8));
    });
    reports("state_missing_wire", |m, io| {
        let phase = m.state(Phase::Idle);
        phase.set(Phase::Run);
        m.switch(phase, |s| s.case(Phase::Run, || io.y.set(1)));
        m.switch(phase, |_| ());
    });
    reports("state_missing_one_hot", |m, io| {
        let hot = m.state(Hot::Idle);
        hot.set(Hot::Run);
        io.y.set(0);
        m.switch(hot, |s| s.case(Hot::Run, || io.y.set(1)));
    });
}

/// With a default that assigns nothing, a wire is a latch as before.
#[test]
fn a_default_that_assigns_nothing() {
    reports("state_latch", |m, io| {
        let phase = m.state(Phase::Idle);
        phase.set(Phase::Run);
        m.switch(phase, |s| {
            s.case(Phase::Run, || io.y.set(1));
            s.default(|| ());
        });
    });
    reports("state_latch_in_a_case", |m, io| {
        let phase = m.state(Phase::Idle);
        phase.set(Phase::Run);
        m.switch(phase, |s| {
            s.case(Phase::Idle, || io.y.set(1));
            s.case(Phase::Run, || ());
            s.case(Phase::Flush, || io.y.set(2));
        });
    });
}

/// Of plain bits the rules are the old ones.
#[test]
fn plain_bits_are_not_states() {
    let m = Module::new("plain");
    let io = common::mistakes::Io::new(m);
    [io.b, io.c].into_iter().for_each(Signal::unused);
    let held = m.reg(bits(8));
    m.switch(io.a, |s| s.case(1, || held.set(io.a)));
    io.y.set(held);
    assert!(m.finish(io).is_ok());
}

#[test]
fn what_is_no_case() {
    reports("state_no_variant", |m, io| {
        let phase = m.state(Phase::Idle);
        phase.set(Phase::Run);
        let three = state::<Phase>().unpack(m.lit(3u32, 2));
        io.y.set(0);
        m.switch(phase, |s| {
            s.case(three, || io.y.set(1));
            s.default(|| ());
        });
    });
    reports("state_not_constant", |m, io| {
        let phase = m.state(Phase::Idle);
        phase.set(Phase::Run);
        let other = state::<Phase>().unpack(io.b.bits(1, 0));
        io.y.set(0);
        m.switch(phase, |s| s.case(other, || io.y.set(1)));
    });
    reports("state_of_another_module", |m, io| {
        let other = Module::new("other").state(Phase::Idle);
        let phase = m.state(Phase::Idle);
        phase.set(Phase::Run);
        io.y.set(0);
        m.switch(other, |s| s.default(|| io.y.set(1)));
        m.switch(phase, |s| {
            s.case(other, || io.y.set(1));
            s.default(|| ());
        });
    });
}

tagged! {
    enum Command(width: u32) {
        Idle,
        Read { address: Signal = bits(width) },
        Write { address: Signal = bits(width), data: Signal = bits(3) },
        Both { stream: Stream = stream(bits(1)) },
    }
}

#[test]
fn fields_of_unions() {
    reports("union_width", |m, io| {
        let command = m.reg(Command::shape(4));
        command.set(Command::Write { address: io.a, data: io.b });
        io.y.set(command.payload().zext(8));
    });
    reports("union_flipped", |m, io| {
        let command = m.reg(Command::shape(4));
        command.set(Command::Both { stream: Stream { valid: io.c, ready: io.c, payload: io.c } });
        io.y.set(command.payload().zext(8));
    });
    reports("union_of_another_module", |m, io| {
        let other = Module::new("other").wire(Command::shape(4));
        m.match_tag(other, |_| ());
        let command = m.reg(Command::shape(4));
        command.set(Command::Read { address: Command::as_read(other) });
        io.y.set(command.payload().zext(8));
    });
}

/// The payloads are equally wide, and mean something else.
#[test]
fn shapes_of_unions() {
    reports("union_shapes", |m, io| {
        let (narrow, wide) = (m.reg(Shifted::shape(1, 4)), m.wire(Shifted::shape(4, 1)));
        let choice = io.c.mux((io.a, narrow), (io.a, wide));
        narrow.set(choice.1);
        wide.set(narrow);
        io.y.set(narrow.payload().zext(8));
    });
}

tagged! {
    enum Shifted(low: u32, high: u32) {
        Only { high: Signal = bits(high), low: Signal = bits(low) },
    }
}

tagged! {
    enum Around(low: u32, high: u32) {
        Some { inner: TaggedSignal<Shifted> = Shifted::shape(low, high) },
        None,
    }
}

#[test]
fn a_switch_over_a_union() {
    reports("union_switch", |m, io| {
        let command = m.reg_reset_to(Command::shape(4), Command::Idle);
        command.set(Command::Idle);
        m.switch(command, |s| s.case(Command::Idle, || io.y.set(1)));
        let second = m.reg_reset_to(Command::shape(4), Command::Read { address: io.b });
        second.set(command);
        Command::as_read(second).set(io.b);
    });
}

/// Where several are put side by side.
#[test]
#[module]
fn shapes_of_unions_in_lists() {
    let shifted = |m: Module| {
        let (narrow, wide) = (m.reg(Shifted::shape(1, 4)), m.reg(Shifted::shape(4, 1)));
        narrow.set(narrow);
        wide.set(wide);
        [narrow, wide]
    };
    reports("union_shapes_of_a_vector", |m, io| {
        let both = Vector::of(shifted(m));
        io.y.set(both[1].payload().zext(8));
    });
    reports("union_shapes_of_elements", |m, io| {
        let chosen = shifted(m).at(io.c);
        io.y.set(chosen.payload().zext(8));
    });
    reports("union_shapes_of_mux1h", |m, io| {
        let chosen = logic::mux1h(io.a.trunc(2), &shifted(m));
        io.y.set(chosen.payload().zext(8));
    });
    reports("union_shapes_in_a_variant", |m, io| {
        let [narrow, _] = shifted(m);
        let outer = m.reg(Around::shape(4, 1));
        outer.set(Around::Some { inner: narrow });
        io.y.set(Around::as_some(outer).payload().zext(8));
    });
    panics("union_shapes_of_shapes", || Vector::of([Shifted::shape(1, 4), Shifted::shape(4, 1)]));
}

/// A number as the reset value of what holds states, alone, in a bundle, a vector, a register file or a union: the code of a state.
#[test]
#[module]
fn states_reset_to_numbers() {
    #[derive(Clone, Copy, State)]
    #[state(encoding = "one_hot")]
    enum Slot {
        Free,
        Busy,
        Done,
    }
    #[derive(Clone, Copy, Bundle)]
    struct Entry {
        slot: StateSignal<Slot>,
        tag: Signal,
    }
    let entry = || Entry { slot: state(), tag: bits(4) };
    for how in 0..4 {
        reports(&format!("state_reset_to_a_number_{how}"), |m, io| {
            let slot = match how {
                0 => m.reg_reset(state::<Slot>(), 3),
                1 => m.reg_reset(vector(entry(), 2), 0)[1].slot,
                2 => m.reg_file_reset(state::<Slot>(), 4, 0).at(io.a.bits(1, 0)),
                _ => m.reg_reset(entry(), 4).slot,
            };
            m.when(io.c, || slot.set(Slot::Busy));
            io.y.set(slot.code().zext(8) + io.b.zext(8));
        });
    }
    let m = Module::new("example");
    let io = Io::new(m);
    let entries = m.reg_reset_to(
        vector(entry(), 2),
        Vector::of([Slot::Free, Slot::Done].map(|s| Entry { slot: m.lit_state(s), tag: m.lit(5u32, 4) })),
    );
    let same = m.reg_reset(entry(), 1);
    m.when(io.c, || same.slot.set(io.a.bit(0).mux(m.lit_state(Slot::Busy), entries[0].slot)));
    m.when(io.c, || same.tag.set(io.b));
    m.when(io.c, || entries[1].set(same));
    m.when(io.c, || entries[0].set(entries[1]));
    io.y.set(entries[1].tag.cat(same.tag) ^ entries[1].slot.code().zext(8) ^ io.b.zext(8));
    let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
    assert!(text.contains("entries_1_slot <= SLOT_DONE"), "{text}");
}

tagged! {
    enum Shown() {
        Side { side: StateSignal<Lamp> = state() },
        Number { number: Signal = bits(5) },
    }
}

#[derive(Clone, Copy, State)]
#[state(encoding = "one_hot")]
enum Lamp {
    Red,
    Green,
}

#[derive(Clone, Copy, Bundle)]
struct Lit {
    lamp: StateSignal<Lamp>,
    level: Signal,
}

/// Fields of unions in register files, and bits that are no state, given as one.
#[test]
#[module]
fn states_reset_to_no_state() {
    reports("state_of_a_union_in_a_register_file", |m, io| {
        let file = m.reg_file_reset(Shown::shape(), 2, 0);
        m.when(io.c, || file.at(io.b.bit(0)).set(Shown::Number { number: io.a.bits(4, 0) }));
        io.y.set(Shown::as_number(file.at(io.c)).zext(8));
    });
    reports("state_reset_to_unpacked_bits", |m, io| {
        let lamp = m.reg_reset_to(state::<Lamp>(), state::<Lamp>().unpack(m.lit(3u32, 2)));
        m.when(io.c, || lamp.set(Lamp::Green));
        io.y.set(lamp.code().zext(8));
    });
    reports("state_of_a_bundle_reset_to_unpacked_bits", |m, io| {
        let lit = || Lit { lamp: state(), level: bits(2) };
        let entry = m.reg_reset_to(lit(), lit().unpack(m.lit(1u32, 4)));
        m.when(io.c, || entry.set(Lit { lamp: m.lit_state(Lamp::Red), level: io.b.bits(1, 0) }));
        io.y.set(entry.lamp.code().cat(entry.level).zext(8));
    });
    reports("state_of_a_variant_reset_to_unpacked_bits", |m, io| {
        let shown = m.reg_reset_to(Shown::shape(), Shown::Side { side: state().unpack(m.lit(0u32, 2)) });
        m.when(io.c, || shown.set(Shown::Number { number: io.a.bits(4, 0) }));
        io.y.set(shown.payload().zext(8) + shown.is(ShownTag::Side).zext(8));
    });
    let m = Module::new("example");
    let io = Io::new(m);
    [io.a, io.b].into_iter().for_each(Signal::unused);
    let file = m.reg_file_reset(Shown::shape(), 2, 1);
    m.when(io.c, || file.at(io.b.bit(0)).set(Shown::Side { side: m.lit_state(Lamp::Red) }));
    let lamp = m.reg_reset_to(state::<Lamp>(), state::<Lamp>().unpack(m.lit(2u32, 2)));
    m.when(io.c, || lamp.set(Lamp::Red));
    io.y.set(file[0].payload().zext(8) ^ file[1].is(ShownTag::Side).zext(8) ^ lamp.code().zext(8));
    m.finish(io).unwrap_or_else(|e| panic!("{e}"));
}
