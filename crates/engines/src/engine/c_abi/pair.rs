//! Calls the two functions of an operator, phase one and phase two, and reads the stream's status.

use core::ffi::c_void;
use core::ptr::null_mut;

use aclnn_sys::{
    AclnnStatus, Cann, LoadError, aclOpExecutor, aclScalar, aclTensor, aclTensorList, aclnnScatterStatusInfo,
    aclrtStream,
};
use scatter::{Op, Operator};

use super::library::Library;
use super::memory::DeviceAllocation;
use crate::refusal::Message;
use crate::refusal::Refusal;

/// The arguments of a call; a missing tensor or scalar is null.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments {
    pub(super) op: Op,
    /// `None` in place.
    pub(super) self_: Option<*mut aclTensor>,
    pub(super) index: *mut aclTensor,
    /// The tensors of index, where the function takes a list.
    pub(super) indices: *mut aclTensorList,
    pub(super) src: *mut aclTensor,
    pub(super) value: *mut aclScalar,
    pub(super) out: *mut aclTensor,
    /// The size of out's first axis.
    pub(super) rows: u64,
    /// Chooses the pair, by its remainder, where several compute the same.
    pub(super) turn: usize,
}

/// The type of every phase two.
type PhaseTwo =
    unsafe fn(&Cann, *mut c_void, u64, *mut aclOpExecutor, aclrtStream) -> Result<AclnnStatus, LoadError>;

/// What workspace size and executor are before phase one; a phase one that fails must not write
/// them.
const NOTHING: (u64, *mut aclOpExecutor) = (0x5a5a, null_mut());

/// Calls both phases and waits for the stream.
///
/// # Safety
/// Each handle is null or valid until this returns, and the storage of each tensor is as large as
/// the handle says, unless the operator refuses the call.
pub(super) unsafe fn run(library: &Library, arguments: &Arguments) -> Result<(), Refusal> {
    let (mut size, mut executor) = NOTHING;
    // Clears the messages of earlier calls.
    let _ = library.words();
    let Some(Pair { name, one, two, .. }) = pair(arguments) else {
        return Err(Refusal::Broken(format!("no C function computes {}", arguments.op)));
    };
    // SAFETY: by this function's contract the handles are null or valid; `size` and `executor` are
    // valid for writes.
    let code = unsafe { one(library.cann(), arguments, &raw mut size, &raw mut executor) }
        .map_err(|error| Refusal::Broken(error.to_string()))?;
    if !code.is_success() {
        let message = library.words();
        return Err(match (size, executor) == NOTHING {
            true => Refusal::Code { code, message },
            false => Refusal::Broken(format!("{name}: phase one returned {code}, and has written results")),
        });
    }
    let bytes =
        usize::try_from(size).map_err(|_| Refusal::Broken(format!("{name}: {size} bytes of workspace")))?;
    let workspace = DeviceAllocation::new(library, bytes)?;
    let stream = library.stream()?;
    // SAFETY: phase one made the executor, which is used only here, and the workspace has the size
    // that it asked for. Workspace and tensors live until the stream has been waited for below.
    let code = unsafe { two(library.cann(), workspace.address(), size, executor, stream.raw()) }
        .map_err(|error| Refusal::Broken(error.to_string()))?;
    // SAFETY: `stream` borrows the library, which alone destroys its streams, when it is dropped.
    let waited = unsafe { library.cann().aclrtSynchronizeStream(stream.raw()) };
    let waited = waited.map_err(|error| Refusal::Broken(error.to_string()))?;
    let message = library.words();
    if !code.is_success() {
        // Every rule that is told by a code is checked in phase one, so that no case expects this.
        let message = message.as_deref().unwrap_or("no words");
        return Err(Refusal::Broken(format!("{name}: phase two returned {code} ({message})")));
    }
    let (told, again) = (library.status(stream.raw())?, library.status(stream.raw())?);
    if !again.code.is_success() {
        return Err(Refusal::Broken(format!("{name}: the stream tells of an index twice")));
    }
    match (waited, told.code.is_success()) {
        (aclnn_sys::ACL_SUCCESS, true) => Ok(()),
        (waited, false) if waited == library.bad_index() && function(&told) == *name => {
            Err(index(&told, message))
        }
        _ => Err(Refusal::Broken(format!(
            "{name}: aclrtSynchronizeStream returned {waited}, aclnnScatterStreamStatus told {} of {:?} ({})",
            told.code,
            function(&told),
            message.unwrap_or_default()
        ))),
    }
}

