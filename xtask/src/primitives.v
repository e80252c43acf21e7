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

module rPLL #(
    parameter FCLKIN = "100.0",
    parameter DEVICE = "GW1N-1",
    parameter IDIV_SEL = 0,
    parameter FBDIV_SEL = 0,
    parameter ODIV_SEL = 8,
    parameter DYN_IDIV_SEL = "false",
    parameter DYN_FBDIV_SEL = "false",
    parameter DYN_ODIV_SEL = "false",
    parameter DYN_DA_EN = "false",
    parameter PSDA_SEL = "0000",
    parameter DUTYDA_SEL = "1000",
    parameter CLKFB_SEL = "internal",
    parameter CLKOUT_BYPASS = "false",
    parameter CLKOUTP_BYPASS = "false",
    parameter CLKOUTD_BYPASS = "false",
    parameter DYN_SDIV_SEL = 2,
    parameter CLKOUTD_SRC = "CLKOUT",
    parameter CLKOUTD3_SRC = "CLKOUT"
) (
    input  wire CLKIN,
    input  wire CLKFB,
    input  wire RESET,
    input  wire RESET_P,
    input  wire [5:0] FBDSEL,
    input  wire [5:0] IDSEL,
    input  wire [5:0] ODSEL,
    input  wire [3:0] PSDA,
    input  wire [3:0] DUTYDA,
    input  wire [3:0] FDLY,
    output wire CLKOUT,
    output wire LOCK
);
    assign CLKOUT = CLKIN;
    assign LOCK = 1'b1;
endmodule

module IDDRX1F (
    input  wire SCLK,
    input  wire RST,
    input  wire D,
    output wire Q0,
    output wire Q1
);
    assign Q0 = D;
    assign Q1 = D;
endmodule

module ODDRX1F (
    input  wire SCLK,
    input  wire RST,
    input  wire D0,
    input  wire D1,
    output wire Q
);
    assign Q = SCLK ? D0 : D1;
endmodule
