// Primitives of devices that designs in rtl_out have, as lint tools need them: ports and parameters, and nothing behind.

/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
module EHXPLLL #(
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 1,
    parameter CLKOP_DIV = 8,
    parameter CLKOP_ENABLE = "ENABLED",
    parameter CLKOP_CPHASE = 0,
    parameter CLKOP_FPHASE = 0,
    parameter FEEDBK_PATH = "CLKOP",
    parameter OUTDIVIDER_MUXA = "DIVA",
    parameter OUTDIVIDER_MUXB = "DIVB",
    parameter OUTDIVIDER_MUXC = "DIVC",
    parameter OUTDIVIDER_MUXD = "DIVD",
    parameter DPHASE_SOURCE = "DISABLED",
    parameter INTFB_WAKE = "DISABLED",
    parameter PLLRST_ENA = "DISABLED",
    parameter STDBY_ENABLE = "DISABLED"
) (
    input  wire CLKI,
    input  wire CLKFB,
    input  wire RST,
    input  wire STDBY,
    input  wire PHASESEL0,
    input  wire PHASESEL1,
    input  wire PHASEDIR,
    input  wire PHASESTEP,
    input  wire PHASELOADREG,
    input  wire PLLWAKESYNC,
    input  wire ENCLKOP,
    output wire CLKOP,
    output wire LOCK
);
    assign CLKOP = CLKI;
    assign LOCK = 1'b1;
endmodule
