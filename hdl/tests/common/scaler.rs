//! A foreign module with parameters, and a model for the built-in simulator.
#![allow(dead_code, missing_docs)]

use hdl::*;

/// The old style of declarations, a helper module, a reset that is active at 0.
pub const SCALER: &str = include_str!("../verilog/foreign/scaler.v");

ports! {
    pub struct ScalerPorts(width: u32) {
        input x: Signal = bits(width),
        input enable: Signal = bits(1),
        output y: Signal = bits(2 * width),
    }
}

/// Multiplies by a constant; one cycle.
pub fn scaler(width: u32, factor: u32) -> Result<Design<ScalerPorts>, Errors> {
    let f = Foreign::text("scaler", SCALER);
    f.parameter("WIDTH", width);
    f.parameter("FACTOR", (factor, width));
    let clock = f.clock("clock");
    f.reset_low(clock, "reset_n");
    f.latency(1);
    let io = ScalerPorts::new(f, width);
    f.advance(io.enable);
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
