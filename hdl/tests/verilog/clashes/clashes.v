`default_nettype none

module clashes (
    input  wire [1:0] A_B_C,
    output wire [3:0] y
);
    localparam A_B_C_1 = 1'h0;
    localparam A_GR__E = 1'h1;
    localparam A_B_C_2 = 1'h0;
    localparam A_B_TYPE = 1'h1;
    localparam A_1_B_C = 1'h0;
    localparam A_1_D = 1'h1;
    reg first; // enums.rs:120
    reg second; // enums.rs:120
    wire third; // enums.rs:120
    reg other; // enums.rs:133
    assign third = second;
    always @* begin
        first = A_B_C_1;
        if (A_B_C[0]) first = A_GR__E;
    end
    always @* begin
        second = A_B_C_2;
        if (A_B_C[1]) second = A_B_TYPE;
    end
    always @* begin
        other = A_1_B_C;
        if (A_B_C[1]) other = A_1_D;
    end
    wire A_BC_1 = other == A_1_B_C; // enums.rs:136
    assign y = {A_BC_1, other, first, third};
endmodule

`default_nettype wire
