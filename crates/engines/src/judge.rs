//! Checks an engine's outcome of a case: the result or the refusal, and that nothing else was
//! written.

mod deviation;
mod mismatch;
mod wanted;

pub use deviation::Deviation;
pub use mismatch::Mismatch;
pub use wanted::{Differing, Wanted};

use core::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use scatter::Argument;

use crate::case::{Case, Expected};
use crate::engine::Engine;
use crate::refusal::Refusal;
use crate::storage::Storage;

/// The outcome of a case on an engine in one setting.
#[derive(Debug)]
pub struct Verdict {
    /// The first difference from what is expected; `None` if there is none.
    pub mismatch: Option<Mismatch>,
    /// The destination's storage as the engine left it, where it differs.
    pub got: Option<Storage>,
    /// The time that the engine took.
    pub time: Duration,
}

/// A case as an engine left it.
#[derive(Debug)]
pub struct Attempt {
    /// The case with its tensors as they are now.
    pub work: Case,
    /// What the engine returned, or the message of its panic.
    pub outcome: Result<Result<(), Refusal>, String>,
    /// The time that the engine took.
    pub time: Duration,
}

/// Runs a case on a copy of its tensors.
pub fn attempt(case: &Case, engine: &dyn Engine, setting: usize) -> Attempt {
    let mut work = case.clone();
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| engine.run(setting, &mut work.call())));
    let (outcome, time) = (outcome.map_err(|payload| message(payload.as_ref())), start.elapsed());
    Attempt { work, outcome, time }
}

/// Runs a case and compares its outcome with the expected one.
pub fn judge(case: &Case, wanted: &Wanted, engine: &dyn Engine, setting: usize) -> Verdict {
    let attempt = attempt(case, engine, setting);
    let mismatch = attempt.mismatch(case, wanted);
    let is_result = matches!(mismatch, Some(Mismatch::Element(_)));
    let got = is_result.then(|| attempt.work.destination().storage.clone());
    Verdict { mismatch, got, time: attempt.time }
}

impl Attempt {
    /// A source that the call has written.
    pub fn written_source(&self, case: &Case) -> Option<Mismatch> {
        written_source(case, &self.work)
    }

    /// The first difference from the expected outcome of the case.
    pub fn mismatch(&self, case: &Case, wanted: &Wanted) -> Option<Mismatch> {
        match &self.outcome {
            // The contract forbids panics, so a panic is a mismatch.
            Err(message) => Some(Mismatch::Panic { message: message.clone() }),
            Ok(outcome) => wrong_outcome(case, outcome)
                .or_else(|| self.written_source(case))
                .or_else(|| wanted.difference(case, &self.work.destination().storage)),
        }
    }
}

fn wrong_outcome(case: &Case, outcome: &Result<(), Refusal>) -> Option<Mismatch> {
    match (&case.expected, outcome) {
        (_, Err(Refusal::Written { argument: name })) => Some(Mismatch::SourceWritten { argument: name }),
        (Expected::Refusal(expected), Ok(())) => Some(Mismatch::Accepted { expected: *expected }),
        (Expected::Refusal(expected), Err(got)) => {
            (!got.says(expected)).then(|| Mismatch::OtherRefusal { expected: *expected, got: got.clone() })
        }
        (_, Ok(())) => None,
        (_, Err(got)) => Some(Mismatch::Refusal { got: got.clone() }),
    }
}

/// Reports a source that was written. Engines borrow sources immutably, but one that calls foreign
/// code may write them all the same.
fn written_source(before: &Case, after: &Case) -> Option<Mismatch> {
    let self_ = before.out.is_some().then_some((&before.self_, &after.self_));
    let operator = before.op.operator();
    let pairs = [
        (Argument::SelfTensor, self_),
        (Argument::Index, Some((&before.index, &after.index))),
        (Argument::Src, before.src.as_ref().zip(after.src.as_ref())),
    ];
    pairs.into_iter().find_map(|(argument, pair)| {
        let (before, after) = pair?;
        (before.storage.bytes() != after.storage.bytes())
            .then(|| Mismatch::SourceWritten { argument: argument.name(operator) })
    })
}

