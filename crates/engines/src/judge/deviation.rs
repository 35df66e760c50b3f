//! The kinds of differences from the reference that CANN's own operators may have. Any other
//! difference is a failure.

use core::fmt;

use scatter::{DType, Op, Reduce, Scalar};

use super::Mismatch;
use crate::case::Case;
use crate::engine::Reference;
use crate::refusal::Refusal;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// A kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deviation {
    /// A valid call is refused, for instance because the operator lacks its dtype.
    Refused,
    /// Every element that differs has self's value: its updates were dropped.
    Dropped,
    /// An element was replaced by another update than its last.
    OtherUpdate,
    /// A sum, product or mean differs by no more than another order of operations explains.
    Order,
    /// Elements differ only in NaN, infinities or the signs of zeros.
    Special,
}

impl Deviation {
    /// The name in `--json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Dropped => "dropped",
            Self::OtherUpdate => "other-update",
            Self::Order => "order",
            Self::Special => "special",
        }
    }

    /// The kind of a call's mismatch; `None` where it is of no kind.
    pub fn of(case: &Case, mismatch: &Mismatch, got: Option<&Storage>) -> Option<Self> {
        match mismatch {
            // By the operator alone: a failure of CANN's runtime is no kind of difference.
            Mismatch::Refusal { got: Refusal::Operator(_) } => Some(Self::Refused),
            Mismatch::Element(_) => Differences::of(case, got?)?.kind(),
            _ => None,
        }
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "refused",
            Self::Dropped => "updates dropped",
            Self::OtherUpdate => "another update than the last",
            Self::Order => "order of operations",
            Self::Special => "NaN, infinities or signs of zeros",
        })
    }
}

/// The elements that differ, by their positions in the row-major order of out. All storages are
/// contiguous.
struct Differences<'a> {
    case: &'a Case,
    places: Vec<usize>,
    self_: Storage,
    expected: Storage,
    got: Storage,
}

impl<'a> Differences<'a> {
    /// Compares with the reference. `None` where memory around out's elements differs, nothing
    /// differs, or there is nothing to compare with.
    fn of(case: &'a Case, got: &Storage) -> Option<Self> {
        let before = case.destination();
        let addresses = before.addresses();
        let mut restored = got.clone();
        restored.scattered(&addresses, &before.storage.gathered(&addresses));
        if !restored.differences(&before.storage).is_empty() {
            return None;
        }
        let mut plain = case.plain();
        Reference::compute(&mut plain.call()).ok()?;
        let (expected, got) = (plain.destination().storage.clone(), got.gathered(&addresses));
        let places = expected.differences(&got);
        let self_ = case.self_.to_contiguous().storage;
        (!places.is_empty()).then_some(Self { case, places, self_, expected, got })
    }

    /// The kind that all differences have; `None` if there is none.
    fn kind(&self) -> Option<Deviation> {
        let op = self.case.op;
        // No kind explains a wrong gather, which neither updates elements nor rounds.
        if op.operator().signature().gathers {
            return None;
        }
        let all = |is: &dyn Fn(usize) -> bool| self.places.iter().all(|&place| is(place));
        let is_as_it_was = |place| same(&self.got, place, &self.self_, place);
        if all(&is_as_it_was) {
            Some(Deviation::Dropped)
        } else if op.reduce() == Reduce::None {
            let src = self.case.src.as_ref()?.to_contiguous().storage;
            all(&|place| is_as_it_was(place) || (0..src.len()).any(|at| same(&self.got, place, &src, at)))
                .then_some(Deviation::OtherUpdate)
        } else if all(&|place| self.is_special(place)) {
            Some(Deviation::Special)
        } else {
            let bound = Bound::of(self.case, op)?;
            all(&|place| self.is_within(&bound, place)).then_some(Deviation::Order)
        }
    }

    fn is_special(&self, place: usize) -> bool {
        let (Some(expected), Some(got)) = (self.expected.parts(place), self.got.parts(place)) else {
            return false;
        };
        expected.into_iter().zip(got).all(is_special)
    }

    /// Whether each part of an element differs specially or by no more than its bound.
    fn is_within(&self, bound: &Bound, place: usize) -> bool {
        let (Some(expected), Some(got)) = (self.expected.parts(place), self.got.parts(place)) else {
            return false;
        };
        let bound = bound.at(place, expected);
        let is_near = |(expected, got): (f64, f64)| (expected - got).abs() <= bound;
        expected.into_iter().zip(got).all(|parts| is_special(parts) || is_near(parts))
    }
}

