//! What must hold of a call in which something of host-cann's failed.

use engines::case::Case;
use engines::host::Fault;
use engines::judge::{Attempt, Wanted};
use scatter::Operator;

/// What host-cann says of a fault that was asked for, or the operator of the launch that failed.
const ASKED_FOR: [&str; 2] = ["injectFault asked for it", "host-cann's launchHostFunc returned"];

/// What is wrong with a call during which this fault happened; `None` if nothing is.
pub(super) fn wrong(fault: Fault, case: &Case, wanted: &Wanted, attempt: &Attempt) -> Option<String> {
    let refusal = match &attempt.outcome {
        Err(message) => return Some(format!("the engine panicked: {message}")),
        Ok(Ok(())) => return Some(String::from("expected an error, got a result")),
        Ok(Err(refusal)) => refusal.to_string(),
    };
    if !is_told(fault, &refusal) {
        return Some(format!("expected the error of the fault, got: {refusal}"));
    }
    if let Some(written) = attempt.written_source(case) {
        return Some(written.to_string());
    }
    let is_whole = is_untouched(case, attempt)
        || is_self(case, attempt)
        // The copies back to the host come after the call, and the first may be out's.
        || [Fault::Copy, Fault::Reset].contains(&fault) && wanted.difference(case, &attempt.work.destination().storage).is_none();
    (!is_whole).then(|| format!("out is half written, after the error: {refusal}"))
}

/// Whether an error is that of the fault.
fn is_told(fault: Fault, refusal: &str) -> bool {
    match fault.code() {
        Some(code) => {
            refusal.contains(&code.0.to_string()) && ASKED_FOR.iter().any(|words| refusal.contains(words))
        }
        // The context and the streams are gone, which calls find out in different ways.
        None => ["context", "stream", "device"].iter().any(|lost| refusal.contains(lost)),
    }
}

fn is_untouched(case: &Case, attempt: &Attempt) -> bool {
    case.destination().storage.bytes() == attempt.work.destination().storage.bytes()
}

/// Whether out has become self. A call out of place of an operator whose C function works only in
/// place begins with a copy of self to out: if it fails after that, out is not as it was, and
/// nothing promises that.
fn is_self(case: &Case, attempt: &Attempt) -> bool {
    let copies = [Operator::ScatterNdAdd, Operator::ScatterUpdate, Operator::IndexPut];
    if case.out.is_none() || !copies.contains(&case.op.operator()) {
        return false;
    }
    let mut copied = case.destination().storage.clone();
    let elements = case.self_.storage.gathered(&case.self_.addresses());
    copied.scattered(&case.destination().addresses(), &elements);
    copied.bytes() == attempt.work.destination().storage.bytes()
}
