//! How a command ends.

/// How a run ended, for the exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// No difference was found.
    Same,
    /// A difference was found.
    Different,
    /// Options or files can't be used, or nothing can be run.
    Usage,
}

impl Exit {
    /// The exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Same => 0,
            Self::Different => 1,
            Self::Usage => 2,
        }
    }
}
