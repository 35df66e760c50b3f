//! The conformance suite: every scatter engine held against the reference, bit for bit.
//!
//! The program is [`main`] with the process's own arguments and streams. A case is a call with its tensors and what must
//! come of it; families make cases; the judge runs a case on an engine and compares; the suite does so for all; reports
//! tell of it. A new engine is a file in `engine/`, a new family one in `family/`.

mod bench;
mod call;
mod case;
mod cli;
mod command;
mod cost;
mod device;
mod engine;
mod family;
mod judge;
mod random;
mod report;
mod run;
mod select;
mod storage;
mod suite;
mod task;
mod tensor;
mod tensors_file;
mod usage;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::Parser;

use cli::{Cli, Command};
use usage::UsageError;

/// How a run ended, as a process tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is as it must be.
    Same,
    /// A difference was found.
    Different,
    /// Options or files that can't be used.
    Usage,
}

impl Exit {
    /// The exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Same => 0,
            Self::Different => 1,
            Self::Usage => 2,
        }
    }
}

/// The program: arguments (the program's name first), what it prints, what it complains to.
///
/// A complaint is one line. Nobody reading the output any more is no error.
pub fn main(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> Exit {
    let ended = match Cli::try_parse_from(arguments) {
        Ok(Cli { command: None, suite }) => command::suite(&suite, out),
        Ok(Cli { command: Some(Command::Run(options)), .. }) => run::run(&options, out),
        Ok(Cli { command: Some(Command::Bench(options)), .. }) => bench::run(&options, out),
        Ok(Cli { command: Some(Command::Cost(options)), .. }) => cost::run(&options, out),
        Ok(Cli { command: Some(Command::DeviceReport(options)), .. }) => device::run(&options, out),
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

/// That nobody hears a complaint changes nothing.
fn complain(line: &str, err: &mut dyn Write) -> Exit {
    let _: io::Result<()> = writeln!(err, "{line}");
    Exit::Usage
}

/// The first paragraph of a message, on one line: the usage that clap adds is a `--help` away.
fn one_line(message: &str) -> String {
    let paragraph = message.trim().split("\n\n").next().unwrap_or_default();
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}
