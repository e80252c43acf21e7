//! A black box that stands for a PLL in tests, with a model for the built-in simulator.
#![allow(dead_code, missing_docs)]

use hdl::*;

ports! {
    pub struct PllPorts() {
        output clkop: Signal = bits(1),
        output clkos: Signal = bits(1),
        output lock: Signal = bits(1),
    }
}

/// Two clocks, which are the one that comes in, and a lock.
pub fn pll() -> Result<Design<PllPorts>, Errors> {
    let f = Foreign::text("pll", include_str!("../verilog/inside/pll.v"));
    f.clock("clki");
    let io = PllPorts::new(f);
    f.model(&model()?);
    f.finish(io)
}

#[module]
fn model() -> Result<Design<PllPorts>, Errors> {
    let m = Module::new("pll_model");
    let io = PllPorts::new(m);
    let count = m.reg(bits(2));
    m.when(count.ne(3), || count.set(count + 1));
    io.lock.set(count.eq(3));
    io.clkop.set(0);
    io.clkos.set(0);
    m.finish(io)
}
