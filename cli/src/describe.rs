//! `kvforge describe`: what a configuration is, as tables or JSON.

use crate::args::{DescribeOptions, Selection};
use crate::configuration::Configuration;
use crate::json::json;
use crate::named;
use crate::report::{Failure, Problem};
use crate::table::table;
use hdl::Design;
use hw::catalogue::{Parameter, Value};
use serde::Serialize;
use std::io::Write;

/// A configuration for machines.
#[derive(Serialize)]
pub struct Described {
    pub name: String,
    pub block: &'static str,
    pub description: String,
    /// Where it stands.
    pub origin: String,
    pub hash: String,
    pub reset: &'static str,
    pub lut_ram: bool,
    /// The same in words.
    #[serde(skip)]
    printing: String,
    pub parameters: Vec<ParameterDescription>,
}

/// A parameter with its value, if it has one.
#[derive(Serialize)]
pub struct ParameterDescription {
    pub name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    pub default: Option<serde_json::Value>,
    /// What it may be, in words.
    pub legal: String,
    pub unit: &'static str,
    pub doc: &'static str,
}

#[derive(Serialize)]
struct FullDescription {
    #[serde(flatten)]
    configuration: Described,
    module: String,
    /// Path of the Rust function that elaborates it.
    function: &'static str,
    summary: &'static str,
    latency: String,
    /// Cycles from inputs to outputs, where it is the same for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_cycles: Option<u32>,
    throughput: String,
    ports: Vec<PortDescription>,
    combinational_paths: Vec<(String, String)>,
}

#[derive(Serialize)]
struct PortDescription {
    name: String,
    direction: &'static str,
    width: u32,
    doc: String,
}

impl Described {
    pub fn of(configuration: &Configuration) -> Described {
        let parameters = configuration.block.parameters.iter();
        Described {
            name: configuration.name.clone(),
            block: configuration.block.name,
            description: configuration.description.clone(),
            origin: configuration.origin.clone(),
            hash: configuration.hash(),
            reset: configuration.reset,
            lut_ram: configuration.lut_ram,
            printing: configuration.printing(),
            parameters: parameters
                .map(|p| ParameterDescription::of(p, Some(configuration.values.get(p.name))))
                .collect(),
        }
    }
    /// Parameters and their values in one line.
    pub fn values(&self) -> String {
        let values = self.parameters.iter().map(|p| format!("{} {}", p.name, shown(&p.value)));
        values.collect::<Vec<_>>().join(", ")
    }
}

impl ParameterDescription {
    pub fn of(parameter: &Parameter, value: Option<&Value>) -> ParameterDescription {
        ParameterDescription {
            name: parameter.name,
            value: value.map(machine),
            default: parameter.default.map(|preset| machine(&preset.into())),
            legal: parameter.legal.to_string(),
            unit: parameter.unit,
            doc: parameter.doc,
        }
    }
}

/// A value for machines; legal numbers are small.
fn machine(value: &Value) -> serde_json::Value {
    match value {
        Value::Number(number) => i64::try_from(*number).unwrap_or(i64::MAX).into(),
        Value::Flag(flag) => (*flag).into(),
        Value::Name(text) | Value::Other(text) => text.as_str().into(),
    }
}

/// A value for people: names without quotes.
fn shown(value: &Option<serde_json::Value>) -> String {
    match value {
        None => "-".into(),
        Some(serde_json::Value::String(name)) => name.clone(),
        Some(other) => other.to_string(),
    }
}

/// The configuration that the user selected.
pub fn selected(selection: &Selection) -> Result<Configuration, Failure> {
    match (&selection.name, &selection.config) {
        (Some(name), _) => named::find(name, &selection.set),
        (None, Some(path)) => named::read(path, &selection.set),
        (None, None) => Err(nothing_selected().into()),
    }
}

/// Neither a name nor a file.
pub fn nothing_selected() -> Problem {
    Problem::new("no configuration is given")
        .note("legal: a NAME, or --config FILE")
        .help("`kvforge list` shows the named configurations")
}

pub fn run(options: &DescribeOptions) -> Result<(), Failure> {
    let configuration = selected(&options.selection)?;
    let description = describe(&configuration, &configuration.design()?);
    let mut out = std::io::stdout().lock();
    if options.json {
        return Ok(writeln!(out, "{}", json(&description)?)?);
    }
    print(&mut out, &description)
}

fn describe(configuration: &Configuration, design: &Design<()>) -> FullDescription {
    let (block, values) = (configuration.block, &configuration.values);
    let paths = design.combinational_paths();
    FullDescription {
        configuration: Described::of(configuration),
        module: design.name().to_string(),
        function: (block.function)(),
        summary: block.summary,
        latency: (block.latency)(values),
        latency_cycles: design.latency(),
        throughput: (block.throughput)(values),
        ports: ports(design, configuration.reset.ends_with("low")),
        combinational_paths: paths.into_iter().map(|(from, to)| (from.to_string(), to.to_string())).collect(),
    }
}

/// All ports as they stand in the Verilog, clocks and resets first.
fn ports(design: &Design<()>, active_low: bool) -> Vec<PortDescription> {
    let input = |name: &str, doc: &str| PortDescription {
        name: name.to_string(),
        direction: "input",
        width: 1,
        doc: doc.to_string(),
    };
    let mut ports = vec![];
    for (clock, reset) in design.clocks() {
        ports.push(input(clock, "clock"));
        match reset {
            Some(reset) if active_low => ports.push(input(&format!("{reset}_n"), "reset, active at 0")),
            Some(reset) => ports.push(input(reset, "reset, active at 1")),
            None => {}
        }
    }
    ports.extend(design.port_table().map(|port| PortDescription {
        name: port.name.to_string(),
        direction: match (port.pad, port.input) {
            (Some(_), true) => "input, of an inout",
            (Some(_), false) => "output, of an inout",
            (None, true) => "input",
            (None, false) => "output",
        },
        width: port.width,
        doc: port.doc.to_string(),
    }));
    ports
}

fn print(out: &mut impl Write, d: &FullDescription) -> Result<(), Failure> {
    let c = &d.configuration;
    writeln!(out, "{}: {}", c.name, c.description)?;
    writeln!(out, "from {}, hash {}, {}", c.origin, c.hash, c.printing)?;
    writeln!(out, "block {}, {}\nmodule {}\nin Rust {}\n", c.block, d.summary, d.module, d.function)?;

    let rows = c.parameters.iter().map(|p| {
        let columns = [p.name, &shown(&p.value), &shown(&p.default), &p.legal, p.unit, p.doc];
        columns.map(str::to_string)
    });
    writeln!(out, "{}\n", table(&["parameter", "value", "default", "legal", "unit", "meaning"], rows))?;
    let rows = d.ports.iter().map(|p| [p.name.clone(), p.direction.into(), p.width.to_string(), p.doc.clone()]);
    writeln!(out, "{}\n", table(&["port", "direction", ">bits", "meaning"], rows))?;
    writeln!(out, "latency:             {}", d.latency)?;
    writeln!(out, "throughput:          {}", d.throughput)?;
    let paths: Vec<String> = d.combinational_paths.iter().map(|(from, to)| format!("{from} to {to}")).collect();
    let paths = if paths.is_empty() { "none".to_string() } else { paths.join(", ") };
    writeln!(out, "combinational paths: {paths}")?;
    Ok(())
}
