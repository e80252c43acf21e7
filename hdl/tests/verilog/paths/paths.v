// Printed by a test of kvforge-hdl.
`default_nettype none

module paths (
    input  wire go,
    input  wire both,
    input  wire [3:0] a,
    input  wire [3:0] b,
    output reg  [3:0] x,
    output reg  [3:0] y,
    output reg  [3:0] first,
    output reg  [3:0] second,
    output reg  [3:0] base,
    output reg  [3:0] derived
);

    // apart: `a` does not reach `y`, and `b` not `x`; around this module, `b` may be computed from `x`
    always @* begin
        x = 4'h0;
        if (go) x = a;
    end
    always @* begin
        y = 4'h0;
        if (go) y = b;
    end

    // together: both depend on the same inputs
    always @* begin
        first = a;
        second = b;
        if (both) begin
            first = b;
            second = a;
        end
    end

    // apart: one is computed from the other
    always @* begin
        base = 4'h0;
        if (go) base = a;
    end
    always @* begin
        derived = 4'h1;
        if (go) derived = base + 4'h1;
    end
endmodule

`default_nettype wire
