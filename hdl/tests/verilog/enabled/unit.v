`default_nettype none

module unit (
    input  wire clk,
    input  wire rst,
    input  wire go,
    input  wire half,
    input  wire [1:0] at,
    input  wire [7:0] data,
    output wire [7:0] count,
    output wire [7:0] own,
    output wire [7:0] word,
    output wire [7:0] delayed,
    output wire [7:0] inner,
    output wire [7:0] running,
    output wire started,
    input  wire start
);
    reg [7:0] running_1; // enabled.rs:33
    reg [7:0] count_1; // enabled.rs:39
    reg [7:0] own_1; // enabled.rs:41
    reg [7:0] inner_1; // enabled.rs:43
    reg [7:0] data_s1; // enabled.rs:49
    reg [7:0] data_s2; // enabled.rs:49
    reg started_1; // enabled.rs:50
    reg [7:0] s_table [0:3];
    reg [7:0] word_1; // enabled.rs:47
    assign running = running_1;
    always @(posedge clk) begin
        if (rst) begin
            running_1 <= 8'h0;
        end else begin
            running_1 <= running_1 + 8'h1;
        end
    end

    // held
    assign count = count_1;
    always @(posedge clk) begin
        if (rst) begin
            count_1 <= 8'h7;
        end else if (go) count_1 <= count_1 + 8'h1;
    end
    assign own = own_1;
    always @(posedge clk) begin
        if (rst) begin
            own_1 <= 8'h0;
        end else if (go & half) own_1 <= own_1 + 8'h1;
    end
    assign inner = inner_1;
    always @(posedge clk) begin
        if (rst) begin
            inner_1 <= 8'h0;
        end else if (go & half) inner_1 <= inner_1 + 8'h1;
    end
    wire [1:0] _t1 = {2{go}} & {2{half}}; // enabled.rs:46
    always @(posedge clk) begin
        if (_t1[0]) s_table[at][3:0] <= data[3:0];
        if (_t1[1]) s_table[at][7:4] <= data[7:4];
    end
    assign word = word_1;
    always @(posedge clk) if (go) begin
        word_1 <= s_table[at];
        data_s1 <= data;
        data_s2 <= data_s1;
    end
    wire [7:0] delayed_1 = data_s2; // enabled.rs:49
    assign delayed = delayed_1;
    assign started = started_1;
    always @(posedge clk or posedge start) begin
        if (start) begin
            started_1 <= 1'h1;
        end else if (go) started_1 <= 1'h0;
    end
endmodule

`default_nettype wire
