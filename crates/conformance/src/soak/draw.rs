//! Draws the calls.

use engines::case::{Case, Expected};
use engines::engine::{Engine, Reference};
use engines::random::Random;
use engines::storage::Storage;
use scatter::{DType, Error};

use crate::family::{Entry, matrix};

/// The most elements of a case on the strict model of the kernels, which is slow.
const MOST_OF_KERNELS: usize = 5_000;

/// A valid call that the engine can run.
pub(super) fn valid(engine: &dyn Engine, random: &mut Random) -> Case {
    loop {
        let case = matrix::drawn(random);
        if is_for(engine, &case) {
            return case;
        }
    }
}

/// A call with an index out of range.
pub(super) fn bad_index(engine: &dyn Engine, random: &mut Random) -> Case {
    loop {
        // Whether the engine can run it may depend on the error that is expected.
        let spoiled = spoiled(matrix::drawn(random), random);
        if let Some(case) = spoiled.filter(|case| is_for(engine, case)) {
            return case;
        }
    }
}

/// One of these calls that must be refused.
pub(super) fn refused(engine: &dyn Engine, refusals: &[Entry], random: &mut Random) -> Case {
    loop {
        let case = refusals[random.below(refusals.len() as u64) as usize].case();
        if is_for(engine, &case) {
            return case;
        }
    }
}

fn is_for(engine: &dyn Engine, case: &Case) -> bool {
    (engine.name() != "kernel" || case.elements() <= MOST_OF_KERNELS) && engine.not_applicable(case).is_none()
}

/// The case with a value in its index that is far out of range, and the reference's error; `None`
/// if it has no index value, or one that may be anything.
fn spoiled(mut case: Case, random: &mut Random) -> Option<Case> {
    let addresses = case.index.addresses();
    if addresses.is_empty() {
        return None;
    }
    let address = random.pick(&addresses);
    let value = match case.index.storage.dtype() {
        DType::I32 => Storage::of(&[random.pick(&[i32::MIN, -1_000_000, 1_000_000, i32::MAX])]),
        DType::I64 => Storage::of(&[random.pick(&[i64::MIN, -1_000_000, 1 << 32, i64::MAX])]),
        _ => return None,
    };
    case.index.storage.scattered(&[address], &value);
    let error = Reference::compute(&mut case.plain().call()).err()?;
    case.expected = Expected::Refusal(error);
    matches!(error, Error::IndexOutOfRange { .. }).then_some(case)
}
