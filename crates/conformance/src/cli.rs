//! The command line.

use bench::cost;
use clap::{Parser, Subcommand};

use crate::command::Suite;
use crate::{device, run};

/// Holds every scatter engine of this machine against the reference, bit for bit.
///
/// Without a command: the vectors that other implementations computed, a sample of the generated
/// matrix, and the calls that must be refused, on every engine. Exit code 0 if all is as it must
/// be, 1 on any difference, 2 for options or files that can't be used.
#[derive(Debug, Parser)]
#[command(name = "conformance", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) suite: Suite,
}

/// What else there is to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs your own tensors on every engine and compares.
    Run(run::Options),
    Bench(bench::Options),
    Cost(cost::Options),
    DeviceReport(device::Options),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_options_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }
}
