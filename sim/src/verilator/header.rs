//! Reads the ports of a model from the C++ header that Verilator writes.

use hdl::engine::PortInfo;

/// A port as it stands in the header.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct HeaderPort {
    /// The port's name in C++, its name in Verilog, width and direction.
    pub(super) member: String,
    pub(super) info: PortInfo,
}

/// The ports in the header of the top class: lines such as `VL_IN8(&name,7,0);` or `VL_OUTW(&name,199,0,7);`.
pub(super) fn ports(header: &str) -> Vec<HeaderPort> {
    header.lines().filter_map(|line| port(line.trim())).collect()
}

fn port(line: &str) -> Option<HeaderPort> {
    let (kind, rest) = line.strip_prefix("VL_")?.split_once("(&")?;
    // `VL_INOUT` is no input that a test could drive.
    let input = kind.starts_with("IN") && !kind.starts_with("INOUT");
    let mut fields = rest.strip_suffix(");")?.split(',');
    let member = fields.next()?.to_string();
    let (high, low): (u32, u32) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let info = PortInfo::new(verilog_name(&member), high - low + 1, input);
    Some(HeaderPort { member, info })
}

/// Undoes Verilator's encoding: `__SYM__` before C++ keywords, `__0` and two hexadecimal digits for other characters.
fn verilog_name(member: &str) -> String {
    let mut rest = member.strip_prefix("__SYM__").unwrap_or(member);
    let mut name = String::new();
    while let Some(at) = rest.find("__0") {
        // Of three underscores the first is the name's own.
        let at = if rest[at..].starts_with("___0") { at + 1 } else { at };
        let code = rest.get(at + 3..at + 5).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        name.push_str(&rest[..at]);
        match code {
            Some(code) => {
                name.push(char::from(code));
                rest = &rest[at + 5..];
            }
            None => {
                name.push_str(&rest[at..at + 3]);
                rest = &rest[at + 3..];
            }
        }
    }
    name + rest
}

/// Compares the ports that a test expects with those of the header; returns the C++ names in the order of `expected`.
pub(super) fn members(header: &str, expected: &[PortInfo]) -> Result<Vec<String>, String> {
    let there = ports(header);
    let describe = |p: &PortInfo| format!("{} of {} bits", if p.input { "an input" } else { "an output" }, p.width);
    if let Some(extra) = there.iter().find(|port| !expected.iter().any(|w| w.name == port.info.name)) {
        return Err(format!("`{}` is not in the list, the Verilog has it", extra.info.name));
    }
    let member = |port: &PortInfo| match there.iter().find(|t| t.info.name == port.name) {
        None => Err(format!("the Verilog has no `{}`", port.name)),
        Some(t) if t.info != *port => {
            let (expected, found) = (describe(port), describe(&t.info));
            Err(format!("`{}` is listed as {expected}, in the Verilog it is {found}", port.name))
        }
        Some(t) => Ok(t.member.clone()),
    };
    expected.iter().map(member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(name: &str, width: u32, input: bool) -> PortInfo {
        PortInfo::new(name, width, input)
    }

    #[test]
    fn reads_names_widths_and_directions() {
        let header = "  VL_IN8(&a___05Fb,0,0);\n  VL_IN8(&__SYM__new,2,0);\n  int x;\n  VL_OUTW(&sum_0,199,0,7);\n";
        let found: Vec<PortInfo> = ports(header).into_iter().map(|port| port.info).collect();
        assert_eq!(found, [info("a__b", 1, true), info("new", 3, true), info("sum_0", 200, false)]);
    }

    #[test]
    fn names_what_does_not_fit() {
        let header = "VL_IN8(&a,7,0);\nVL_OUT8(&b,0,0);";
        let ask = |ports: &[PortInfo]| members(header, ports).unwrap_err();
        let (a, b) = (info("a", 8, true), info("b", 1, false));
        assert_eq!(members(header, &[b.clone(), a.clone()]).unwrap(), ["b", "a"]);
        assert_eq!(ask(std::slice::from_ref(&a)), "`b` is not in the list, the Verilog has it");
        assert_eq!(ask(&[a.clone(), b.clone(), info("c", 1, true)]), "the Verilog has no `c`");
        let message = ask(&[info("a", 9, true), b.clone()]);
        assert_eq!(message, "`a` is listed as an input of 9 bits, in the Verilog it is an input of 8 bits");
        let message = ask(&[a, info("b", 1, true)]);
        assert_eq!(message, "`b` is listed as an input of 1 bits, in the Verilog it is an output of 1 bits");
    }
}
