//! Calls the two functions of an operator, phase one and phase two, and reads the stream's status.

use core::ffi::c_void;
use core::ptr::null_mut;

use aclnn_sys::{
    AclnnStatus, Cann, LoadError, aclOpExecutor, aclScalar, aclTensor, aclTensorList, aclnnScatterStatusInfo,
    aclrtStream,
};
use scatter::Op;

use super::library::Library;
use super::memory::Memory;
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
}

/// The type of every phase two.
type PhaseTwo =
    unsafe fn(&Cann, *mut c_void, u64, *mut aclOpExecutor, aclrtStream) -> Result<AclnnStatus, LoadError>;

/// The name of a phase two, the function, and what its phase one returned.
type PhaseOneResult = (&'static str, PhaseTwo, Result<AclnnStatus, LoadError>);

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
    // SAFETY: by this function's contract the handles are null or valid; `size` and `executor` are
    // valid for writes.
    let (name, phase_two, result) =
        unsafe { phase_one(library.cann(), arguments, &raw mut size, &raw mut executor) };
    let code = result.map_err(|error| Refusal::Broken(error.to_string()))?;
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
    // SAFETY: phase one made the executor, which is used only here, and the workspace has the size
    // that it asked for. Workspace and tensors live until the stream has been waited for below.
    let code = unsafe { phase_two(library.cann(), workspace.address(), size, executor, stream.raw()) }
        .map_err(|error| Refusal::Broken(error.to_string()))?;
    // SAFETY: `stream` holds a stream that is never destroyed.
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

/// Calls the phase one of an operator; for a call in place that of the `Inplace` function, where
/// there is one.
///
/// # Safety
/// The same as of [`run`]; `ws` and `ex` must be valid for writes.
unsafe fn phase_one(
    cann: &Cann,
    arguments: &Arguments,
    ws: *mut u64,
    ex: *mut *mut aclOpExecutor,
) -> PhaseOneResult {
    let Arguments { op, self_, index, indices, src, value, out, rows } = *arguments;
    macro_rules! pair {
        ($first:ident, $second:ident($($argument:expr),*)) => {
            // SAFETY: by this function's contract the handles are null or valid, and `ws` and `ex`
            // can be written.
            (stringify!($second), Cann::$second as PhaseTwo, unsafe { cann.$first($($argument,)* ws, ex) })
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
        (Op::ScatterNdUpdate, None) => {
            pair!(aclnnScatterNdUpdateGetWorkspaceSize, aclnnScatterNdUpdate(out, index, src))
        }
        (Op::ScatterNdUpdate, Some(self_)) => {
            pair!(aclnnScatterNdGetWorkspaceSize, aclnnScatterNd(self_, index, src, out))
        }
        (Op::IndexCopy { dim }, None) => {
            pair!(aclnnInplaceIndexCopyGetWorkspaceSize, aclnnInplaceIndexCopy(out, dim, index, src))
        }
        (Op::IndexCopy { dim }, Some(self_)) => {
            pair!(aclnnIndexCopyGetWorkspaceSize, aclnnIndexCopy(self_, dim, index, src, out))
        }
        (Op::IndexAdd { dim, .. }, self_) => pair!(
            aclnnIndexAddGetWorkspaceSize,
            aclnnIndexAdd(self_.unwrap_or(out), dim, index, src, value, out)
        ),
        (Op::ScatterUpdate { dim }, _) => {
            pair!(aclnnInplaceScatterUpdateGetWorkspaceSize, aclnnInplaceScatterUpdate(out, index, src, dim))
        }
        (Op::IndexPut { accumulate, .. }, _) => {
            pair!(aclnnIndexPutImplGetWorkspaceSize, aclnnIndexPutImpl(out, indices, src, accumulate, false))
        }
        (Op::EmbeddingBackward { padding, scale }, None) => {
            let padding = padding.map_or(u64::MAX, |row| row as u64);
            pair!(
                aclnnEmbeddingDenseBackwardGetWorkspaceSize,
                aclnnEmbeddingDenseBackward(src, index, rows, padding, scale, out)
            )
        }
        (Op::Gather { dim }, self_) => {
            pair!(aclnnGatherGetWorkspaceSize, aclnnGather(self_.unwrap_or(out), dim, index, out))
        }
        (op, self_) => pair!(
            aclnnScatterAddGetWorkspaceSize,
            aclnnScatterAdd(self_.unwrap_or(out), op.dim().unwrap_or(0), index, src, out)
        ),
    }
}
