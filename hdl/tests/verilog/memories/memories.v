// Printed by a test of kvforge-hdl.
`default_nettype none

module memories (
    input  wire clk,
    input  wire clk_b,
    input  wire rst_b,
    input  wire [3:0] addr,
    input  wire [3:0] other,
    input  wire [15:0] word,
    input  wire [1:0] lanes,
    input  wire enable,
    input  wire x_sign,
    input  wire [4:0] x_exp,
    input  wire [9:0] x_frac,
    output wire [15:0] lut,
    output wire [15:0] block,
    output wire [15:0] held,
    output wire [6:0] rom,
    output wire y_sign,
    output wire [4:0] y_exp,
    output wire [9:0] y_frac,
    output wire [15:0] two
);
    reg [3:0] count; // verilog.rs:109
    (* ram_style = "distributed" *) reg [15:0] s_table [0:15];
    (* ram_style = "block" *) reg [15:0] bytes [0:15];
    reg [15:0] bytes_q0; // verilog.rs:93
    reg [15:0] bytes_q1; // verilog.rs:94
    (* syn_romstyle = "logic" *) reg [6:0] squares [0:9];
    initial begin
        squares[0] = 7'h0;
        squares[1] = 7'h1;
        squares[2] = 7'h4;
        squares[3] = 7'h9;
        squares[4] = 7'h10;
        squares[5] = 7'h19;
        squares[6] = 7'h24;
        squares[7] = 7'h31;
        squares[8] = 7'h40;
        squares[9] = 7'h51;
    end
    reg [15:0] floats [0:11];
    initial begin
        floats[0] = 16'h3c00;
        floats[1] = 16'h0;
        floats[2] = 16'h0;
        floats[3] = 16'h0;
        floats[4] = 16'h0;
        floats[5] = 16'h0;
        floats[6] = 16'h0;
        floats[7] = 16'h0;
        floats[8] = 16'h0;
        floats[9] = 16'h0;
        floats[10] = 16'h0;
        floats[11] = 16'h0;
    end
    reg [15:0] floats_q0; // verilog.rs:103
    reg [15:0] crossing [0:15];
    reg [15:0] two_1; // verilog.rs:111

    // LUT RAM, two read ports
    always @(posedge clk) if (enable) s_table[addr] <= word;
    wire [15:0] s_table_q0 = s_table[addr]; // verilog.rs:88
    wire [15:0] s_table_q1 = s_table[other]; // verilog.rs:88
    assign lut = s_table_q0 ^ s_table_q1;

    // block RAM with byte lanes
    wire [15:0] _t1 = word + 16'h1; // verilog.rs:92
    always @(posedge clk) begin
        if (lanes[0]) bytes[addr][7:0] <= _t1[7:0];
        if (lanes[1]) bytes[addr][15:8] <= _t1[15:8];
    end
    assign block = bytes_q0;
    always @(posedge clk) bytes_q0 <= bytes[other];
    assign held = bytes_q1;
    always @(posedge clk) if (enable) bytes_q1 <= bytes[addr];

    // read-only, 10 words
    wire [6:0] squares_q0 = squares[addr]; // verilog.rs:98
    assign rom = squares_q0;

    // words that are a bundle
    always @(posedge clk) begin
        if (enable) floats[addr] <= {x_sign, x_exp, x_frac};
        floats_q0 <= floats[other];
    end
    assign y_sign = floats_q0[15];
    assign y_exp = floats_q0[14:10];
    assign y_frac = floats_q0[9:0];

    // two clocks
    always @(posedge clk) if (enable) crossing[addr] <= word;
    always @(posedge clk_b) begin
        if (rst_b) begin
            count <= 4'h3;
        end else begin
            count <= count + 4'h1;
        end
    end
    assign two = two_1;
    always @(posedge clk_b) two_1 <= crossing[count];
endmodule

`default_nettype wire
