//! The rules that don't depend on data, with a way to break each, in the order of the contract.

use engines::call::Claim;
use engines::case::Case;
use engines::storage::Storage;
use engines::tensor::Tensor;
use scatter::{
    Addressing, Argument, Axes, Complex, DType, Error, LayoutError, Numbers, Op, Reduce, Scalar,
    UnsupportedDType,
};

use super::base::{DIM, zeros};

/// A way to break a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    /// Breaks the rule and returns the error for that; `None` where the rule doesn't apply to the
    /// call.
    pub(super) break_it: fn(&mut Case) -> Option<Error>,
}

const fn rule(name: &'static str, break_it: fn(&mut Case) -> Option<Error>) -> Rule {
    Rule { name, break_it }
}

/// The dtype of the calls: one that lacks some reductions.
pub(super) const DTYPE: DType = DType::Complex64;

/// A dtype code that the library doesn't support: in CANN's C ABI, that of complex numbers of two
/// f16.
const UNKNOWN_DTYPE: i64 = 33;

/// Every rule, in the order in which they are checked.
pub(super) const RULES: [Rule; 32] = [
    rule("src-missing", src_missing),
    rule("src-needless", src_needless),
    rule("self-dtype-unknown", self_dtype_unknown),
    rule("src-dtype-differs", |case| dtype_differs(Argument::Src, case)),
    rule("out-dtype-differs", |case| dtype_differs(Argument::Out, case)),
    rule("value-not-representable", value_not_representable),
    rule("reduce-does-not-exist", reduce_does_not_exist),
    rule("index-dtype", index_dtype),
    rule("self-outside-storage", |case| outside_storage(Argument::SelfTensor, case)),
    rule("index-outside-storage", |case| outside_storage(Argument::Index, case)),
    rule("src-outside-storage", |case| outside_storage(Argument::Src, case)),
    rule("out-outside-storage", |case| outside_storage(Argument::Out, case)),
    rule("self-rank", self_rank),
    rule("out-shape", out_shape),
    rule("index-rank-differs", |case| rank_differs(Argument::Index, case)),
    rule("index-has-axes", index_has_axes),
    rule("index-axis", index_axis),
    rule("index-columns", index_columns),
    rule("src-rank-differs", |case| rank_differs(Argument::Src, case)),
    rule("updates-axis", updates_axis),
    rule("index-exceeds-src", index_exceeds_src),
    rule("index-exceeds-self", index_exceeds_self),
    rule("indices-too-deep", indices_too_deep),
    rule("updates-shape", updates_shape),
    rule("src-broadcast", src_broadcast),
    rule("window-exceeds-self", window_exceeds_self),
    rule("dim-out-of-range", dim_out_of_range),
    rule("too-many-updates", too_many_updates),
    rule("out-overlaps-itself", out_overlaps_itself),
    rule("out-overlaps-self", |case| overlaps(Argument::SelfTensor, case)),
    rule("out-overlaps-index", |case| overlaps(Argument::Index, case)),
    rule("out-overlaps-src", |case| overlaps(Argument::Src, case)),
];

fn addressing(case: &Case) -> Addressing {
    case.op.operator().signature().addressing
}

fn gathers(case: &Case) -> bool {
    case.op.operator().signature().gathers
}

fn has_src(case: &Case) -> bool {
    case.op.operator().signature().has_src
}

fn has_self(case: &Case) -> bool {
    case.op.operator().signature().has_self
}

/// The argument that is checked first: self, or out where the operator takes no self.
fn first(case: &Case) -> Argument {
    if has_self(case) { Argument::SelfTensor } else { Argument::Out }
}

/// The tensor of an argument, if the call has a separate one.
fn argument(of: Argument, case: &mut Case) -> Option<&mut Tensor> {
    match of {
        Argument::Index => Some(&mut case.index),
        Argument::Src => case.src.as_mut(),
        Argument::Out => case.out.as_mut(),
        _ => Some(&mut case.self_),
    }
}

