//! The command `kvforge`: Verilog from named configurations, the threshold profiler, the demo,
//! codebooks, LAD attention, boards and their bitstreams.
//!
//! Exit codes: 0 done, 1 something inside failed, 2 what the user gave is not usable.

mod args;
mod board;
mod build;
mod configuration;
mod demo;
mod describe;
mod flash;
mod generate;
mod host;
mod json;
mod lad;
mod list;
mod manual;
mod model;
mod named;
mod nearest;
mod package;
mod profile;
mod read;
mod report;
mod table;
mod vq;
mod write;

use args::{Arguments, Command, ModelCommand, VqCommand};
use clap::Parser;
use report::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::List(options) => list::run(options),
        Command::Generate(options) => generate::run(options),
        Command::Describe(options) => describe::run(options),
        Command::Profile(options) => profile::run(options),
        Command::Demo(options) => demo::run(options),
        Command::Model(ModelCommand::H2m2(options)) => model::run(options),
        Command::Lad(options) => lad::run(options),
        Command::Vq(VqCommand::Train(options)) => vq::train::run(options),
        Command::Vq(VqCommand::Pack(options)) => vq::pack::run(options),
        Command::Vq(VqCommand::Info(options)) => vq::info::run(options),
        Command::Vq(VqCommand::Plan(options)) => vq::plan::run(options),
        Command::Vq(VqCommand::Run(options)) => vq::run::run(options),
        Command::Board(command) => board::run(command),
        Command::Build(options) => build::run(options),
        Command::Flash(options) => flash::run(options),
        Command::Host(options) => host::run(options),
        Command::Completions(options) => manual::completions(options),
        Command::Man => manual::man(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // whoever read the output has seen enough
        Err(Failure::OutputClosed) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            failure.exit_code()
        }
    }
}
