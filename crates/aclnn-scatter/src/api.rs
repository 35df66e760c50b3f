//! The C functions.

use core::ptr::null;

use aclnn_sys::{aclOpExecutor, aclScalar, aclTensor, aclnnScatterStatusInfo, aclrtStream};

use crate::entry::{entry, phase_one, phase_two};
use crate::phase_one::Arguments;
use crate::phase_two::stream_errors;

/// The code of `Reduce::Add`, for the functions without a `reduce` parameter.
const ADD: i64 = 1;

phase_one! {
    /// Phase one of `out = self; out[…][index[i]][…] += src[i]` along `dim`; `out` may be `self`.
    fn aclnnScatterAddGetWorkspaceSize(
        self_: *const aclTensor,
        dim: i64,
        index: *const aclTensor,
        src: *const aclTensor,
        out: *mut aclTensor,
        workspaceSize: *mut u64,
        executor: *mut *mut aclOpExecutor,
    ) of ScatterAdd => Arguments {
        self_,
        dim,
        index,
        src,
        value: null(),
        reduce: ADD,
        include_self: true,
        out,
        workspace_size: workspaceSize,
        executor,
    }
}

phase_two! {
    /// Phase two of [`aclnnScatterAddGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnScatterAdd of ScatterAdd
}

phase_one! {
    /// Phase one of `out = self; out[…][index[i]][…] = src[i]`, or `+=`, `*=`, … by `reduce`; `out`
    /// may be `self`.
    fn aclnnScatterGetWorkspaceSize(
        self_: *const aclTensor,
        dim: i64,
        index: *const aclTensor,
        src: *const aclTensor,
        reduce: i64,
        out: *mut aclTensor,
        workspaceSize: *mut u64,
        executor: *mut *mut aclOpExecutor,
    ) of Scatter => Arguments {
        self_,
        dim,
        index,
        src,
        value: null(),
        reduce,
        include_self: true,
        out,
        workspace_size: workspaceSize,
        executor,
    }
}

phase_two! {
    /// Phase two of [`aclnnScatterGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnScatter of Scatter
}

phase_one! {
    /// [`aclnnScatterGetWorkspaceSize`] in place.
    fn aclnnInplaceScatterGetWorkspaceSize(
        selfRef: *mut aclTensor,
        dim: i64,
        index: *const aclTensor,
        src: *const aclTensor,
        reduce: i64,
        workspaceSize: *mut u64,
        executor: *mut *mut aclOpExecutor,
    ) of InplaceScatter => Arguments {
        self_: selfRef,
        dim,
        index,
        src,
        value: null(),
        reduce,
        include_self: true,
        out: selfRef,
        workspace_size: workspaceSize,
        executor,
    }
}

phase_two! {
    /// Phase two of [`aclnnInplaceScatterGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnInplaceScatter of InplaceScatter
}

phase_one! {
    /// [`aclnnScatterGetWorkspaceSize`] with one scalar for every element of src; see
    /// [Values](crate#values).
    fn aclnnScatterValueGetWorkspaceSize(
        self_: *const aclTensor,
        dim: i64,
        index: *const aclTensor,
        value: *const aclScalar,
        reduce: i64,
        out: *mut aclTensor,
        workspaceSize: *mut u64,
        executor: *mut *mut aclOpExecutor,
    ) of ScatterValue => Arguments {
        self_,
        dim,
        index,
        src: null(),
        value,
        reduce,
        include_self: true,
        out,
        workspace_size: workspaceSize,
        executor,
    }
}

phase_two! {
    /// Phase two of [`aclnnScatterValueGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnScatterValue of ScatterValue
}

phase_one! {
    /// [`aclnnScatterValueGetWorkspaceSize`] in place.
    fn aclnnInplaceScatterValueGetWorkspaceSize(
        selfRef: *mut aclTensor,
        dim: i64,
        index: *const aclTensor,
        value: *const aclScalar,
        reduce: i64,
        workspaceSize: *mut u64,
        executor: *mut *mut aclOpExecutor,
    ) of InplaceScatterValue => Arguments {
        self_: selfRef,
        dim,
        index,
        src: null(),
        value,
        reduce,
        include_self: true,
        out: selfRef,
        workspace_size: workspaceSize,
        executor,
    }
}

phase_two! {
    /// Phase two of [`aclnnInplaceScatterValueGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnInplaceScatterValue of InplaceScatterValue
}

phase_one! {
    /// [`aclnnScatterGetWorkspaceSize`] where elements that receive an update start at the identity
    /// of `reduce` unless `includeSelf`.
    fn aclnnScatterReduceGetWorkspaceSize(
        self_: *const aclTensor,
        dim: i64,
        index: *const aclTensor,
        src: *const aclTensor,
        reduce: i64,
        includeSelf: bool,
        out: *mut aclTensor,
        workspaceSize: *mut u64,
        executor: *mut *mut aclOpExecutor,
    ) of ScatterReduce => Arguments {
        self_,
        dim,
        index,
        src,
        value: null(),
        reduce,
        include_self: includeSelf,
        out,
        workspace_size: workspaceSize,
        executor,
    }
}

phase_two! {
    /// Phase two of [`aclnnScatterReduceGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnScatterReduce of ScatterReduce
}

phase_one! {
    /// [`aclnnScatterReduceGetWorkspaceSize`] in place.
    fn aclnnInplaceScatterReduceGetWorkspaceSize(
        selfRef: *mut aclTensor,
        dim: i64,
        index: *const aclTensor,
        src: *const aclTensor,
        reduce: i64,
        includeSelf: bool,
        workspaceSize: *mut u64,
        executor: *mut *mut aclOpExecutor,
    ) of InplaceScatterReduce => Arguments {
        self_: selfRef,
        dim,
        index,
        src,
        value: null(),
        reduce,
        include_self: includeSelf,
        out: selfRef,
        workspace_size: workspaceSize,
        executor,
    }
}

phase_two! {
    /// Phase two of [`aclnnInplaceScatterReduceGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnInplaceScatterReduce of InplaceScatterReduce
}

phase_one! {
    /// Phase one of `varRef[indices] += updates`, in place: `updates.shape` is
    /// `indices.shape + varRef.shape[1:]`, or `indices.shape[:-1] + varRef.shape[k:]` with
    /// `k = indices.shape[-1]`.
    fn aclnnTfScatterAddGetWorkspaceSize(
        varRef: *mut aclTensor,
        indices: *const aclTensor,
        updates: *const aclTensor,
        workspaceSize: *mut u64,
        executor: *mut *mut aclOpExecutor,
    ) of TfScatterAdd => Arguments {
        self_: varRef,
        dim: 0,
        index: indices,
        src: updates,
        value: null(),
        reduce: ADD,
        include_self: true,
        out: varRef,
        workspace_size: workspaceSize,
        executor,
    }
}

phase_two! {
    /// Phase two of [`aclnnTfScatterAddGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnTfScatterAdd of TfScatterAdd
}

entry! {
    /// Reports the first index out of range of a stream that the caller has synchronised, once.
    /// Returns 0 also when it reports one; then `info->code` is 161002.
    fn aclnnScatterStreamStatus(stream: aclrtStream, info: *mut aclnnScatterStatusInfo) => {
        // SAFETY: by this function's contract, `info` is null or can be written.
        unsafe { stream_errors::stream_status(stream, info) }
    }
}
