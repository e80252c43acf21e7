//! The Verilog of a configuration, and the list of its files.

/// The Verilog of a configuration, as its package names it.
pub struct Sources<'a> {
    /// The top module.
    pub top: &'a str,
    /// Names of the files, children before parents.
    pub files: Vec<&'a str>,
}

/// The files in an order that every tool can read, for `iverilog -f` in their folder, or `verilator -F` from anywhere.
pub fn file_list(sources: &Sources, header: &[String]) -> String {
    let lines: String = sources.files.iter().map(|file| format!("{file}\n")).collect();
    format!("{}// top module: {}\n{lines}", commented("// ", header), sources.top)
}

/// Lines of a header behind a mark.
pub fn commented(mark: &str, header: &[String]) -> String {
    header.iter().map(|line| format!("{mark}{line}\n")).collect()
}
