`default_nettype none

module top (
    input  wire clk,
    input  wire rst,
    input  wire [1:0] pull,
    output wire [3:0] seen,
    inout  wire sda,
    inout  wire [2:0] gpio
);
    wire sda_out;
    wire sda_enable;
    wire sda_in;
    IOBUF sda_pad (.IO(sda), .I(sda_out), .OEN(~sda_enable), .O(sda_in));
    wire [2:0] gpio_out;
    reg [2:0] gpio_enable;
    wire [2:0] gpio_in;
    IOBUF gpio_pad [2:0] (.IO(gpio), .I(gpio_out), .OEN(~gpio_enable), .O(gpio_in));
    wire [7:0] node_seen;
    wire node_busy;
    wire node_sda_out;
    wire node_sda_enable;
    reg [2:0] seen_1; // pads.rs:141
    assign sda_out = node_sda_out;
    assign sda_enable = node_sda_enable;
    node node (
        .clk(clk),
        .rst(rst),
        .data(8'h55),
        .start(pull[0]),
        .seen(node_seen),
        .busy(node_busy),
        .sda_out(node_sda_out),
        .sda_enable(node_sda_enable),
        .sda_in(sda_in)
    );
    assign gpio_out = 3'h5;
    always @* begin
        if (pull[1]) gpio_enable = 3'h3;
        else gpio_enable = 3'h4;
    end
    always @(posedge clk) seen_1 <= gpio_in;
    assign seen = {seen_1, node_seen[0]};
    wire unused_ok = &{1'b0, node_seen[7:1], node_busy};
endmodule

`default_nettype wire
