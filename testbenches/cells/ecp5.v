// Models of the ECP5 cells that Yosys leaves empty, for the modes that Yosys emits; written from the data sheet
// "ECP5 and ECP5-5G Memory Usage Guide" (Lattice FPGA-TN-02204) and "sysDSP Usage Guide" (FPGA-TN-02205).
// testbenches/tests/cells.rs compares them with plain memories and products.

// 18 x 18 multiplier without its registers.
module MULT18X18D (
    input A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0,
    input B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0,
    input C17, C16, C15, C14, C13, C12, C11, C10, C9, C8, C7, C6, C5, C4, C3, C2, C1, C0,
    input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
    output P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15,
        P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0
);
    wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
    wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
    wire [35:0] wide_a = {{18{SIGNEDA & a[17]}}, a};
    wire [35:0] wide_b = {{18{SIGNEDB & b[17]}}, b};
    wire [35:0] p = wide_a * wide_b;
    assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = p;
endmodule

// 18 kbit block RAM: two ports of 1, 2, 4, 9 or 18 bits, or one of 36 bits to write (A) and one to read (B), whose halves then
// come out at both ports. No output registers.
module DP16KD (
    input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2,
        DIA1, DIA0,
    input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
    input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
    output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2,
        DOA1, DOA0,
    input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2,
        DIB1, DIB0,
    input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
    input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
    output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
        DOB1, DOB0
);
    parameter DATA_WIDTH_A = 18;
    parameter DATA_WIDTH_B = 18;
    parameter REGMODE_A = "NOREG";
    parameter REGMODE_B = "NOREG";
    parameter RESETMODE = "SYNC";
    parameter ASYNC_RESET_RELEASE = "SYNC";
    parameter CSDECODE_A = "0b000";
    parameter CSDECODE_B = "0b000";
    parameter CLKAMUX = "CLKA";
    parameter CLKBMUX = "CLKB";
    parameter WRITEMODE_A = "NORMAL";
    parameter WRITEMODE_B = "NORMAL";
    parameter GSR = "AUTO";
    parameter [319:0] INITVAL_00 = 320'h0;
    parameter [319:0] INITVAL_01 = 320'h0;
    parameter [319:0] INITVAL_02 = 320'h0;
    parameter [319:0] INITVAL_03 = 320'h0;
    parameter [319:0] INITVAL_04 = 320'h0;
    parameter [319:0] INITVAL_05 = 320'h0;
    parameter [319:0] INITVAL_06 = 320'h0;
    parameter [319:0] INITVAL_07 = 320'h0;
    parameter [319:0] INITVAL_08 = 320'h0;
    parameter [319:0] INITVAL_09 = 320'h0;
    parameter [319:0] INITVAL_0A = 320'h0;
    parameter [319:0] INITVAL_0B = 320'h0;
    parameter [319:0] INITVAL_0C = 320'h0;
    parameter [319:0] INITVAL_0D = 320'h0;
    parameter [319:0] INITVAL_0E = 320'h0;
    parameter [319:0] INITVAL_0F = 320'h0;
    parameter [319:0] INITVAL_10 = 320'h0;
    parameter [319:0] INITVAL_11 = 320'h0;
    parameter [319:0] INITVAL_12 = 320'h0;
    parameter [319:0] INITVAL_13 = 320'h0;
    parameter [319:0] INITVAL_14 = 320'h0;
    parameter [319:0] INITVAL_15 = 320'h0;
    parameter [319:0] INITVAL_16 = 320'h0;
    parameter [319:0] INITVAL_17 = 320'h0;
    parameter [319:0] INITVAL_18 = 320'h0;
    parameter [319:0] INITVAL_19 = 320'h0;
    parameter [319:0] INITVAL_1A = 320'h0;
    parameter [319:0] INITVAL_1B = 320'h0;
    parameter [319:0] INITVAL_1C = 320'h0;
    parameter [319:0] INITVAL_1D = 320'h0;
    parameter [319:0] INITVAL_1E = 320'h0;
    parameter [319:0] INITVAL_1F = 320'h0;
    parameter [319:0] INITVAL_20 = 320'h0;
    parameter [319:0] INITVAL_21 = 320'h0;
    parameter [319:0] INITVAL_22 = 320'h0;
    parameter [319:0] INITVAL_23 = 320'h0;
    parameter [319:0] INITVAL_24 = 320'h0;
    parameter [319:0] INITVAL_25 = 320'h0;
    parameter [319:0] INITVAL_26 = 320'h0;
    parameter [319:0] INITVAL_27 = 320'h0;
    parameter [319:0] INITVAL_28 = 320'h0;
    parameter [319:0] INITVAL_29 = 320'h0;
    parameter [319:0] INITVAL_2A = 320'h0;
    parameter [319:0] INITVAL_2B = 320'h0;
    parameter [319:0] INITVAL_2C = 320'h0;
    parameter [319:0] INITVAL_2D = 320'h0;
    parameter [319:0] INITVAL_2E = 320'h0;
    parameter [319:0] INITVAL_2F = 320'h0;
    parameter [319:0] INITVAL_30 = 320'h0;
    parameter [319:0] INITVAL_31 = 320'h0;
    parameter [319:0] INITVAL_32 = 320'h0;
    parameter [319:0] INITVAL_33 = 320'h0;
    parameter [319:0] INITVAL_34 = 320'h0;
    parameter [319:0] INITVAL_35 = 320'h0;
    parameter [319:0] INITVAL_36 = 320'h0;
    parameter [319:0] INITVAL_37 = 320'h0;
    parameter [319:0] INITVAL_38 = 320'h0;
    parameter [319:0] INITVAL_39 = 320'h0;
    parameter [319:0] INITVAL_3A = 320'h0;
    parameter [319:0] INITVAL_3B = 320'h0;
    parameter [319:0] INITVAL_3C = 320'h0;
    parameter [319:0] INITVAL_3D = 320'h0;
    parameter [319:0] INITVAL_3E = 320'h0;
    parameter [319:0] INITVAL_3F = 320'h0;

    wire [13:0] ad_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [17:0] di_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};

    wire [13:0] ad_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
    wire [17:0] di_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};

    // bytes of nine bits; narrow ports see the lower eight
    reg [8:0] bytes [0:2047];
    wire [20479:0] initval = {INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39,
        INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
        INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27,
        INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E,
        INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16, INITVAL_15,
        INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C,
        INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08, INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03,
        INITVAL_02, INITVAL_01, INITVAL_00};
    integer i;
    initial begin
        for (i = 0; i < 2048; i = i + 1)
            bytes[i] = initval[(i / 2) * 20 + (i % 2) * 9 +: 9];
    end

    wire clk_a = CLKAMUX == "INV" ? ~CLKA : CLKA;
    wire clk_b = CLKBMUX == "INV" ? ~CLKB : CLKB;
    reg [35:0] out_a = 36'h0;
    reg [35:0] out_b = 36'h0;
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = DATA_WIDTH_B == 36 ? out_b[35:18] : out_b[17:0];
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = DATA_WIDTH_B == 36 ? out_b[17:0] : out_a[17:0];

    // port A: the word at its address
    wire [10:0] at_a = DATA_WIDTH_A == 36 ? {ad_a[13:5], 2'h0} : DATA_WIDTH_A == 18 ? {ad_a[13:4], 1'h0} : ad_a[13:3];
    wire [8:0] byte_a = bytes[at_a];
    wire [35:0] word_a = {bytes[at_a | 11'h3], bytes[at_a | 11'h2], bytes[at_a | 11'h1], byte_a};
    wire [35:0] read_a = DATA_WIDTH_A == 36 ? word_a : DATA_WIDTH_A == 18 ? {18'h0, word_a[17:0]}
        : DATA_WIDTH_A == 9 ? {27'h0, byte_a} : DATA_WIDTH_A == 4 ? {32'h0, byte_a[{ad_a[2], 2'h0} +: 4]}
        : DATA_WIDTH_A == 2 ? {34'h0, byte_a[{ad_a[2:1], 1'h0} +: 2]} : {35'h0, byte_a[ad_a[2:0]]};
    wire [35:0] given_a = {di_b, di_a};
    wire write_a = CEA & WEA;
    always @(posedge clk_a) begin
        if (write_a) begin
            if (DATA_WIDTH_A == 36) begin
                if (ad_a[0]) bytes[at_a] <= given_a[8:0];
                if (ad_a[1]) bytes[at_a | 11'h1] <= given_a[17:9];
                if (ad_a[2]) bytes[at_a | 11'h2] <= given_a[26:18];
                if (ad_a[3]) bytes[at_a | 11'h3] <= given_a[35:27];
            end else if (DATA_WIDTH_A == 18) begin
                if (ad_a[0]) bytes[at_a] <= given_a[8:0];
                if (ad_a[1]) bytes[at_a | 11'h1] <= given_a[17:9];
            end else if (DATA_WIDTH_A == 9)
                bytes[at_a] <= given_a[8:0];
            else if (DATA_WIDTH_A == 4)
                bytes[at_a][{ad_a[2], 2'h0} +: 4] <= given_a[3:0];
            else if (DATA_WIDTH_A == 2)
                bytes[at_a][{ad_a[2:1], 1'h0} +: 2] <= given_a[1:0];
            else
                bytes[at_a][ad_a[2:0]] <= given_a[0];
        end
        if (RSTA)
            out_a <= 36'h0;
        else if (CEA & (~WEA | WRITEMODE_A == "READBEFOREWRITE"))
            out_a <= read_a;
        else if (CEA & WRITEMODE_A == "WRITETHROUGH")
            out_a <= given_a;
    end

    // port B: the word at its address
    wire [10:0] at_b = DATA_WIDTH_B == 36 ? {ad_b[13:5], 2'h0} : DATA_WIDTH_B == 18 ? {ad_b[13:4], 1'h0} : ad_b[13:3];
    wire [8:0] byte_b = bytes[at_b];
    wire [35:0] word_b = {bytes[at_b | 11'h3], bytes[at_b | 11'h2], bytes[at_b | 11'h1], byte_b};
    wire [35:0] read_b = DATA_WIDTH_B == 36 ? word_b : DATA_WIDTH_B == 18 ? {18'h0, word_b[17:0]}
        : DATA_WIDTH_B == 9 ? {27'h0, byte_b} : DATA_WIDTH_B == 4 ? {32'h0, byte_b[{ad_b[2], 2'h0} +: 4]}
        : DATA_WIDTH_B == 2 ? {34'h0, byte_b[{ad_b[2:1], 1'h0} +: 2]} : {35'h0, byte_b[ad_b[2:0]]};
    wire [35:0] given_b = {18'h0, di_b};
    wire write_b = CEB & WEB;
    always @(posedge clk_b) begin
        if (write_b) begin
            if (DATA_WIDTH_B == 36) begin
                if (ad_b[0]) bytes[at_b] <= given_b[8:0];
                if (ad_b[1]) bytes[at_b | 11'h1] <= given_b[17:9];
                if (ad_b[2]) bytes[at_b | 11'h2] <= given_b[26:18];
                if (ad_b[3]) bytes[at_b | 11'h3] <= given_b[35:27];
            end else if (DATA_WIDTH_B == 18) begin
                if (ad_b[0]) bytes[at_b] <= given_b[8:0];
                if (ad_b[1]) bytes[at_b | 11'h1] <= given_b[17:9];
            end else if (DATA_WIDTH_B == 9)
                bytes[at_b] <= given_b[8:0];
            else if (DATA_WIDTH_B == 4)
                bytes[at_b][{ad_b[2], 2'h0} +: 4] <= given_b[3:0];
            else if (DATA_WIDTH_B == 2)
                bytes[at_b][{ad_b[2:1], 1'h0} +: 2] <= given_b[1:0];
            else
                bytes[at_b][ad_b[2:0]] <= given_b[0];
        end
        if (RSTB)
            out_b <= 36'h0;
        else if (CEB & (~WEB | WRITEMODE_B == "READBEFOREWRITE"))
            out_b <= read_b;
        else if (CEB & WRITEMODE_B == "WRITETHROUGH")
            out_b <= given_b;
    end
endmodule
