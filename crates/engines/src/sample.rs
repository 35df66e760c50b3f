//! Small cases for tests that run an engine on faulty functions.

use scatter::{Error, Op, Operator, Shape};

use crate::case::{Case, Expected};
use crate::engine::Engine;
use crate::judge::{Deviation, Verdict, Wanted, judge};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// `[1, 2, 3] += 0.5 at 2, 0` in place.
pub(crate) fn case() -> Case {
    Case {
        name: String::from("sum"),
        op: Op::ScatterAdd { dim: 0 },
        self_: Tensor::framed(&Storage::of(&[1.0_f32, 2.0, 3.0]), &[3]),
        index: Tensor::contiguous(Storage::of(&[2_i64, 0]), &[2]),
        src: Some(Tensor::contiguous(Storage::of(&[0.5_f32, 0.5]), &[2])),
        out: None,
        claim: None,
        expected: Expected::Reference,
    }
}

/// The same case with an index value of 7, which must be refused.
pub(crate) fn bad() -> Case {
    let (operator, axis, position) = (Operator::ScatterAdd, 0, Shape::new(&[1]).unwrap());
    let error = Error::IndexOutOfRange { operator, axis, position, value: 7, size: 3 };
    let index = Tensor::contiguous(Storage::of(&[2_i64, 7]), &[2]);
    Case { index, expected: Expected::Refusal(error), ..case() }
}

/// The mismatch that is reported of a case on an engine in a setting; empty if there is none.
pub(crate) fn told(case: &Case, engine: &dyn Engine, setting: usize) -> String {
    verdict(case, engine, setting).mismatch.map_or(String::new(), |mismatch| mismatch.to_string())
}

/// The name of the mismatch's kind, if it is of one.
pub(crate) fn kind(case: &Case, engine: &dyn Engine, setting: usize) -> Option<&'static str> {
    let Verdict { mismatch, got, .. } = verdict(case, engine, setting);
    Deviation::of(case, &mismatch.unwrap(), got.as_ref()).map(Deviation::name)
}

fn verdict(case: &Case, engine: &dyn Engine, setting: usize) -> Verdict {
    judge(case, &Wanted::of(case).unwrap(), engine, setting)
}
