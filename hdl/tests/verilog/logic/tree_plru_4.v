`default_nettype none

module tree_plru_4 (
    input  wire clk,
    input  wire rst,
    input  wire used,
    input  wire [1:0] way,
    output wire [1:0] victim
);
    reg [2:0] state;
    always @(posedge clk) begin
        if (rst) begin
            state <= 3'h0;
        end else if (used) state <= {way[1] ? (~way[0]) : state[2], way[1] ? state[1] : (~way[0]), ~way[1]};
    end
    assign victim = {state[0], state[0] ? state[2] : state[1]};
endmodule

`default_nettype wire
