//! Why a command failed.

use std::fmt;

/// What went wrong, and whether the caller's arguments were at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The arguments ask for something impossible.
    Usage(String),
    /// The work failed.
    Failed(String),
}

impl Error {
    /// The exit code of the process.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failed(_) => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Failed(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl From<Box<dyn std::error::Error>> for Error {
    fn from(error: Box<dyn std::error::Error>) -> Self {
        Self::Failed(error.to_string())
    }
}
