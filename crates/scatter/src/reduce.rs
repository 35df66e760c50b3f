//! What happens where an update meets its destination.

use core::fmt;
use core::str::FromStr;

use crate::DType;

/// The reduction of an update into its destination; the numbers are the C ABI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i64)]
pub enum Reduce {
    /// Replace: the last writer in row-major order of index stays.
    None = 0,
    /// Sum.
    Add = 1,
    /// Product.
    Mul = 2,
    /// Maximum; NaN wins.
    Max = 3,
    /// Minimum; NaN wins.
    Min = 4,
    /// Sum divided by the exact number of summands.
    Mean = 5,
}

impl Reduce {
    /// Every reduction, in the order of the codes.
    pub const ALL: [Self; 6] = [Self::None, Self::Add, Self::Mul, Self::Max, Self::Min, Self::Mean];

    /// The number in the C ABI, 0 to 5.
    #[must_use]
    pub const fn code(self) -> i64 {
        self as i64
    }

    /// The reduction of a C ABI number, or `None` where there is none.
    #[must_use]
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|reduce| reduce.code() == code)
    }

    /// The name, which [`FromStr`] reads back. `"add"` and `"multiply"` are spelt as in
    /// `Tensor.scatter_`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Add => "add",
            Self::Mul => "multiply",
            Self::Max => "max",
            Self::Min => "min",
            Self::Mean => "mean",
        }
    }

    /// Why `dtype` does not have this reduction, or `None` where it has.
    #[must_use]
    pub const fn missing_for(self, dtype: DType) -> Option<&'static str> {
        match (self, dtype) {
            (Self::Max | Self::Min, DType::Complex64 | DType::Complex128) => {
                Some("complex numbers have no order")
            }
            (Self::Mean, DType::Bool) => Some("a bool has no mean"),
            _ => None,
        }
    }
}

impl fmt::Display for Reduce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is not the name of a [`Reduce`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown reduce {got:?}: expected \"none\", \"add\", \"multiply\", \"max\", \"min\" or \"mean\"")]
#[non_exhaustive]
pub struct ParseReduceError {
    /// The text.
    pub got: String,
}

impl FromStr for Reduce {
    type Err = ParseReduceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|reduce| reduce.name() == text)
            .ok_or_else(|| ParseReduceError { got: text.to_owned() })
    }
}
