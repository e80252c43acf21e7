//! Settings of a module are settings for who uses it: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::mistakes::reports;
use hdl::*;

ports! {
    struct LimitsPorts() {
        input x: Signal = bits(8),
        input limit: Signal = bits(8),
        output y: Signal = bits(8),
        output seen: Signal = bits(8),
    }
}

/// A setting that also goes out again.
#[module]
fn limited_and_seen() -> Design<LimitsPorts> {
    let m = Module::new("limited_and_seen");
    let io = LimitsPorts::new(m);
    m.latency(1);
    let p = m.pipeline("limit");
    let x = p.enter(io.x).next();
    let limit = p.constant(io.limit);
    io.y.set(p.leave(x.gt(limit).mux(limit, x)));
    io.seen.set(p.leave(p.enter(io.limit).next()));
    m.finish(io).unwrap()
}

#[test]
fn a_setting_is_one_also_where_it_is_read_otherwise() {
    reports("setting_that_is_also_data", |m, io| {
        let p = m.pipeline("outer");
        let (a, b) = p.enter((io.a, io.b)).next();
        let unit = m.instance(&limited_and_seen());
        unit.x.set(a);
        unit.limit.set(b.zext(8));
        io.y.set(p.leave(unit.y ^ unit.seen));
    });
}

