`resetall
`timescale 1ns / 1ps
`default_nettype none

module pll_counter (
    input  wire clk,
    input  wire button,
    input  wire [3:0] step,
    output wire [3:0] count,
    output wire running
);
    wire pll_clkop;
    wire pll_clkos;
    wire pll_lock;
    reg first; // inside.rs:16
    reg second; // inside.rs:16
    reg [3:0] count_1; // inside.rs:42
    wire fast_clk = pll_clkop; // inside.rs:38
    wire fast_clk_reset; // inside.rs:19
    pll pll (
        .clki(clk),
        .clkop(pll_clkop),
        .clkos(pll_clkos),
        .lock(pll_lock)
    );
    wire active = button | (~pll_lock); // inside.rs:15
    always @(posedge fast_clk or posedge active) begin
        if (active) begin
            second <= 1'h1;
        end else begin
            second <= first;
        end
    end
    assign fast_clk_reset = second;
    always @(posedge fast_clk or posedge active) begin
        if (active) begin
            first <= 1'h1;
        end else begin
            first <= 1'h0;
        end
    end
    assign count = count_1;
    always @(posedge fast_clk) begin
        if (fast_clk_reset) begin
            count_1 <= 4'h5;
        end else begin
            count_1 <= count_1 + step;
        end
    end
    assign running = ~fast_clk_reset;
    wire unused_ok = &{1'b0, pll_clkos};
endmodule

`default_nettype wire
