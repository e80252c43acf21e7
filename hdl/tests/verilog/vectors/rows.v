`default_nettype none

module rows_1 (
    input  wire clk,
    input  wire rst,
    input  wire x_ways_0_valid,
    input  wire [3:0] x_ways_0_tag,
    input  wire x_ways_1_valid,
    input  wire [3:0] x_ways_1_tag,
    input  wire x_ways_2_valid,
    input  wire [3:0] x_ways_2_tag,
    input  wire [1:0] x_pair_0,
    input  wire [1:0] x_pair_1,
    input  wire [2:0] x_lru,
    input  wire [1:0] way,
    input  wire other,
    output wire y_ways_0_valid,
    output wire [3:0] y_ways_0_tag,
    output wire y_ways_1_valid,
    output wire [3:0] y_ways_1_tag,
    output wire y_ways_2_valid,
    output wire [3:0] y_ways_2_tag,
    output wire [1:0] y_pair_0,
    output wire [1:0] y_pair_1,
    output wire [2:0] y_lru,
    output wire entry_valid,
    output wire [3:0] entry_tag,
    output wire [21:0] whole
);
    reg held_ways_0_valid;
    reg [3:0] held_ways_0_tag;
    reg held_ways_1_valid;
    reg [3:0] held_ways_1_tag;
    reg held_ways_2_valid;
    reg [3:0] held_ways_2_tag;
    reg [1:0] held_pair_0;
    reg [1:0] held_pair_1;
    reg [2:0] held_lru;
    wire changed_ways_0_valid;
    reg [3:0] changed_ways_0_tag;
    wire changed_ways_1_valid;
    reg [3:0] changed_ways_1_tag;
    wire changed_ways_2_valid;
    reg [3:0] changed_ways_2_tag;
    wire [1:0] changed_pair_0;
    wire [1:0] changed_pair_1;
    wire [2:0] changed_lru;
    reg [21:0] memory [0:0];
    always @(posedge clk) begin
        if (rst) begin
            held_ways_0_valid <= 1'h0;
            held_ways_0_tag <= 4'h0;
            held_ways_1_valid <= 1'h0;
            held_ways_1_tag <= 4'h0;
            held_ways_2_valid <= 1'h0;
            held_ways_2_tag <= 4'h0;
            held_pair_0 <= 2'h0;
            held_pair_1 <= 2'h0;
            held_lru <= 3'h0;
        end else begin
            held_ways_0_valid <= x_ways_0_valid;
            held_ways_0_tag <= x_ways_0_tag;
            held_ways_1_valid <= x_ways_1_valid;
            held_ways_1_tag <= x_ways_1_tag;
            held_ways_2_valid <= x_ways_2_valid;
            held_ways_2_tag <= x_ways_2_tag;
            held_pair_0 <= x_pair_0;
            held_pair_1 <= x_pair_1;
            held_lru <= x_lru;
        end
    end
    wire [21:0] _t1 = {held_ways_2_valid, held_ways_2_tag, held_ways_1_valid, held_ways_1_tag, held_ways_0_valid, held_ways_0_tag, held_pair_1, held_pair_0, held_lru};
    always @(posedge clk) if (1'h1) memory[1'h0] <= _t1;
    wire [21:0] memory_q0 = memory[1'h0];
    wire word_ways_0_valid = memory_q0[11];
    wire [3:0] word_ways_0_tag = memory_q0[10:7];
    wire word_ways_1_valid = memory_q0[16];
    wire [3:0] word_ways_1_tag = memory_q0[15:12];
    wire word_ways_2_valid = memory_q0[21];
    wire [3:0] word_ways_2_tag = memory_q0[20:17];
    wire [1:0] word_pair_0 = memory_q0[4:3];
    wire [1:0] word_pair_1 = memory_q0[6:5];
    wire [2:0] word_lru = memory_q0[2:0];
    wire [21:0] s_packed = {word_ways_2_valid, word_ways_2_tag, word_ways_1_valid, word_ways_1_tag, word_ways_0_valid, word_ways_0_tag, word_pair_1, word_pair_0, word_lru};
    assign whole = s_packed;
    wire chosen_ways_0_valid = other ? held_ways_0_valid : s_packed[11];
    wire [3:0] chosen_ways_0_tag = other ? held_ways_0_tag : s_packed[10:7];
    wire chosen_ways_1_valid = other ? held_ways_1_valid : s_packed[16];
    wire [3:0] chosen_ways_1_tag = other ? held_ways_1_tag : s_packed[15:12];
    wire chosen_ways_2_valid = other ? held_ways_2_valid : s_packed[21];
    wire [3:0] chosen_ways_2_tag = other ? held_ways_2_tag : s_packed[20:17];
    wire [1:0] chosen_pair_0 = other ? held_pair_0 : s_packed[4:3];
    wire [1:0] chosen_pair_1 = other ? held_pair_1 : s_packed[6:5];
    wire [2:0] chosen_lru = other ? held_lru : s_packed[2:0];
    assign y_ways_0_valid = changed_ways_0_valid;
    assign changed_ways_0_valid = chosen_ways_0_valid;
    assign y_ways_0_tag = changed_ways_0_tag;
    assign y_ways_1_valid = changed_ways_1_valid;
    assign changed_ways_1_valid = chosen_ways_1_valid;
    assign y_ways_1_tag = changed_ways_1_tag;
    assign y_ways_2_valid = changed_ways_2_valid;
    assign changed_ways_2_valid = chosen_ways_2_valid;
    assign y_ways_2_tag = changed_ways_2_tag;
    assign y_pair_0 = changed_pair_0;
    assign changed_pair_0 = chosen_pair_0;
    assign y_pair_1 = changed_pair_1;
    assign changed_pair_1 = chosen_pair_1;
    assign y_lru = changed_lru;
    assign changed_lru = chosen_lru;
    wire [3:0] changed_ways_valid = {1'h0, changed_ways_2_valid, changed_ways_1_valid, changed_ways_0_valid};
    wire [15:0] changed_ways_tag = {4'h0, changed_ways_2_tag, changed_ways_1_tag, changed_ways_0_tag};
    wire [15:0] chosen_ways_tag = {4'h0, chosen_ways_2_tag, chosen_ways_1_tag, chosen_ways_0_tag};
    wire [3:0] _t2 = chosen_ways_tag[{way, 2'h0} +: 4] + 4'h1;
    always @* begin
        changed_ways_0_tag = chosen_ways_0_tag;
        changed_ways_1_tag = chosen_ways_1_tag;
        changed_ways_2_tag = chosen_ways_2_tag;
        if (other) begin
            if (way == 2'h0) changed_ways_0_tag = _t2;
            if (way == 2'h1) changed_ways_1_tag = _t2;
            if (way == 2'h2) changed_ways_2_tag = _t2;
        end
    end
    assign entry_valid = changed_ways_valid[way];
    assign entry_tag = changed_ways_tag[{way, 2'h0} +: 4];
endmodule

module rows (
    input  wire clk,
    input  wire rst,
    input  wire x_ways_0_valid,
    input  wire [3:0] x_ways_0_tag,
    input  wire x_ways_1_valid,
    input  wire [3:0] x_ways_1_tag,
    input  wire x_ways_2_valid,
    input  wire [3:0] x_ways_2_tag,
    input  wire [1:0] x_pair_0,
    input  wire [1:0] x_pair_1,
    input  wire [2:0] x_lru,
    input  wire [1:0] way,
    input  wire other,
    output wire y_ways_0_valid,
    output wire [3:0] y_ways_0_tag,
    output wire y_ways_1_valid,
    output wire [3:0] y_ways_1_tag,
    output wire y_ways_2_valid,
    output wire [3:0] y_ways_2_tag,
    output wire [1:0] y_pair_0,
    output wire [1:0] y_pair_1,
    output wire [2:0] y_lru,
    output wire entry_valid,
    output wire [3:0] entry_tag,
    output wire [21:0] whole
);
    reg held_ways_0_valid;
    reg [3:0] held_ways_0_tag;
    reg held_ways_1_valid;
    reg [3:0] held_ways_1_tag;
    reg held_ways_2_valid;
    reg [3:0] held_ways_2_tag;
    reg [1:0] held_pair_0;
    reg [1:0] held_pair_1;
    reg [2:0] held_lru;
    wire changed_ways_0_valid;
    reg [3:0] changed_ways_0_tag;
    wire changed_ways_1_valid;
    reg [3:0] changed_ways_1_tag;
    wire changed_ways_2_valid;
    reg [3:0] changed_ways_2_tag;
    wire [1:0] changed_pair_0;
    wire [1:0] changed_pair_1;
    wire [2:0] changed_lru;
    wire below_y_ways_0_valid;
    wire [3:0] below_y_ways_0_tag;
    wire below_y_ways_1_valid;
    wire [3:0] below_y_ways_1_tag;
    wire below_y_ways_2_valid;
    wire [3:0] below_y_ways_2_tag;
    wire [1:0] below_y_pair_0;
    wire [1:0] below_y_pair_1;
    wire [2:0] below_y_lru;
    wire below_entry_valid;
    wire [3:0] below_entry_tag;
    wire [21:0] below_whole;
    reg [21:0] memory [0:0];
    always @(posedge clk) begin
        if (rst) begin
            held_ways_0_valid <= 1'h0;
            held_ways_0_tag <= 4'h0;
            held_ways_1_valid <= 1'h0;
            held_ways_1_tag <= 4'h0;
            held_ways_2_valid <= 1'h0;
            held_ways_2_tag <= 4'h0;
            held_pair_0 <= 2'h0;
            held_pair_1 <= 2'h0;
            held_lru <= 3'h0;
        end else begin
            held_ways_0_valid <= x_ways_0_valid;
            held_ways_0_tag <= x_ways_0_tag;
            held_ways_1_valid <= x_ways_1_valid;
            held_ways_1_tag <= x_ways_1_tag;
            held_ways_2_valid <= x_ways_2_valid;
            held_ways_2_tag <= x_ways_2_tag;
            held_pair_0 <= x_pair_0;
            held_pair_1 <= x_pair_1;
            held_lru <= x_lru;
        end
    end
    wire [21:0] _t1 = {held_ways_2_valid, held_ways_2_tag, held_ways_1_valid, held_ways_1_tag, held_ways_0_valid, held_ways_0_tag, held_pair_1, held_pair_0, held_lru};
    always @(posedge clk) if (1'h1) memory[1'h0] <= _t1;
    wire [21:0] memory_q0 = memory[1'h0];
    wire word_ways_0_valid = memory_q0[11];
    wire [3:0] word_ways_0_tag = memory_q0[10:7];
    wire word_ways_1_valid = memory_q0[16];
    wire [3:0] word_ways_1_tag = memory_q0[15:12];
    wire word_ways_2_valid = memory_q0[21];
    wire [3:0] word_ways_2_tag = memory_q0[20:17];
    wire [1:0] word_pair_0 = memory_q0[4:3];
    wire [1:0] word_pair_1 = memory_q0[6:5];
    wire [2:0] word_lru = memory_q0[2:0];
    wire [21:0] s_packed = {word_ways_2_valid, word_ways_2_tag, word_ways_1_valid, word_ways_1_tag, word_ways_0_valid, word_ways_0_tag, word_pair_1, word_pair_0, word_lru};
    assign whole = s_packed;
    wire chosen_ways_0_valid = other ? held_ways_0_valid : s_packed[11];
    wire [3:0] chosen_ways_0_tag = other ? held_ways_0_tag : s_packed[10:7];
    wire chosen_ways_1_valid = other ? held_ways_1_valid : s_packed[16];
    wire [3:0] chosen_ways_1_tag = other ? held_ways_1_tag : s_packed[15:12];
    wire chosen_ways_2_valid = other ? held_ways_2_valid : s_packed[21];
    wire [3:0] chosen_ways_2_tag = other ? held_ways_2_tag : s_packed[20:17];
    wire [1:0] chosen_pair_0 = other ? held_pair_0 : s_packed[4:3];
    wire [1:0] chosen_pair_1 = other ? held_pair_1 : s_packed[6:5];
    wire [2:0] chosen_lru = other ? held_lru : s_packed[2:0];
    assign changed_ways_0_valid = chosen_ways_0_valid;
    assign changed_ways_1_valid = chosen_ways_1_valid;
    assign changed_ways_2_valid = chosen_ways_2_valid;
    assign changed_pair_0 = chosen_pair_0;
    assign changed_pair_1 = chosen_pair_1;
    assign changed_lru = chosen_lru;
    rows_1 below (
        .clk(clk),
        .rst(rst),
        .x_ways_0_valid(changed_ways_0_valid),
        .x_ways_0_tag(changed_ways_0_tag),
        .x_ways_1_valid(changed_ways_1_valid),
        .x_ways_1_tag(changed_ways_1_tag),
        .x_ways_2_valid(changed_ways_2_valid),
        .x_ways_2_tag(changed_ways_2_tag),
        .x_pair_0(changed_pair_0),
        .x_pair_1(changed_pair_1),
        .x_lru(changed_lru),
        .way(way),
        .other(other),
        .y_ways_0_valid(below_y_ways_0_valid),
        .y_ways_0_tag(below_y_ways_0_tag),
        .y_ways_1_valid(below_y_ways_1_valid),
        .y_ways_1_tag(below_y_ways_1_tag),
        .y_ways_2_valid(below_y_ways_2_valid),
        .y_ways_2_tag(below_y_ways_2_tag),
        .y_pair_0(below_y_pair_0),
        .y_pair_1(below_y_pair_1),
        .y_lru(below_y_lru),
        .entry_valid(below_entry_valid),
        .entry_tag(below_entry_tag),
        .whole(below_whole)
    );
    wire [3:0] changed_ways_valid = {1'h0, changed_ways_2_valid, changed_ways_1_valid, changed_ways_0_valid};
    wire [15:0] changed_ways_tag = {4'h0, changed_ways_2_tag, changed_ways_1_tag, changed_ways_0_tag};
    wire [15:0] chosen_ways_tag = {4'h0, chosen_ways_2_tag, chosen_ways_1_tag, chosen_ways_0_tag};
    wire [3:0] _t2 = chosen_ways_tag[{way, 2'h0} +: 4] + 4'h1;
    always @* begin
        changed_ways_0_tag = chosen_ways_0_tag;
        changed_ways_1_tag = chosen_ways_1_tag;
        changed_ways_2_tag = chosen_ways_2_tag;
        if (other) begin
            if (way == 2'h0) changed_ways_0_tag = _t2;
            if (way == 2'h1) changed_ways_1_tag = _t2;
            if (way == 2'h2) changed_ways_2_tag = _t2;
        end
    end
    assign y_ways_0_valid = below_y_ways_0_valid;
    assign y_ways_0_tag = below_y_ways_0_tag;
    assign y_ways_1_valid = below_y_ways_1_valid;
    assign y_ways_1_tag = below_y_ways_1_tag;
    assign y_ways_2_valid = below_y_ways_2_valid;
    assign y_ways_2_tag = below_y_ways_2_tag;
    assign y_pair_0 = below_y_pair_0;
    assign y_pair_1 = below_y_pair_1;
    assign y_lru = below_y_lru;
    assign entry_valid = changed_ways_valid[way];
    assign entry_tag = changed_ways_tag[{way, 2'h0} +: 4];
    wire unused_ok = &{1'b0, below_entry_valid, below_entry_tag, below_whole};
endmodule

`default_nettype wire