ports! {
    struct HeldLimitPorts() {
        input x: Signal = bits(8),
        input limit: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// Whose limit the last stage alone reads.
#[module]
fn limited_late() -> Design<HeldLimitPorts> {
    let m = Module::new("limited_late");
    let io = HeldLimitPorts::new(m);
    m.latency(2);
    let p = m.pipeline_enabled("limit", io.go);
    let x = p.enter(io.x).later(2);
    io.y.set(p.leave(x ^ p.constant(io.limit)));
    m.finish(io).unwrap()
}

/// The same, in a module that has no pipeline.
#[module]
fn limited_within() -> Design<HeldLimitPorts> {
    let m = Module::new("limited_within");
    let io = HeldLimitPorts::new(m);
    m.latency(2);
    let unit = m.instance(&limited_late());
    unit.x.set(io.x);
    unit.limit.set(io.limit);
    unit.go.set(io.go);
    io.y.set(unit.y);
    m.finish(io).unwrap()
}

/// A setting of an instance is one of the module around it.
#[test]
fn a_setting_is_one_also_through_another_module() {
    reports("setting_through_a_module", |m, io| {
        let p = m.pipeline_enabled("outer", io.c);
        let (a, b) = p.enter((io.a, io.b)).next();
        let unit = m.instance(&limited_within());
        unit.x.set(a);
        unit.limit.set(b.zext(8));
        io.y.set(p.leave(unit.y));
    });
}

ports! {
    struct TablePorts() {
        input x: Signal = bits(4),
        input learn: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// Counts how often it was asked for a number, while it learns.
#[module]
fn table(kind: u32) -> Design<TablePorts> {
    let m = Module::new("counts_while_it_learns");
    let io = TablePorts::new(m);
    m.latency(2);
    let p = m.pipeline("count");
    let x = p.enter(io.x).next();
    let learn = p.constant(io.learn);
    let counts = m.memory(bits(8), 16).init((0..16u32).map(|_| 0u32));
    let count = counts.read(x) + 1;
    match kind {
        0 => counts.write(x, count, learn),
        1 => counts.write_lanes(x, count, learn.repeat(2)),
        _ => counts.write(x, count, learn & x.any()),
    }
    io.y.set(p.leave(count.next()));
    m.finish(io).unwrap()
}

/// What enables a write port alone is a setting as every other.
#[test]
#[module]
fn a_setting_may_be_the_enable_of_a_write_port() {
    for kind in 0..3 {
        reports(&format!("setting_that_enables_writes_{kind}"), |m, io| {
            let p = m.pipeline("outer");
            let (b, c) = p.enter((io.b, io.c));
            let unit = m.instance(&table(kind));
            unit.x.set(b);
            unit.learn.set(c);
            io.y.set(p.leave(unit.y));
        });
    }
}

/// A table in one stage, which the setting alone would hold.
#[module]
fn table_at_once() -> Design<TablePorts> {
    let m = Module::new("table_at_once");
    let io = TablePorts::new(m);
    m.latency(0);
    let p = m.pipeline("count");
    let x = p.enter(io.x);
    let counts = m.memory(bits(8), 16).init((0..16u32).map(|_| 0u32));
    counts.write(x, counts.read(x) + 1, p.constant(io.learn));
    io.y.set(p.leave(counts.read(x)));
    m.finish(io).unwrap()
}

/// A setting is not what holds a module while a pipeline around it stands.
#[test]
fn a_setting_does_not_hold_a_module() {
    reports("setting_that_would_hold", |m, io| {
        let p = m.pipeline_enabled("outer", io.c);
        let unit = m.instance(&table_at_once());
        unit.x.set(p.enter(io.b));
        unit.learn.set(1);
        io.y.set(p.leave(unit.y));
    });
}

ports! {
    struct SettingPorts() {
        input x: Signal = bits(8),
        input limit: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// A module with a setting that states no latency, and one around it that states one.
#[module]
fn states_none(within: bool) -> Design<SettingPorts> {
    let m = Module::new(if within { "around" } else { "states_none" });
    let io = SettingPorts::new(m);
    if within {
        m.latency(2);
        let unit = m.instance(&states_none(false));
        unit.x.set(io.x);
        unit.limit.set(io.limit);
        io.y.set(unit.y);
    } else {
        let p = m.pipeline("limit");
        io.y.set(p.leave((p.enter(io.x).next() ^ p.constant(io.limit)).next()));
    }
    m.finish(io).unwrap()
}

#[test]
fn a_setting_is_one_also_where_no_latency_is_stated() {
    reports("setting_without_a_latency", |m, io| {
        let p = m.pipeline("outer");
        let (a, b) = p.enter((io.a, io.b));
        let unit = m.instance(&states_none(true));
        unit.x.set(a);
        unit.limit.set(b.zext(8));
        io.y.set(p.leave(unit.y));
    });
}

/// A module that delays its limit before it is a setting, and reads it as data, too.
#[module]
fn limited_behind(rom: bool) -> Design<HeldLimitPorts> {
    let m = Module::new(if rom { "limited_behind_a_rom" } else { "limited_behind_a_register" });
    let io = HeldLimitPorts::new(m);
    m.latency(2);
    let later = |x: Signal| {
        let r = m.reg(bits(8)).enable(io.go);
        r.set(x);
        r
    };
    let unit = m.instance(&limited_late());
    unit.x.set(io.x);
    unit.go.set(io.go);
    unit.limit.set(match rom {
        true => m.memory(bits(8), 256).init(0..256u32).read_sync_enabled(io.limit, io.go),
        false => later(io.limit),
    });
    io.y.set(unit.y ^ later(later(io.limit)));
    m.finish(io).unwrap()
}

#[test]
#[module]
fn a_setting_is_one_also_behind_a_register() {
    for rom in [false, true] {
        let name = if rom { "setting_behind_a_rom" } else { "setting_behind_a_register" };
        reports(name, |m, io| {
            let p = m.pipeline_enabled("outer", io.c);
            let (a, b) = p.enter((io.a, io.b));
            let unit = m.instance(&limited_behind(rom));
            unit.x.set(a);
            unit.limit.set(b.zext(8));
            io.y.set(p.leave(unit.y));
        });
    }
}

ports! {
    struct ClearedPorts() {
        input x: Signal = bits(8),
        input clear: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

#[module]
fn cleared() -> Design<ClearedPorts> {
    let m = Module::new("cleared");
    let io = ClearedPorts::new(m);
    let clear = m.reg_reset(bits(1), 1);
    clear.set(io.clear);
    let r = m.reg(bits(8)).asynchronous_reset(clear, 0);
    r.set(io.x);
    io.y.set(r);
    m.finish(io).unwrap()
}

/// What an item brings may reset an instance that is in no pipeline.
#[test]
#[module]
fn an_item_resets_an_instance() {
    let m = Module::new("resets");
    let io = ClearedPorts::new(m);
    let p = m.pipeline("clear");
    let unit = m.instance(&cleared());
    unit.x.set(io.x);
    unit.clear.set(p.leave(p.enter(io.clear).next()));
    io.y.set(unit.y);
    m.finish(io).unwrap();
}
