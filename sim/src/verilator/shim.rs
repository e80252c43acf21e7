//! The C++ between a Verilated model and the binding, written for each model.

use super::spec::ModelSpec;
use std::fmt::Write;

/// The part that is the same for all models.
const COMMON: &str = include_str!("shim.cpp");

/// The whole C++ text of a model: Verilator's files, the common shim, and what depends on the ports.
///
/// `members` are the C++ names of all ports, `generated` the names of the files that Verilator wrote.
pub(super) fn text(spec: &ModelSpec, members: &[String], generated: &[String]) -> String {
    let mut text = String::new();
    for file in generated {
        // One translation unit: reading Verilator's headers takes longer than most models.
        let _ = writeln!(text, "#include \"{file}\"");
    }
    let _ = writeln!(text, "#define KV_TRACE {}", u8::from(spec.trace));
    let _ = writeln!(text, "#define KV_COVERAGE {}", u8::from(spec.coverage));
    text.push_str("static inline void kv_set_clocks(Vm& model, uint64_t clocks) {\n");
    let clocks = &members[spec.ports.len()..][..spec.domains.len()];
    for (domain, clock) in clocks.iter().enumerate() {
        let _ = writeln!(text, "    model.{clock} = (clocks >> {domain}) & 1;");
    }
    text.push_str("}\nstatic inline void kv_set_ports(Vm& model, void** addresses, uint32_t* sizes) {\n");
    for (index, member) in members.iter().enumerate() {
        let _ = writeln!(text, "    addresses[{index}] = &model.{member}; sizes[{index}] = sizeof(model.{member});");
    }
    text.push_str("}\n");
    text + COMMON
}
