//! `kvforge completions` and `kvforge man`: made of the command line as it is.

use crate::args::{Arguments, CompletionsOptions};
use crate::report::Failure;
use clap::CommandFactory;
use clap_mangen::Man;
use std::io::Write;

/// Prints the completions of a shell.
pub fn completions(options: &CompletionsOptions) -> Result<(), Failure> {
    let mut text = vec![];
    clap_complete::generate(options.shell, &mut Arguments::command(), "kvforge", &mut text);
    Ok(std::io::stdout().lock().write_all(&text)?)
}

/// Prints the man page: that of the command, and behind it those of its commands.
pub fn man() -> Result<(), Failure> {
    let mut command = Arguments::command();
    command.build();
    let mut text = vec![];
    Man::new(command.clone()).render(&mut text)?;
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let man = Man::new(below.clone());
        // without a heading of its own each is a part of the page
        writeln!(text, ".SH \"KVFORGE {}\"", below.get_name().to_uppercase())?;
        man.render_description_section(&mut text)?;
        man.render_synopsis_section(&mut text)?;
        man.render_options_section(&mut text)?;
    }
    Ok(std::io::stdout().lock().write_all(&text)?)
}
