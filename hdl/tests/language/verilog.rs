//! The printed Verilog: one folder per design in tests/verilog. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::{Float, Phase, fifo, float, golden::prints, mixed};
use hdl::*;

#[test]
fn every_feature() {
    prints("mixed", &mixed().unwrap(), Reset::default());
}

#[test]
fn resets() {
    let kinds = [("sync_low", false, true), ("async_high", true, false), ("async_low", true, true)];
    for (name, asynchronous, active_low) in kinds {
        prints(name, &mixed().unwrap(), Reset { asynchronous, active_low });
    }
}

ports! {
    pub struct MacPorts() {
        /// High while `a`, `b` and `c` hold an item.
        input valid: Signal = bits(1),
        input a: Signal = bits(8),
        input b: Signal = bits(8),
        input c: Signal = bits(16),
        /// The pipeline moves on.
        input advance: Signal = bits(1),
        output sum_valid: Signal = bits(1),
        /// a * b + c, two steps later.
        output sum: Signal = bits(17),
    }
}

#[module]
fn mac() -> Result<Design<MacPorts>, Errors> {
    let m = Module::new("mac");
    m.doc("Multiplies and adds.\nTwo stages.");
    m.latency(2);
    let io = MacPorts::new(m);
    let p = m.pipeline_enabled("mac", io.advance);
    let valid = p.enter_valid(io.valid);
    let (a, b, c) = p.enter((io.a, io.b, io.c));

    m.section("stage 1: multiply");
    let product = (a * b).next().comment("all 16 bits");

    m.section("stage 2: add");
    let sum = (product.zext(17) + c.meet(product).zext(17)).next();
    io.sum.set(p.leave(sum));
    io.sum_valid.set(p.leave(valid.meet(sum)));
    m.finish(io)
}

#[test]
fn a_pipeline() {
    prints("mac", &mac().unwrap(), Reset::default());
}

ports! {
    pub struct MemoryPorts() {
        input addr: Signal = bits(4),
        input other: Signal = bits(4),
        input word: Signal = bits(16),
        input lanes: Signal = bits(2),
        input enable: Signal = bits(1),
        input x: Float = float(),
        output lut: Signal = bits(16),
        output block: Signal = bits(16),
        output held: Signal = bits(16),
        output rom: Signal = bits(7),
        output y: Float = float(),
        output two: Signal = bits(16),
    }
}

/// Memories of every kind.
#[module]
fn memories() -> Result<Design<MemoryPorts>, Errors> {
    let m = Module::new("memories");
    let io = MemoryPorts::new(m);

    m.section("LUT RAM, two read ports");
    let table = m.memory(bits(16), 16).style(RamStyle::Distributed);
    table.write(io.addr, io.word, io.enable);
    io.lut.set(table.read(io.addr) ^ table.read(io.other));

    m.section("block RAM with byte lanes");
    let bytes = m.memory(bits(16), 16).style(RamStyle::Block);
    bytes.write_lanes(io.addr, io.word + 1, io.lanes);
    io.block.set(bytes.read_sync(io.other));
    io.held.set(bytes.read_sync_enabled(io.addr, io.enable));

    m.section("read-only, 10 words");
    let squares = m.memory(bits(7), 10).init((0u32..10).map(|i| i * i)).attribute("syn_romstyle", "logic");
    io.rom.set(squares.read(io.addr));

    m.section("words that are a bundle");
    let floats = m.memory(float(), 12).init([0x3c00u32]);
    floats.write(io.addr, io.x, io.enable);
    io.y.set(floats.read_sync(io.other));

    m.section("two clocks");
    let crossing = m.memory(bits(16), 16).crossing("a test of the printer");
    crossing.write(io.addr, io.word, io.enable);
    let two = m.domain("clk_b", "rst_b", || {
        let count = m.reg_reset(bits(4), 3);
        count.set(count + 1);
        crossing.read_sync(count)
    });
    io.two.set(two);
    m.finish(io)
}

#[test]
fn memories_of_every_kind() {
    prints("memories", &memories().unwrap(), Reset::default());
    prints("memories_async_low", &memories().unwrap(), Reset { asynchronous: true, active_low: true });
}

/// Only what asks for LUT RAM is left out.
#[test]
fn without_lut_ram() {
    let design = memories().unwrap();
    let (with, without) = (Options::default(), Options { lut_ram: false, ..Options::default() });
    let (with, without) = (verilog(&design, &with).single(), verilog(&design, &without).single());
    let attribute = "(* ram_style = \"distributed\" *) ";
    assert!(with.contains(attribute) && without.contains("(* ram_style = \"block\" *) "), "{without}");
    assert_eq!(with.replace(attribute, ""), without);
}

