//! The pairs of C functions: for each its parameters, in the order of the prototype, and the
//! operator that it computes. The C functions themselves, the list of their names, the names of
//! arguments, the checks for null pointers, the numbers of tensors in an executor and the pair of
//! an operator follow from this table.

/// Calls a macro with the pairs of C functions: `for_each_pair!([callback] more)` is
/// `callback! { more pair… }`. Each pair has the form
///
/// ```text
/// /// The documentation of phase one.
/// Pair: phase_one, phase_two(parameter: Kind, …) => Operator;
/// ```
///
/// where `Operator` is one of [`scatter::Operator`]. Phase one also takes the pointers for the size
/// of the workspace and the executor, which every one has as its last two parameters.
#[macro_export]
macro_rules! for_each_pair {
    ([$($callback:tt)+] $($more:tt)*) => {
        $($callback)+! {
            $($more)*

            /// Phase one of `out = self; out[…][index[i]][…] += src[i]` along `dim`; `out` may be
            /// `self`.
            ScatterAdd: aclnnScatterAddGetWorkspaceSize, aclnnScatterAdd
                (self_: SelfTensor, dim: Dim, index: Index, src: Src, out: Out)
                => ScatterAdd;

            /// Phase one of `out = self; out[…][index[i]][…] = src[i]`, or `+=`, `*=`, … by
            /// `reduce`; `out` may be `self`.
            Scatter: aclnnScatterGetWorkspaceSize, aclnnScatter
                (self_: SelfTensor, dim: Dim, index: Index, src: Src, reduce: Reduce, out: Out)
                => Scatter;

            /// [`aclnnScatterGetWorkspaceSize`] in place.
            InplaceScatter: aclnnInplaceScatterGetWorkspaceSize, aclnnInplaceScatter
                (selfRef: SelfRef, dim: Dim, index: Index, src: Src, reduce: Reduce)
                => Scatter;

            /// [`aclnnScatterGetWorkspaceSize`] with one scalar for every element of src; see
            /// [Values](crate#values).
            ScatterValue: aclnnScatterValueGetWorkspaceSize, aclnnScatterValue
                (self_: SelfTensor, dim: Dim, index: Index, value: Value, reduce: Reduce, out: Out)
                => ScatterValue;

            /// [`aclnnScatterValueGetWorkspaceSize`] in place.
            InplaceScatterValue: aclnnInplaceScatterValueGetWorkspaceSize, aclnnInplaceScatterValue
                (selfRef: SelfRef, dim: Dim, index: Index, value: Value, reduce: Reduce)
                => ScatterValue;

            /// [`aclnnScatterGetWorkspaceSize`] where elements that receive an update start at the
            /// identity of `reduce` unless `includeSelf`.
            ScatterReduce: aclnnScatterReduceGetWorkspaceSize, aclnnScatterReduce
                (self_: SelfTensor, dim: Dim, index: Index, src: Src, reduce: Reduce, includeSelf: IncludeSelf, out: Out)
                => ScatterReduce;

            /// [`aclnnScatterReduceGetWorkspaceSize`] in place.
            InplaceScatterReduce: aclnnInplaceScatterReduceGetWorkspaceSize, aclnnInplaceScatterReduce
                (selfRef: SelfRef, dim: Dim, index: Index, src: Src, reduce: Reduce, includeSelf: IncludeSelf)
                => ScatterReduce;

            /// Phase one of `varRef[indices] += updates`, in place: `updates.shape` is
            /// `indices.shape + varRef.shape[1:]`, or `indices.shape[:-1] + varRef.shape[k:]` with
            /// `k = indices.shape[-1]`.
            TfScatterAdd: aclnnTfScatterAddGetWorkspaceSize, aclnnTfScatterAdd
                (varRef: SelfRef, indices: Index, updates: Src)
                => ScatterNdAdd;

            /// Phase one of `out = data; out[indices] = updates`: `updates.shape` is
            /// `indices.shape[:-1] + data.shape[k:]` with `k = indices.shape[-1]`; `out` may be
            /// `data`.
            ScatterNd: aclnnScatterNdGetWorkspaceSize, aclnnScatterNd
                (data: SelfTensor, indices: Index, updates: Src, out: Out)
                => ScatterNdUpdate;

            /// [`aclnnScatterNdGetWorkspaceSize`] in place.
            ScatterNdUpdate: aclnnScatterNdUpdateGetWorkspaceSize, aclnnScatterNdUpdate
                (varRef: SelfRef, indices: Index, updates: Src)
                => ScatterNdUpdate;

            /// Phase one of `out = self; out[…][index[i]][…] = source[…][i][…]` along `dim`, where
            /// `index` has one axis: slices of `source` replace slices of `out`, which may be
            /// `self`.
            IndexCopy: aclnnIndexCopyGetWorkspaceSize, aclnnIndexCopy
                (selfRef: UnwrittenSelf, dim: Dim, index: Index, source: Src, outRef: Out)
                => IndexCopy;

            /// [`aclnnIndexCopyGetWorkspaceSize`] in place.
            InplaceIndexCopy: aclnnInplaceIndexCopyGetWorkspaceSize, aclnnInplaceIndexCopy
                (selfRef: SelfRef, dim: Dim, index: Index, source: Src)
                => IndexCopy;

            /// Phase one of `out = self; out[…][index[i]][…] += alpha * source[…][i][…]` along
            /// `dim`, where `index` has one axis; `out` may be `self`.
            IndexAdd: aclnnIndexAddGetWorkspaceSize, aclnnIndexAdd
                (self_: SelfTensor, dim: Dim, index: Index, source: Src, alpha: Value, out: Out)
                => IndexAdd;

            /// [`aclnnIndexAddGetWorkspaceSize`]. `mode`, which no page explains, is ignored.
            IndexAddV2: aclnnIndexAddV2GetWorkspaceSize, aclnnIndexAddV2
                (self_: SelfTensor, dim: Dim, index: Index, source: Src, alpha: Value, mode: Mode, out: Out)
                => IndexAdd;

            /// Phase one of `out = self; out[…][index[i]][…] = value` along `dim`, where `index`
            /// has one axis; `out` may be `self`. See [Values](crate#values).
            IndexFill: aclnnIndexFillGetWorkspaceSize, aclnnIndexFill
                (self_: SelfTensor, dim: Dim, index: Index, value: Value, out: Out)
                => IndexFill;

            /// [`aclnnIndexFillGetWorkspaceSize`] in place.
            InplaceIndexFill: aclnnInplaceIndexFillGetWorkspaceSize, aclnnInplaceIndexFill
                (selfRef: SelfRef, dim: Dim, index: Index, value: Value)
                => IndexFill;

            /// Phase one of `data[i][…][indices[i] + j][…] = updates[i][…][j][…]` along `axis`, in
            /// place; with `indices` of shape `[n, 2]`, of
            /// `data[indices[i][0]][…][indices[i][1] + j][…] = updates[i][…][j][…]`.
            InplaceScatterUpdate: aclnnInplaceScatterUpdateGetWorkspaceSize, aclnnInplaceScatterUpdate
                (data: SelfRef, indices: Index, updates: Src, axis: Dim)
                => ScatterUpdate;

            /// Phase one of `selfRef[indices[0][i…], indices[1][i…], …] = values[i…]`, or `+=` to
            /// accumulate, in place. A tensor of `indices` without elements stands for an axis
            /// without index. `unsafe` is ignored.
            IndexPutImpl: aclnnIndexPutImplGetWorkspaceSize, aclnnIndexPutImpl
                (selfRef: SelfRef, indices: Indices, values: Src, accumulate: Accumulate, unsafe_: Unsafe)
                => IndexPut;

            /// Phase one of `out[…][i][…] = self[…][index[…][i][…]][…]` along `dim`; `out` has the
            /// shape of `index`.
            Gather: aclnnGatherGetWorkspaceSize, aclnnGather
                (self_: SelfTensor, dim: Dim, index: Index, out: Out)
                => Gather;

            /// Phase one of `out = 0; out[indices[i]] += grad[i]`, where `out` has `numWeights`
            /// rows, of which row `paddingIdx` stays zero (one beyond them, or negative as an
            /// `int64_t`, is none); each row is divided by the number of its updates if
            /// `scaleGradByFreq`.
            EmbeddingDenseBackward: aclnnEmbeddingDenseBackwardGetWorkspaceSize, aclnnEmbeddingDenseBackward
                (grad: Src, indices: Index, numWeights: Rows, paddingIdx: Padding, scaleGradByFreq: Scale, out: ZeroedOut)
                => EmbeddingBackward;
        }
    };
}

/// Calls a macro with the names of all C functions. Each is in [`c`](crate::c), and its prototype
/// in [`sys::prototypes`](crate::sys::prototypes).
///
/// The library that exports the functions under their C names uses this list.
#[macro_export]
macro_rules! for_each_name {
    ($($callback:tt)+) => {
        $crate::for_each_pair! { [$crate::names_of_pairs] [$($callback)+] }
    };
}

/// The names of the pairs' functions, and of the one that belongs to no pair, for
/// [`for_each_name`].
#[doc(hidden)]
#[macro_export]
macro_rules! names_of_pairs {
    ([$($callback:tt)+] $(
        $(#[$doc:meta])*
        $pair:ident: $first:ident, $second:ident($($parameter:ident: $kind:ident),*) => $operator:ident;
    )+) => {
        $($callback)+! { $($first $second)+ aclnnScatterStreamStatus }
    };
}
