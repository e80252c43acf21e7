//! Designs with foreign Verilog under Verilator, against the models that the built-in simulator runs.
#![allow(missing_docs)]

use ::sim::verilator::Model;
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;
use hw::stream::reset_synchronizer::reset_synchronizer;
use hw::stream::synchronizer::{gray, synchronized};
use pll::pll;
use scaler::scaler;
use testbenches::have;

#[path = "../../hdl/tests/common/pll.rs"]
mod pll;
#[path = "../../hdl/tests/common/scaler.rs"]
mod scaler;

ports! {
    struct ProductPorts() {
        input a: Signal = bits(18),
        input b: Signal = bits(18),
        output p: Signal = bits(36),
    }
}

/// A multiplier of a vendor, of which there is only a model.
fn multiplier() -> Result<Design<ProductPorts>, Errors> {
    let f = Foreign::black_box("MULT18X18D");
    f.parameter("REG_OUTPUT_CLK", "NONE");
    let io = ProductPorts::new(f);
    f.pin_per_bit(io.a, "A");
    f.pin_per_bit(io.b, "B");
    f.pin_per_bit(io.p, "P");
    f.model(&multiplier_model()?);
    f.finish(io)
}

#[module]
fn multiplier_model() -> Result<Design<ProductPorts>, Errors> {
    let m = Module::new("multiplier_model");
    let io = ProductPorts::new(m);
    io.p.set(io.a * io.b);
    m.finish(io)
}

ports! {
    struct TopPorts() {
        input a: Signal = bits(9),
        input b: Signal = bits(18),
        input enable: Signal = bits(1),
        output y: Signal = bits(36),
    }
}

/// Text, black box and the language itself, one behind the other.
#[module]
fn chain() -> Result<Design<TopPorts>, Errors> {
    let m = Module::new("chain");
    let io = TopPorts::new(m);
    let scaled = m.instance(&scaler(9, 300)?);
    scaled.x.set(io.a);
    scaled.enable.set(io.enable);
    let product = m.instance(&multiplier()?);
    product.a.set(scaled.y);
    product.b.set(io.b);
    let sum = m.reg_reset(bits(36), 0);
    sum.set(sum + product.p);
    io.y.set(sum);
    m.finish(io)
}

#[test]
fn verilator_runs_the_text_as_the_simulator_runs_the_model() {
    if !have(&["verilator"]) {
        return;
    }
    let design = chain().unwrap_or_else(|e| panic!("{e}"));
    let port = |signal| design.port_index(signal).unwrap();
    let io = design.ports;
    for active_low in [false, true] {
        let reset = Reset { asynchronous: false, active_low };
        let mut model = Model::of(&design, reset).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = Simulator::new(&design);
        let mut rng = fastrand::Rng::with_seed(::sim::bus::seed(7));
        model.reset(2);
        sim.reset(2);
        let mut sum = 0;
        for cycle in 0..500 {
            let in_reset = cycle % 100 == 99;
            let values = [rng.u64(..1 << 9), rng.u64(..1 << 18), rng.u64(..2)];
            for engine in [&mut model as &mut dyn Engine, &mut sim] {
                engine.set_reset(0, in_reset);
                [io.a, io.b, io.enable].into_iter().zip(values).for_each(|(p, v)| engine.poke(port(p), v));
                engine.step();
            }
            assert_eq!(model.peek(port(io.y)), sim.peek(port(io.y)), "cycle {cycle}");
            sum ^= model.peek(port(io.y));
        }
        assert_ne!(sum, 0, "something came out");
    }
}

ports! {
    struct CountPorts() {
        input button: Signal = bits(1),
        output count: Signal = bits(4),
    }
}

/// Counts with a clock from inside, in gray code, and brings the count back.
#[module]
fn counts_with_a_pll() -> Result<Design<CountPorts>, Errors> {
    let m = Module::new("counts_with_a_pll");
    let io = CountPorts::new(m);
    let pll = m.instance(&pll()?);
    pll.clkos.unused();
    let fast = m.clock_from("fast_clk", pll.clkop);
    let synchronizer = reset_synchronizer(2)?;
    let reset = m.in_domain(fast, || m.instance(&synchronizer));
    reset.reset.set(io.button | !pll.lock);
    m.reset_from(fast, reset.clk_reset);
    let (count, code) = m.in_domain(fast, || (m.reg_reset(bits(4), 0), m.reg_reset(bits(4), 0)));
    count.set(count + 1);
    code.set(gray(count));
    let seen = synchronized(m, code, m.current_domain(), 2)?;
    io.count.set(seen);
    m.finish(io)
}

/// The PLL of the test passes its clock on, so that both clocks have their edges at the same instants.
#[test]
fn a_clock_from_inside_runs_on_both_engines() {
    let design = counts_with_a_pll().unwrap_or_else(|e| panic!("{e}"));
    let port = |signal| design.port_index(signal).unwrap();
    let mut sim = Simulator::new(&design);
    assert_eq!(sim.clocks(), ["clk", "fast_clk"]);
    let run = |engine: &mut dyn Engine| -> Vec<u64> {
        engine.power_up(PowerUp::Zero);
        engine.reset(1);
        let steps = (0..100).map(|cycle| {
            engine.poke(port(design.ports.button), u64::from((40..45).contains(&cycle)));
            engine.step();
            engine.peek(port(design.ports.count))
        });
        steps.collect()
    };
    let own = run(&mut sim);
    assert!(own[20..40].contains(&0b1000) && own[48] == 0, "it counts, and is reset: {own:?}");
    if have(&["verilator"]) {
        for active_low in [false, true] {
            // of resets inside, the simulator knows the synchronous kind
            let reset = Reset { asynchronous: false, active_low };
            let mut model = Model::of(&design, reset).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(run(&mut model), own);
        }
    }
}