ports! {
    pub struct ControlPorts() {
        input go: Signal = bits(1),
        input kind: Signal = bits(2),
        input x: Signal = bits(8),
        output phase: StateSignal<Phase> = state(),
        output y: Signal = bits(8),
        output flags: Signal = bits(3),
        output in_reset: Signal = bits(1),
        output wide: Signal = bits(100),
    }
}

/// Nested conditions, partial assignments, wide numbers.
#[module]
fn control() -> Result<Design<ControlPorts>, Errors> {
    let m = Module::new("control");
    let io = ControlPorts::new(m);
    let phase = m.state(Phase::WaitDone);
    let acc = m.reg_reset(bits(8), 0x80).enable(io.go);
    io.phase.set(phase);
    io.in_reset.set(m.in_reset());

    m.section("next state");
    m.when(io.go, || {
        m.switch(io.kind, |s| {
            s.case(0, || phase.set(Phase::Idle));
            s.case_any([1, 2], || {
                m.when(io.x.any(), || phase.set(Phase::Load)).otherwise(|| phase.set(Phase::WaitDone));
            });
            s.case(3, || ());
        });
    })
    .elsewhen(io.x.all(), || phase.set(Phase::Load))
    .otherwise(|| {
        m.switch(phase, |s| {
            s.case(Phase::Load, || acc.set(acc ^ io.x));
            s.default(|| acc.bits(3, 0).set(io.x.bits(7, 4)));
        });
        acc.bit(7).set(io.go);
    });

    m.section("outputs");
    let shifted = acc << io.kind;
    let signed = acc.mul_signed(io.x).sra(io.kind.zext(5));
    io.y.set(io.x.gt_signed(acc).mux(shifted, signed.trunc(8)));
    io.flags.bit(0).set(acc.parity());
    io.flags.bits(2, 1).set(0);
    m.when(io.go, || io.flags.bits(2, 1).set(io.kind));
    let big = io.x.sext(100) * io.x.lit(3u32, 2);
    io.wide.set(big.trunc(100) - 1);
    m.when(io.go, || io.wide.part(io.kind.zext(5).cat(io.kind), 4).set(io.x.bits(5, 2)));
    m.finish(io)
}

#[test]
fn states_and_conditions() {
    prints("control", &control().unwrap(), Reset::default());
}

ports! {
    struct TreePorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}

#[module]
fn tree() -> Result<Design<TreePorts>, Errors> {
    let m = Module::new("tree");
    let io = TreePorts::new(m);
    // the same module, elaborated twice
    let first = m.instance(&fifo(8, 4)?);
    let second = m.instance(&fifo(8, 4)?);
    // another one of the same name
    let third = m.instance(&impostor()?);
    first.s.set(io.s);
    second.s.set(first.m);
    third.s.set(second.m);
    io.m.set(third.m);
    m.finish(io)
}

#[module]
fn impostor() -> Result<Design<TreePorts>, Errors> {
    let m = Module::new("fifo_8x4");
    let io = TreePorts::new(m);
    io.m.set(io.s);
    m.finish(io)
}

#[test]
fn identical_modules_are_printed_once() {
    prints("tree", &tree().unwrap(), Reset::default());
}

/// A module that synthesis is to leave as it is says so, and is another one than that which does not.
#[test]
fn a_module_that_is_kept() {
    let wire = |kept: bool| {
        let m = Module::new("wire8");
        let io = TreePorts::new(m);
        if kept {
            m.doc("Stays.");
            m.keep_hierarchy();
        }
        io.m.set(io.s);
        m.finish(io).unwrap()
    };
    let m = Module::new("both");
    let io = TreePorts::new(m);
    let (first, second) = (m.instance(&wire(true)).named("first"), m.instance(&wire(false)).named("second"));
    first.s.set(io.s);
    second.s.set(first.m);
    io.m.set(second.m);
    let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
    assert!(text.contains("\n// Stays.\n(* keep_hierarchy = \"yes\" *)\nmodule wire8 ("), "{text}");
    assert_eq!((text.matches("keep_hierarchy").count(), text.matches("\nmodule wire8_1 (").count()), (1, 1), "{text}");
}

