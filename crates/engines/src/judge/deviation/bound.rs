//! How far another order of operations can move the elements of a sum, a product or a mean.

use scatter::{DType, Op, Reduce, Scalar};

use crate::case::Case;
use crate::engine::Reference;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// How far another order of operations can move an element. Each operation rounds: of sums at most
/// the sum of all magnitudes, of products the product, which may also underflow. Either may
/// overflow on the way.
pub(super) struct Bound {
    is_product: bool,
    /// Half a unit in the last place of 1.
    rounding: f64,
    /// The smallest positive number.
    smallest: f64,
    /// The largest finite number.
    largest: f64,
    /// For each element the sum of the magnitudes of its operands (its updates, and self where it
    /// is included), or the product of those above 1; 0 where the order rounds nothing.
    magnitudes: Storage,
    /// How many updates each element has.
    updates: Storage,
    /// How many operands of each element are NaN or infinite.
    special: Storage,
}

impl Bound {
    /// `None` for a dtype without NaN and infinities, whose results don't depend on the order.
    pub(super) fn of(case: &Case, op: Op) -> Option<Self> {
        let (digits, smallest, largest) = match case.dtype() {
            DType::Bf16 => (8, 2_f64.powi(-133), scatter::bf16::MAX.into()),
            DType::F16 => (11, 2_f64.powi(-24), scatter::f16::MAX.into()),
            DType::F32 | DType::Complex64 => (24, 2_f64.powi(-149), f32::MAX.into()),
            DType::F64 | DType::Complex128 => (53, f64::from_bits(1), f64::MAX),
            _ => return None,
        };
        // Updates are multiplied by alpha first.
        let alpha = op.alpha().map_or([1.0, 0.0], parts);
        let of_update = |update| magnitude(alpha) * magnitude(update);
        let of_self = |self_| if op.include_self() { magnitude(self_) } else { 0.0 };
        let is_product = op.reduce() == Reduce::Mul;
        let magnitudes = match op.reduce() {
            Reduce::Mul => folded(case, op, Reduce::Mul, &|self_| of_self(self_).max(1.0), &|update| {
                of_update(update).max(1.0)
            }),
            Reduce::Add | Reduce::Mean => folded(case, op, Reduce::Add, &of_self, &of_update),
            _ => folded(case, op, Reduce::Add, &|_| 0.0, &|_| 0.0),
        }?;
        let count = |is: bool| f64::from(u8::from(is));
        let special_self = |self_| count(op.include_self() && is_special(self_));
        let special_update = |update| count(is_special(alpha) || is_special(update));
        Some(Self {
            is_product,
            rounding: 2_f64.powi(-digits),
            smallest,
            largest,
            magnitudes,
            updates: folded(case, op, Reduce::Add, &|_| 0.0, &|_| 1.0)?,
            special: folded(case, op, Reduce::Add, &special_self, &special_update)?,
        })
    }

    /// The bound of the element at `place`, which is expected to be `[re, im]`.
    pub(super) fn at(&self, place: usize, [re, im]: [f64; 2]) -> f64 {
        if self.is_product {
            self.roundings(place) * magnitude([re, im]) + self.operations(place) * self.smallest
        } else {
            self.roundings(place) * self.magnitudes.elements::<f64>()[place]
        }
    }

    /// Whether the element at `place` may become NaN or infinite in another order: an operand is,
    /// or what comes on the way may be above the largest number.
    pub(super) fn may_be_special(&self, place: usize) -> bool {
        let most = self.magnitudes.elements::<f64>()[place] * (1.0 + self.roundings(place));
        self.special.elements::<f64>()[place] > 0.0 || most > self.largest
    }

    /// How often numbers are rounded on the way to an element: by each operation, in both orders; a
    /// complex product is four products and two sums.
    fn operations(&self, place: usize) -> f64 {
        6.0 * (self.updates.elements::<f64>()[place] + 1.0)
    }

    /// The relative error of all these roundings.
    fn roundings(&self, place: usize) -> f64 {
        self.operations(place) * self.rounding
    }
}

/// A scalar's real and imaginary part.
fn parts(scalar: Scalar) -> [f64; 2] {
    match scalar {
        Scalar::Bool(value) => [u8::from(value).into(), 0.0],
        Scalar::Int(value) => [value as f64, 0.0],
        Scalar::Float(value) => [value, 0.0],
        Scalar::Complex(value) => [value.re, value.im],
        _ => [f64::NAN; 2],
    }
}

/// The sum of the magnitudes of a number's parts that are finite.
fn magnitude(parts: [f64; 2]) -> f64 {
    parts.into_iter().filter(|part| part.is_finite()).map(f64::abs).sum()
}

/// Whether a part of a number is NaN or infinite.
fn is_special(parts: [f64; 2]) -> bool {
    parts.into_iter().any(|part| !part.is_finite())
}

/// What is computed of an operand's parts.
type Of<'a> = &'a dyn Fn([f64; 2]) -> f64;

/// For each element the sum (or the product, where `reduce` is a product) of `of_self` of self and
/// of `of_update` of each of its updates.
fn folded(case: &Case, op: Op, reduce: Reduce, of_self: Of<'_>, of_update: Of<'_>) -> Option<Storage> {
    let made = |tensor: &Tensor, of: Of<'_>| {
        let tensor = tensor.to_contiguous();
        let numbers = (0..tensor.storage.len()).map(|at| tensor.storage.parts(at).map(of));
        Some(Tensor::contiguous(Storage::of(&numbers.collect::<Option<Vec<f64>>>()?), &tensor.shape))
    };
    let op = match op {
        Op::ScatterAdd { dim } | Op::Scatter { dim, .. } | Op::ScatterReduce { dim, .. } => {
            Op::Scatter { dim, reduce }
        }
        // Products round, too; `operations` has room for that.
        Op::IndexAdd { dim, .. } => Op::IndexAdd { dim, alpha: Scalar::Int(1) },
        Op::ScatterNdAdd => Op::ScatterNdAdd,
        Op::IndexPut { axes, .. } => Op::IndexPut { axes, accumulate: true },
        Op::EmbeddingBackward { padding, .. } => Op::EmbeddingBackward { padding, scale: false },
        Op::ScatterValue { dim, value, .. } => {
            Op::ScatterValue { dim, value: Scalar::Float(of_update(parts(value))), reduce }
        }
        _ => return None,
    };
    let src = match &case.src {
        Some(src) => Some(made(src, of_update)?),
        None => None,
    };
    let mut folded = Case {
        op,
        self_: made(&case.self_, of_self)?,
        index: case.index.to_contiguous(),
        src,
        out: None,
        ..case.clone()
    };
    Reference::compute(&mut folded.call()).ok()?;
    Some(folded.self_.storage)
}
