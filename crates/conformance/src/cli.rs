//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use scatter::cpu::Pattern;
use scatter::{DType, Operator};

use crate::{bench, cost, device, run, task};

/// Holds every scatter engine of this machine against the reference, bit for bit.
///
/// Without a command: the vectors that other implementations computed, a sample of the generated matrix, and the calls
/// that must be refused, on every engine. Exit code 0 if all is as it must be, 1 on any difference, 2 for options or
/// files that can't be used.
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

/// Which engines, and with how many threads.
#[derive(Args, Clone, Debug)]
pub(crate) struct Engines {
    /// The engines to run (reference, cpu, kernel, c-abi, device-c-abi, aclnn, aclnn-any, device,
    /// device-vendor) [default: all but those on a device, which is of the CANN that is installed]
    #[arg(long = "engine", value_name = "NAME", value_delimiter = ',')]
    pub(crate) names: Vec<String>,
    /// Threads [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// The folder of libhost_cann.so and libaclnn_scatter.so, for c-abi, aclnn and aclnn-any [default: this program's, if
    /// they are there]
    #[arg(long, value_name = "DIR")]
    pub(crate) c_libraries: Option<PathBuf>,
    /// The plan that the CPU engine takes wherever its loops can do a case (rows, row_ranges, row_buckets, lines, line_ranges, tiles,
    /// buckets, private, private_ranges, private_copies, small, sweep)
    #[arg(long, value_name = "NAME", hide = true, value_parser = parse_pattern)]
    pub(crate) pattern: Option<Pattern>,
}

impl Engines {
    /// The number of threads to use.
    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// Which cases, and what is told of them.
#[derive(Args, Clone, Debug)]
pub(crate) struct Suite {
    #[command(flatten)]
    pub(crate) engines: Engines,
    /// Only cases of these operators (scatter_add, scatter, …)
    #[arg(long = "op", value_name = "NAME", value_delimiter = ',', value_parser = parse_operator)]
    pub(crate) operators: Vec<Operator>,
    /// Only cases of these dtypes (bf16, f32, bool, complex64, …)
    #[arg(long = "dtype", value_name = "NAME", value_delimiter = ',')]
    pub(crate) dtypes: Vec<DType>,
    /// Only cases whose name contains TEXT; a whole name is that case alone
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// How many cases of the matrix at the most
    #[arg(long, value_name = "N", default_value_t = 30_000, conflicts_with = "full")]
    pub(crate) cases: usize,
    /// The whole matrix
    #[arg(long)]
    pub(crate) full: bool,
    /// Every case in every setting of each engine: of cpu with each instruction set of this machine, and of kernel, which is
    /// slow
    #[arg(long)]
    pub(crate) every_setting: bool,
    /// What the matrix is drawn with
    #[arg(long, value_name = "N", default_value_t = 42)]
    pub(crate) seed: u64,
    /// Names the cases and runs none
    #[arg(long)]
    pub(crate) list: bool,
    /// A folder of vectors to take instead of the program's own
    #[arg(long, value_name = "DIR")]
    pub(crate) vectors: Option<PathBuf>,
    /// Writes the report to FILE as JSON, too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// A pattern's name.
fn parse_pattern(text: &str) -> Result<Pattern, String> {
    let known = Pattern::ALL.map(Pattern::name);
    let found = Pattern::ALL.into_iter().find(|pattern| pattern.name() == text);
    found.ok_or_else(|| format!("expected {}", known.join(" or ")))
}

/// An operator's name.
pub(crate) fn parse_operator(text: &str) -> Result<Operator, String> {
    task::operator(text).map_err(|problem| problem.to_string())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_help_names_every_pattern() {
        let command = Cli::command();
        let pattern = command.get_arguments().find(|argument| argument.get_id() == "pattern").unwrap();
        let help = pattern.get_help().unwrap().to_string();
        let (_, names) = help.split_once('(').unwrap();
        let names: Vec<_> = names.trim_end_matches(')').split(", ").collect();
        assert_eq!(names, Pattern::ALL.map(Pattern::name));
    }

    #[test]
    fn the_options_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }
}
