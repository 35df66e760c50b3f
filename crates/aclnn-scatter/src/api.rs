//! The C functions.

use core::ptr::null;

use aclnn_sys::{aclOpExecutor, aclScalar, aclTensor, aclnnScatterStatusInfo, aclrtStream};

use crate::entry::{entry, first, second};
use crate::first::Arguments;
use crate::job;

/// `Reduce::Add`, of the functions that have no parameter for it.
const ADD: i64 = 1;

first! {
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

second! {
    /// Phase two of [`aclnnScatterAddGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnScatterAdd of ScatterAdd
}

first! {
    /// Phase one of `out = self; out[…][index[i]][…] = src[i]`, or `+=`, `*=`, … by `reduce`; `out` may be `self`.
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

second! {
    /// Phase two of [`aclnnScatterGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnScatter of Scatter
}

first! {
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

second! {
    /// Phase two of [`aclnnInplaceScatterGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnInplaceScatter of InplaceScatter
}

first! {
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

second! {
    /// Phase two of [`aclnnScatterValueGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnScatterValue of ScatterValue
}

first! {
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

second! {
    /// Phase two of [`aclnnInplaceScatterValueGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnInplaceScatterValue of InplaceScatterValue
}

first! {
    /// [`aclnnScatterGetWorkspaceSize`] where touched elements start at the identity of `reduce` unless `includeSelf`.
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

second! {
    /// Phase two of [`aclnnScatterReduceGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnScatterReduce of ScatterReduce
}

first! {
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

second! {
    /// Phase two of [`aclnnInplaceScatterReduceGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnInplaceScatterReduce of InplaceScatterReduce
}

first! {
    /// Phase one of `varRef[indices] += updates`, in place: `updates.shape` is `indices.shape + varRef.shape[1:]`, or
    /// `indices.shape[:-1] + varRef.shape[k:]` with `k = indices.shape[-1]`.
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

second! {
    /// Phase two of [`aclnnTfScatterAddGetWorkspaceSize`]: enqueues the work and returns.
    fn aclnnTfScatterAdd of TfScatterAdd
}

entry! {
    /// Tells, and forgets, the first index out of range of a stream that the caller has synchronised. Returns 0 also when it
    /// tells of one; then `info->code` is 161002.
    fn aclnnScatterStreamStatus(stream: aclrtStream, info: *mut aclnnScatterStatusInfo) => {
        // SAFETY: the caller's word.
        unsafe { job::stream_status(stream, info) }
    }
}
