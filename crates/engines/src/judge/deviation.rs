//! The kinds of differences from the reference that CANN's own operators may have. Any other
//! difference is a failure.

mod bound;

use core::fmt;

use scatter::{Addressing, Reduce};

use self::bound::Bound;
use super::Mismatch;
use crate::case::Case;
use crate::engine::Reference;
use crate::refusal::Refusal;
use crate::storage::Storage;

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
        if restored != before.storage {
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
            let updates = updates(self.case)?;
            let is_update = |place| (0..updates.len()).any(|at| same(&self.got, place, &updates, at));
            all(&|place| is_as_it_was(place) || is_update(place)).then_some(Deviation::OtherUpdate)
        } else {
            let bound = Bound::of(self.case, op)?;
            if all(&|place| self.is_within(place, 0.0, bound.may_be_special(place))) {
                return Some(Deviation::Special);
            }
            let is_near = |place| {
                let parts = self.expected.parts(place)?;
                Some(self.is_within(place, bound.at(place, parts), bound.may_be_special(place)))
            };
            all(&|place| is_near(place).unwrap_or(false)).then_some(Deviation::Order)
        }
    }

    /// Whether each part of an element differs by no more than a bound, is expected to be NaN or
    /// infinite, or is and may be.
    fn is_within(&self, place: usize, bound: f64, may_be_special: bool) -> bool {
        let (Some(expected), Some(got)) = (self.expected.parts(place), self.got.parts(place)) else {
            return false;
        };
        expected.into_iter().zip(got).all(|(expected, got)| {
            !expected.is_finite() || (may_be_special && !got.is_finite()) || (expected - got).abs() <= bound
        })
    }
}

/// The updates of a call that has a src. Along dim they are the block of src from its start that
/// has index's shape.
fn updates(case: &Case) -> Option<Storage> {
    let mut src = case.src.clone()?;
    if case.op.operator().signature().addressing == Addressing::Dim {
        // A tensor without axes counts as one with one axis of one element.
        let rank = src.shape.len();
        src.shape.clone_from(&case.index.shape);
        src.shape.resize(rank, 1);
    }
    Some(src.to_contiguous().storage)
}

/// Whether two elements are the same, where all NaNs are equal.
fn same(a: &Storage, at: usize, b: &Storage, other: usize) -> bool {
    a.gathered(&[at]).differences(&b.gathered(&[other])).is_empty()
}

#[cfg(test)]
mod tests {
    use scatter::{Op, Scalar};

    use super::*;
    use crate::case::Expected;
    use crate::judge::Wanted;
    use crate::tensor::Tensor;

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
    fn what_index_does_not_select_of_src_is_no_update() {
        let replace = Op::Scatter { dim: 0, reduce: Reduce::None };
        let src = || Storage::of(&[5.0_f32, 6.0, 7.0]);
        let case = case(replace, Storage::of(&[1.0_f32, 2.0]), &[1, 1], src());
        assert_eq!(kind(&case, &Storage::of(&[1.0_f32, 5.0])), Some(Deviation::OtherUpdate));
        assert_eq!(kind(&case, &Storage::of(&[1.0_f32, 7.0])), None);
        let of_one = |shape: &[usize]| {
            let index = Tensor::contiguous(Storage::of(&[1_i64]), shape);
            Case { index, ..case.clone() }
        };
        for shape in [&[][..], &[1]] {
            assert_eq!(kind(&of_one(shape), &Storage::of(&[5.0_f32, 5.0])), Some(Deviation::OtherUpdate));
            assert_eq!(kind(&of_one(shape), &Storage::of(&[1.0_f32, 6.0])), None);
        }
        // A slice of index_copy is an update whole.
        let (op, index) = (Op::IndexCopy { dim: 0 }, Tensor::contiguous(Storage::of(&[1_i64]), &[1]));
        let src = Some(Tensor::contiguous(src(), &[1, 3]));
        let self_ = Tensor::contiguous(Storage::of(&[1.0_f32; 6]), &[2, 3]);
        let slices = Case { op, self_, index, src, ..case };
        let got = Storage::of(&[1.0_f32, 1.0, 1.0, 5.0, 6.0, 6.0]);
        assert_eq!(kind(&slices, &got), Some(Deviation::OtherUpdate));
    }

    #[test]
    fn sums_may_differ_by_their_order_and_no_further() {
        let src = Storage::of(&[1e8_f32, 1.0, -1e8, 1.0]);
        let case = case(ADD, Storage::of(&[0.0_f32]), &[0; 4], src);
        // By hand: ((0 + 1e8) + 1) - 1e8 + 1 = 1 in order, and 2 in another.
        assert_eq!(kind(&case, &Storage::of(&[2.0_f32])), Some(Deviation::Order));
        assert_eq!(kind(&case, &Storage::of(&[1e5_f32])), None);
        assert_eq!(kind(&case, &Storage::of(&[f32::NAN])), None);
    }

    #[test]
    fn a_finite_number_becomes_special_only_by_what_goes_into_it() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        let reduce = |reduce, include_self| Op::ScatterReduce { dim: 0, reduce, include_self };
        // In the order of the updates the result of each is finite.
        for (op, self_, src, may_be_special) in [
            // Another order overflows on the way.
            (ADD, 0.0_f32, [3e38_f32, -3e38, 3e38], true),
            (ADD, 3e38, [-3e38, 3e38, -3e38], true),
            (ADD, 1e38, [1e38, -1e38, 0.0], false),
            (reduce(Reduce::Add, false), 3e38, [1e38, -1e38, 1e38], false),
            (reduce(Reduce::Mul, true), 1.0, [1e30, 1e-30, 1e30], true),
            (reduce(Reduce::Mul, true), 1e-30, [1e-30, 1e-30, 2.0], false),
            (reduce(Reduce::Mean, true), 3e38, [-3e38, 3e38, -3e38], true),
            // An operand is special.
            (reduce(Reduce::Max, true), 1.0, [-inf, 2.0, 2.0], true),
            (reduce(Reduce::Max, true), 1.0, [3e38, 3e38, 3e38], false),
            (reduce(Reduce::Max, false), inf, [1.0, 2.0, 2.0], false),
        ] {
            let case = case(op, Storage::of(&[self_]), &[0; 3], Storage::of(&src));
            let expected = may_be_special.then_some(Deviation::Special);
            for got in [nan, -inf] {
                assert_eq!(kind(&case, &Storage::of(&[got])), expected, "{op}, {self_}, {src:?}: {got}");
            }
        }
        let alpha = Op::IndexAdd { dim: 0, alpha: Scalar::Int(4) };
        let multiplied = case(alpha, Storage::of(&[0.0_f32]), &[0; 3], Storage::of(&[8e37_f32, -8e37, 8e37]));
        assert_eq!(kind(&multiplied, &Storage::of(&[inf])), Some(Deviation::Special));
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
