//! Set-up of the pinned tools, and every check of the project: `cargo xtask --help`.

mod fuzz;
mod lint;
mod qor;
mod setup;
mod test;
mod tools;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Set-up of the pinned tools, and every check of the project")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install the pinned tools into .tools/ (quick when they are there)
    Setup,
    /// Set up the tools, then run every check
    Test,
    /// Run random modules on all engines, with new seeds
    Fuzz(fuzz::Options),
    /// Report size and speed of configurations on an ECP5 FPGA
    Qor(qor::Options),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Setup => setup::setup(),
        Task::Test => return if test::run_all() { ExitCode::SUCCESS } else { ExitCode::FAILURE },
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Qor(options) => qor::report(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
