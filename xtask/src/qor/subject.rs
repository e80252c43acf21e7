//! What is measured: the configurations of rtl_out, number units between registers and also without pipeline registers.

use crate::lint::{self, Design};
use crate::{programs::KVFORGE, tools};
use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use std::fs;

/// Verilog to synthesize.
#[derive(Debug)]
pub struct Subject {
    /// Name of the configuration; a number unit without pipeline registers has ` at latency 0` behind it.
    pub name: String,
    /// The top module.
    pub top: String,
    /// All modules in one text.
    pub verilog: String,
    /// The same for a device without LUT RAM, where that differs.
    pub without_lut_ram: Option<String>,
}

impl Subject {
    /// The Verilog for a device with or without LUT RAM.
    pub fn text(&self, lut_ram: bool) -> &str {
        self.without_lut_ram.as_ref().filter(|_| !lut_ram).unwrap_or(&self.verilog)
    }

    /// 16 hexadecimal digits that are equal where the Verilog is, apart from white space and from where the source's lines stand.
    pub fn hash(&self) -> String {
        digest(&hdl::verilog_code(&self.verilog))
    }
}

/// All subjects, or those of the configurations that are named. The top of a board is none: it is of one device, and what is in it is
/// measured by itself.
pub fn subjects(names: &[String]) -> Result<Vec<Subject>> {
    let designs = lint::designs()?;
    let known = || designs.iter().map(|design| design.name.as_str()).collect::<Vec<_>>().join(", ");
    for name in names {
        ensure!(designs.iter().any(|design| design.name == *name), "rtl_out has no {name}; it has: {}", known());
    }
    let requested = |design: &&Design| names.is_empty() || names.contains(&design.name);
    let mut subjects = vec![];
    for design in designs.iter().filter(requested) {
        if lint::has_primitives(design)? {
            continue;
        }
        subjects.push(subject(design.name.clone(), design)?);
        if latency(&subjects[subjects.len() - 1].verilog).is_some_and(|latency| latency > 0) {
            subjects.push(without_pipeline(&design.name)?);
        }
    }
    Ok(subjects)
}

/// A configuration, its edges registered if it is a number unit.
fn subject(name: String, design: &Design) -> Result<Subject> {
    let verilog = text(design)?;
    let without_lut_ram = if verilog.contains(LUT_RAM) { Some(text(&without_lut_ram(&design.name)?)?) } else { None };
    let plain = Subject { name, top: design.top.clone(), verilog, without_lut_ram };
    if latency(&plain.verilog).is_some() { between_registers(plain) } else { Ok(plain) }
}

/// The modules of a design in one text.
fn text(design: &Design) -> Result<String> {
    Ok(design.files.iter().map(fs::read_to_string).collect::<std::io::Result<_>>()?)
}

/// What asks for LUT RAM.
const LUT_RAM: &str = "ram_style = \"distributed\"";

/// Generates a configuration for a device without LUT RAM, into a folder of its own.
fn without_lut_ram(name: &str) -> Result<Design> {
    generated(name, "verilog.lut_ram=false", "without_lut_ram")
}

/// Generates a configuration with a setting, into a folder of its own.
fn generated(name: &str, setting: &str, folder: &str) -> Result<Design> {
    let out = tools::root().join("target/qor").join(folder);
    let folder = out.to_str().context("the path of the project is not valid UTF-8")?;
    KVFORGE.run_quietly(&["generate", name, "--set", setting, "--out", folder])?;
    lint::design(&out.join(name))
}

/// Generates a number unit without pipeline registers, into a folder of its own.
fn without_pipeline(name: &str) -> Result<Subject> {
    subject(format!("{name} at latency 0"), &generated(name, "latency=0", "latency_0")?)
}

