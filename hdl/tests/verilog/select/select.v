// Printed by a test of kvforge-hdl.
`default_nettype none

module select (
    input  wire clk,
    input  wire rst,
    input  wire write,
    input  wire [1:0] way,
    input  wire [2:0] set,
    input  wire [7:0] tag,
    input  wire seen,
    output wire hit,
    output wire [31:0] tags,
    output wire [4:0] found,
    output reg  [7:0] mark
);
    reg [3:0] valid; // processes.rs:151
    reg [31:0] tags_1; // processes.rs:155
    reg [131:0] fives; // processes.rs:163
    reg [31:0] used; // processes.rs:169
    reg [127:0] counts; // processes.rs:173
    integer _i1;
    integer _i2;
    wire [4:0] entry = {set, way}; // processes.rs:148

    // four single bits
    always @(posedge clk) begin
        if (rst) begin
            valid <= 4'h0;
        end else if (write) valid[way] <= 1'h1;
    end

    // four parts of 8 bits
    assign tags = tags_1;
    always @(posedge clk) if (write) begin
        case (way)
            2'h0: tags_1[7:0] <= tag;
            2'h1: tags_1[15:8] <= tag;
            2'h2: tags_1[23:16] <= tag;
            2'h3: tags_1[31:24] <= tag;
        endcase
        if (seen) tags_1[3:0] <= 4'h0;
    end

    // eight parts of 5 bits, apart by 9: places that are a product
    wire [6:0] _t1 = {4'h0, set} * {3'h0, 4'h9}; // processes.rs:164
    wire [7:0] place = {1'h0, _t1}; // processes.rs:164
    always @(posedge clk) begin
        if (rst) begin
            fives <= 132'h0;
        end else begin
            case (set)
                3'h0: fives[4:0] <= tag[7:3];
                3'h1: fives[13:9] <= tag[7:3];
                3'h2: fives[22:18] <= tag[7:3];
                3'h3: fives[31:27] <= tag[7:3];
                3'h4: fives[40:36] <= tag[7:3];
                3'h5: fives[49:45] <= tag[7:3];
                3'h6: fives[58:54] <= tag[7:3];
                3'h7: fives[67:63] <= tag[7:3];
            endcase
        end
    end
    assign found = fives[place +: 5];

    // 32 single bits: in a loop
    always @(posedge clk) begin
        if (rst) begin
            used <= 32'h0;
        end else begin
            if (write) begin
                for (_i1 = 0; _i1 < 32; _i1 = _i1 + 1) begin
                    if (entry == _i1[4:0]) used[_i1] <= 1'h1;
                end
            end else if (seen) begin
                for (_i1 = 0; _i1 < 32; _i1 = _i1 + 1) begin
                    if (entry == _i1[4:0]) used[_i1] <= 1'h0;
                end
            end
        end
    end

    // 32 parts of 4 bits: in a loop
    always @(posedge clk) if (write) begin
        for (_i2 = 0; _i2 < 32; _i2 = _i2 + 1) begin
            if (entry == _i2[4:0]) counts[4 * _i2 +: 4] <= tag[3:0];
        end
    end
    assign hit = (valid[way] & used[entry]) & (^counts);

    // a wire
    always @* begin
        mark = 8'h0;
        mark[set] = write;
    end
endmodule

`default_nettype wire
