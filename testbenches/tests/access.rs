//! What a test reaches for, on all engines: ports by signal and by bundle, and memories through the back door.
#![allow(missing_docs)]

use ::sim::verilator::open_memories;
use ::sim::verilator::{Model, verilog_with_models};
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;
use testbenches::have;

#[derive(Clone, Copy, Bundle)]
struct Entry {
    tag: Signal,
    data: Signal,
}

fn entry() -> Entry {
    Entry { tag: bits(20), data: bits(100) }
}

ports! {
    struct TablePorts() {
        input at: Signal = bits(3),
        input new: Entry = entry(),
        input write: Signal = bits(1),
        output now: Entry = entry(),
        output later: Signal = bits(9),
        output product: Signal = bits(40),
    }
}

/// A table of 6 entries, and a column of 9 bits beside it.
#[module]
fn table() -> Design<TablePorts> {
    let m = Module::new("tables");
    let io = TablePorts::new(m);
    let (entries, column) = (m.memory(entry(), 6), m.memory(bits(9), 8));
    entries.write(io.at, io.new, io.write);
    column.write(io.at, io.new.tag.trunc(9), io.write);
    io.now.set(entries.read(io.at));
    io.later.set(column.read_sync(io.at));
    io.product.set(io.new.tag.mul_signed(io.new.tag));
    m.finish(io).unwrap()
}

/// By signal, by name, by index, by bundle, with and without sign.
fn ports(engine: &mut dyn Engine, io: TablePorts) {
    engine.power_up(PowerUp::Zero);
    engine.reset(2);
    engine.poke_bundle(io.new, [7, u64::MAX]);
    engine.poke(io.write, 1);
    engine.poke(io.at, 5);
    engine.step();
    assert_eq!(engine.peek(io.now.tag), 7);
    assert_eq!(engine.peek_big(io.now.data), u64::MAX.into());
    assert_eq!(engine.peek(io.later), 0, "what was there before the write");
    engine.poke(io.write, 0);
    engine.step();
    assert_eq!((engine.peek(io.later), engine.peek("later"), engine.peek(6)), (7, 7, 7));
    engine.poke_signed(io.new.tag, -300);
    engine.poke_signed(io.new.data, -1);
    assert_eq!((engine.peek_signed(io.new.tag), engine.peek_signed(io.product)), (-300, 90_000));
    assert_eq!(engine.peek_big(io.new.data), (BigUint::from(1u32) << 100) - 1u32);
    engine.poke_big(io.new.data, &(1u128 << 99).into());
    assert_eq!(engine.peek_big("new_data"), BigUint::from(1u32) << 99);
}

/// The words of memories, under asynchronous and synchronous reads and under writes of the design.
fn memories(engine: &mut dyn Engine, io: TablePorts) {
    engine.reset(2);
    let packed = |tag: u64, data: u64| (BigUint::from(tag) << 100) | BigUint::from(data);
    let mut entries = engine.memory("entries");
    assert_eq!((entries.width(), entries.depth()), (120, 6));
    (0..6).for_each(|i| entries.write_big(i, &packed(i * 1000, i)));
    engine.memory("column").load(0, (0..8).map(|i| 511 - i));
    for i in 0..6 {
        engine.poke(io.at, i);
        assert_eq!((engine.peek(io.now.tag), engine.peek_big(io.now.data)), (i * 1000, i.into()));
        engine.step();
        assert_eq!(engine.peek(io.later), 511 - i);
    }
    engine.memory("entries").write_big(5, &packed(3, 4)); // seen at once
    assert_eq!((engine.peek(io.now.tag), engine.peek_big(io.now.data)), (3, 4u32.into()));
    engine.poke(io.new.tag, 77);
    engine.poke(io.new.data, 88);
    engine.poke(io.write, 1);
    engine.step();
    assert_eq!((engine.memory("entries").read_big(5), engine.memory("column").read(5)), (packed(77, 88), 77));
    assert_eq!(engine.memory("entries").read_big(4), packed(4000, 4));
}

#[test]
fn on_the_built_in_simulator() {
    let design = table();
    ports(&mut Simulator::new(&design), design.ports);
    memories(&mut Simulator::new(&design), design.ports);
}

#[test]
fn on_machine_code() {
    let design = table();
    ports(&mut jit::compiled(&design), design.ports);
    let mut sim = jit::compiled(&design);
    memories(&mut sim, design.ports);
    assert!(sim.is_native());
}

#[test]
fn on_verilator() {
    if !have(&["verilator"]) {
        return;
    }
    let design = table();
    ports(&mut Model::of(&design, Reset::default()).unwrap(), design.ports);
    let open = open_memories(&verilog_with_models(&design, Reset::default()));
    memories(&mut Model::of_text(&open, &design, Reset::default()).unwrap(), design.ports);
}
