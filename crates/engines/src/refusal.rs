//! How an engine refuses a call: with the library's error, with a tensor that can't be made, or,
//! behind the C ABI, with a code and a message.

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, AclnnStatus};
use scatter::{Argument, Error, LayoutError};

/// The message of a failure; `None` where a caller can't read it.
pub type Message = Option<String>;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The library's own error.
    #[error("{0}")]
    Error(#[from] Error),
    /// A tensor could not be made, so no operator was called.
    #[error("no tensor {argument:?}: {error}")]
    Tensor {
        /// Which tensor.
        argument: Argument,
        /// Why it was not made.
        error: LayoutError,
    },
    /// The code that phase one returned, and its message.
    #[error("{code} ({})", words(message))]
    Code {
        /// The code that was returned.
        code: AclnnStatus,
        /// The message of the failure.
        message: Message,
    },
    /// A bad index, as a stream and its status report it.
    #[error("{code}, value {value} at {position:?}, size {size} ({})", words(message))]
    Index {
        /// The code in the status.
        code: AclnnStatus,
        /// The message of the failure.
        message: Message,
        /// The coordinates of the bad value in index.
        position: Vec<i64>,
        /// The bad value.
        value: i64,
        /// The size of the axis that the value points into.
        size: i64,
    },
    /// An operator returned an error for a call that the library accepts, or CANN lacks it. Of
    /// CANN's own operators that is a refusal.
    #[error("{0}")]
    Operator(String),
    /// A tensor was written, though a call only reads it.
    #[error("{argument} was written, which is only to be read")]
    Written {
        /// The tensor's name.
        argument: &'static str,
    },
    /// An error that no case expects, such as a failure of a stream, a copy or an allocation.
    #[error("{0}")]
    Broken(String),
}

impl Refusal {
    /// Whether it is that of an index out of range.
    pub const fn is_index(&self) -> bool {
        matches!(self, Self::Index { .. } | Self::Error(Error::IndexOutOfRange { .. }))
    }

    /// Whether it reports this error completely.
    pub fn says(&self, expected: &Error) -> bool {
        match self {
            Self::Error(error) => error == expected,
            Self::Tensor { argument, error } => match (expected, error) {
                (Error::Layout { argument: of, got, .. }, error) => (argument, error) == (of, got),
                (
                    Error::Rank { argument: of, expected, got, .. },
                    LayoutError::Rank { expected: most, got: axes, .. },
                ) => (argument, most, axes) == (of, expected, got),
                _ => false,
            },
            Self::Code { code, message } => {
                !matches!(expected, Error::IndexOutOfRange { .. })
                    && *code == code_of(expected)
                    && has_words(message, expected)
            }
            Self::Index { code, message, position, value, size } => match expected {
                Error::IndexOutOfRange { position: at, value: bad, size: end, .. } => {
                    let at = at.iter().map(|&coordinate| coordinate as u64);
                    *code == code_of(expected)
                        && has_words(message, expected)
                        && position.iter().map(|&coordinate| coordinate as u64).eq(at)
                        && (*value, *size as u64) == (*bad, *end as u64)
                }
                _ => false,
            },
            Self::Operator(_) | Self::Written { .. } | Self::Broken(_) => false,
        }
    }
}

fn words(message: &Message) -> &str {
    message.as_deref().unwrap_or("no words")
}

/// Whether a message contains the text of an error; true where there is no message.
fn has_words(message: &Message, expected: &Error) -> bool {
    message.as_ref().is_none_or(|message| message.contains(&words_of(expected)))
}

/// The C ABI's code for an error.
fn code_of(error: &Error) -> AclnnStatus {
    match error {
        Error::Operand { .. } => ACLNN_ERR_PARAM_NULLPTR,
        Error::Layout { .. } => ACLNN_ERR_INNER_NULLPTR,
        _ => ACLNN_ERR_PARAM_INVALID,
    }
}

/// The text that a message must contain: the library's, except that a missing tensor is null in C.
fn words_of(error: &Error) -> String {
    match error {
        Error::Operand { operator, argument, .. } => format!("{} is null", argument.name(*operator)),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scatter::{Operator, Shape};

    #[test]
    fn code_and_words_must_both_be_right() {
        let operator = Operator::ScatterAdd;
        let dim = Error::Dim { operator, expected: 2, got: 2 };
        let says = |code, message: String, error: &Error| {
            Refusal::Code { code: AclnnStatus(code), message: Some(message) }.says(error)
        };
        assert!(says(161_002, format!("aclnnScatterAdd: {dim}"), &dim));
        assert!(!says(161_001, format!("aclnnScatterAdd: {dim}"), &dim));
        assert!(!says(161_002, String::from("aclnnScatterAdd: dim"), &dim));
        let missing = Error::Operand { operator, argument: Argument::Src, expected: true };
        assert!(says(161_001, String::from("src is null"), &missing));
        assert!(!says(161_001, String::from("self is null"), &missing));
        assert!(!Refusal::Broken(dim.to_string()).says(&dim));
        // Without a message the code must still match.
        let wordless = |code| Refusal::Code { code: AclnnStatus(code), message: None }.says(&dim);
        assert!(wordless(161_002) && !wordless(161_001));
    }

    #[test]
    fn a_tensor_that_was_not_made_is_its_layouts_refusal() {
        let (operator, index) = (Operator::ScatterAdd, Argument::Index);
        let strides = |got| LayoutError::Strides { expected: 2, got };
        let rank = |got| LayoutError::Rank { expected: 8, got, empty: false };
        let refusal = |argument, error| Refusal::Tensor { argument, error };
        let layout = Error::Layout { operator, argument: index, got: strides(1) };
        assert!(refusal(index, strides(1)).says(&layout));
        assert!(
            !refusal(index, strides(3)).says(&layout) && !refusal(Argument::Src, strides(1)).says(&layout)
        );
        let too_many = Error::Rank { operator, argument: index, expected: 8, got: 9 };
        assert!(refusal(index, rank(9)).says(&too_many));
        assert!(
            !refusal(index, rank(10)).says(&too_many) && !refusal(Argument::Out, rank(9)).says(&too_many)
        );
        assert!(!refusal(index, rank(9)).says(&layout));
    }

    #[test]
    fn a_bad_index_needs_its_position_value_and_size() {
        let position = Shape::new(&[1, 2]).unwrap();
        let operator = Operator::ScatterAdd;
        let error = Error::IndexOutOfRange { operator, axis: 1, position, value: 9, size: 4 };
        let says = |position: &[i64], value, size, message: &str| {
            let (code, position) = (AclnnStatus(161_002), position.to_vec());
            let message = Some(message.to_owned());
            Refusal::Index { code, message, position, value, size }.says(&error)
        };
        let words = error.to_string();
        assert!(says(&[1, 2], 9, 4, &words));
        for wrong in [
            says(&[1, 1], 9, 4, &words),
            says(&[1], 9, 4, &words),
            says(&[1, 2], 8, 4, &words),
            says(&[1, 2], 9, 5, &words),
            says(&[1, 2], 9, 4, "value at [1, 2]"),
            Refusal::Code { code: AclnnStatus(161_002), message: Some(words.clone()) }.says(&error),
        ] {
            assert!(!wrong);
        }
    }
}
