//! Ports and parameters of texts, and what cannot be read.

use super::*;

/// Ports as `direction name[range]`, parameters as `name=value`.
fn read(text: &str) -> Result<Vec<String>, Unreadable> {
    let joined = |tokens: &[Token]| tokens.iter().map(|t| t.text).collect::<Vec<_>>().join(" ");
    let module = modules(text)?.remove(0);
    if let Some(problem) = module.problem {
        return Err(problem);
    }
    let range =
        |r: &Option<Range>| r.as_ref().map_or(String::new(), |r| format!(" [{}:{}]", joined(&r.high), joined(&r.low)));
    let port = |p: &TextPort| format!("{} {}{}", p.direction, p.name.text, range(&p.range));
    let parameter = |p: &TextParameter| {
        let kind = if p.local { "local " } else { "" };
        format!("{kind}{}={}{}", p.name.text, joined(&p.value), range(&p.range))
    };
    Ok(module.parameters.iter().map(parameter).chain(module.ports.iter().map(port)).collect())
}

#[test]
fn both_styles_say_the_same() {
    let ansi = "module m #(parameter W = 8, D = W * 2, parameter [3:0] K = 4'd3, localparam L = f(a, b)) (
        input wire clk, rst, input [W-1:0] a, (* x *) input signed [D ? 7 : 3:0] b,
        output reg [K-1:0] y = {K{1'b0}}, output integer n, inout z);
        wire q; endmodule";
    let old = "module m (clk, rst, a, b, y, n, z);
        parameter W = 8, D = W * 2; parameter [3:0] K = 4'd3; localparam L = f(a, b);
        input clk, rst; output [K-1:0] y; reg [K-1:0] y;
        function f; input [7:0] x, y; begin f = x; end endfunction
        input [W-1:0] a; input signed [D ? 7 : 3:0] b; inout z; output integer n;
        always @(*) begin : block parameter P = 1; y = a; end
        generate if (W) localparam Q = 2; endgenerate
        endmodule";
    let wanted = [
        "W=8",
        "D=W * 2",
        "K=4'd3 [3:0]",
        "local L=f ( a , b )",
        "input clk",
        "input rst",
        "input a [W - 1:0]",
        "input b [D ? 7 : 3:0]",
        "output y [K - 1:0]",
        "output n",
        "inout z",
    ];
    assert_eq!(read(ansi).unwrap(), wanted);
    assert_eq!(read(old).unwrap(), wanted);
}

#[test]
fn several_modules_and_none() {
    let names = |text| modules(text).map(|all| all.iter().map(|m| m.name.text.to_string()).collect::<Vec<_>>());
    assert_eq!(
        names("module a; endmodule primitive p (y, x); endprimitive module b$c(); endmodule").unwrap(),
        ["a", "p", "b$c"]
    );
    assert_eq!(names("").unwrap(), [""; 0]);
    assert!(read("module a; endmodule").unwrap().is_empty());
}

#[test]
fn what_cannot_be_read() {
    for (text, why) in [
        ("package p; endpackage", "a module is expected, not `package`"),
        ("module m (input logic a); endmodule", "the name of a port is expected, not `logic`"),
        ("module m (input [7:0] a [3:0]); endmodule", "port `a` is an array"),
        ("module m (.a(b)); endmodule", "the name of a port is expected, not `.`"),
        ("module m (a); endmodule", "port `a` has no direction"),
        ("module m (a); input a, b; endmodule", "`b` is not in the list of ports"),
        ("module m (input a, a); endmodule", "port `a` is declared twice"),
        ("module m (a); input a; output a; endmodule", "port `a` is declared twice"),
        ("module m (input a); output b; endmodule", "`b` is declared behind a complete list of ports"),
        ("module m (input [3:0][7:0] a); endmodule", "the name of a port is expected, not `[`"),
        ("module m (input [3] a); endmodule", "`:` is expected, not `]`"),
        ("module m (input a; endmodule", "`,` is expected, not `;`"),
        ("module m #(parameter type T = x) (input a); endmodule", "the name of a parameter is expected, not `type`"),
        ("module m (input a);", "`endmodule` is missing"),
        ("module m; parameter A = 1; parameter A = 2; endmodule", "parameter `A` is declared twice"),
        ("module m; module n; endmodule endmodule", "`module` stands in a module"),
    ] {
        assert_eq!(read(text).map_err(|e| e.why), Err(why.to_string()), "{text}");
    }
}