/// Whether two numbers differ in nothing but NaN, infinities and the signs of zeros.
fn is_special((expected, got): (f64, f64)) -> bool {
    !expected.is_finite() || !got.is_finite() || expected == got
}

/// The sum of the magnitudes of a number's parts that are finite.
fn magnitude(parts: [f64; 2]) -> f64 {
    parts.into_iter().filter(|part| part.is_finite()).map(f64::abs).sum()
}

/// The magnitude of a scalar's parts.
fn size(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Bool(value) => f64::from(u8::from(value)),
        Scalar::Int(value) => (value as f64).abs(),
        Scalar::Float(value) => value.abs(),
        Scalar::Complex(value) => magnitude([value.re, value.im]),
        _ => f64::INFINITY,
    }
}

/// Whether two elements are the same, where all NaNs are equal.
fn same(a: &Storage, at: usize, b: &Storage, other: usize) -> bool {
    a.gathered(&[at]).differences(&b.gathered(&[other])).is_empty()
}

/// How far another order of operations can move an element. Each operation rounds: of sums at most
/// the sum of all magnitudes, of products the product, which may also underflow.
struct Bound {
    is_product: bool,
    /// Half a unit in the last place of 1.
    rounding: f64,
    /// The smallest positive number.
    smallest: f64,
    /// For each element the sum of the magnitudes of its updates, and of self where it is included.
    magnitudes: Storage,
    /// How many updates each element has.
    updates: Storage,
}

impl Bound {
    /// `None` for a dtype or a reduction whose result doesn't depend on the order.
    fn of(case: &Case, op: Op) -> Option<Self> {
        let (digits, smallest) = match case.dtype() {
            DType::Bf16 => (8, 2_f64.powi(-133)),
            DType::F16 => (11, 2_f64.powi(-24)),
            DType::F32 | DType::Complex64 => (24, 2_f64.powi(-149)),
            DType::F64 | DType::Complex128 => (53, f64::from_bits(1)),
            _ => return None,
        };
        if !matches!(op.reduce(), Reduce::Add | Reduce::Mul | Reduce::Mean) {
            return None;
        }
        // Of updates that are multiplied first.
        let factor = op.alpha().map_or(1.0, size);
        Some(Self {
            is_product: op.reduce() == Reduce::Mul,
            rounding: 2_f64.powi(-digits),
            smallest,
            magnitudes: sums(case, op, magnitude, if op.include_self() { |of| of } else { |_| 0.0 }, factor)?,
            updates: sums(case, op, |_| 1.0, |_| 0.0, 1.0)?,
        })
    }

    /// The bound of the element at `place`, which is expected to be `[re, im]`.
    fn at(&self, place: usize, [re, im]: [f64; 2]) -> f64 {
        let [magnitude, updates] =
            [&self.magnitudes, &self.updates].map(|sums| sums.elements::<f64>()[place]);
        let rounded = if self.is_product {
            self.rounding * self::magnitude([re, im]) + self.smallest
        } else {
            self.rounding * magnitude
        };
        // Each operation rounds, in both orders; a complex product is four products and two sums.
        6.0 * (updates + 1.0) * rounded
    }
}

