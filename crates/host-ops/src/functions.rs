//! The list of operators, from which the C functions are made.

/// Calls a macro with the pairs of C functions of all operators: the names of both phases, the
/// parameters of phase one before the two for results, each with its [kind](crate::c_type), and
/// what checks and computes a call.
///
/// The library that exports the functions under their C names uses this list.
#[macro_export]
macro_rules! for_each_operator {
    ($($callback:tt)+) => {
        $($callback)+! {
            /// Phase one of `selfRef = src`, broadcast and cast.
            aclnnInplaceCopyGetWorkspaceSize, aclnnInplaceCopy(selfRef: InOut, src: In) => copy::copy;
            /// Phase one of `out = self`, cast to `dtype`, which is out's.
            aclnnCastGetWorkspaceSize, aclnnCast(self_: In, dtype: Type, out: Out) => copy::cast;
            /// Phase one of `selfRef = 0`.
            aclnnInplaceZeroGetWorkspaceSize, aclnnInplaceZero(selfRef: InOut) => fill::zero;
            /// Phase one of `selfRef = 1`.
            aclnnInplaceOneGetWorkspaceSize, aclnnInplaceOne(selfRef: InOut) => fill::one;
            /// Phase one of `selfRef = value`.
            aclnnInplaceFillScalarGetWorkspaceSize, aclnnInplaceFillScalar(selfRef: InOut, value: Scalar) => fill::fill;
            /// Phase one of `out[i] = start + i * step`, up to `end`, which is left out.
            aclnnArangeGetWorkspaceSize, aclnnArange(start: Scalar, end: Scalar, step: Scalar, out: Out) => fill::arange;
            /// Phase one of `out = self + alpha * other`.
            aclnnAddGetWorkspaceSize, aclnnAdd(self_: In, other: In, alpha: Scalar, out: Out) => arithmetic::add;
            /// [`aclnnAddGetWorkspaceSize`] in place.
            aclnnInplaceAddGetWorkspaceSize, aclnnInplaceAdd(selfRef: InOut, other: In, alpha: Scalar) => arithmetic::add;
            /// [`aclnnAddGetWorkspaceSize`] with a scalar for other.
            aclnnAddsGetWorkspaceSize, aclnnAdds(self_: In, other: Scalar, alpha: Scalar, out: Out) => arithmetic::add;
            /// [`aclnnAddsGetWorkspaceSize`] in place.
            aclnnInplaceAddsGetWorkspaceSize, aclnnInplaceAdds(selfRef: InOut, other: Scalar, alpha: Scalar) => arithmetic::add;
            /// Phase one of `out = self - alpha * other`.
            aclnnSubGetWorkspaceSize, aclnnSub(self_: In, other: In, alpha: Scalar, out: Out) => arithmetic::sub;
            /// [`aclnnSubGetWorkspaceSize`] in place.
            aclnnInplaceSubGetWorkspaceSize, aclnnInplaceSub(selfRef: InOut, other: In, alpha: Scalar) => arithmetic::sub;
            /// [`aclnnSubGetWorkspaceSize`] with a scalar for other.
            aclnnSubsGetWorkspaceSize, aclnnSubs(self_: In, other: Scalar, alpha: Scalar, out: Out) => arithmetic::sub;
            /// [`aclnnSubsGetWorkspaceSize`] in place.
            aclnnInplaceSubsGetWorkspaceSize, aclnnInplaceSubs(selfRef: InOut, other: Scalar, alpha: Scalar) => arithmetic::sub;
            /// Phase one of `out = self * other`.
            aclnnMulGetWorkspaceSize, aclnnMul(self_: In, other: In, out: Out) => arithmetic::mul;
            /// [`aclnnMulGetWorkspaceSize`] in place.
            aclnnInplaceMulGetWorkspaceSize, aclnnInplaceMul(selfRef: InOut, other: In) => arithmetic::mul;
            /// [`aclnnMulGetWorkspaceSize`] with a scalar for other.
            aclnnMulsGetWorkspaceSize, aclnnMuls(self_: In, other: Scalar, out: Out) => arithmetic::mul;
            /// [`aclnnMulsGetWorkspaceSize`] in place.
            aclnnInplaceMulsGetWorkspaceSize, aclnnInplaceMuls(selfRef: InOut, other: Scalar) => arithmetic::mul;
            /// Phase one of `out = self / other`; integers are divided as floats.
            aclnnDivGetWorkspaceSize, aclnnDiv(self_: In, other: In, out: Out) => arithmetic::div;
            /// [`aclnnDivGetWorkspaceSize`] in place.
            aclnnInplaceDivGetWorkspaceSize, aclnnInplaceDiv(selfRef: InOut, other: In) => arithmetic::div;
            /// [`aclnnDivGetWorkspaceSize`] with a scalar for other.
            aclnnDivsGetWorkspaceSize, aclnnDivs(self_: In, other: Scalar, out: Out) => arithmetic::div;
            /// [`aclnnDivsGetWorkspaceSize`] in place.
            aclnnInplaceDivsGetWorkspaceSize, aclnnInplaceDivs(selfRef: InOut, other: Scalar) => arithmetic::div;
            /// Phase one of `out = self & other`.
            aclnnBitwiseAndTensorGetWorkspaceSize, aclnnBitwiseAndTensor(self_: In, other: In, out: Out) => arithmetic::bitwise_and;
            /// [`aclnnBitwiseAndTensorGetWorkspaceSize`] in place.
            aclnnInplaceBitwiseAndTensorGetWorkspaceSize, aclnnInplaceBitwiseAndTensor(selfRef: InOut, other: In) => arithmetic::bitwise_and;
            /// [`aclnnBitwiseAndTensorGetWorkspaceSize`] with a scalar for other.
            aclnnBitwiseAndScalarGetWorkspaceSize, aclnnBitwiseAndScalar(self_: In, other: Scalar, out: Out) => arithmetic::bitwise_and;
            /// [`aclnnBitwiseAndScalarGetWorkspaceSize`] in place.
            aclnnInplaceBitwiseAndScalarGetWorkspaceSize, aclnnInplaceBitwiseAndScalar(selfRef: InOut, other: Scalar) => arithmetic::bitwise_and;
            /// Phase one of `out = self == other`.
            aclnnEqTensorGetWorkspaceSize, aclnnEqTensor(self_: In, other: In, out: Out) => comparison::eq;
            /// [`aclnnEqTensorGetWorkspaceSize`] in place.
            aclnnInplaceEqTensorGetWorkspaceSize, aclnnInplaceEqTensor(selfRef: InOut, other: In) => comparison::eq;
            /// [`aclnnEqTensorGetWorkspaceSize`] with a scalar for other.
            aclnnEqScalarGetWorkspaceSize, aclnnEqScalar(self_: In, other: Scalar, out: Out) => comparison::eq;
            /// [`aclnnEqScalarGetWorkspaceSize`] in place.
            aclnnInplaceEqScalarGetWorkspaceSize, aclnnInplaceEqScalar(selfRef: InOut, other: Scalar) => comparison::eq;
            /// Phase one of `out = self != other`.
            aclnnNeTensorGetWorkspaceSize, aclnnNeTensor(self_: In, other: In, out: Out) => comparison::ne;
            /// [`aclnnNeTensorGetWorkspaceSize`] in place.
            aclnnInplaceNeTensorGetWorkspaceSize, aclnnInplaceNeTensor(selfRef: InOut, other: In) => comparison::ne;
            /// [`aclnnNeTensorGetWorkspaceSize`] with a scalar for other.
            aclnnNeScalarGetWorkspaceSize, aclnnNeScalar(self_: In, other: Scalar, out: Out) => comparison::ne;
            /// [`aclnnNeScalarGetWorkspaceSize`] in place.
            aclnnInplaceNeScalarGetWorkspaceSize, aclnnInplaceNeScalar(selfRef: InOut, other: Scalar) => comparison::ne;
            /// Phase one of `out = self < other`.
            aclnnLtTensorGetWorkspaceSize, aclnnLtTensor(self_: In, other: In, out: Out) => comparison::lt;
            /// [`aclnnLtTensorGetWorkspaceSize`] in place.
            aclnnInplaceLtTensorGetWorkspaceSize, aclnnInplaceLtTensor(selfRef: InOut, other: In) => comparison::lt;
            /// [`aclnnLtTensorGetWorkspaceSize`] with a scalar for other.
            aclnnLtScalarGetWorkspaceSize, aclnnLtScalar(self_: In, other: Scalar, out: Out) => comparison::lt;
            /// [`aclnnLtScalarGetWorkspaceSize`] in place.
            aclnnInplaceLtScalarGetWorkspaceSize, aclnnInplaceLtScalar(selfRef: InOut, other: Scalar) => comparison::lt;
            /// Phase one of `out = self <= other`.
            aclnnLeTensorGetWorkspaceSize, aclnnLeTensor(self_: In, other: In, out: Out) => comparison::le;
            /// [`aclnnLeTensorGetWorkspaceSize`] in place.
            aclnnInplaceLeTensorGetWorkspaceSize, aclnnInplaceLeTensor(selfRef: InOut, other: In) => comparison::le;
            /// [`aclnnLeTensorGetWorkspaceSize`] with a scalar for other.
            aclnnLeScalarGetWorkspaceSize, aclnnLeScalar(self_: In, other: Scalar, out: Out) => comparison::le;
            /// [`aclnnLeScalarGetWorkspaceSize`] in place.
            aclnnInplaceLeScalarGetWorkspaceSize, aclnnInplaceLeScalar(selfRef: InOut, other: Scalar) => comparison::le;
            /// Phase one of `out = self > other`.
            aclnnGtTensorGetWorkspaceSize, aclnnGtTensor(self_: In, other: In, out: Out) => comparison::gt;
            /// [`aclnnGtTensorGetWorkspaceSize`] in place.
            aclnnInplaceGtTensorGetWorkspaceSize, aclnnInplaceGtTensor(selfRef: InOut, other: In) => comparison::gt;
            /// [`aclnnGtTensorGetWorkspaceSize`] with a scalar for other.
            aclnnGtScalarGetWorkspaceSize, aclnnGtScalar(self_: In, other: Scalar, out: Out) => comparison::gt;
            /// [`aclnnGtScalarGetWorkspaceSize`] in place.
            aclnnInplaceGtScalarGetWorkspaceSize, aclnnInplaceGtScalar(selfRef: InOut, other: Scalar) => comparison::gt;
            /// Phase one of `out = self >= other`.
            aclnnGeTensorGetWorkspaceSize, aclnnGeTensor(self_: In, other: In, out: Out) => comparison::ge;
            /// [`aclnnGeTensorGetWorkspaceSize`] in place.
            aclnnInplaceGeTensorGetWorkspaceSize, aclnnInplaceGeTensor(selfRef: InOut, other: In) => comparison::ge;
            /// [`aclnnGeTensorGetWorkspaceSize`] with a scalar for other.
            aclnnGeScalarGetWorkspaceSize, aclnnGeScalar(self_: In, other: Scalar, out: Out) => comparison::ge;
            /// [`aclnnGeScalarGetWorkspaceSize`] in place.
            aclnnInplaceGeScalarGetWorkspaceSize, aclnnInplaceGeScalar(selfRef: InOut, other: Scalar) => comparison::ge;
            /// Phase one of `out` = whether self and other have the same shape and elements.
            aclnnEqualGetWorkspaceSize, aclnnEqual(self_: In, other: In, out: Out) => comparison::equal;
            /// Phase one of `out` = whether elements are equal, or as near as `rtol` and `atol`
            /// say.
            aclnnIsCloseGetWorkspaceSize, aclnnIsClose(self_: In, other: In, rtol: Double, atol: Double, equal_nan: Flag, out: Out) => comparison::is_close;
            /// Phase one of `out = |self|`.
            aclnnAbsGetWorkspaceSize, aclnnAbs(self_: In, out: Out) => unary::abs;
            /// Phase one of `out` = self, rounded up.
            aclnnCeilGetWorkspaceSize, aclnnCeil(self_: In, out: Out) => unary::ceil;
            /// Phase one of `out = e ** self`.
            aclnnExpGetWorkspaceSize, aclnnExp(self_: In, out: Out) => unary::exp;
            /// [`aclnnExpGetWorkspaceSize`] in place.
            aclnnInplaceExpGetWorkspaceSize, aclnnInplaceExp(selfRef: InOut) => unary::exp;
            /// Phase one of `out` = whether self is neither infinite nor NaN.
            aclnnIsFiniteGetWorkspaceSize, aclnnIsFinite(self_: In, out: Out) => unary::is_finite;
            /// Phase one of `out = -self`.
            aclnnNegGetWorkspaceSize, aclnnNeg(self_: In, out: Out) => unary::neg;
            /// Phase one of `out` = the smallest element of self.
            aclnnMinGetWorkspaceSize, aclnnMin(self_: In, out: Out) => reduction::min;
            /// Phase one of `out` = the largest element of self.
            aclnnMaxGetWorkspaceSize, aclnnMax(self_: In, out: Out) => reduction::max;
            /// Phase one of `out` = the sums of self along axes.
            aclnnReduceSumGetWorkspaceSize, aclnnReduceSum(self_: In, dims: Dims, keepDims: Flag, dtype: Type, out: Out) => reduction::sum;
            /// Phase one of `out` = the means of self along axes.
            aclnnMeanGetWorkspaceSize, aclnnMean(self_: In, dim: Dims, keepDim: Flag, dtype: Type, out: Out) => reduction::mean;
            /// Phase one of `out` = whether all elements of self along axes are true.
            aclnnAllGetWorkspaceSize, aclnnAll(self_: In, dim: Dims, keepdim: Flag, out: Out) => reduction::all;
            /// Phase one of `out` = whether any element of self along axes is true.
            aclnnAnyGetWorkspaceSize, aclnnAny(self_: In, dim: Dims, keepdim: Flag, out: Out) => reduction::any;
            /// Phase one of `out` = self to the power of `exponent`.
            aclnnPowTensorScalarGetWorkspaceSize, aclnnPowTensorScalar(self_: In, exponent: Scalar, out: Out) => power::pow;
            /// [`aclnnPowTensorScalarGetWorkspaceSize`] in place.
            aclnnInplacePowTensorScalarGetWorkspaceSize, aclnnInplacePowTensorScalar(selfRef: InOut, exponent: Scalar) => power::pow;
            /// Phase one of `out` = the tensors, one behind the other along an axis.
            aclnnCatGetWorkspaceSize, aclnnCat(tensors: List, dim: Int, out: Out) => select::cat;
            /// Phase one of `out` = the elements of self where mask is true. Phase two waits for
            /// the work, and gives out the shape with their number.
            aclnnMaskedSelectGetWorkspaceSize, aclnnMaskedSelect(self_: In, mask: In, out: Out) => select::masked_select;
            /// Phase one of `out` = self where condition is true, and other elsewhere.
            aclnnSWhereGetWorkspaceSize, aclnnSWhere(condition: In, self_: In, other: In, out: Out) => choose::choose;
            /// Phase one of `selfRef = value` where mask is true.
            aclnnInplaceMaskedFillScalarGetWorkspaceSize, aclnnInplaceMaskedFillScalar(selfRef: InOut, mask: In, value: Scalar) => choose::masked_fill;
            /// [`aclnnInplaceMaskedFillScalarGetWorkspaceSize`] with a tensor of one element.
            aclnnInplaceMaskedFillTensorGetWorkspaceSize, aclnnInplaceMaskedFillTensor(selfRef: InOut, mask: In, value: In) => choose::masked_fill;
            /// Phase one of `out` = self as often along each axis as `repeats` says.
            aclnnRepeatGetWorkspaceSize, aclnnRepeat(self_: In, repeats: Dims, out: Out) => choose::repeat;
            /// Phase one of `out = self @ mat2`, of one to six axes.
            aclnnMatmulGetWorkspaceSize, aclnnMatmul(self_: In, mat2: In, out: Out, cubeMathType: Mode) => product::matmul;
            /// Phase one of `out = self @ mat2`, of two matrices.
            aclnnMmGetWorkspaceSize, aclnnMm(self_: In, mat2: In, out: Out, cubeMathType: Mode) => product::mm;
            /// Phase one of `out[i] = self[i] @ mat2[i]`.
            aclnnBatchMatMulGetWorkspaceSize, aclnnBatchMatMul(self_: In, mat2: In, out: Out, cubeMathType: Mode) => product::batch_matmul;
            /// Phase one of `out = beta * self + alpha * (mat1 @ mat2)`.
            aclnnAddmmGetWorkspaceSize, aclnnAddmm(self_: In, mat1: In, mat2: In, beta: Scalar, alpha: Scalar, out: Out, cubeMathType: Mode) => product::addmm;
            /// Phase one of `out[i…] = weight[indices[i…]]`.
            aclnnEmbeddingGetWorkspaceSize, aclnnEmbedding(weight: In, indices: In, out: Out) => index::embedding;
            /// Phase one of `out = self[indices[0], indices[1], …]`.
            aclnnIndexGetWorkspaceSize, aclnnIndex(self_: In, indices: List, out: Out) => index::index;
            /// Phase one of `out` = the places of self's elements that are not 0. Phase two waits
            /// for the work, and gives out the shape with their number.
            aclnnNonzeroGetWorkspaceSize, aclnnNonzero(self_: In, out: Out) => index::nonzero;
            /// [`aclnnNonzeroGetWorkspaceSize`] with the places in columns.
            aclnnNonzeroV2GetWorkspaceSize, aclnnNonzeroV2(self_: In, out: Out) => index::nonzero_columns;
        }
    };
}

