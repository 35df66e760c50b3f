//! How an engine refuses: with the library's error, or, behind the C ABI, with a code and words.

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, AclnnStatus};
use scatter::Error;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Refusal {
    /// The library's own error.
    #[error("{0}")]
    Error(#[from] Error),
    /// What a C function returned, and what was told of it.
    #[error("{code} ({message})")]
    Code { code: AclnnStatus, message: String },
    /// A bad index, as a stream and its status tell of it.
    #[error("{code}, value {value} at {position:?}, size {size} ({message})")]
    Index { code: AclnnStatus, message: String, position: Vec<i64>, value: i64, size: i64 },
    /// What no case expects of an engine.
    #[error("{0}")]
    Broken(String),
}

impl Refusal {
    /// Whether it says all that this error says.
    pub(crate) fn says(&self, expected: &Error) -> bool {
        match self {
            Self::Error(error) => error == expected,
            Self::Code { code, message } => {
                !matches!(expected, Error::IndexOutOfRange { .. })
                    && *code == code_of(expected)
                    && message.contains(&words_of(expected))
            }
            Self::Index { code, message, position, value, size } => match expected {
                Error::IndexOutOfRange { position: at, value: bad, size: end, .. } => {
                    let at = at.iter().map(|&coordinate| coordinate as u64);
                    *code == code_of(expected)
                        && message.contains(&words_of(expected))
                        && position.iter().map(|&coordinate| coordinate as u64).eq(at)
                        && (*value, *size as u64) == (*bad, *end as u64)
                }
                _ => false,
            },
            Self::Broken(_) => false,
        }
    }
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
    use scatter::{Argument, Operator, Shape};

    #[test]
    fn code_and_words_must_both_be_right() {
        let operator = Operator::ScatterAdd;
        let dim = Error::Dim { operator, expected: 2, got: 2 };
        let says = |code, message: String, error: &Error| {
            Refusal::Code { code: AclnnStatus(code), message }.says(error)
        };
        assert!(says(161_002, format!("aclnnScatterAdd: {dim}"), &dim));
        assert!(!says(161_001, format!("aclnnScatterAdd: {dim}"), &dim));
        assert!(!says(161_002, String::from("aclnnScatterAdd: dim"), &dim));
        let missing = Error::Operand { operator, argument: Argument::Src, expected: true };
        assert!(says(161_001, String::from("src is null"), &missing));
        assert!(!says(161_001, String::from("self is null"), &missing));
        assert!(!Refusal::Broken(dim.to_string()).says(&dim));
    }

    #[test]
    fn a_bad_index_needs_its_position_value_and_size() {
        let position = Shape::new(&[1, 2]).unwrap();
        let operator = Operator::ScatterAdd;
        let error = Error::IndexOutOfRange { operator, axis: 1, position, value: 9, size: 4 };
        let says = |position: &[i64], value, size, message: &str| {
            let (code, message, position) = (AclnnStatus(161_002), message.to_owned(), position.to_vec());
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
            Refusal::Code { code: AclnnStatus(161_002), message: words.clone() }.says(&error),
        ] {
            assert!(!wrong);
        }
    }
}