/// The name of the function in a stream's status.
fn function(told: &aclnnScatterStatusInfo) -> String {
    let bytes: Vec<u8> = told.opName.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The refusal of a bad index, from a stream's status.
fn index(told: &aclnnScatterStatusInfo, message: Message) -> Refusal {
    let aclnnScatterStatusInfo { code, rank, position, value, size, .. } = *told;
    let position = position.iter().copied().take(rank as usize).collect();
    Refusal::Index { code, message, position, value, size }
}

/// A pair of C functions.
struct Pair {
    operator: Operator,
    /// Whether self is out.
    is_in_place: bool,
    /// The name of phase two.
    name: &'static str,
    /// Calls phase one. It has the contract of [`run`], and the pointers must be valid for writes.
    one: unsafe fn(&Cann, &Arguments, *mut u64, *mut *mut aclOpExecutor) -> Result<AclnnStatus, LoadError>,
    two: PhaseTwo,
}

/// Whether a parameter is a self that is also out.
macro_rules! is_written_self {
    (SelfRef) => {
        true
    };
    ($kind:ident) => {
        false
    };
}

/// A parameter of phase one, by its kind in the table of pairs.
macro_rules! argument {
    ($from:ident, SelfTensor) => {
        $from.self_.unwrap_or($from.out)
    };
    ($from:ident, UnwrittenSelf) => {
        $from.self_.unwrap_or($from.out)
    };
    ($from:ident, SelfRef) => {
        $from.out
    };
    ($from:ident, Out) => {
        $from.out
    };
    ($from:ident, ZeroedOut) => {
        $from.out
    };
    ($from:ident, Index) => {
        $from.index
    };
    ($from:ident, Indices) => {
        $from.indices
    };
    ($from:ident, Src) => {
        $from.src
    };
    ($from:ident, Value) => {
        $from.value
    };
    ($from:ident, Dim) => {
        $from.op.dim().unwrap_or(0)
    };
    ($from:ident, Reduce) => {
        $from.op.reduce().code()
    };
    ($from:ident, IncludeSelf) => {
        $from.op.include_self()
    };
    ($from:ident, Accumulate) => {
        matches!($from.op, Op::IndexPut { accumulate: true, .. })
    };
    ($from:ident, Rows) => {
        $from.rows
    };
    ($from:ident, Padding) => {
        $from.op.padding().map_or(u64::MAX, |row| row as u64)
    };
    ($from:ident, Scale) => {
        matches!($from.op, Op::EmbeddingBackward { scale: true, .. })
    };
    // Both are ignored.
    ($from:ident, Mode) => {
        0
    };
    ($from:ident, Unsafe) => {
        false
    };
}

macro_rules! pairs {
    ($(
        $(#[$doc:meta])*
        $pair:ident: $first:ident, $second:ident($($parameter:ident: $kind:ident),*) => $operator:ident;
    )+) => {
        const PAIRS: &[Pair] = &[$(Pair {
            operator: Operator::$operator,
            is_in_place: $(is_written_self!($kind))||+,
            name: stringify!($second),
            one: |cann, arguments, size, executor| {
                // SAFETY: by the contract of `Pair::one` the handles are null or valid, and size
                // and executor can be written.
                unsafe { cann.$first($(argument!(arguments, $kind),)* size, executor) }
            },
            two: Cann::$second,
        }),+];
    };
}
aclnn_scatter::for_each_pair!([pairs]);

/// The pair that computes a call's operator: in place if the call is, and of several such pairs the
/// one that `turn` chooses. Where there are only pairs of the other kind, one of those.
fn pair(arguments: &Arguments) -> Option<&'static Pair> {
    let all = PAIRS.iter().filter(|pair| pair.operator == arguments.op.operator());
    let (fitting, others): (Vec<_>, Vec<_>) =
        all.partition(|pair| pair.is_in_place == arguments.self_.is_none());
    let pairs = if fitting.is_empty() { others } else { fitting };
    pairs.get(arguments.turn % pairs.len().max(1)).copied()
}