/// The message of a panic.
fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

#[cfg(test)]
mod tests {
    use scatter::{DType, Error, Op};

    use super::*;
    use crate::call::Call;
    use crate::engine::Reference;
    use crate::tensor::Tensor;

    /// An engine that runs the reference and then a function that spoils the result.
    struct Wrong(fn(&mut Call<'_>) -> Result<(), Error>);

    impl Engine for Wrong {
        fn name(&self) -> &'static str {
            "wrong"
        }

        fn description(&self) -> String {
            String::from("for tests")
        }

        fn run(&self, _setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
            let outcome = Reference::compute(call);
            Ok((self.0)(call).and(outcome)?)
        }
    }

    /// `[1, 2, 3] += 0.5 at 2, 0`, out of place, into a tensor in the middle of a storage.
    fn case() -> Case {
        let tensor = |elements: &[f32]| Tensor::framed(&Storage::of(elements), &[elements.len()]);
        Case {
            name: String::from("sum"),
            op: Op::ScatterAdd { dim: 0 },
            self_: tensor(&[1.0, 2.0, 3.0]),
            index: Tensor::contiguous(Storage::of(&[2_i64, 0]), &[2]),
            src: Some(tensor(&[0.5, 0.5])),
            out: Some(tensor(&[0.0; 3])),
            claim: None,
            expected: Expected::Reference,
        }
    }

    fn set(call: &mut Call<'_>, address: usize, value: f32) -> Result<(), Error> {
        call.out.storage.elements_mut::<f32>()[address] = value;
        Ok(())
    }

    /// The mismatch that is reported of the case on the engine [`Wrong`]; empty if there is none.
    fn told(case: &Case, wrong: fn(&mut Call<'_>) -> Result<(), Error>) -> String {
        let wanted = Wanted::of(case).unwrap();
        judge(case, &wanted, &Wrong(wrong), 0).mismatch.map_or(String::new(), |mismatch| mismatch.to_string())
    }

    #[test]
    fn a_right_result_passes() {
        assert_eq!(told(&case(), |_| Ok(())), "");
        assert_eq!(told(&Case { out: None, ..case() }, |_| Ok(())), "");
        let exact = Expected::Elements(Storage::of(&[1.5_f32, 2.0, 3.5]));
        assert_eq!(told(&Case { expected: exact, ..case() }, |_| Ok(())), "");
    }

    #[test]
    fn an_element_is_told_by_coordinates_bits_and_value() {
        assert_eq!(
            told(&case(), |call| set(call, 4, -2.0)),
            "out[1] (element 4 of the storage): expected 2.0 (0x40000000), got -2.0 (0xc0000000); 1 of 8 elements differ"
        );
        // The sign of a zero counts as a difference, the bits of a NaN don't.
        let zeros = Case { self_: Tensor::framed(&Storage::of(&[0.0_f32, 0.0, f32::NAN]), &[3]), ..case() };
        assert!(told(&zeros, |call| set(call, 4, -0.0)).contains("got -0.0"));
        assert_eq!(told(&zeros, |call| set(call, 5, -f32::NAN)), "");
    }

    #[test]
    fn what_is_written_beside_the_tensor_is_seen() {
        assert!(
            told(&case(), |call| set(call, 7, 1.0))
                .starts_with("element 7 of out's storage, which is not out's")
        );
        // The bits of a NaN are no difference of an element, but are one beside the tensor.
        let mut with_nan = case();
        with_nan.destination_mut().storage.elements_mut()[7] = f32::NAN;
        assert_eq!(told(&with_nan, |_| Ok(())), "");
        assert_eq!(
            told(&with_nan, |call| set(call, 7, -f32::NAN)),
            "element 7 of out's storage, which is not out's: expected NaN (0x7fc00000), got NaN (0xffc00000); 1 of 8 elements differ"
        );
        // A difference in the tensor itself is reported first, even at a higher address.
        assert!(told(&case(), |call| set(call, 0, 1.0).and(set(call, 5, 9.0))).starts_with("out[2]"));
    }

    #[test]
    fn refusals_must_be_the_expected_ones() {
        let refused =
            Error::Operand { operator: case().op.operator(), argument: Argument::Src, expected: false };
        let none = |_: &mut Call<'_>| Ok(());
        let other_rule = |call: &mut Call<'_>| {
            call.op = Op::ScatterAdd { dim: 3 };
            Err(call.problem().unwrap_err())
        };
        assert!(told(&case(), other_rule).contains("dim"));

        let bad = Case { index: Tensor::contiguous(Storage::of(&[2_i64, 3]), &[2]), ..case() };
        let error = Reference::compute(&mut bad.clone().call()).unwrap_err();
        let right = Case { expected: Expected::Refusal(error), ..bad.clone() };
        assert_eq!(told(&right, none), "");
        assert!(told(&right, |call| set(call, 3, 1.0)).starts_with("out[0]"));
        let other = Case { expected: Expected::Refusal(refused), ..bad };
        assert!(
            told(&other, none).starts_with("expected the error: scatter_add: src: no tensor expected; got: ")
        );
        let accepted = Case { expected: Expected::Refusal(refused), ..case() };
        assert!(told(&accepted, none).ends_with("; got a result"));
    }

    #[test]
    fn a_panic_is_a_finding() {
        #[allow(clippy::panic)]
        fn panics(_: &mut Call<'_>) -> Result<(), Error> {
            panic!("out of {}", "cheese")
        }
        assert_eq!(told(&case(), panics), "the engine panicked: out of cheese");
    }

    #[test]
    fn a_bound_holds_beside_the_reference() {
        let (elements, bound) = (Storage::of(&[1.5_f32, 2.0, 3.25]), Storage::of(&[0.0, 0.0, 0.25]));
        let within = Case { expected: Expected::Within { elements: elements.clone(), bound }, ..case() };
        assert_eq!(told(&within, |_| Ok(())), "");
        // Within the bound, but different from the reference.
        assert!(told(&within, |call| set(call, 5, 3.25)).starts_with("out[2]"));
        let bound = Storage::of(&[0.0, 0.0, 0.125]);
        let outside = Case { expected: Expected::Within { elements, bound }, ..case() };
        assert!(told(&outside, |_| Ok(())).contains("expected 3.25"));
    }

    #[test]
    fn no_bound_reaches_to_a_nan() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        // `ours` is the result of the engine and of the reference, `others` that of another
        // implementation.
        let told = |ours: f32, others: f32, bound: f64| {
            let self_ = Tensor::framed(&Storage::of(&[1.0, ours, 3.0]), &[3]);
            let elements = Storage::of(&[1.5, others, 3.5]);
            let bound = Storage::of(&[0.0, bound, 0.0]);
            told(&Case { self_, expected: Expected::Within { elements, bound }, ..case() }, |_| Ok(()))
        };
        for (ours, others, bound) in [
            (nan, 2.0, 0.25),
            (nan, 2.0, f64::INFINITY),
            (2.0, nan, f64::INFINITY),
            (2.0, 2.5, f64::NAN),
            (inf, -inf, 9.0),
        ] {
            assert!(told(ours, others, bound).starts_with("out[1]"), "{ours} for {others} within {bound}");
        }
        for (ours, others) in [(nan, nan), (inf, inf), (-inf, -inf)] {
            assert_eq!(told(ours, others, 0.25), "", "{ours} for {others}");
        }
    }

    #[test]
    fn changed_sources_are_told_apart() {
        let before = case();
        let mut after = before.clone();
        assert!(written_source(&before, &after).is_none());
        after.index.storage.elements_mut::<i64>()[0] = 1;
        let told = |after: &Case| written_source(&before, after).map(|mismatch| mismatch.to_string());
        assert_eq!(told(&after).as_deref(), Some("index was written, which is only to be read"));
        after.self_.storage = Storage::zeroed(DType::F32, after.self_.storage.len());
        assert_eq!(told(&after).as_deref(), Some("self was written, which is only to be read"));
    }
}
