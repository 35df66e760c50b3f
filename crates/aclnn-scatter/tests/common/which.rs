//! The pairs of C functions.

use std::ffi::c_void;
use std::ptr::null_mut;

use aclnn_scatter::c;
use aclnn_scatter::sys::{AclnnStatus, aclOpExecutor, aclScalar, aclTensor, aclrtStream};
use scatter::{Addressing, Op, Reduce, Scalar};

use super::cann;

/// A pair of C functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Add,
    Scatter,
    InplaceScatter,
    Value,
    InplaceValue,
    Reduce,
    InplaceReduce,
    /// `aclnnTfScatterAdd`.
    NdAdd,
    /// `aclnnScatterNd`.
    Nd,
    /// `aclnnScatterNdUpdate`.
    NdUpdate,
    /// `aclnnIndexCopy`.
    Copy,
    /// `aclnnInplaceIndexCopy`.
    InplaceCopy,
    /// `aclnnIndexFill`.
    Fill,
    /// `aclnnInplaceIndexFill`.
    InplaceFill,
    Gather,
    /// `aclnnIndexAdd`.
    AddSlices,
    /// `aclnnIndexAddV2`.
    AddSlicesV2,
    /// `aclnnInplaceScatterUpdate`.
    Windows,
    /// `aclnnEmbeddingDenseBackward`. Its out stands in the place of self.
    Embedding,
}

impl Which {
    pub(crate) const ALL: [Self; 19] = [
        Self::Add,
        Self::Scatter,
        Self::InplaceScatter,
        Self::Value,
        Self::InplaceValue,
        Self::Reduce,
        Self::InplaceReduce,
        Self::NdAdd,
        Self::Nd,
        Self::NdUpdate,
        Self::Copy,
        Self::InplaceCopy,
        Self::Fill,
        Self::InplaceFill,
        Self::Gather,
        Self::AddSlices,
        Self::AddSlicesV2,
        Self::Windows,
        Self::Embedding,
    ];

    /// Whether the function writes self, and takes no out besides.
    pub(crate) fn is_in_place(self) -> bool {
        matches!(
            self,
            Self::InplaceScatter
                | Self::InplaceValue
                | Self::InplaceReduce
                | Self::NdAdd
                | Self::NdUpdate
                | Self::InplaceCopy
                | Self::InplaceFill
                | Self::Windows
                | Self::Embedding
        )
    }

    /// How index names the targets.
    pub(crate) fn addressing(self) -> Addressing {
        let op = self.op(0, Reduce::None, true, Scalar::Bool(false));
        op.operator().signature().addressing
    }

    /// The names of self, index, src and out in the prototype.
    pub(crate) fn names(self) -> [&'static str; 4] {
        match self {
            Self::Nd => ["data", "indices", "updates", "out"],
            Self::NdAdd | Self::NdUpdate => ["varRef", "indices", "updates", "varRef"],
            Self::Windows => ["data", "indices", "updates", "data"],
            Self::Embedding => ["out", "indices", "grad", "out"],
            Self::AddSlices | Self::AddSlicesV2 => ["self", "index", "source", "out"],
            Self::Copy => ["selfRef", "index", "source", "outRef"],
            Self::InplaceCopy => ["selfRef", "index", "source", "selfRef"],
            _ if self.is_in_place() => ["selfRef", "index", "src", "selfRef"],
            _ => ["self", "index", "src", "out"],
        }
    }

    /// The operator that the function computes. Parameters that it does not take are ignored; the
    /// number of the reduction is that of the row of padding, and a row is divided by the number
    /// of its updates where self is not to be included.
    pub(crate) fn op(self, dim: i64, reduce: Reduce, include_self: bool, value: Scalar) -> Op {
        match self {
            Self::Add => Op::ScatterAdd { dim },
            Self::Scatter | Self::InplaceScatter => Op::Scatter { dim, reduce },
            Self::Value | Self::InplaceValue => Op::ScatterValue { dim, value, reduce },
            Self::Reduce | Self::InplaceReduce => Op::ScatterReduce { dim, reduce, include_self },
            Self::NdAdd => Op::ScatterNdAdd,
            Self::Nd | Self::NdUpdate => Op::ScatterNdUpdate,
            Self::Copy | Self::InplaceCopy => Op::IndexCopy { dim },
            Self::Fill | Self::InplaceFill => Op::IndexFill { dim, value },
            Self::Gather => Op::Gather { dim },
            Self::AddSlices | Self::AddSlicesV2 => Op::IndexAdd { dim, alpha: value },
            Self::Windows => Op::ScatterUpdate { dim },
            Self::Embedding => {
                Op::EmbeddingBackward { padding: Some(reduce.code() as usize), scale: !include_self }
            }
        }
    }