fn src_missing(case: &mut Case) -> Option<Error> {
    if !has_src(case) {
        return None;
    }
    case.src.take()?;
    Some(Error::Operand { operator: case.op.operator(), argument: Argument::Src, expected: true })
}

fn src_needless(case: &mut Case) -> Option<Error> {
    if has_src(case) {
        return None;
    }
    case.src = Some(Tensor::filler(case.dtype(), &case.self_.shape));
    Some(Error::Operand { operator: case.op.operator(), argument: Argument::Src, expected: false })
}

fn self_dtype_unknown(case: &mut Case) -> Option<Error> {
    // In place self is out.
    if case.out.is_none() && has_self(case) {
        return None;
    }
    let (operator, argument, got) = (case.op.operator(), first(case), UnsupportedDType(UNKNOWN_DTYPE));
    case.claim = Some(Claim::DType(argument, got));
    Some(Error::UnsupportedDType { operator, argument, got })
}

fn dtype_differs(of: Argument, case: &mut Case) -> Option<Error> {
    let (operator, expected, got) = (case.op.operator(), case.dtype(), DType::F64);
    let other = argument(of, case)?;
    *other = Tensor::filler(got, &other.shape);
    Some(Error::DTypeMismatch { operator, argument: of, expected, got })
}

fn value_not_representable(case: &mut Case) -> Option<Error> {
    let got = Scalar::Complex(Complex::new(0.0, 1e39));
    case.op.scalar()?;
    let (op, operator) = (case.op, case.op.operator());
    let (dim, reduce) = (op.dim().unwrap_or_default(), op.reduce());
    case.op = operator.with(&Numbers { dim, reduce, scalar: got, ..Numbers::default() });
    Some(Error::Value { operator, expected: case.dtype(), got })
}

fn reduce_does_not_exist(case: &mut Case) -> Option<Error> {
    let got = Reduce::Min;
    match &mut case.op {
        Op::Scatter { reduce, .. } | Op::ScatterValue { reduce, .. } | Op::ScatterReduce { reduce, .. } => {
            *reduce = got;
        }
        _ => return None,
    }
    Some(Error::ReduceDType { operator: case.op.operator(), dtype: case.dtype(), got })
}

fn index_dtype(case: &mut Case) -> Option<Error> {
    let got = DType::I16;
    // Its layout may break another rule, but for its offset: the safe API has no such tensor.
    case.index.storage = Storage::zeroed(got, case.index.storage.len());
    case.index.offset = 0;
    Some(Error::IndexDType { operator: case.op.operator(), got })
}

fn outside_storage(of: Argument, case: &mut Case) -> Option<Error> {
    let (operator, first) = (case.op.operator(), first(case));
    // In place, out is self, which is checked first.
    let tensor = argument(of, case)?;
    tensor.offset += tensor.storage.len();
    let got = tensor.layout().err()?;
    let argument = if of == Argument::SelfTensor { first } else { of };
    Some(Error::Layout { operator, argument, got })
}

fn self_rank(case: &mut Case) -> Option<Error> {
    let (operator, argument) = (case.op.operator(), first(case));
    case.self_ = Tensor::filler(case.dtype(), &[1; 9]);
    Some(Error::Rank { operator, argument, expected: 8, got: 9 })
}

fn out_shape(case: &mut Case) -> Option<Error> {
    let (operator, dtype, axis) = (case.op.operator(), case.dtype(), 1);
    if addressing(case) == Addressing::Rows {
        case.self_ = Tensor::filler(dtype, &[3, 4, 1]);
        return Some(Error::OutShape { operator, axis: None, expected: 2, got: 3 });
    }
    let out = case.out.as_mut()?;
    let (expected, mut shape) = (out.shape[axis], out.shape.clone());
    let got = expected + 1;
    shape[axis] = got;
    *out = Tensor::filler(dtype, &shape);
    Some(Error::OutShape { operator, axis: Some(axis), expected, got })
}

