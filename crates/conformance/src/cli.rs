//! The command line.

use bench::cost;
use clap::{Parser, Subcommand};

use crate::command::Suite;
use crate::{device, run, soak};

/// Compares every scatter engine of this machine with the reference, bit for bit.
///
/// Without a command, every engine runs the vectors that other implementations computed, a sample
/// of the generated matrix, and the calls that must be refused. The exit code is 0 if everything is
/// as expected, 1 on any difference, and 2 if an option or a file can't be used, or nothing can be
/// run.
#[derive(Debug, Parser)]
#[command(name = "conformance", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) suite: Suite,
}

/// What the program can do instead of running the suite.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a call with your own tensors on every engine, and compares the results.
    Run(run::Options),
    Bench(bench::Options),
    Cost(cost::Options),
    DeviceReport(device::Options),
    Soak(soak::Options),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_options_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }

    /// README.md and the other pages name options as they are.
    #[test]
    fn the_documents_commands_are_ones_that_there_are() {
        let commands = book::arguments_of(&["cargo", "run", "--release"]).unwrap();
        assert!(commands.len() > 40, "only {} were found", commands.len());
        for (place, words) in &commands {
            let arguments: &[String] = match words.as_slice() {
                [] => &[],
                [dashes, arguments @ ..] if dashes == "--" => arguments,
                [option, feature, dashes, arguments @ ..]
                    if [option, feature, dashes] == ["--features", "cost", "--"] =>
                {
                    arguments
                }
                _ => panic!("{place}: cargo run --release {}", words.join(" ")),
            };
            let line = std::iter::once("conformance").chain(arguments.iter().map(String::as_str));
            if let Err(error) = Cli::try_parse_from(line)
                && error.use_stderr()
            {
                panic!("{place}: {}: {error}", words.join(" "));
            }
            let needs_feature = arguments.first().is_some_and(|command| command == "cost");
            let published = arguments.iter().any(|option| option == "--published");
            assert!(!needs_feature || published || words[0] == "--features", "{place}: the feature cost");
        }
        assert!(Cli::try_parse_from(["conformance", "--no-such-option"]).is_err());
    }
}
