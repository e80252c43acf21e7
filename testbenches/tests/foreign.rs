//! Designs with foreign Verilog under Verilator, against the models that the built-in simulator runs.
#![allow(missing_docs)]

use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use testbenches::{have, verilated};

ports! {
    struct ScalerPorts(width: u32) {
        input x: Signal = bits(width),
        input enable: Signal = bits(1),
        output y: Signal = bits(2 * width),
    }
}

/// The foreign module that the printer's tests use, with a model.
fn scaler(width: u32, factor: u32) -> Result<Design<ScalerPorts>, Errors> {
    let f = Foreign::text("scaler", include_str!("../../hdl/tests/verilog/foreign/scaler.v"));
    f.parameter("WIDTH", width);
    f.parameter("FACTOR", (factor, width));
    let clock = f.clock("clock");
    f.reset_low(clock, "reset_n");
    let io = ScalerPorts::new(f, width);
    f.model(&scaler_model(width, factor)?);
    f.finish(io)
}

#[module]
fn scaler_model(width: u32, factor: u32) -> Result<Design<ScalerPorts>, Errors> {
    let m = Module::new("scaler_model");
    let io = ScalerPorts::new(m, width);
    let product = m.reg_reset(bits(2 * width), 0).enable(io.enable);
    product.set(io.x * m.lit(factor, width));
    io.y.set(product);
    m.finish(io)
}

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
        let mut model = verilated(&design, reset).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = Simulator::new(&design);
        let mut rng = fastrand::Rng::with_seed(7);
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
