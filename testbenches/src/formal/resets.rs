//! What surrounds a harness: its clocks and resets, and what is asked of every part while it is in reset.

use crate::proofs::STAGES;
use hdl::{Design, Property, PropertyKind, Span};

/// The text of a harness with its surroundings.
///
/// Of two clocks, which have nothing to do with each other, a step of the prover is an instant: the clock inputs, which
/// it chooses, say at which instants there is a rising edge. Both resets come together, at first and whenever the prover wants, and
/// last for [`STAGES`] edges of each clock at least; then each is released when the prover wants.
///
/// `once`: of one clock, the reset is there for two cycles, and never again. For so many cycles that is no less: what registers without a
/// reset and memories hold behind it is anything, so a later one leads nowhere else.
pub(super) fn surrounded<P>(text: &str, design: &Design<P>, once: bool) -> String {
    let quiet = |held: &str| quiet(design, held);
    let (text, surroundings) = match &design.clocks().collect::<Vec<_>>()[..] {
        [(clock, Some(reset))] => {
            let was = format!("    reg {reset}_was = 0;\n    always @(posedge {clock}) {reset}_was <= {reset};\n");
            let quiet = quiet(&format!("{reset} && {reset}_was"));
            let ends = format!(
                "    reg [1:0] {reset}_for = 0;\n\
                 \x20   always @(posedge {clock}) {reset}_for <= {reset}_for + ({reset}_for != 2);\n\
                 \x20   always @* assume ({reset} == ({reset}_for != 2));\n"
            );
            let ends = if once { ends } else { String::new() };
            (text.to_string(), was + &ends + &format!("    always @(posedge {clock}) {quiet}"))
        }
        [(first, Some(reset)), (second, Some(other))] => {
            let held = format!("{reset} && {other} && !begins && {first}_edges != 0 && {second}_edges != 0");
            let quiet = format!("    always @($global_clock) {}", quiet(&held));
            (at_instants(text), unrelated([first, second], [reset, other]) + &quiet)
        }
        _ => return text.to_string(),
    };
    let top = design.name();
    let Some(at) = text.find(&format!("module {top} ")).or_else(|| text.find(&format!("module {top}("))) else {
        return text;
    };
    let (before, module) = text.split_at(at);
    before.to_string() + &module.replacen("endmodule", &format!("{surroundings}endmodule"), 1) + "\n"
}

/// While the condition `held` is 1, that is, behind the first edge of a reset, no output is valid, as long as no input is, and nothing is
/// flushed.
fn quiet<P>(design: &Design<P>, held: &str) -> String {
    let message = "in reset nothing is valid";
    let span = Span { file: file!().into(), line: line!(), column: 1 };
    let property = Property { kind: PropertyKind::Assert, message: message.into(), span };
    let (mut assumed, mut asserted) = (String::new(), String::new());
    for port in design.port_list() {
        let (name, ends) = (&port.name, |end: &&str| port.name.ends_with(*end));
        match port.input {
            true if ["valid", "pulse", "flush"].iter().any(ends) => {
                assumed += &format!("        assume ({name} == 0);\n")
            }
            false if ["valid", "pulse"].iter().any(ends) => {
                asserted += &format!("        assert ({name} == 0); // property: {property}\n");
            }
            _ => (),
        }
    }
    format!("if ({held}) begin\n{assumed}{asserted}    end\n")
}

/// Edges of clocks as instants at which their inputs are 1.
fn at_instants(text: &str) -> String {
    let edges = |line: &str| match line.split_once("always @(posedge ") {
        Some((before, rest)) => match rest.split_once(')') {
            Some((clock, rest)) => format!("{before}always @($global_clock) if ({clock}){rest}"),
            None => line.to_string(),
        },
        None => line.to_string(),
    };
    text.lines().map(edges).collect::<Vec<_>>().join("\n")
}

/// The resets of two clocks.
fn unrelated([a, b]: [&str; 2], [reset, other]: [&str; 2]) -> String {
    format!(
        "    reg [2:0] {a}_edges = 0, {b}_edges = 0; reg {reset}_was = 1, {other}_was = 1;\n\
         \x20   wire over = {a}_edges >= {STAGES} && {b}_edges >= {STAGES};\n\
         \x20   wire begins = ({reset} && !{reset}_was) || ({other} && !{other}_was);\n\
         \x20   always @($global_clock) begin\n\
         \x20       {reset}_was <= {reset};\n\
         \x20       {other}_was <= {other};\n\
         \x20       {a}_edges <= begins ? {a} : {a}_edges + ({a} && {a}_edges != 7);\n\
         \x20       {b}_edges <= begins ? {b} : {b}_edges + ({b} && {b}_edges != 7);\n\
         \x20   end\n\
         \x20   initial assume ({reset} && {other});\n\
         \x20   always @* assume (!begins || ({reset} && {other}));\n\
         \x20   always @* assume (({reset} || !{reset}_was || over) && ({other} || !{other}_was || over));\n"
    )
}
