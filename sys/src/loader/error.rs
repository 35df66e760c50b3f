//! Why a function was not found.

use core::ffi::CStr;
use core::fmt;

use super::library::Source;

/// A function or symbol that no library of the list has. Only the call that returned it has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    symbol: String,
    searched: Vec<Searched>,
}

/// A library in which a symbol was looked for, and why it was not found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    library: String,
    problem: String,
}

impl LoadError {
    pub(super) fn new(symbol: &CStr, searched: Vec<Searched>) -> Self {
        Self(Box::new(Inner { symbol: symbol.to_string_lossy().into_owned(), searched }))
    }

    /// The symbol.
    #[must_use]
    pub fn symbol(&self) -> &str {
        &self.0.symbol
    }

    /// Where it was looked for, in order.
    #[must_use]
    pub fn searched(&self) -> &[Searched] {
        &self.0.searched
    }
}

impl Searched {
    pub(super) fn new(source: &Source, problem: impl Into<String>) -> Self {
        Self { library: source.to_string(), problem: problem.into() }
    }

    /// The library's path or name.
    #[must_use]
    pub fn library(&self) -> &str {
        &self.library
    }

    /// Why the symbol was not found there.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} not found", self.0.symbol)?;
        if self.0.searched.is_empty() {
            return f.write_str(": the list of libraries is empty");
        }
        for (position, searched) in self.0.searched.iter().enumerate() {
            let separator = if position == 0 { ": " } else { "; " };
            write!(f, "{separator}{}: {}", searched.library, searched.problem)?;
        }
        Ok(())
    }
}

impl core::error::Error for LoadError {}
