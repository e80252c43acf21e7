//! From a line of Verilog to the Rust line that it comes from, for every line of a module.
//!
//! Most lines name their Rust line in a comment, or assign a signal whose declaration does. The others (`if (rst) begin`, the arm
//! of a `case`, ports, memories) get the place of what belongs to them, so that no point of Verilator falls out of the table.

use crate::mutation::{rust_place, target};

/// A module of a Verilog text.
pub(super) struct Module<'v> {
    /// Number of its first line in the text, from 1.
    first: usize,
    lines: Vec<&'v str>,
    /// For each line the place that it or a declaration names, if that is in a source file of the hardware.
    own: Vec<Option<String>>,
}

/// The modules of a text; `sources` are the names of the source files.
pub(super) fn modules<'v>(verilog: &'v str, sources: &[String]) -> Vec<Module<'v>> {
    let mut modules = vec![];
    let mut open: Option<(usize, Vec<&str>)> = None;
    for (at, line) in verilog.lines().enumerate() {
        if line.starts_with("module ") {
            open = Some((at + 1, vec![]));
        }
        if let Some((_, lines)) = &mut open {
            lines.push(line);
        }
        if line.starts_with("endmodule") {
            modules.extend(open.take().map(|(first, lines)| Module::new(first, lines, sources)));
        }
    }
    modules
}

impl<'v> Module<'v> {
    fn new(first: usize, lines: Vec<&'v str>, sources: &[String]) -> Module<'v> {
        let text = lines.join("\n");
        // a closure that the standard library calls has its place there, a wrapper of a test in the test
        let hardware =
            |place: &String| place.split_once(':').is_some_and(|(file, _)| sources.iter().any(|name| name == file));
        let own = (1..=lines.len()).map(|line| rust_place(&text, line).filter(hardware)).collect();
        Module { first, lines, own }
    }

    /// Which line of the module, from 1, line `number` of the text is, if it is one.
    pub fn line(&self, number: usize) -> Option<usize> {
        let line = (number + 1).checked_sub(self.first)?;
        (1..=self.lines.len()).contains(&line).then_some(line)
    }

    /// The place of a line of the module, and of the signal that it declares; `None` only if no line of the module has one.
    pub fn place(&self, line: usize, signal: Option<&str>) -> Option<&str> {
        let at = line - 1;
        let by_name = || self.used(at, signal.or_else(|| target(self.lines[at]))?);
        self.own[at].as_deref().or_else(|| self.inside(at)).or_else(by_name).or_else(|| self.nearest(at))
    }

    /// The first place inside the block that a line begins.
    fn inside(&self, at: usize) -> Option<&str> {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let mut block = (at + 1..self.lines.len()).take_while(|i| indent(self.lines[*i]) > indent(self.lines[at]));
        block.find_map(|i| self.own[i].as_deref())
    }

    /// The place of the first line that has one and names a signal or a memory, or else of what is nearest to a line that names it.
    fn used(&self, at: usize, name: &str) -> Option<&str> {
        let names = |line: &str| {
            let code = line.split("//").next().unwrap_or_default();
            code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
        };
        let lines: Vec<usize> = (0..self.lines.len()).filter(|i| *i != at && names(self.lines[*i])).collect();
        let placed = lines.iter().find_map(|i| self.own[*i].as_deref());
        placed.or_else(|| self.nearest(*lines.first()?))
    }

    /// The place of the line next to this one that has one; of two the upper.
    fn nearest(&self, at: usize) -> Option<&str> {
        let placed = (0..self.own.len()).filter(|i| self.own[*i].is_some());
        self.own[placed.min_by_key(|i| i.abs_diff(at))?].as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// a header
module m (
    input  wire clk,
    input  wire rst,
    input  wire [7:0] s_payload, // words to store
    output wire [1:0] y
);
    localparam PHASE_PASS = 1'h0;
    reg [1:0] head; // fifo.rs:76
    reg [1:0] tail; // fifo.rs:77
    (* ram_style = \"block\" *) (* no_rw_check *) reg [7:0] ram [0:3];
    reg [7:0] ram_q0; // fifo.rs:106
    (* keep = \"true\" *) reg stage_1; // synchronizer.rs:45
    wire push = s_payload[0] & rst; // fifo.rs:60
    wire called = push; // function.rs:250
    always @(posedge clk) begin
        if (rst) begin
            head <= 2'h0;
        end else begin
            if (tail <= 2'h1) tail <= tail + 2'h1;
        end
    end
    always @(posedge clk) if (push) ram[{tail[1], tail[0]}] <= s_payload;
    always @(posedge clk) ram_q0 <= ram[head];
    always @(posedge clk) stage_1 <= called;
    always @(posedge clk) begin
        case (head)
            PHASE_PASS: begin
                if (push) begin
                    tail[head +: 1] <= 1'h0;
                end
            end
            default: head <= 2'h1;
        endcase
    end
    assign y = head;
endmodule
module wrapper (
    input  wire clk
);
    assign y = clk; // drivers.rs:4
endmodule
";

    /// The place of the only line that contains `part`.
    fn place(part: &str, signal: Option<&str>) -> String {
        let sources = ["fifo.rs", "synchronizer.rs"].map(String::from);
        let modules = modules(TEXT, &sources);
        let numbers: Vec<usize> =
            (1..).zip(TEXT.lines()).filter(|(_, line)| line.contains(part)).map(|(i, _)| i).collect();
        assert_eq!(numbers.len(), 1, "{part}");
        let (module, line) = modules.iter().find_map(|m| Some((m, m.line(numbers[0])?))).expect("a line of a module");
        module.place(line, signal).unwrap_or("none").to_string()
    }

    #[test]
    fn an_if_of_several_lines_stands_where_its_first_assignment_does() {
        assert_eq!(place("if (rst) begin", None), "fifo.rs:76");
        // also when another `if` stands in between
        assert_eq!(place("if (push) begin", None), "fifo.rs:77");
    }

    #[test]
    fn an_else_stands_where_its_own_first_assignment_does() {
        assert_eq!(place("end else begin", None), "fifo.rs:77");
        // the `<=` of the condition assigns nothing
        assert_eq!(place("if (tail <= 2'h1)", None), "fifo.rs:77");
    }

    #[test]
    fn an_arm_of_a_case_stands_where_its_first_assignment_does() {
        assert_eq!(place("PHASE_PASS: begin", None), "fifo.rs:77");
        assert_eq!(place("default:", None), "fifo.rs:76");
    }

    #[test]
    fn a_memory_stands_where_it_is_read_and_attributes_hide_no_declaration() {
        assert_eq!(place("ram[{tail[1]", None), "fifo.rs:106");
        assert_eq!(place("stage_1 <= called", None), "synchronizer.rs:45");
    }

    #[test]
    fn ports_stand_where_they_are_used_or_at_the_next_line_that_has_a_place() {
        assert_eq!(place("s_payload, //", Some("s_payload")), "fifo.rs:60");
        // the line next to the one that uses it is the default of the case
        assert_eq!(place("output wire [1:0] y", Some("y")), "fifo.rs:76");
        assert_eq!(place("localparam PHASE_PASS", Some("nowhere")), "fifo.rs:76");
        // the standard library is no place
        assert_eq!(place("wire called", Some("called")), "synchronizer.rs:45");
    }

    #[test]
    fn what_no_hardware_names_has_no_place() {
        assert_eq!(place("assign y = clk", None), "none");
        let modules = modules(TEXT, &[]);
        assert!(modules.iter().all(|module| module.line(1).is_none()), "the header is of no module");
    }
}
