//! How an engine refuses: with the library's error, with a tensor that can't be made, or, behind
//! the C ABI, with a code and words.

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, AclnnStatus};
use scatter::{Argument, Error, LayoutError, Operator};

/// The words of a failure; `None` where a caller has no way to them.
pub type Message = Option<String>;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The library's own error.
    #[error("{0}")]
    Error(#[from] Error),
    /// A tensor that was not made, so that no operator was called.
    #[error("no tensor {argument:?}: {error}")]
    Tensor {
        /// Which tensor.
        argument: Argument,
        /// Why it was not made.
        error: LayoutError,
    },
    /// What a C function returned, and what was told of it.
    #[error("{code} ({})", words(message))]
    Code {
        /// What was returned.
        code: AclnnStatus,
        /// The words of the failure.
        message: Message,
    },
    /// A bad index, as a stream and its status tell of it.
    #[error("{code}, value {value} at {position:?}, size {size} ({})", words(message))]
    Index {
        /// The code that stands for it.
        code: AclnnStatus,
        /// The words of the failure.
        message: Message,
        /// Where in index it is.
        position: Vec<i64>,
        /// The index.
        value: i64,
        /// The size of the axis that it points into.
        size: i64,
    },
    /// What no case expects of an engine.
    #[error("{0}")]
    Broken(String),
}

impl Refusal {
    /// That of a tensor that has changed and is only to be read.
    pub fn written(argument: Argument, operator: Operator) -> Self {
        Self::Broken(format!("{} was written, which is only to be read", argument.name(operator)))
    }

    /// Whether it says all that this error says.
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
            Self::Broken(_) => false,
        }
    }
}

fn words(message: &Message) -> &str {
    message.as_deref().unwrap_or("no words")
}

/// Whether a message, where there is one, has the words for an error in it.
fn has_words(message: &Message, expected: &Error) -> bool {
    message.as_ref().is_none_or(|message| message.contains(&words_of(expected)))
}

/// The code of a broken rule in the C ABI.
fn code_of(error: &Error) -> AclnnStatus {
    match error {
        Error::Operand { .. } => ACLNN_ERR_PARAM_NULLPTR,
        Error::Layout { .. } => ACLNN_ERR_INNER_NULLPTR,
        _ => ACLNN_ERR_PARAM_INVALID,
    }
}

/// What a message has in it: the library's words, but that a missing tensor is a null there.
fn words_of(error: &Error) -> String {
    match error {
        Error::Operand { operator, argument, .. } => format!("{} is null", argument.name(*operator)),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scatter::Shape;

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
        // Without words the code must be right.
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
