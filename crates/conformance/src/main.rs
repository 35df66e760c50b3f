//! The program `conformance`; see the library.

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut out, mut err) = (io::stdout().lock(), io::stderr());
    ExitCode::from(conformance::main(std::env::args_os(), &mut out, &mut err).code())
}
