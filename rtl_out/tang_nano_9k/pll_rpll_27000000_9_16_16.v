// The PLL of the device: 48 MHz from 27 MHz.
module pll_rpll_27000000_9_16_16 (
    input  wire clock_in,
    output wire clock,
    output wire locked
);
    rPLL #(
        .IDIV_SEL(8),
        .FBDIV_SEL(15),
        .ODIV_SEL(16),
        .FCLKIN("27"),
        .DEVICE("GW1NR-9C"),
        .DYN_IDIV_SEL("false"),
        .DYN_FBDIV_SEL("false"),
        .DYN_ODIV_SEL("false"),
        .DYN_DA_EN("false"),
        .PSDA_SEL("0000"),
        .DUTYDA_SEL("1000"),
        .CLKFB_SEL("internal"),
        .CLKOUT_BYPASS("false"),
        .CLKOUTP_BYPASS("false"),
        .CLKOUTD_BYPASS("false"),
        .DYN_SDIV_SEL(2),
        .CLKOUTD_SRC("CLKOUT"),
        .CLKOUTD3_SRC("CLKOUT")
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
endmodule
