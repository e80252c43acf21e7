`default_nettype none

module counter (
    input  wire clk,
    input  wire rst,
    input  wire up,
    input  wire shut,
    output wire [3:0] count
);
    reg [3:0] count_1; // properties.rs:31
    assign count = count_1;
    always @(posedge clk) begin
        if (rst) begin
            count_1 <= 4'h0;
        end else if (up) count_1 <= (count_1 == 4'h9) ? 4'h0 : (count_1 + 4'h1);
    end
    wire unused_ok = &{1'b0, shut};
endmodule

`default_nettype wire
