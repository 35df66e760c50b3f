//! What an engine did otherwise than it must.

use core::fmt;

use scatter::Error;

use crate::case::Case;
use crate::refusal::Refusal;
use crate::storage::Storage;

/// The first thing that is wrong.
#[derive(Clone, Debug)]
pub enum Mismatch {
    /// An element of the destination's storage holds something else.
    Element(Element),
    /// A case that has a result was refused.
    Refusal {
        /// How it was.
        got: Refusal,
    },
    /// A case was refused for another reason.
    OtherRefusal {
        /// The reason that there is.
        expected: Error,
        /// How it was refused.
        got: Refusal,
    },
    /// A case that must be refused was not.
    Accepted {
        /// Why it must be.
        expected: Error,
    },
    /// A tensor that is only read has changed.
    SourceWritten {
        /// The tensor's name.
        argument: &'static str,
    },
    /// The engine panicked.
    Panic {
        /// What it said.
        message: String,
    },
    /// The reference has no result to compare with.
    NoReference {
        /// Why not.
        got: Error,
    },
}

/// The first of the elements that differ.
#[derive(Clone, Debug)]
pub struct Element {
    /// Where in the storage.
    pub address: usize,
    /// Which element of the tensor that is, if it is one.
    pub coordinates: Option<Vec<usize>>,
    pub expected: String,
    pub got: String,
    /// How many elements differ, of how many that the storage has.
    pub differing: usize,
    pub of: usize,
}

impl Element {
    /// The first of `addresses`, at which `got` is not what is `expected`. Elements of the tensor
    /// come first, in row-major order, then those around it.
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
