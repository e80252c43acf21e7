// The PLL of the device: 75 MHz from 25 MHz.
module pll_ehxplll_25000000_1_3_8 (
    input  wire clock_in,
    output wire clock,
    output wire locked
);
    (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
    EHXPLLL #(
        .CLKI_DIV(1),
        .CLKFB_DIV(3),
        .CLKOP_DIV(8),
        .CLKOP_ENABLE("ENABLED"),
        .CLKOP_CPHASE(4),
        .CLKOP_FPHASE(0),
        .FEEDBK_PATH("CLKOP"),
        .OUTDIVIDER_MUXA("DIVA"),
        .OUTDIVIDER_MUXB("DIVB"),
        .OUTDIVIDER_MUXC("DIVC"),
        .OUTDIVIDER_MUXD("DIVD"),
        .DPHASE_SOURCE("DISABLED"),
        .INTFB_WAKE("DISABLED"),
        .PLLRST_ENA("DISABLED"),
        .STDBY_ENABLE("DISABLED")
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
endmodule
