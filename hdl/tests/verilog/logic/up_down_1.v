`default_nettype none

module up_down_1 (
    input  wire clk,
    input  wire rst,
    input  wire up,
    input  wire down,
    output wire level,
    output wire empty,
    output wire full,
    output wire wrong
);
    reg count;
    assign level = count;
    always @(posedge clk) begin
        if (rst) begin
            count <= 1'h1;
        end else begin
            if (up & (~down)) count <= count + 1'h1;
            else if (down & (~up)) count <= count - 1'h1;
        end
    end
    wire wrong_1 = up & 1'h0;
    assign wrong = wrong_1;
    assign empty = ~count;
    assign full = count == 1'h1;
endmodule

`default_nettype wire
