//! The options that choose engines.

use std::path::PathBuf;

use clap::Args;
use scatter::cpu::internals::Pattern;

/// Which engines, and with how many threads.
#[derive(Args, Clone, Debug)]
pub struct Engines {
    /// The engines to run (reference, cpu, kernel, c-abi, device-c-abi, aclnn, aclnn-any, device,
    /// device-vendor) [default: all but the three of a device, which need an installed CANN]
    #[arg(long = "engine", value_name = "NAME", value_delimiter = ',')]
    pub names: Vec<String>,
    /// The number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// The folder of libhost_cann.so and libaclnn_scatter.so, for c-abi, device-c-abi, aclnn and
    /// aclnn-any; device and device-vendor need neither [default: this program's own folder, if
    /// they are there]
    #[arg(long, value_name = "DIR")]
    pub c_libraries: Option<PathBuf>,
    /// The strategy of the CPU engine for every case that it can compute; sweep computes the others
    /// (rows, row_ranges, row_buckets, lines, line_ranges, tiles, line_buckets, line_copy,
    /// line_copies, sweep)
    #[arg(long, value_name = "NAME", value_parser = parse_pattern)]
    pub pattern: Option<Pattern>,
}

impl Engines {
    /// The number of threads to use.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// A pattern's name.
fn parse_pattern(text: &str) -> Result<Pattern, String> {
    let known = Pattern::ALL.map(Pattern::name);
    let found = Pattern::ALL.into_iter().find(|pattern| pattern.name() == text);
    found.ok_or_else(|| format!("expected {}", known.join(" or ")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::Parser;

    use super::*;
    use crate::engine::ENGINES;

    /// A command line of these options alone.
    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        _engines: Engines,
    }

    #[test]
    fn the_help_names_every_engine_and_every_pattern() {
        let command = Alone::command();
        let named = |option: &str| {
            let argument = command.get_arguments().find(|argument| argument.get_id() == option).unwrap();
            let help = argument.get_help().unwrap().to_string();
            let (_, names) = help.split_once('(').unwrap();
            names.split_once(')').unwrap().0.split(", ").map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(named("names"), ENGINES.map(|(name, _)| name));
        assert_eq!(named("pattern"), Pattern::ALL.map(Pattern::name));
    }
}
