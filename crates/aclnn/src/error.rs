//! The one error type of this crate.

use aclnn_sys::fork::Forked;
use aclnn_sys::{AclError, AclnnStatus, LoadError};
use scatter::{DType, LayoutError, Scalar};

/// The result of everything here that can fail.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a call failed.
///
/// What can be told from shapes, dtypes and addresses is told before anything is given to the
/// stream. An index out of range is found while the stream works, and comes from
/// [`Stream::synchronize`](crate::Stream::synchronize) and from whoever reads the result, as
/// [`Error::Scatter`] too.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A scatter is refused: the first rule that it breaks.
    #[error(transparent)]
    Scatter(Box<scatter::Error>),
    /// A layout that does not lie inside its storage.
    #[error("layout: {0}")]
    Layout(#[from] LayoutError),
    /// No CANN was found: what was looked for, and where.
    #[error("no CANN: {0}")]
    MissingLibrary(LoadError),
    /// CANN lacks a function. Others may be there.
    #[error("this CANN lacks a function: {0}")]
    MissingSymbol(LoadError),
    /// A function of CANN's runtime failed.
    #[error("{call} returned {code}{}", Words(message))]
    Acl {
        /// The C function.
        call: &'static str,
        /// What it returned.
        code: AclError,
        /// CANN's words (`aclGetRecentErrMsg`), which may be none.
        message: String,
    },
    /// A phase of an operator failed.
    #[error("{call} returned {code}{}", Words(message))]
    Aclnn {
        /// The C function.
        call: &'static str,
        /// What it returned.
        code: AclnnStatus,
        /// The operator's words, or CANN's, which may be none.
        message: String,
    },
    /// A typed tensor was asked for, of another dtype than the tensor has.
    #[error("dtype {expected} expected, got {got}")]
    DType {
        /// The dtype that was asked for.
        expected: DType,
        /// The tensor's.
        got: DType,
    },
    /// A number that the dtype can't hold.
    #[error("{call}: a number that {expected} can represent expected, got {got}")]
    Value {
        /// What was called.
        call: &'static str,
        /// The tensor's dtype.
        expected: DType,
        /// The number.
        got: Scalar,
    },
    /// Another number of elements than the tensor or buffer has, or than is asked for.
    #[error("{call}: {expected} {} expected, got {got}", if *expected == 1 { "element" } else { "elements" })]
    Length {
        /// What was called.
        call: &'static str,
        /// The elements of the tensor or buffer.
        expected: usize,
        /// The elements given.
        got: usize,
    },
    /// Data of the host that is no tensor: parts of one axis are of several sizes.
    #[error("new: ragged data: size {expected} expected on axis {axis}, got {got} at {position:?}")]
    Ragged {
        /// The axis.
        axis: usize,
        /// The coordinates of the part on the axes before it.
        position: Vec<usize>,
        /// Its size in the parts before.
        expected: usize,
        /// Its size here.
        got: usize,
    },
    /// An axis that the tensor does not have.
    #[error("{call}: axis below {expected} expected, got {got}")]
    Axis {
        /// What was called.
        call: &'static str,
        /// The tensor's rank.
        expected: usize,
        /// The axis.
        got: usize,
    },
    /// An axis of another size than is asked for.
    #[error("{call}: size {expected} expected on axis {axis}, got {got}")]
    Size {
        /// What was called.
        call: &'static str,
        /// The axis.
        axis: usize,
        /// The size that is asked for.
        expected: usize,
        /// The tensor's.
        got: usize,
    },
    /// A tensor of more axes than are allowed.
    #[error("{call}: rank {expected} at most expected, got {got}")]
    Rank {
        /// What was called.
        call: &'static str,
        /// The most axes.
        expected: usize,
        /// The tensor's rank.
        got: usize,
    },
    /// A range that an axis does not have.
    #[error("{call}: a range within 0..{expected} expected on axis {axis}, got {start}..{end}")]
    Range {
        /// What was called.
        call: &'static str,
        /// The axis.
        axis: usize,
        /// Its size.
        expected: usize,
        /// Where the range begins.
        start: usize,
        /// Where it ends.
        end: usize,
    },
    /// A shape that a tensor can't be viewed in, or copied to.
    #[error("{call}: {problem}; the tensor has shape {from:?}, got {to:?}")]
    Shape {
        /// What was called.
        call: &'static str,
        /// What is wrong.
        problem: &'static str,
        /// The tensor's shape.
        from: Vec<usize>,
        /// The shape given.
        to: Vec<usize>,
    },
    /// A tensor whose elements must lie one behind the other, and don't.
    #[error("{call}: a contiguous tensor expected, got shape {shape:?} with strides {strides:?}")]
    NotContiguous {
        /// What was called.
        call: &'static str,
        /// The tensor's shape.
        shape: Vec<usize>,
        /// Its strides, in elements.
        strides: Vec<isize>,
    },
    /// A tensor, buffer or event of another device than the stream's.
    #[error("{call}: device {expected} expected, got {got}")]
    Device {
        /// What was called.
        call: &'static str,
        /// The stream's device.
        expected: i32,
        /// The tensor's, event's or stream's.
        got: i32,
    },
    /// A tensor, buffer, event or stream of another CANN than the one that was to use it.
    #[error("{call}: something of the same CANN expected, got something of another")]
    OtherCann {
        /// What was called.
        call: &'static str,
    },
    /// The host has no memory for this many bytes.
    #[error("{call}: the host has no memory for {bytes} bytes")]
    HostMemory {
        /// What was called.
        call: &'static str,
        /// The bytes.
        bytes: usize,
    },
    /// A runtime or device can't be closed while something of it is in use.
    #[error("{what} is in use: {users} others hold it")]
    InUse {
        /// What was to be closed.
        what: &'static str,
        /// How many others hold it.
        users: usize,
    },
    /// A tensor was asked for in a form that this crate does not have.
    #[error("{call}: {problem}")]
    Unsupported {
        /// What was called.
        call: &'static str,
        /// What is missing.
        problem: &'static str,
    },
    /// Something that was dropped before could not be given back; the call that returns this was
    /// not made.
    #[error("a drop before this call failed: {0}")]
    Dropped(Box<Error>),
}

impl From<Forked> for Error {
    fn from(forked: Forked) -> Self {
        Self::Unsupported { call: "aclnn", problem: forked.as_str() }
    }
}

impl From<scatter::Error> for Error {
    fn from(error: scatter::Error) -> Self {
        Self::Scatter(Box::new(error))
    }
}

/// Words behind a code, where there are any.
struct Words<'a>(&'a str);

impl core::fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}
