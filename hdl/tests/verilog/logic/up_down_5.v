`default_nettype none

module up_down_5 (
    input  wire clk,
    input  wire rst,
    input  wire up,
    input  wire down,
    output wire [2:0] level,
    output wire empty,
    output wire full,
    output wire wrong
);
    reg [2:0] count;
    assign level = count;
    wire _t1 = up & (~down);
    wire _t2 = down & (~up);
    wire _t3 = count == 3'h5;
    wire _t4 = |count;
    always @(posedge clk) begin
        if (rst) begin
            count <= 3'h0;
        end else begin
            if (_t1 & (~_t3)) count <= count + 3'h1;
            else if (_t2 & _t4) count <= count - 3'h1;
        end
    end
    wire wrong_1 = (_t1 & _t3) | (_t2 & (~_t4));
    assign wrong = wrong_1;
    assign empty = ~(|count);
    assign full = count == 3'h5;
endmodule

`default_nettype wire
