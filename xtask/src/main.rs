//! Set-up of the pinned tools, and every check of the project: `cargo xtask --help`.

mod boards;
mod cargo;
mod coverage;
mod formal;
mod fuzz;
mod lint;
mod mutate;
mod programs;
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
    Test {
        /// The long forms of tests that have one; everything is measured again
        #[arg(long)]
        long: bool,
    },
    /// Build bitstreams for the boards that have a system (minutes each)
    Boards(boards::Options),
    /// Measure what the tests of the hardware reach
    Coverage(coverage::Options),
    /// Prove what the parts promise
    Formal(formal::Options),
    /// Run random modules on all engines, with new seeds
    Fuzz(fuzz::Options),
    /// Put mistakes into a configuration, one at a time, and see whether its test notices
    Mutate(mutate::Options),
    /// Size and speed of configurations on FPGAs; compares them with the committed figures
    Qor(qor::Options),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Setup => setup::setup(),
        Task::Test { long } => return if test::run_all(long) { ExitCode::SUCCESS } else { ExitCode::FAILURE },
        Task::Boards(options) => boards::run(&options),
        Task::Coverage(options) => coverage::run(&options),
        Task::Formal(options) => formal::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Mutate(options) => mutate::run(&options),
        Task::Qor(options) => qor::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
