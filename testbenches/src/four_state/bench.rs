//! The recorded steps as a Verilog bench for Icarus.

use super::recorder::Step;
use hdl::engine::PortInfo;
use hdl::{BigUint, Design};
use std::path::Path;
use std::process::Command;

/// The bench, and the words that it reads: of each step clocks, resets and inputs, the first in the highest bits.
pub fn text(design: &Design<()>, steps: &[Step]) -> (String, String) {
    let ports = design.port_list();
    let clocks: Vec<&str> = design.clocks().map(|(clock, _)| clock).collect();
    let resets: Vec<&str> = design.clocks().filter_map(|(_, reset)| reset).collect();
    let (inputs, outputs): (Vec<&PortInfo>, Vec<&PortInfo>) = ports.iter().partition(|p| p.input);
    let names = |ports: &[&PortInfo]| ports.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");

    let bits = inputs.iter().map(|p| p.width).sum::<u32>() + (clocks.len() + resets.len()) as u32;
    let mut out = format!("module bench;\n    reg [{}:0] steps [0:{}];\n", bits - 1, steps.len() - 1);
    out += "    integer step, file;\n";
    clocks.iter().for_each(|clock| out += &format!("    reg {clock}, {clock}_rises;\n"));
    resets.iter().for_each(|reset| out += &format!("    reg {reset};\n"));
    for port in &ports {
        let kind = if port.input { "reg" } else { "wire" };
        out += &format!("    {kind} [{}:0] {};\n", port.width - 1, port.name);
    }
    let pins = clocks.iter().chain(&resets).copied().chain(ports.iter().map(|p| p.name.as_str()));
    let pins: Vec<String> = pins.map(|name| format!(".{name}({name})")).collect();
    out += &format!("    {} dut ({});\n", design.name(), pins.join(", "));

    let rises: Vec<String> = clocks.iter().map(|clock| format!("{clock}_rises")).collect();
    let (rises, together) = (rises.join(", "), clocks.join(", "));
    let step: Vec<String> = [rises.clone(), resets.join(", "), names(&inputs)].into();
    let step: Vec<String> = step.into_iter().filter(|part| !part.is_empty()).collect();
    let clocked = |line: String| if clocks.is_empty() { String::new() } else { line };
    let lines = [
        "initial begin".to_string(),
        "    $readmemh(\"steps.hex\", steps);".into(),
        "    file = $fopen(\"outputs.txt\");".into(),
        clocked(format!("    {{{together}}} = 0;")),
        format!("    for (step = 0; step < {}; step = step + 1) begin", steps.len()),
        format!("        {{{}}} = steps[step];", step.join(", ")),
        format!("        #1 $fdisplay(file, \"{}\", {});", vec!["%h"; outputs.len()].join(" "), names(&outputs)),
        clocked(format!("        {{{together}}} = {{{rises}}};")),
        clocked(format!("        #1 {{{together}}} = 0;")),
        "    end".into(),
        "    $finish;".into(),
        "end".into(),
    ];
    lines.iter().filter(|line| !line.is_empty()).for_each(|line| out += &format!("    {line}\n"));
    (out + "endmodule\n", words(design, &ports, steps))
}

fn words(design: &Design<()>, ports: &[PortInfo], steps: &[Step]) -> String {
    let has_reset: Vec<bool> = design.clocks().map(|(_, reset)| reset.is_some()).collect();
    let mut out = String::new();
    for step in steps {
        let clocks = (0..has_reset.len()).map(|domain| step.clocks >> domain & 1 == 1);
        let resets = step.resets.iter().zip(&has_reset).filter(|(_, has)| **has).map(|(reset, _)| *reset);
        let word = clocks.chain(resets).fold(BigUint::default(), |word, bit| word << 1 | BigUint::from(u8::from(bit)));
        let inputs = ports.iter().zip(&step.ports).filter(|(port, _)| port.input);
        let word = inputs.fold(word, |word, (port, value)| word << port.width | value);
        out += &format!("{word:x}\n");
    }
    out
}

/// Runs the bench in a folder; what came out of each step, output by output.
pub fn run(folder: &Path) -> Result<Vec<Vec<String>>, String> {
    for (program, arguments) in [
        ("iverilog", &["-g2005", "-s", "bench", "-o", "bench.vvp", "bench.v", "dut.v"][..]),
        ("vvp", &["-n", "bench.vvp"]),
    ] {
        let path = sim::tools::find(program).ok_or(format!("{program} is not set up: run `cargo xtask setup`"))?;
        let output = Command::new(path).current_dir(folder).args(arguments).output();
        let output = output.map_err(|e| format!("{program} cannot be run: {e}"))?;
        if !output.status.success() {
            return Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    let text = std::fs::read_to_string(folder.join("outputs.txt")).map_err(|e| e.to_string())?;
    Ok(text.lines().map(|line| line.split(' ').map(str::to_string).collect()).collect())
}
