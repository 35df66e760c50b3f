//! The pairs of functions: phase one, phase two, and what a stream tells of it.

use core::ffi::c_void;
use core::ptr::null_mut;

use aclnn_sys::{
    AclnnStatus, Cann, LoadError, aclOpExecutor, aclScalar, aclTensor, aclnnScatterStatusInfo, aclrtStream,
};
use scatter::Op;

use super::library::Library;
use super::memory::Memory;
use crate::refusal::Message;
use crate::refusal::Refusal;

/// The arguments of a call; a tensor or scalar that it has not is null.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments {
    pub(super) op: Op,
    /// `None` in place.
    pub(super) self_: Option<*mut aclTensor>,
    pub(super) index: *mut aclTensor,
    pub(super) src: *mut aclTensor,
    pub(super) value: *mut aclScalar,
    pub(super) out: *mut aclTensor,
}

/// Any phase two.
type Second =
    unsafe fn(&Cann, *mut c_void, u64, *mut aclOpExecutor, aclrtStream) -> Result<AclnnStatus, LoadError>;

/// A phase two, its name, and what its phase one returned.
type Begun = (&'static str, Second, Result<AclnnStatus, LoadError>);

/// What is in the places for results before phase one.
const NOTHING: (u64, *mut aclOpExecutor) = (0x5a5a, null_mut());

/// Both phases, and the wait for the stream.
///
/// # Safety
/// Handles are alive or null, and storages as large as they say.
pub(super) unsafe fn run(library: &Library, arguments: &Arguments) -> Result<(), Refusal> {
    let (mut size, mut executor) = NOTHING;
    // Of an earlier call.
    let _ = library.words();
    // SAFETY: the caller's word, and there are places for the results.
    let (name, second, first) =
        unsafe { phase_one(library.cann(), arguments, &raw mut size, &raw mut executor) };
    let code = first.map_err(|error| Refusal::Broken(error.to_string()))?;
    if !code.is_success() {
        let message = library.words();
        return Err(match (size, executor) == NOTHING {
            true => Refusal::Code { code, message },
            false => Refusal::Broken(format!("{name}: phase one returned {code}, and has written results")),
        });
    }
    let bytes =
        usize::try_from(size).map_err(|_| Refusal::Broken(format!("{name}: {size} bytes of workspace")))?;
    let workspace = Memory::new(library, bytes)?;
    let stream = library.stream()?;
    // SAFETY: the executor is phase one's, the workspace as large as it said, and both live until
    // the stream has passed.
    let code = unsafe { second(library.cann(), workspace.address(), size, executor, stream.raw()) }
        .map_err(|error| Refusal::Broken(error.to_string()))?;
    // SAFETY: the stream is alive.
    let waited = unsafe { library.cann().aclrtSynchronizeStream(stream.raw()) };
    let waited = waited.map_err(|error| Refusal::Broken(error.to_string()))?;
    let message = library.words();
    if !code.is_success() {
        return Err(Refusal::Code { code, message });
    }
    let (told, again) = (library.status(stream.raw())?, library.status(stream.raw())?);
    if !again.code.is_success() {
        return Err(Refusal::Broken(format!("{name}: the stream tells of an index twice")));
    }
    match (waited, told.code.is_success()) {
        (aclnn_sys::ACL_SUCCESS, true) => Ok(()),
        (waited, false) if waited == library.bad_index() && function(&told) == name => {
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

/// The function that a stream's status names.
fn function(told: &aclnnScatterStatusInfo) -> String {
    let bytes: Vec<u8> = told.opName.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A bad index, as it was told.
fn index(told: &aclnnScatterStatusInfo, message: Message) -> Refusal {
    let aclnnScatterStatusInfo { code, rank, position, value, size, .. } = *told;
    let position = position.iter().copied().take(rank as usize).collect();
    Refusal::Index { code, message, position, value, size }
}

/// The phase one of an operator: in place the form that is in place, where there is one.
///
/// # Safety
/// As [`run`], and the places for the results can be written to.
unsafe fn phase_one(cann: &Cann, arguments: &Arguments, ws: *mut u64, ex: *mut *mut aclOpExecutor) -> Begun {
    let Arguments { op, self_, index, src, value, out } = *arguments;
    macro_rules! pair {
        ($first:ident, $second:ident($($argument:expr),*)) => {
            // SAFETY: the caller's word.
            (stringify!($second), Cann::$second as Second, unsafe { cann.$first($($argument,)* ws, ex) })
        };
    }
    match (op, self_) {
        (Op::Scatter { dim, reduce }, None) => pair!(
            aclnnInplaceScatterGetWorkspaceSize,
            aclnnInplaceScatter(out, dim, index, src, reduce.code())
        ),
        (Op::Scatter { dim, reduce }, Some(self_)) => {
            pair!(aclnnScatterGetWorkspaceSize, aclnnScatter(self_, dim, index, src, reduce.code(), out))
        }
        (Op::ScatterValue { dim, reduce, .. }, None) => pair!(
            aclnnInplaceScatterValueGetWorkspaceSize,
            aclnnInplaceScatterValue(out, dim, index, value, reduce.code())
        ),
        (Op::ScatterValue { dim, reduce, .. }, Some(self_)) => pair!(
            aclnnScatterValueGetWorkspaceSize,
            aclnnScatterValue(self_, dim, index, value, reduce.code(), out)
        ),
        (Op::ScatterReduce { dim, reduce, include_self }, None) => pair!(
            aclnnInplaceScatterReduceGetWorkspaceSize,
            aclnnInplaceScatterReduce(out, dim, index, src, reduce.code(), include_self)
        ),
        (Op::ScatterReduce { dim, reduce, include_self }, Some(self_)) => pair!(
            aclnnScatterReduceGetWorkspaceSize,
            aclnnScatterReduce(self_, dim, index, src, reduce.code(), include_self, out)
        ),
        (Op::ScatterNdAdd, _) => {
            pair!(aclnnTfScatterAddGetWorkspaceSize, aclnnTfScatterAdd(out, index, src))
        }
        (op, self_) => pair!(
            aclnnScatterAddGetWorkspaceSize,
            aclnnScatterAdd(self_.unwrap_or(out), op.dim().unwrap_or(0), index, src, out)
        ),
    }
}
