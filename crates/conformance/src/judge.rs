//! Whether an engine does with a case what it must: results, refusals, and nothing else written.

mod mismatch;
mod wanted;

pub(crate) use mismatch::Mismatch;
pub(crate) use wanted::Wanted;

use core::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use scatter::{Argument, Error};

use crate::case::{Case, Expected};
use crate::engine::Engine;

/// What came of a case on an engine in one setting.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// `None` where all is as it must be.
    pub(crate) mismatch: Option<Mismatch>,
    /// The time that the engine took.
    pub(crate) time: Duration,
}

/// Runs a case and compares.
pub(crate) fn judge(case: &Case, wanted: &Wanted, engine: &dyn Engine, setting: usize) -> Verdict {
    let mut work = case.clone();
    let start = Instant::now();
    // "Nothing panics" is part of the contract, so a panic is a finding like others.
    let outcome = catch_unwind(AssertUnwindSafe(|| engine.run(setting, &mut work.call())));
    let time = start.elapsed();
    let mismatch = match outcome {
        Err(payload) => Some(Mismatch::Panic { message: message(payload.as_ref()) }),
        Ok(outcome) => wrong_outcome(case, outcome)
            .or_else(|| written_source(case, &work))
            .or_else(|| wanted.difference(case, &work.destination().storage)),
    };
    Verdict { mismatch, time }
}

fn wrong_outcome(case: &Case, outcome: Result<(), Error>) -> Option<Mismatch> {
    match (&case.expected, outcome) {
        (Expected::Refusal(expected), Ok(())) => Some(Mismatch::Accepted { expected: *expected }),
        (Expected::Refusal(expected), Err(got)) => {
            (*expected != got).then_some(Mismatch::OtherRefusal { expected: *expected, got })
        }
        (_, Ok(())) => None,
        (_, Err(got)) => Some(Mismatch::Refusal { got }),
    }
}

/// An engine has only borrowed these, but a foreign one may do as it likes.
fn written_source(before: &Case, after: &Case) -> Option<Mismatch> {
    let self_ = before.out.is_some().then_some((&before.self_, &after.self_));
    let operator = before.task.operator();
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

/// What a panic said.
fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