/// An instance is not called like a signal of its module: Verilator would warn.
#[test]
fn an_instance_that_would_hide_a_signal() {
    let m = Module::new("outer");
    let io = IncrementLike::new(m);
    let child = {
        let m = Module::new("adder");
        let io = IncrementLike::new(m);
        let sum = (io.x + 1).named("sum");
        io.y.set(sum ^ (sum << 1));
        m.finish(io).unwrap()
    };
    let (first, second) = (m.instance(&child).named("sum"), m.instance(&child).named("x"));
    first.x.set(io.x);
    second.x.set(first.y);
    io.y.set(second.y);
    let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
    assert!(text.contains("    adder sum_unit (") && text.contains("    adder x_unit ("), "{text}");
}

/// The text does not depend on the run, the thread or what was built before.
#[test]
fn the_text_is_stable() {
    let print = || [verilog(&mixed().unwrap(), &Options::default()), verilog(&tree().unwrap(), &Options::default())];
    let here = print();
    assert_eq!(here, print());
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(print)).collect();
    for thread in threads {
        assert_eq!(here, thread.join().unwrap());
    }
    // one text holds what the files hold
    let single = here[0].single();
    assert_eq!(single.matches("`default_nettype none").count(), 1);
    assert_eq!(single.matches("\nmodule ").count(), here[0].len());
    assert_eq!(here[0].files().count(), here[0].len());
}

/// Names that Verilog or the printer claims for itself are changed.
#[test]
#[module]
fn claimed_names() {
    let m = Module::new("names");
    let io = IncrementLike::new(m);
    let reg = m.reg(bits(8));
    let unused_ok = io.x + 1;
    let _t1 = unused_ok * unused_ok;
    let clk = (unused_ok ^ 1).named("clk");
    let x = clk ^ 3;
    let delete = !x;
    reg.set(_t1.trunc(8) ^ x ^ delete ^ (delete << 1));
    io.y.set(reg);
    prints("names", &m.finish(io).unwrap(), Reset::default());
}

ports! {
    struct IncrementLike() {
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// Whatever is called so below it, and however the child differs.
#[test]
fn the_top_keeps_its_name() {
    let child = |name: &str, add: u32| {
        let m = Module::new(name);
        let io = IncrementLike::new(m);
        io.y.set(io.x + add);
        m.finish(io).unwrap()
    };
    let m = Module::new("increment");
    let io = IncrementLike::new(m);
    let (first, second) = (m.instance(&child("increment", 1)), m.instance(&child("increment_1", 2)));
    first.x.set(io.x);
    second.x.set(first.y);
    io.y.set(second.y);
    let source = verilog(&m.finish(io).unwrap(), &Options::default());
    let files: Vec<String> = source.files().map(|(name, _)| name).collect();
    assert_eq!(source.top(), "increment");
    assert_eq!(files, ["increment_1.v", "increment_1_1.v", "increment.v"]);
    assert_eq!(source.single().matches("\nmodule increment (").count(), 1);
}

ports! {
    struct OddPorts() {
        /// " */ odd `endif \
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// Texts for people are comments, whatever stands in them: what reads Verilog sees the ports and no more.
#[test]
#[module]
fn texts_for_people_are_comments() {
    const ODD: &str =
        "odd\nodd endmodule\r\nodd */ /* odd \" odd `define odd\rodd \u{2028}odd (* odd\u{85}odd \\\nverilator odd \\";
    let m = Module::new("example");
    m.doc(ODD);
    let io = OddPorts::new(m);
    m.section(ODD);
    let held = m.reg_reset(bits(8), 0).comment(ODD);
    held.set(io.x);
    m.assert(held.eq(held), "it is what it is");
    io.y.set(held);
    let design = m.finish(io).unwrap();
    prints("texts", &design, Reset::default()); // which the tools read, too
    for properties in [false, true] {
        let options = Options { header: vec![ODD.into()], properties, ..Options::default() };
        let text = verilog(&design, &options).single();
        for line in text.split(['\n', '\r']).filter(|line| line.contains("odd")) {
            let code = line.split("//").next().unwrap();
            assert!(!code.contains("odd"), "{line}");
            assert!(!line.ends_with('\\') && !line.trim_start().starts_with("// verilator"), "{line}");
        }
        let ours = text.replace("`default_nettype none", "").replace("`default_nettype wire", "");
        let ours: String =
            ours.lines().filter(|line| !line.starts_with('`')).map(|line| line.to_string() + "\n").collect();
        let f = Foreign::text("example", ours);
        let clock = f.clock("clk");
        f.reset(clock, "rst");
        let read = OddPorts::new(f);
        f.finish(read).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
}
