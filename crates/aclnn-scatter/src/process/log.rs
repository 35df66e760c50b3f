//! The log of failures: the standard error, with `ACLNN_SCATTER_LOG=1`.

use core::fmt::Arguments;
use std::io::Write as _;

use crate::process::settings;

/// Writes the message of a failure, if there is a log.
pub(crate) fn write(message: Arguments<'_>) {
    if settings::logs() {
        // There is nowhere to report that the standard error can't be written.
        let _ = writeln!(std::io::stderr(), "aclnn-scatter: {message}");
    }
}
