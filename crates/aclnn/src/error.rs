//! The error type of this crate.

use aclnn_sys::fork::Forked;
use aclnn_sys::{AclError, AclnnStatus, LoadError};
use scatter::{DType, LayoutError, Scalar};

/// The result of every function of this crate that can fail.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a call failed.
///
/// Whatever shapes, dtypes and addresses show to be wrong is refused before the call is given to
/// the stream. An index out of range is found while the stream works; it is returned, as
/// [`Error::Scatter`] too, by [`Stream::synchronize`](crate::Stream::synchronize) and by calls that
/// read the result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A scatter that is refused, with the first rule that it breaks, or an index out of range.
    #[error(transparent)]
    Scatter(Box<scatter::Error>),
    /// A layout that is not valid, such as one that does not lie inside its storage.
    #[error("layout: {0}")]
    Layout(#[from] LayoutError),
    /// No CANN was found. Says what was looked for, and where.
    #[error("no CANN: {0}")]
    MissingLibrary(LoadError),
    /// This CANN lacks one function; other functions may still work.
    #[error("this CANN lacks a function: {0}")]
    MissingSymbol(LoadError),
    /// A function of CANN's runtime failed.
    #[error("{call} returned {code}{}", Words(message))]
    Acl {
        /// The C function.
        call: &'static str,
        /// What it returned.
        code: AclError,
        /// CANN's message (`aclGetRecentErrMsg`); empty where there is none.
        message: String,
    },
    /// A phase of an operator failed.
    #[error("{call} returned {code}{}", Words(message))]
    Aclnn {
        /// The C function.
        call: &'static str,
        /// What it returned.
        code: AclnnStatus,
        /// The operator's message, or CANN's; empty where there is none.
        message: String,
    },
    /// A tensor of another dtype than the one to type it with, or than the tensor to copy it to.
    #[error("{call}: dtype {expected} expected, got {got}")]
    DType {
        /// What was called.
        call: &'static str,
        /// The dtype that is needed.
        expected: DType,
        /// The tensor's.
        got: DType,
    },
    /// A number that the dtype can't represent.
    #[error("{call}: a number that {expected} can represent expected, got {got}")]
    Value {
        /// What was called.
        call: &'static str,
        /// The tensor's dtype.
        expected: DType,
        /// The number.
        got: Scalar,
    },
    /// A wrong number of elements.
    #[error("{call}: {expected} {} expected, got {got}", if *expected == 1 { "element" } else { "elements" })]
    Length {
        /// What was called.
        call: &'static str,
        /// The number of elements that is needed.
        expected: usize,
        /// The number of elements given.
        got: usize,
    },
    /// More elements than memory can have addresses for.
    #[error("{call}: {expected} elements at most expected, got {got}")]
    TooManyElements {
        /// What was called.
        call: &'static str,
        /// The most elements.
        expected: usize,
        /// The number of elements given.
        got: usize,
    },
    /// A buffer that is too small.
    #[error("{call}: {expected} bytes at least expected, got {got}")]
    Bytes {
        /// What was called.
        call: &'static str,
        /// The least bytes.
        expected: usize,
        /// The bytes of the buffer.
        got: usize,
    },
    /// An operand that an executor does not have.
    #[error("{call}: operand below {expected} expected, got {got}")]
    Operand {
        /// What was called.
        call: &'static str,
        /// The number of operands.
        expected: usize,
        /// The position given.
        got: usize,
    },
    /// Host data that forms no tensor, because parts along one axis differ in size.
    #[error("new: ragged data: size {expected} expected on axis {axis}, got {got} at {position:?}")]
    Ragged {
        /// The axis.
        axis: usize,
        /// The coordinates, on the axes before `axis`, of the part that differs.
        position: Vec<usize>,
        /// The size of the parts before it.
        expected: usize,
        /// The size of this part.
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
    /// An axis whose size is not the one that is needed.
    #[error("{call}: size {expected} expected on axis {axis}, got {got}")]
    Size {
        /// What was called.
        call: &'static str,
        /// The axis.
        axis: usize,
        /// The size that is needed.
        expected: usize,
        /// The tensor's.
        got: usize,
    },
    /// A tensor with more axes than are allowed.
    #[error("{call}: rank {expected} at most expected, got {got}")]
    Rank {
        /// What was called.
        call: &'static str,
        /// The most axes.
        expected: usize,
        /// The tensor's rank.
        got: usize,
    },
    /// A range that does not lie within an axis.
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
    /// A step of 0.
    #[error("{call}: step 1 or more expected, got 0")]
    Step {
        /// What was called.
        call: &'static str,
    },
    /// A shape in which a tensor can't be viewed, or that of a tensor that can't be copied to it.
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
    /// A shape to which a tensor can't be broadcast, because a size other than 1 would change.
    #[error(
        "expand: size {expected} expected on axis {axis} of the new shape, got {got}: only axes of size 1 can grow"
    )]
    Expand {
        /// The axis of the new shape.
        axis: usize,
        /// The tensor's size along it.
        expected: usize,
        /// The new size.
        got: usize,
    },
    /// A tensor that must be contiguous, and isn't.
    #[error("{call}: a contiguous tensor expected, got shape {shape:?} with strides {strides:?}")]
    NotContiguous {
        /// What was called.
        call: &'static str,
        /// The tensor's shape.
        shape: Vec<usize>,
        /// Its strides, in elements.
        strides: Vec<isize>,
    },
    /// A tensor, buffer or event of another device than the one that uses it.
    #[error("{call}: device {expected} expected, got {got}")]
    Device {
        /// What was called.
        call: &'static str,
        /// The device that was to use it.
        expected: i32,
        /// The device of the tensor, buffer, event or stream.
        got: i32,
    },
    /// A tensor, buffer, event or stream of another CANN than the one that was to use it.
    #[error("{call}: something of the same CANN expected, got something of another")]
    OtherCann {
        /// What was called.
        call: &'static str,
    },
    /// The host is out of memory.
    #[error("{call}: the host has no memory for {bytes} bytes")]
    HostMemory {
        /// What was called.
        call: &'static str,
        /// How many bytes were asked for.
        bytes: usize,
    },
    /// A runtime or device can't be closed while clones of it, or its streams, tensors …, are in
    /// use.
    #[error("{what} is in use: {users} {} it", if *users == 1 { "other holds" } else { "others hold" })]
    InUse {
        /// What was to be closed.
        what: &'static str,
        /// How many others hold it.
        users: usize,
    },
    /// Something that this crate does not support.
    #[error("{call}: {problem}")]
    Unsupported {
        /// What was called.
        call: &'static str,
        /// What is not supported.
        problem: &'static str,
    },
    /// The error of an earlier drop: CANN failed to release something, or the work of a dropped
    /// stream had failed. The call that returns this error enqueued nothing; `close` and
    /// [`Transfer::wait`](crate::Transfer::wait) still release what they were called on.
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

/// Prints a message after a code; nothing where the message is empty.
struct Words<'a>(&'a str);

impl core::fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}
