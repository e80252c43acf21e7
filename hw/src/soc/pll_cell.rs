//! The PLL of a device: its primitive, set to what [`search`](super::pll::search) found.
//!
//! | port | |
//! | --- | --- |
//! | `clock` | the clock that comes out, for [`Module::clock_from`](hdl::Module::clock_from) |
//! | `locked` | it runs at its frequency; changes at any time |
//!
//! - The clock that comes in is that of the domain in which the instance stands. `SB_PLL40_PAD` takes it from the pin: nothing else may
//!   use that.
//! - The other parameters of the primitives are what `ecppll`, `icepll` and `gowin_pll` write for the same dividers.
//! - The text is a module of its own around the primitive: its attributes (of the loop filter of `EHXPLLL`, without which that has no
//!   current) and its feedback stand there. The built-in simulator runs a model that locks soon and whose clock has its edges when the
//!   test says so.

use super::pll::{Pll, Setting};
use hdl::*;

ports! {
    /// Ports of a PLL.
    pub struct PllPorts() {
        /// the clock that comes out
        output clock: Signal = bits(1),
        /// it runs at its frequency
        output locked: Signal = bits(1),
    }
}

/// The PLL with this setting.
///
/// # Errors
/// None with a setting that [`search`](super::pll::search) gave.
pub fn pll_cell(setting: Setting) -> Result<Design<PllPorts>, Errors> {
    let name = name(setting);
    let f = Foreign::text(&name, text(&name, setting));
    f.clock("clock_in");
    let io = PllPorts::new(f);
    f.port_domain(io.locked, f.asynchronous());
    f.model(&model()?);
    f.finish(io)
}

/// Soon locked.
#[module]
fn model() -> Result<Design<PllPorts>, Errors> {
    let m = Module::new("pll_model");
    let io = PllPorts::new(m);
    let count = m.reg(bits(2));
    m.when(!count.all(), || count.set(count + 1));
    io.locked.set(count.all());
    io.clock.set(0);
    m.finish(io)
}

/// Tells all of the setting.
fn name(setting: Setting) -> String {
    let Setting { reference, feedback, output, input_hertz, .. } = setting;
    format!("pll_{}_{input_hertz}_{reference}_{feedback}_{output}", setting.pll.name().to_lowercase())
}

/// The module around the primitive.
fn text(name: &str, setting: Setting) -> String {
    let head = format!(
        "// The PLL of the device: {} from {} MHz.\nmodule {name} (\n    input  wire clock_in,\n    output wire clock,\n    output wire locked\n);\n",
        setting.frequency(),
        f64::from(setting.input_hertz) / 1e6
    );
    let body = match setting.pll {
        Pll::Ehxplll => ecp5(setting),
        Pll::SbPll40Pad => ice40(setting),
        Pll::RpllLittleBee => gowin(setting, "GW1NR-9C"),
        Pll::RpllArora => gowin(setting, "GW2AR-18C"),
    };
    format!("{head}{body}endmodule\n")
}

/// `.NAME(value)` of the dividers, a line each.
fn dividers(setting: Setting) -> String {
    setting.parameters().iter().map(|(name, value)| format!("        .{name}({value}),\n")).collect()
}