/// The parameter `latency` of a number unit, from the header of its Verilog: no other block has such a parameter.
fn latency(verilog: &str) -> Option<u32> {
    let header = verilog.lines().take_while(|line| line.starts_with("//")).nth(2)?;
    let (_, after) = header.split_once(" latency = ")?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// A port of a module as our printer writes it.
struct Port {
    input: bool,
    /// `[15:0] ` or nothing.
    range: String,
    name: String,
}

/// The ports of a module.
fn ports(verilog: &str, module: &str) -> Result<Vec<Port>> {
    let start = format!("\nmodule {module} (");
    let (_, list) = verilog.split_once(&start).with_context(|| format!("no module {module} in its Verilog"))?;
    let (list, _) = list.split_once("\n);").with_context(|| format!("the ports of {module} do not end"))?;
    let port = |line: &str| {
        // `input  wire [15:0] name, // comment`
        let code = line.split("//").next().unwrap_or_default().trim().trim_end_matches(',');
        let words: Vec<&str> = code.split_whitespace().collect();
        let (&[direction, _kind], &[.., name]) = (words.first_chunk()?, &words[..]) else { return None };
        let range = words[2..words.len() - 1].iter().map(|word| format!("{word} ")).collect();
        Some(Port { input: direction == "input", range, name: name.to_string() })
    };
    let ports: Vec<Port> = list.lines().filter(|line| !line.trim().is_empty()).filter_map(port).collect();
    ensure!(!ports.is_empty(), "{module} has no ports");
    Ok(ports)
}

/// Puts a register before every input and behind every output, apart from clock and reset.
fn between_registers(subject: Subject) -> Result<Subject> {
    let Subject { name, top, verilog, without_lut_ram } = subject;
    // clocks and resets: `clk`, or `s_clk` and `m_clk` where there are two
    let is_control = |name: &str| ["clk", "rst"].iter().any(|end| name == *end || name.ends_with(&format!("_{end}")));
    let (control, data): (Vec<Port>, Vec<Port>) =
        ports(&verilog, &top)?.into_iter().partition(|port| is_control(&port.name));
    let mut heads = vec!["input wire clk".to_string()];
    heads.extend(control.iter().filter(|p| p.name != "clk").map(|p| format!("input wire {}", p.name)));
    let (mut wires, mut clocked) = (String::new(), String::new());
    let mut pins: Vec<String> = control.iter().map(|p| format!(".{0}({0})", p.name)).collect();
    for Port { input, range, name } in &data {
        let (kind, inner) = if *input { ("input wire", "reg") } else { ("output reg", "wire") };
        heads.push(format!("{kind} {range}{name}"));
        wires += &format!("    {inner} {range}{name}_inner;\n");
        clocked += &match input {
            true => format!("        {name}_inner <= {name};\n"),
            false => format!("        {name} <= {name}_inner;\n"),
        };
        pins.push(format!(".{name}({name}_inner)"));
    }
    let wrapper = format!(
        "module {top}_between_registers (\n    {}\n);\n{wires}    always @(posedge clk) begin\n{clocked}    end\n    \
         {top} unit ({});\nendmodule\n",
        heads.join(",\n    "),
        pins.join(", ")
    );
    let without_lut_ram = without_lut_ram.map(|text| text + &wrapper);
    Ok(Subject { name, top: format!("{top}_between_registers"), verilog: verilog + &wrapper, without_lut_ram })
}

/// 16 hexadecimal digits of a text.
pub fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: &str = "// generated by kvforge 0.1.0\n// configuration u, hash 0\n// neg: width = 4, latency = 2; reset sync-high\n\
        `default_nettype none\n\n// Negates.\nmodule neg (\n    input  wire clk,\n    input  wire rst,\n    \
        input  wire valid, // an operand\n    input  wire [3:0] a,\n    output wire [3:0] y // the result\n);\n    \
        assign y = ~a; // neg.rs:4\nendmodule\n";

    fn unit() -> Subject {
        Subject { name: "u".into(), top: "neg".into(), verilog: UNIT.into(), without_lut_ram: None }
    }

    #[test]
    fn the_hash_does_not_see_comments_and_sees_code() {
        let changed = |from: &str, to: &str| Subject { verilog: UNIT.replace(from, to), ..unit() }.hash();
        assert_eq!(changed("neg.rs:4", "neg.rs:9"), unit().hash());
        assert_eq!(changed("    assign", "  assign"), unit().hash());
        assert_ne!(changed("~a", "-a"), unit().hash());
    }

    #[test]
    fn number_units_stand_between_registers() {
        assert_eq!(latency(UNIT), Some(2));
        assert_eq!(latency("// generated by kvforge\n// fifo\n// fifo: width = 3; reset sync-high\n"), None);
        let wrapped = between_registers(unit()).unwrap();
        let wrapper = &wrapped.verilog[UNIT.len()..];
        let expected = "module neg_between_registers (\n    input wire clk,\n    input wire rst,\n    input wire valid,\n    \
            input wire [3:0] a,\n    output reg [3:0] y\n);\n    reg valid_inner;\n    reg [3:0] a_inner;\n    \
            wire [3:0] y_inner;\n    always @(posedge clk) begin\n        valid_inner <= valid;\n        \
            a_inner <= a;\n        y <= y_inner;\n    end\n    neg unit (.clk(clk), .rst(rst), \
            .valid(valid_inner), .a(a_inner), .y(y_inner));\nendmodule\n";
        assert_eq!(wrapper, expected);
    }
}