/// For each element the sum of `factor * of(update)` over its updates and of `of_self(of(self))`.
fn sums(
    case: &Case,
    op: Op,
    of: fn([f64; 2]) -> f64,
    of_self: fn(f64) -> f64,
    factor: f64,
) -> Option<Storage> {
    let made = |tensor: &Tensor, then: &dyn Fn(f64) -> f64| {
        let tensor = tensor.to_contiguous();
        let parts = (0..tensor.storage.len()).map(|at| tensor.storage.parts(at).map(|parts| then(of(parts))));
        Some(Tensor::contiguous(Storage::of(&parts.collect::<Option<Vec<f64>>>()?), &tensor.shape))
    };
    let op = match op {
        Op::ScatterAdd { dim } | Op::Scatter { dim, .. } | Op::ScatterReduce { dim, .. } => {
            Op::ScatterAdd { dim }
        }
        // Products round, too; `at` has room for that.
        Op::IndexAdd { dim, .. } => Op::IndexAdd { dim, alpha: Scalar::Int(1) },
        Op::ScatterNdAdd => Op::ScatterNdAdd,
        Op::IndexPut { axes, .. } => Op::IndexPut { axes, accumulate: true },
        Op::EmbeddingBackward { padding, .. } => Op::EmbeddingBackward { padding, scale: false },
        Op::ScatterValue { dim, value, .. } => {
            Op::ScatterValue { dim, value: Scalar::Float(of([size(value), 0.0])), reduce: Reduce::Add }
        }
        _ => return None,
    };
    let src = match &case.src {
        Some(src) => Some(made(src, &|number| factor * number)?),
        None => None,
    };
    let mut sums = Case {
        op,
        self_: made(&case.self_, &of_self)?,
        index: case.index.to_contiguous(),
        src,
        out: None,
        ..case.clone()
    };
    Reference::compute(&mut sums.call()).ok()?;
    Some(sums.self_.storage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Expected;
    use crate::judge::Wanted;

    /// Updates along the only axis, in place.
    fn case(op: Op, self_: Storage, index: &[i64], src: Storage) -> Case {
        let tensor = |storage: Storage| {
            let shape = [storage.len()];
            Tensor::framed(&storage, &shape)
        };
        Case {
            name: String::new(),
            op,
            self_: tensor(self_),
            index: Tensor::contiguous(Storage::of(index), &[index.len()]),
            src: Some(tensor(src)),
            out: None,
            claim: None,
            expected: Expected::Reference,
        }
    }

    /// The kind of the differences of a result with these elements.
    fn kind(case: &Case, elements: &Storage) -> Option<Deviation> {
        let mut got = case.self_.storage.clone();
        got.scattered(&case.self_.addresses(), elements);
        let mismatch = Wanted::of(case).unwrap().difference(case, &got)?;
        Deviation::of(case, &mismatch, Some(&got))
    }

    const ADD: Op = Op::ScatterAdd { dim: 0 };

    #[test]
    fn an_untouched_element_was_dropped() {
        let of = |op| case(op, Storage::of(&[1_i32, 2]), &[0, 1], Storage::of(&[5_i32, 6]));
        assert_eq!(kind(&of(ADD), &Storage::of(&[6_i32, 2])), Some(Deviation::Dropped));
        assert_eq!(kind(&of(ADD), &Storage::of(&[6_i32, 9])), None);
        assert_eq!(kind(&of(ADD), &Storage::of(&[6_i32, 8])), None);
    }

    #[test]
    fn another_update_than_the_last_is_told_from_a_wrong_value() {
        let replace = Op::Scatter { dim: 0, reduce: Reduce::None };
        let case = case(replace, Storage::of(&[1.0_f32, 2.0]), &[1, 1, 0], Storage::of(&[5.0_f32, 6.0, 7.0]));
        assert_eq!(kind(&case, &Storage::of(&[7.0_f32, 5.0])), Some(Deviation::OtherUpdate));
        assert_eq!(kind(&case, &Storage::of(&[7.0_f32, 5.5])), None);
    }

    #[test]
    fn sums_may_differ_by_their_order_and_no_further() {
        let src = Storage::of(&[1e8_f32, 1.0, -1e8, 1.0]);
        let case = case(ADD, Storage::of(&[0.0_f32]), &[0; 4], src);
        // By hand: ((0 + 1e8) + 1) - 1e8 + 1 = 1 in order, and 2 in another.
        assert_eq!(kind(&case, &Storage::of(&[2.0_f32])), Some(Deviation::Order));
        assert_eq!(kind(&case, &Storage::of(&[1e5_f32])), None);
        assert_eq!(kind(&case, &Storage::of(&[f32::NAN])), Some(Deviation::Special));
    }

    #[test]
    fn a_self_that_is_not_included_moves_nothing() {
        let kind = |reduce, include_self, got: f32| {
            let op = Op::ScatterReduce { dim: 0, reduce, include_self };
            let case = case(op, Storage::of(&[1e8_f32]), &[0; 2], Storage::of(&[1.0_f32, 1.0]));
            kind(&case, &Storage::of(&[got]))
        };
        // By hand: 1e8 + 1 + 1 = 1e8 in f32, whose numbers are 8 apart there.
        assert_eq!(kind(Reduce::Add, true, 1e8 + 8.0), Some(Deviation::Order));
        // By hand: 1 + 1 = 2, and its mean is 1.
        assert_eq!(kind(Reduce::Add, false, 6.0), None);
        assert_eq!(kind(Reduce::Mean, false, 3.0), None);
    }

    #[test]
    fn sums_of_a_scalar_and_from_zeros_may_differ_by_their_order_and_no_further() {
        let add = Op::ScatterValue { dim: 0, value: Scalar::Int(1), reduce: Reduce::Add };
        let nothing = Storage::of::<f32>(&[]);
        let of_scalar = Case { src: None, ..case(add, Storage::of(&[16_777_216.0_f32]), &[0; 2], nothing) };
        // By hand: (2^24 + 1) + 1 = 2^24 in f32, and 2^24 + (1 + 1) = 2^24 + 2.
        assert_eq!(kind(&of_scalar, &Storage::of(&[16_777_218.0_f32])), Some(Deviation::Order));
        assert_eq!(kind(&of_scalar, &Storage::of(&[16_778_216.0_f32])), None);

        let of_rows = |scale| Case {
            op: Op::EmbeddingBackward { padding: Some(1), scale },
            self_: Tensor::contiguous(Storage::of(&[9.0_f32, 9.0]), &[2, 1]),
            index: Tensor::contiguous(Storage::of(&[0_i64, 0, 0, 0, 1]), &[5]),
            src: Some(Tensor::contiguous(Storage::of(&[1e8_f32, 1.0, -1e8, 1.0, 5.0]), &[5, 1])),
            ..of_scalar.clone()
        };
        // By hand: 1 in order, and 2 in another, which are divided by 4 if they are scaled.
        for (scale, another) in [(false, 2.0_f32), (true, 0.5)] {
            let case = of_rows(scale);
            assert_eq!(kind(&case, &Storage::of(&[another, 0.0])), Some(Deviation::Order), "{scale}");
            assert_eq!(kind(&case, &Storage::of(&[1e5_f32, 0.0])), None, "{scale}");
            assert_eq!(kind(&case, &Storage::of(&[another, 5.0])), None, "{scale}, row 1 is padding");
        }
    }

    /// One part of a complex number may be NaN or infinite, while the other shows another order.
    #[test]
    fn the_parts_of_a_number_are_of_their_own_kinds() {
        let complex = |re: f32, im: f32| scatter::Complex { re, im };
        let src = [(1e8, f32::NAN), (1.0, 1.0), (-1e8, 1.0), (1.0, 1.0)].map(|(re, im)| complex(re, im));
        let case = case(ADD, Storage::of(&[complex(0.0, 0.0)]), &[0; 4], Storage::of(&src));
        let kind = |re, im| kind(&case, &Storage::of(&[complex(re, im)]));
        assert_eq!(kind(2.0, f32::NAN), Some(Deviation::Order));
        assert_eq!(kind(1.0, 7.0), Some(Deviation::Special));
        assert_eq!(kind(1e5, f32::NAN), None);
    }

    #[test]
    fn products_may_lose_what_is_too_small_for_a_number() {
        let multiply = Op::Scatter { dim: 0, reduce: Reduce::Mul };
        let src = Storage::of(&[f32::MIN_POSITIVE, 1.0 / 8_388_608.0, 3.0]);
        let case = case(multiply, Storage::of(&[1.0_f32]), &[0; 3], src);
        // By hand: the reference's product is 3 times the smallest positive number.
        assert_eq!(kind(&case, &Storage::of(&[f32::from_bits(2)])), Some(Deviation::Order));
        assert_eq!(kind(&case, &Storage::of(&[f32::from_bits(90)])), None);
    }

    #[test]
    fn a_write_beside_the_tensor_is_of_no_kind() {
        let case = case(ADD, Storage::of(&[1_i32, 2]), &[0], Storage::of(&[5_i32]));
        let mut got = case.self_.storage.clone();
        got.elements_mut::<i32>()[0] ^= 1;
        let mismatch = Wanted::of(&case).unwrap().difference(&case, &got).unwrap();
        assert_eq!(Deviation::of(&case, &mismatch, Some(&got)), None);
        assert_eq!(Deviation::of(&case, &Mismatch::Panic { message: String::new() }, None), None);
    }
}
