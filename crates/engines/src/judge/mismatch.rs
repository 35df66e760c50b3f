//! How an engine's outcome differs from the expected one.

use core::fmt;

use scatter::Error;

use crate::case::Case;
use crate::refusal::Refusal;
use crate::storage::Storage;

/// The first difference from the expected outcome.
#[derive(Clone, Debug)]
pub enum Mismatch {
    /// An element of the destination's storage has another value.
    Element(Element),
    /// A valid case was refused.
    Refusal {
        /// How it was refused.
        got: Refusal,
    },
    /// A case was refused with another error.
    OtherRefusal {
        /// The expected error.
        expected: Error,
        /// How it was refused.
        got: Refusal,
    },
    /// A case that must be refused was not.
    Accepted {
        /// The expected error.
        expected: Error,
    },
    /// A tensor that is only read has changed.
    SourceWritten {
        /// The tensor's name.
        argument: &'static str,
    },
    /// The engine panicked.
    Panic {
        /// The message of the panic.
        message: String,
    },
    /// The reference refused the case, so there is nothing to compare with.
    NoReference {
        /// How the reference refused it.
        got: Error,
    },
}

/// The first element that differs.
#[derive(Clone, Debug)]
pub struct Element {
    /// The element's index in the storage.
    pub address: usize,
    /// The coordinates of the element in the tensor; `None` if the tensor doesn't contain it.
    pub coordinates: Option<Vec<usize>>,
    pub expected: String,
    pub got: String,
    /// How many elements differ, of the `of` elements in the storage.
    pub differing: usize,
    pub of: usize,
}

impl Element {
    /// The first of `addresses`, which are those at which `got` differs from `expected`. Elements
    /// of the tensor come first, in row-major order, then those around it.
    pub fn first(case: &Case, addresses: &[usize], expected: &Storage, got: &Storage) -> Option<Self> {
        let tensor = case.destination();
        let of_tensor =
            tensor.addresses().into_iter().find(|address| addresses.binary_search(address).is_ok());
        let address = of_tensor.or_else(|| addresses.first().copied())?;
        let shown = |storage: &Storage| format!("{} ({})", storage.shown(address), storage.hex(address));
        Some(Self {
            address,
            coordinates: tensor.coordinates_of(address),
            expected: shown(expected),
            got: shown(got),
            differing: addresses.len(),
            of: expected.len(),
        })
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element(Element { address, coordinates, expected, got, differing, of }) => {
                match coordinates {
                    Some(coordinates) => write!(f, "out{coordinates:?} (element {address} of the storage)")?,
                    None => write!(f, "element {address} of out's storage, which is not out's")?,
                }
                write!(f, ": expected {expected}, got {got}; {differing} of {of} elements differ")
            }
            Self::Refusal { got } => write!(f, "expected a result, got the error: {got}"),
            Self::OtherRefusal { expected, got } => write!(f, "expected the error: {expected}; got: {got}"),
            Self::Accepted { expected } => write!(f, "expected the error: {expected}; got a result"),
            Self::SourceWritten { argument } => write!(f, "{argument} was written, which is only to be read"),
            Self::Panic { message } => write!(f, "the engine panicked: {message}"),
            Self::NoReference { got } => write!(f, "the reference, on contiguous copies, refuses: {got}"),
        }
    }
}
