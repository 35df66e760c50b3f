//! How a command ends.

/// How a run ended, as a process tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is as it must be.
    Same,
    /// A difference was found.
    Different,
    /// Options or files that can't be used.
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