/// The C type of a kind of parameter.
#[macro_export]
macro_rules! c_type {
    (In) => { *const aclnn_sys::aclTensor };
    (InOut) => { *mut aclnn_sys::aclTensor };
    (Out) => { *mut aclnn_sys::aclTensor };
    (List) => { *const aclnn_sys::aclTensorList };
    (Scalar) => { *const aclnn_sys::aclScalar };
    (Dims) => { *const aclnn_sys::aclIntArray };
    (Int) => { i64 };
    (Double) => { f64 };
    (Flag) => { bool };
    (Type) => { aclnn_sys::aclDataType };
    (Mode) => { i8 };
}

/// Declares the C functions, and their table.
macro_rules! functions {
    ($(
        $(#[$doc:meta])*
        $first:ident, $second:ident($($parameter:ident: $kind:ident),*) => $family:ident::$operator:ident;
    )+) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// Handles are null or made by host-cann; pointers for results are null or can be
            /// written to.
            #[allow(non_snake_case)]
            pub unsafe extern "C" fn $first(
                $($parameter: $crate::c_type!($kind),)*
                workspaceSize: *mut u64,
                executor: *mut *mut aclnn_sys::aclOpExecutor,
            ) -> aclnn_sys::AclnnStatus {
                let arguments = [$((stringify!($parameter), $crate::call::Argument::$kind($parameter))),*];
                let names = [stringify!($first), stringify!($second)];
                let operator = $crate::operators::$family::$operator;
                // SAFETY: the caller guarantees that handles are null or made by host-cann, and
                // that pointers for results are null or can be written to.
                unsafe { $crate::phase_one::run(names, &arguments, operator, workspaceSize, executor) }
            }

            #[doc = concat!("Phase two of [`", stringify!($first), "`]: enqueues the work and returns.")]
            ///
            /// # Safety
            /// Until the work is done, the tensors given to phase one hold what they say: their
            /// storages are memory of the stream's device of the size that they say, and only work
            /// that is ordered with this work writes them, or reads the memory that it writes.
            #[allow(non_snake_case)]
            pub unsafe extern "C" fn $second(
                workspace: *mut core::ffi::c_void,
                workspaceSize: u64,
                executor: *mut aclnn_sys::aclOpExecutor,
                stream: aclnn_sys::aclrtStream,
            ) -> aclnn_sys::AclnnStatus {
                // SAFETY: the caller guarantees that the tensors' storages are memory of the
                // stream's device, which only work ordered with this work uses until it is done.
                unsafe { $crate::phase_two::run(stringify!($second), workspace, workspaceSize, executor, stream) }
            }
        )+

        /// The names of all functions.
        pub const NAMES: &[&str] = &[$(stringify!($first), stringify!($second)),+];
    };
}

for_each_operator!(functions);
