//! The registers of a configuration for software: C, Rust, CMSIS-SVD, SystemRDL and JSON.

use super::sources::commented;
use crate::configuration::{Configuration, GENERATED};
use hw::catalogue::RegisterWindow;
use hw::control::RegisterMap;
use serde::Serialize;

/// What stands before the header of an SVD file; its first line has to be that of XML.
pub const XML_BEGIN: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- ";
/// The same of a JSON file.
pub const JSON_BEGIN: &str = "{\n  \"header\": \"";

/// The registers for machines.
#[derive(Serialize)]
struct Json<'a> {
    header: String,
    /// Where they begin among the addresses of the block.
    base: u64,
    #[serde(flatten)]
    map: &'a RegisterMap,
}

/// The files of all maps of registers, each called as the map is; none of a block without.
pub fn files(configuration: &Configuration) -> Vec<(String, String)> {
    let windows = configuration.block.registers(&configuration.name, &configuration.values);
    windows.iter().flat_map(|window| of_window(window, &configuration.header())).collect()
}

fn of_window(window: &RegisterWindow, header: &[String]) -> [(String, String); 5] {
    let RegisterWindow { base, map } = window;
    let file = |extension, text| (format!("{}_registers.{extension}", map.name), text);
    let lines = commented("// ", header);
    // each line is a comment of its own: a `*/` in one would end it, and so would `--` in XML
    let c: String = header.iter().map(|line| format!("/* {} */\n", line.replace("*/", "* /"))).collect();
    let xml = format!("<!-- {} -->\n", header.join("\n     ").replace("--", "- -"));
    let svd = map.svd(*base);
    let svd = svd.split_once('\n').map_or(svd.clone(), |(first, rest)| format!("{first}\n{xml}{rest}"));
    [
        file("h", c + &map.c_header()),
        file("rs", lines.clone() + &map.rust_module()),
        file("svd", svd),
        file("rdl", lines + &map.system_rdl()),
        file("json", json(*base, map, header)),
    ]
}

fn json(base: u64, map: &RegisterMap, header: &[String]) -> String {
    let json = Json { header: header.join("; "), base, map };
    debug_assert!(json.header.starts_with(GENERATED));
    serde_json::to_string_pretty(&json).expect("strings and numbers alone") + "\n"
}