fn ecp5(setting: Setting) -> String {
    format!(
        "    (* ICP_CURRENT = \"12\", LPF_RESISTOR = \"8\", MFG_ENABLE_FILTEROPAMP = \"1\", MFG_GMCREF_SEL = \"2\" *)
    EHXPLLL #(
{}        .CLKOP_ENABLE(\"ENABLED\"),
        .CLKOP_CPHASE({}),
        .CLKOP_FPHASE(0),
        .FEEDBK_PATH(\"CLKOP\"),
        .OUTDIVIDER_MUXA(\"DIVA\"),
        .OUTDIVIDER_MUXB(\"DIVB\"),
        .OUTDIVIDER_MUXC(\"DIVC\"),
        .OUTDIVIDER_MUXD(\"DIVD\"),
        .DPHASE_SOURCE(\"DISABLED\"),
        .INTFB_WAKE(\"DISABLED\"),
        .PLLRST_ENA(\"DISABLED\"),
        .STDBY_ENABLE(\"DISABLED\")
    ) pll (
        .CLKI(clock_in),
        .CLKFB(clock),
        .CLKOP(clock),
        .LOCK(locked),
        .RST(1'b0),
        .STDBY(1'b0),
        .PHASESEL0(1'b0),
        .PHASESEL1(1'b0),
        .PHASEDIR(1'b1),
        .PHASESTEP(1'b1),
        .PHASELOADREG(1'b1),
        .PLLWAKESYNC(1'b0),
        .ENCLKOP(1'b0)
    );
",
        dividers(setting),
        setting.output / 2
    )
}

fn ice40(setting: Setting) -> String {
    // the range of the loop filter follows the frequency at which reference and feedback are compared
    let compared = setting.input_hertz / setting.reference;
    let ranges = [17_000_000, 26_000_000, 44_000_000, 66_000_000, 101_000_000];
    let range = 1 + ranges.iter().filter(|most| compared >= **most).count();
    format!(
        "    SB_PLL40_PAD #(
{}        .FEEDBACK_PATH(\"SIMPLE\"),
        .FILTER_RANGE({range})
    ) pll (
        .PACKAGEPIN(clock_in),
        .PLLOUTGLOBAL(clock),
        .LOCK(locked),
        .RESETB(1'b1),
        .BYPASS(1'b0)
    );
",
        dividers(setting)
    )
}

fn gowin(setting: Setting, device: &str) -> String {
    format!(
        "    rPLL #(
{}        .FCLKIN(\"{}\"),
        .DEVICE(\"{device}\"),
        .DYN_IDIV_SEL(\"false\"),
        .DYN_FBDIV_SEL(\"false\"),
        .DYN_ODIV_SEL(\"false\"),
        .DYN_DA_EN(\"false\"),
        .PSDA_SEL(\"0000\"),
        .DUTYDA_SEL(\"1000\"),
        .CLKFB_SEL(\"internal\"),
        .CLKOUT_BYPASS(\"false\"),
        .CLKOUTP_BYPASS(\"false\"),
        .CLKOUTD_BYPASS(\"false\"),
        .DYN_SDIV_SEL(2),
        .CLKOUTD_SRC(\"CLKOUT\"),
        .CLKOUTD3_SRC(\"CLKOUT\")
    ) pll (
        .CLKIN(clock_in),
        .CLKOUT(clock),
        .LOCK(locked),
        .RESET(1'b0),
        .RESET_P(1'b0),
        .CLKFB(1'b0),
        .FBDSEL(6'b0),
        .IDSEL(6'b0),
        .ODSEL(6'b0),
        .PSDA(4'b0),
        .DUTYDA(4'b0),
        .FDLY(4'b0)
    );
",
        dividers(setting),
        f64::from(setting.input_hertz) / 1e6
    )
}

#[cfg(test)]
mod tests {
    use super::super::pll::search;
    use super::*;

    /// The text of each primitive holds the dividers that the search gave, and is a module that the language takes.
    #[test]
    fn each_primitive_has_its_dividers() {
        for (pll, from, to, expected) in [
            (Pll::Ehxplll, 48, 72, ".CLKOP_CPHASE("),
            (Pll::SbPll40Pad, 12, 24, ".FILTER_RANGE(1)"),
            (Pll::RpllLittleBee, 27, 48, ".DEVICE(\"GW1NR-9C\")"),
            (Pll::RpllArora, 27, 48, ".DEVICE(\"GW2AR-18C\")"),
        ] {
            let setting = search(pll, from * 1_000_000, to * 1_000_000).unwrap_or_else(|e| panic!("{e}"));
            let text = text(&name(setting), setting);
            assert!(text.contains(&format!("    {} #(", pll.name())) && text.contains(expected), "{text}");
            for (parameter, value) in setting.parameters() {
                assert!(text.contains(&format!(".{parameter}({value})")), "{text}");
            }
            let design = pll_cell(setting).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(design.clocks().map(|(clock, _)| clock.to_string()).collect::<Vec<_>>(), ["clock_in"]);
        }
    }
}