/// Breaks the rule that index and src must have self's rank.
fn rank_differs(of: Argument, case: &mut Case) -> Option<Error> {
    match (addressing(case), of) {
        (Addressing::Dim, _) | (Addressing::Windows, Argument::Src) => {}
        _ => return None,
    }
    let (operator, expected, gathers) = (case.op.operator(), case.self_.shape.len(), gathers(case));
    let other = argument(of, case)?;
    let mut shape = other.shape.clone();
    shape.insert(0, 1);
    let got = shape.len();
    *other = if of == Argument::Index {
        zeros(other.storage.dtype(), &shape)
    } else {
        Tensor::filler(other.storage.dtype(), &shape)
    };
    // The out of a gather has index's shape.
    if gathers {
        case.out = Some(Tensor::filler(case.dtype(), &shape));
    }
    Some(Error::RankMismatch { operator, argument: of, expected, got })
}

/// Breaks the rule that an index that names slices has one axis, or one that names windows two.
fn index_has_axes(case: &mut Case) -> Option<Error> {
    let expected = match addressing(case) {
        Addressing::Slices => 1,
        Addressing::Windows => 2,
        _ => return None,
    };
    let mut shape = vec![1; expected];
    shape.push(case.index.storage.len());
    case.index = zeros(case.index.storage.dtype(), &shape);
    let (operator, argument) = (case.op.operator(), Argument::Index);
    Some(Error::Rank { operator, argument, expected, got: shape.len() })
}

/// Chooses an axis that self doesn't have.
fn index_axis(case: &mut Case) -> Option<Error> {
    let (operator, got) = (case.op.operator(), case.self_.shape.len());
    let Op::IndexPut { axes, .. } = &mut case.op else { return None };
    *axes = Axes::one(got)?;
    Some(Error::IndexAxis { operator, expected: got, got })
}

/// Breaks the rule that an index that names windows has two columns, if it has columns, and one for
/// chosen axes as many as there are axes.
fn index_columns(case: &mut Case) -> Option<Error> {
    let expected = match addressing(case) {
        Addressing::Windows => 2,
        Addressing::Axes => 1,
        _ => return None,
    };
    let (operator, axis, got) = (case.op.operator(), 1, 3);
    case.index = zeros(case.index.storage.dtype(), &[case.index.shape[0], got]);
    Some(Error::IndexShape { operator, axis, expected, got })
}

/// Gives src a size to which it can't be broadcast.
fn src_broadcast(case: &mut Case) -> Option<Error> {
    if addressing(case) != Addressing::Axes {
        return None;
    }
    let (operator, axis) = (case.op.operator(), 0);
    let src = case.src.as_mut()?;
    let (expected, mut shape) = (src.shape[axis], src.shape.clone());
    let got = expected + 1;
    shape[axis] = got;
    *src = Tensor::filler(src.storage.dtype(), &shape);
    Some(Error::SrcBroadcast { operator, axis: Some(axis), expected, got })
}

fn updates_axis(case: &mut Case) -> Option<Error> {
    if addressing(case) != Addressing::Windows {
        return None;
    }
    let (operator, got) = (case.op.operator(), 0);
    case.op = case.op.along(got);
    Some(Error::UpdatesAxis { operator, got })
}

/// Makes updates longer than self along the axis of windows.
fn window_exceeds_self(case: &mut Case) -> Option<Error> {
    if addressing(case) != Addressing::Windows {
        return None;
    }
    let (operator, axis, expected) = (case.op.operator(), DIM, case.self_.shape[DIM]);
    let (updates, got) = (case.src.as_mut()?, expected + 1);
    *updates = Tensor::filler(updates.storage.dtype(), &[updates.shape[0], got]);
    Some(Error::WindowExceedsSelf { operator, axis, expected, got })
}

fn index_exceeds_src(case: &mut Case) -> Option<Error> {
    if addressing(case) != Addressing::Dim {
        return None;
    }
    let (operator, axis, got) = (case.op.operator(), DIM, case.index.shape[DIM]);
    let src = case.src.as_mut()?;
    let (expected, mut shape) = (got - 1, src.shape.clone());
    shape[axis] = expected;
    *src = Tensor::filler(src.storage.dtype(), &shape);
    Some(Error::IndexExceedsSrc { operator, axis, expected, got })
}

