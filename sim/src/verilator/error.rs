//! Why a model cannot be built.

use std::path::{Path, PathBuf};

/// Why a model cannot be built, or its files not be written.
#[derive(Debug, thiserror::Error)]
pub enum VerilatorError {
    /// The tool is not installed.
    #[error("{0} is not set up: run `cargo xtask setup`")]
    NotSetUp(&'static str),
    /// Verilator rejects the Verilog.
    #[error("Verilator rejects `{top}`:\n{log}")]
    Verilog {
        /// Name of the top module.
        top: String,
        /// Verilator's messages.
        log: String,
    },
    /// The C++ compiler rejects what Verilator made of the Verilog.
    #[error("the C++ compiler failed:\n{0}")]
    Compiler(String),
    /// The ports of the specification are not those of the top module.
    #[error("ports of `{top}`: {problem}")]
    Ports {
        /// Name of the top module.
        top: String,
        /// What does not fit.
        problem: String,
    },
    /// The compiled model cannot be loaded.
    #[error("cannot load the compiled model: {0}")]
    Load(#[from] libloading::Error),
    /// The model was built without what is asked of it.
    #[error("the model was built without {0}")]
    BuiltWithout(&'static str),
    /// Another program failed on the way to the Verilog.
    #[error("{0}")]
    Program(String),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl VerilatorError {
    /// Turns an error of the file system into one that names the file.
    pub fn file(path: &Path) -> impl FnOnce(std::io::Error) -> VerilatorError {
        let path = path.to_path_buf();
        move |source| VerilatorError::File { path, source }
    }
}
