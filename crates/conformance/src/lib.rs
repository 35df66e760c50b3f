//! The conformance suite: every scatter engine held against the reference, bit for bit.
//!
//! The program is [`main`] with the arguments and streams of the process. A case is a call with its
//! tensors and the expected outcome. Families make cases; the judge in `engines` runs a case on an
//! engine and compares the outcome; the suite does so for all cases and engines; reports present
//! the outcomes. A new family is a file in `family/`.

mod axes;
mod cli;
mod command;
mod counts;
mod device;
mod family;
mod html;
mod origin;
mod output;
mod progress;
mod report;
mod run;
mod select;
mod shell;
mod soak;
mod suite;
mod tensors_file;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use bench::cost;
use clap::Parser;
use engines::usage::UsageError;

use cli::{Cli, Command};
use command::Console;
pub use engines::Exit;
use output::Output;

/// Runs the program with arguments (the program's name first), an output and an error stream.
///
/// An error is one line. That the reader closes the output is no error: what is run and the exit
/// code stay the same. While the suite runs, the error stream tells how far it is.
pub fn main(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut (dyn Write + Send),
) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let command_line = command_line(&arguments);
    let mut out = Output::new(out);
    let mut console = Console { command_line: &command_line, out: &mut out, err };
    let ended = match Cli::try_parse_from(arguments) {
        Ok(Cli { command: None, suite }) => command::suite(&suite, &mut console),
        Ok(Cli { command: Some(Command::Run(options)), .. }) => run::run(&options, console.out),
        Ok(Cli { command: Some(Command::Bench(options)), .. }) => bench::run(&options, console.out),
        Ok(Cli { command: Some(Command::Cost(options)), .. }) => cost::run(&options, console.out),
        Ok(Cli { command: Some(Command::DeviceReport(options)), .. }) => device::run(&options, &mut console),
        Ok(Cli { command: Some(Command::Soak(options)), .. }) => soak::run(&options, console.out),
        Err(error) if !error.use_stderr() => {
            write!(console.out, "{error}").map(|()| Exit::Same).map_err(UsageError::from)
        }
        Err(error) => return complain(&one_line(&error.to_string()), console.err),
    };
    match ended.and_then(|exit| Ok(console.out.flush().map(|()| exit)?)) {
        Ok(exit) => exit,
        Err(error) => complain(&one_line(&format!("error: {error}")), console.err),
    }
}

/// The arguments as a line for a shell, with the name of the program's file in front.
fn command_line(arguments: &[OsString]) -> String {
    let word = |(number, argument): (usize, &OsString)| {
        let text = argument.to_string_lossy();
        match number {
            0 => Path::new(&*text).file_name().map_or_else(String::new, |name| name.to_string_lossy().into()),
            _ => shell::quoted(&text),
        }
    };
    arguments.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_given_to_a_shell() {
        let arguments = ["target/release/conformance", "--filter", "it's a/b", "--seed=7", ""];
        let line = command_line(&arguments.map(OsString::from));
        assert_eq!(line, r"conformance --filter 'it'\''s a/b' --seed=7 ''");
    }
}