fn index_exceeds_self(case: &mut Case) -> Option<Error> {
    if !matches!(addressing(case), Addressing::Dim | Addressing::Windows) {
        return None;
    }
    let (operator, axis) = (case.op.operator(), 0);
    let (expected, mut shape) = (case.self_.shape[axis], case.index.shape.clone());
    let got = expected + 1;
    shape[axis] = got;
    case.index = zeros(case.index.storage.dtype(), &shape);
    if gathers(case) {
        case.out = Some(Tensor::filler(case.dtype(), &shape));
    }
    let as_long = |src: Tensor| Tensor::filler(src.storage.dtype(), &[got, src.shape[1]]);
    case.src = case.src.take().map(as_long);
    Some(Error::IndexExceedsSelf { operator, axis, expected, got })
}

fn indices_too_deep(case: &mut Case) -> Option<Error> {
    if addressing(case) != Addressing::Nd {
        return None;
    }
    let (operator, expected, rows) = (case.op.operator(), case.self_.shape.len(), case.index.shape[0]);
    let got = expected + 1;
    case.index = zeros(case.index.storage.dtype(), &[rows, got]);
    Some(Error::IndexDepth { operator, axis: 1, expected, got })
}

fn updates_shape(case: &mut Case) -> Option<Error> {
    if matches!(addressing(case), Addressing::Dim | Addressing::Axes) {
        return None;
    }
    let operator = case.op.operator();
    let is_windows = addressing(case) == Addressing::Windows;
    let updates = case.src.as_mut()?;
    // Along the last axis windows may have any length.
    let (axis, mut shape) = (if is_windows { 0 } else { updates.shape.len() - 1 }, updates.shape.clone());
    let (expected, got) = (shape[axis], shape[axis] + 1);
    shape[axis] = got;
    *updates = Tensor::filler(updates.storage.dtype(), &shape);
    Some(Error::UpdatesShape { operator, axis: Some(axis), expected, got })
}

fn dim_out_of_range(case: &mut Case) -> Option<Error> {
    case.op.dim()?;
    let (operator, expected) = (case.op.operator(), case.self_.shape.len());
    let got = expected as i64;
    case.op = case.op.along(got);
    Some(Error::Dim { operator, expected, got })
}

/// Repeats an index, which no source limits, until there are too many updates to count.
fn too_many_updates(case: &mut Case) -> Option<Error> {
    if addressing(case) != Addressing::Slices || has_src(case) {
        return None;
    }
    let (operator, argument) = (case.op.operator(), Argument::Index);
    let (size, stride) = (1 << 62, 0);
    (case.index.shape, case.index.strides) = (vec![size], vec![stride]);
    Some(Error::Layout { operator, argument, got: LayoutError::Overflow { axis: 0, size, stride } })
}

fn out_overlaps_itself(case: &mut Case) -> Option<Error> {
    let (operator, argument, axis, stride) = (case.op.operator(), Argument::Out, 1, 0);
    let written = case.out.as_mut().unwrap_or(&mut case.self_);
    written.strides[axis] = stride;
    Some(Error::SelfOverlap { operator, argument, axis, size: written.shape[axis], stride })
}

/// Claims that the other tensor's storage starts at out's second element.
fn overlaps(of: Argument, case: &mut Case) -> Option<Error> {
    let operator = case.op.operator();
    let other = match of {
        Argument::SelfTensor => case.out.is_some(),
        Argument::Src => case.src.is_some(),
        _ => true,
    };
    let argument = if of == Argument::SelfTensor { Argument::SelfTensor } else { of };
    let second = case.destination().offset + 1;
    case.claim = Some(Claim::BytesAfterOut(argument, second * case.dtype().size()));
    other.then_some(Error::Overlap { operator, argument })
}