    /// Whether the function takes a scalar: instead of src, or by which src is multiplied.
    pub(crate) fn takes_value(self) -> bool {
        self.op(0, Reduce::None, true, Scalar::Bool(false)).scalar().is_some()
    }

    /// Whether the function takes a tensor src.
    pub(crate) fn takes_src(self) -> bool {
        self.op(0, Reduce::None, true, Scalar::Bool(false)).operator().signature().has_src
    }

    /// Which of self, index and src the function reads, in the order of its prototype.
    pub(crate) fn inputs(self) -> &'static [usize] {
        match self {
            Self::Embedding => &[2, 1],
            _ if self.takes_src() => &[0, 1, 2],
            _ => &[0, 1],
        }
    }

    /// Whether the prototype has an output beside its inputs.
    pub(crate) fn has_output(self) -> bool {
        !self.is_in_place() || matches!(self, Self::Embedding)
    }

    /// Whether the function reads self where index says, and out has the shape of index.
    pub(crate) fn gathers(self) -> bool {
        matches!(self, Self::Gather)
    }

    /// Whether the function takes a reduction.
    pub(crate) fn takes_reduce(self) -> bool {
        !matches!(self, Self::Add | Self::Gather) && self.addressing() == Addressing::Dim
    }

    /// The pair that computes an operator, in place or not.
    pub(crate) fn of(op: Op, in_place: bool) -> Self {
        let computes = |which: &Self| {
            let known = which.op(0, Reduce::None, true, Scalar::Bool(false));
            known.operator() == op.operator()
        };
        let all = || Self::ALL.into_iter().filter(computes);
        let fits = |which: &Self| which.is_in_place() == in_place;
        all().find(fits).or_else(|| all().next()).unwrap()
    }

    /// Calls phase one. Arguments that the function does not take are not passed.
    pub(crate) fn first(
        self,
        [self_, index, src, out]: [*mut aclTensor; 4],
        value: *mut aclScalar,
        (dim, reduce, include_self): (i64, i64, bool),
        size: *mut u64,
        executor: *mut *mut aclOpExecutor,
    ) -> AclnnStatus {
        // SAFETY: handles are looked up, and pointers for results are null or valid.
        unsafe {
            match self {
                Self::Add => c::aclnnScatterAddGetWorkspaceSize(self_, dim, index, src, out, size, executor),
                Self::Scatter => {
                    c::aclnnScatterGetWorkspaceSize(self_, dim, index, src, reduce, out, size, executor)
                }
                Self::InplaceScatter => {
                    c::aclnnInplaceScatterGetWorkspaceSize(self_, dim, index, src, reduce, size, executor)
                }
                Self::Value => c::aclnnScatterValueGetWorkspaceSize(
                    self_, dim, index, value, reduce, out, size, executor,
                ),
                Self::InplaceValue => {
                    let first = c::aclnnInplaceScatterValueGetWorkspaceSize;
                    first(self_, dim, index, value, reduce, size, executor)
                }
                Self::Reduce => {
                    let first = c::aclnnScatterReduceGetWorkspaceSize;
                    first(self_, dim, index, src, reduce, include_self, out, size, executor)
                }
                Self::InplaceReduce => {
                    let first = c::aclnnInplaceScatterReduceGetWorkspaceSize;
                    first(self_, dim, index, src, reduce, include_self, size, executor)
                }
                Self::NdAdd => c::aclnnTfScatterAddGetWorkspaceSize(self_, index, src, size, executor),
                Self::Nd => c::aclnnScatterNdGetWorkspaceSize(self_, index, src, out, size, executor),
                Self::NdUpdate => c::aclnnScatterNdUpdateGetWorkspaceSize(self_, index, src, size, executor),
                Self::Copy => c::aclnnIndexCopyGetWorkspaceSize(self_, dim, index, src, out, size, executor),
                Self::AddSlices => {
                    c::aclnnIndexAddGetWorkspaceSize(self_, dim, index, src, value, out, size, executor)
                }
                Self::AddSlicesV2 => {
                    let first = c::aclnnIndexAddV2GetWorkspaceSize;
                    first(self_, dim, index, src, value, reduce, out, size, executor)
                }
                Self::Windows => {
                    c::aclnnInplaceScatterUpdateGetWorkspaceSize(self_, index, src, dim, size, executor)
                }
                Self::Embedding => {
                    let padding = Reduce::from_code(reduce).unwrap_or(Reduce::None).code() as u64;
                    let first = c::aclnnEmbeddingDenseBackwardGetWorkspaceSize;
                    first(src, index, rows(self_), padding, !include_self, self_, size, executor)
                }
                Self::Fill => {
                    c::aclnnIndexFillGetWorkspaceSize(self_, dim, index, value, out, size, executor)
                }
                Self::InplaceFill => {
                    c::aclnnInplaceIndexFillGetWorkspaceSize(self_, dim, index, value, size, executor)
                }
                Self::Gather => c::aclnnGatherGetWorkspaceSize(self_, dim, index, out, size, executor),
                Self::InplaceCopy => {
                    c::aclnnInplaceIndexCopyGetWorkspaceSize(self_, dim, index, src, size, executor)
                }
            }
        }
    }

    /// Calls phase two without a workspace.
    pub(crate) fn second(self, executor: *mut aclOpExecutor, stream: aclrtStream) -> AclnnStatus {
        self.second_with((null_mut(), 0), executor, stream)
    }

    /// Calls phase two with this workspace, and its size.
    pub(crate) fn second_with(
        self,
        (workspace, size): (*mut c_void, u64),
        executor: *mut aclOpExecutor,
        stream: aclrtStream,
    ) -> AclnnStatus {
        type Second = unsafe extern "C" fn(*mut c_void, u64, *mut aclOpExecutor, aclrtStream) -> AclnnStatus;
        let second: Second = match self {
            Self::Add => c::aclnnScatterAdd,
            Self::Scatter => c::aclnnScatter,
            Self::InplaceScatter => c::aclnnInplaceScatter,
            Self::Value => c::aclnnScatterValue,
            Self::InplaceValue => c::aclnnInplaceScatterValue,
            Self::Reduce => c::aclnnScatterReduce,
            Self::InplaceReduce => c::aclnnInplaceScatterReduce,
            Self::NdAdd => c::aclnnTfScatterAdd,
            Self::Nd => c::aclnnScatterNd,
            Self::NdUpdate => c::aclnnScatterNdUpdate,
            Self::Copy => c::aclnnIndexCopy,
            Self::InplaceCopy => c::aclnnInplaceIndexCopy,
            Self::Fill => c::aclnnIndexFill,
            Self::InplaceFill => c::aclnnInplaceIndexFill,
            Self::Gather => c::aclnnGather,
            Self::AddSlices => c::aclnnIndexAdd,
            Self::AddSlicesV2 => c::aclnnIndexAddV2,
            Self::Windows => c::aclnnInplaceScatterUpdate,
            Self::Embedding => c::aclnnEmbeddingDenseBackward,
        };
        // SAFETY: executors are looked up, and tests keep the tensors of an executor that runs
        // alive until its work is done.
        unsafe { second(workspace, size, executor, stream) }
    }
}

unsafe extern "C" {
    /// C's, which frees what CANN's getters have allocated.
    fn free(memory: *mut c_void);
}

/// The rows of a tensor; 0 where the handle is that of none.
fn rows(tensor: *mut aclTensor) -> u64 {
    let (mut sizes, mut rank) = (null_mut::<i64>(), 0);
    // SAFETY: host-cann looks up handles, and both pointers are valid.
    let found = unsafe { cann().aclGetViewShape(tensor, &raw mut sizes, &raw mut rank) };
    if !found.is_ok_and(AclnnStatus::is_success) {
        return 0;
    }
    // SAFETY: CANN has made an array of as many sizes, which is the caller's to free.
    unsafe {
        let rows = if rank == 0 { 0 } else { sizes.read() };
        free(sizes.cast());
        rows as u64
    }
}
