//! What stands beside the Verilog of a configuration, so that other tools take it as it is: a file list, timing constraints, a FuseSoC
//! core, and the registers for software.

mod clocks;
mod fusesoc;
mod registers;
mod sources;
mod timing;

use crate::configuration::{Configuration, GENERATED};
use crate::report::Problem;
use clocks::periods;
pub use clocks::{ClockSetting, parse_clock};
use hdl::Design;
pub use sources::Sources;
use sources::file_list;

/// Names and contents of all files beside the Verilog. All have the name of the configuration.
pub fn package(
    configuration: &Configuration,
    design: &Design<()>,
    sources: &Sources,
    clocks: &[ClockSetting],
) -> Result<Vec<(String, String)>, Problem> {
    let name = &configuration.name;
    let header = configuration.header();
    let timing = timing::files(name, design, &periods(configuration, design, clocks)?, &header);
    let vivado = timing.iter().any(|(file, _)| file.ends_with(".xdc"));
    let mut files = vec![(format!("{name}.f"), file_list(sources, &header))];
    files.push((format!("{name}.core"), fusesoc::core(configuration, sources, &header, vivado)));
    files.extend(timing);
    files.extend(registers::files(configuration));
    Ok(files)
}

/// Does a text begin as what is generated does, Verilog or anything beside it?
pub fn is_generated(text: &[u8]) -> bool {
    let before = ["// ", "# ", "/* ", fusesoc::BEGIN, registers::XML_BEGIN, registers::JSON_BEGIN];
    before.iter().any(|before| text.starts_with(format!("{before}{GENERATED}").as_bytes()))
}

/// The extensions of what is generated.
pub const EXTENSIONS: [&str; 10] = ["v", "f", "core", "sdc", "xdc", "h", "rs", "svd", "rdl", "json"];
