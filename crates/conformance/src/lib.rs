//! The conformance suite: every scatter engine held against the reference, bit for bit.
//!
//! The program is [`main`] with the arguments and streams of the process. A case is a call with its
//! tensors and the expected outcome. Families make cases; the judge in `engines` runs a case on an
//! engine and compares the outcome; the suite does so for all cases and engines; reports present
//! the outcomes. A new family is a file in `family/`.

mod cli;
mod command;
mod device;
mod family;
mod report;
mod run;
mod select;
mod soak;
mod suite;
mod tensors_file;

use std::ffi::OsString;
use std::io::{self, Write};

use bench::cost;
use clap::Parser;
use engines::usage::UsageError;

use cli::{Cli, Command};
pub use engines::Exit;

/// Runs the program with arguments (the program's name first), an output and an error stream.
///
/// An error is one line. That the reader has closed the output is no error.
pub fn main(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> Exit {
    let ended = match Cli::try_parse_from(arguments) {
        Ok(Cli { command: None, suite }) => command::suite(&suite, out),
        Ok(Cli { command: Some(Command::Run(options)), .. }) => run::run(&options, out),
        Ok(Cli { command: Some(Command::Bench(options)), .. }) => bench::run(&options, out),
        Ok(Cli { command: Some(Command::Cost(options)), .. }) => cost::run(&options, out),
        Ok(Cli { command: Some(Command::DeviceReport(options)), .. }) => device::run(&options, out),
        Ok(Cli { command: Some(Command::Soak(options)), .. }) => soak::run(&options, out),
        Err(error) if !error.use_stderr() => {
            write!(out, "{error}").map(|()| Exit::Same).map_err(UsageError::from)
        }
        Err(error) => return complain(&one_line(&error.to_string()), err),
    };
    match ended.and_then(|exit| Ok(out.flush().map(|()| exit)?)) {
        Ok(exit) => exit,
        Err(error) if error.is_broken_pipe() => Exit::Same,
        Err(error) => complain(&one_line(&format!("error: {error}")), err),
    }
}

/// Writes an error line. A failure to write it doesn't change the exit code.
fn complain(line: &str, err: &mut dyn Write) -> Exit {
    let _: io::Result<()> = writeln!(err, "{line}");
    Exit::Usage
}

/// The first paragraph of a message on one line. It drops the usage that clap adds, which `--help`
/// shows.
fn one_line(message: &str) -> String {
    let paragraph = message.trim().split("\n\n").next().unwrap_or_default();
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}
