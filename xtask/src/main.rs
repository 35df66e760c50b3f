//! Developer commands of this repository: `cargo xtask <command>`.

mod bindings;
mod drawings;
mod generated;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{Build, Error, device_kernels, dist, host_toolkit, op_package};

/// Developer commands of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", arg_required_else_help = false)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the Rust of `aclnn-sys` from the headers in `sys/include`. Needs libclang.
    Bindings {
        /// Write nothing; exit with 1 if the committed files differ.
        #[arg(long)]
        check: bool,
    },
    /// Draw the pictures of `docs/` that no measurement is behind: the parts of the repository,
    /// calls of `scatter_add`, and the data flow of each kernel.
    Drawings {
        /// Write nothing; exit with 1 if the committed files differ.
        #[arg(long)]
        check: bool,
    },
    /// Lay out a folder like an install of CANN, of host-cann and the scatter operators: programs
    /// for CANN compile against it and run on the CPU.
    HostToolkit {
        #[command(flatten)]
        package: Package,
        #[command(flatten)]
        clients: Clients,
    },
    /// Lay out the scatter operators as an operator package, which torch_npu asks before CANN.
    OpPackage(Package),
    /// Make an archive for people who have no Rust: the host toolkit, the operator package, an
    /// example, licences and checksums. Needs GNU tar.
    Dist {
        /// The folder: a new or an empty one, or one that this command wrote to before.
        dir: PathBuf,
        #[command(flatten)]
        options: dist::Options,
    },
    /// Build the kernels' library for a device, with a CANN toolkit and CMake, into the folder of
    /// an operator package.
    DeviceKernels {
        /// The folder: an operator package, a new or an empty folder, or one that this command
        /// wrote to before.
        dir: PathBuf,
        #[command(flatten)]
        options: device_kernels::Options,
    },
}

/// The clients that a tree can be asked for. There is one tree for all of them: nothing that one
/// needs stands in the way of another.
#[derive(clap::Args)]
struct Clients {
    /// For MindSpore, which every tree serves.
    #[arg(long)]
    mindspore: bool,
    /// For torch_npu, which every tree serves.
    #[arg(long)]
    torch_npu: bool,
}

#[derive(clap::Args)]
struct Package {
    /// The folder: a new or an empty one, or one that this command laid out before.
    dir: PathBuf,
    #[command(flatten)]
    build: Build,
}

fn main() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => run(cli.command),
        Err(refused) if refused.use_stderr() => Err(Error::Usage(first_words(&refused.to_string()))),
        // Asked for help.
        Err(help) => help.exit(),
    };
    let (message, code) = match outcome {
        Ok(message) => (message, ExitCode::SUCCESS),
        Err(error) => (format!("error: {error}\n"), ExitCode::from(error.exit_code())),
    };
    // A closed pipe must not change the exit code.
    let _ = std::io::stderr().write_all(message.as_bytes());
    code
}

fn run(command: Command) -> Result<String, Error> {
    match command {
        Command::Bindings { check } => Ok(bindings::run(check)?),
        Command::Drawings { check } => Ok(drawings::run(check)?),
        Command::HostToolkit { package, clients: Clients { mindspore: _, torch_npu: _ } } => {
            host_toolkit::run(&package.dir, &package.build)
        }
        Command::OpPackage(package) => op_package::run(&package.dir, &package.build),
        Command::Dist { dir, options } => dist::run(&dir, &options),
        Command::DeviceKernels { dir, options } => device_kernels::run(&dir, &options),
    }
}

/// The error of a refused command line without the usage that follows it, as one line.
fn first_words(refusal: &str) -> String {
    let words = refusal.split("\n\n").next().unwrap_or_default();
    let words = words.strip_prefix("error:").unwrap_or(words);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// README.md and the other pages name commands and options as they are.
    #[test]
    fn the_documents_commands_are_ones_that_there_are() {
        let commands = book::arguments_of(&["cargo", "xtask"]).unwrap();
        assert!(commands.len() > 15, "only {} were found", commands.len());
        for (place, words) in commands {
            // A name alone stands for the command, whatever it is given.
            let is_name = match &words[..] {
                [] => true,
                [name] => Cli::command().find_subcommand(name).is_some(),
                _ => false,
            };
            let line = std::iter::once("xtask").chain(words.iter().map(String::as_str));
            if let (Err(error), false) = (Cli::try_parse_from(line), is_name) {
                panic!("{place}: {}: {error}", words.join(" "));
            }
        }
        assert!(Cli::try_parse_from(["xtask", "bindings", "--no-such-option"]).is_err());
    }
}
