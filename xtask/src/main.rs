//! Developer commands of this repository: `cargo xtask <command>`.

mod bindings;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Developer commands of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask")]
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
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Bindings { check } => bindings::run(check),
    };
    let (message, code) = match outcome {
        Ok(message) => (message, ExitCode::SUCCESS),
        Err(error) => (format!("error: {error}\n"), ExitCode::FAILURE),
    };
    // A closed pipe is no reason to fail otherwise.
    let _ = std::io::stderr().write_all(message.as_bytes());
    code
}
