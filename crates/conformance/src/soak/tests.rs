//! The checks must find what they are for: each test puts an engine that does wrong after a failure
//! in the place of those on devices.

use std::sync::atomic::{AtomicUsize, Ordering};

use engines::call::Call;
use engines::case::Case;
use engines::engine::{self, Engine};
use engines::refusal::Refusal;

use super::Left;
use super::session::{Make, World};
use super::tally::Tally;

impl Left for usize {
    fn is_only(&self, before: &Self, _kept: usize) -> bool {
        self == before
    }
}

/// An engine whose outcomes are passed to a function that spoils them.
struct Spoiled {
    engine: Box<dyn Engine>,
    spoil: Spoil,
}

type Spoil = fn(&mut Call<'_>, Result<(), Refusal>) -> Result<(), Refusal>;

impl Engine for Spoiled {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn description(&self) -> String {
        String::from("for tests")
    }

    fn not_applicable(&self, case: &Case) -> Option<String> {
        self.engine.not_applicable(case)
    }

    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
        let outcome = self.engine.run(setting, call);
        (self.spoil)(call, outcome)
    }
}

/// Makes engines that are spoiled by a function.
macro_rules! spoiled {
    ($spoil:expr) => {
        |name, device| Ok(Box::new(Spoiled { engine: engine::on_device(name, device)?, spoil: $spoil }))
    };
}

/// What the soak says of these engines, where `live` counts what is left over.
fn told(make: Make, live: &AtomicUsize) -> (bool, String) {
    let world = World::new(7, 1).unwrap().with(make);
    let (done, tally): (_, Tally) = world.soak(1, 0, |done| done < 60, || live.load(Ordering::Relaxed));
    assert_eq!(done, 60);
    let mut out = Vec::new();
    tally.write("--seed 7 --threads 1", &mut out).unwrap();
    (tally.is_clean(), String::from_utf8(out).unwrap())
}

/// One test, because each soak resets device 1.
#[test]
fn what_is_wrong_after_a_failure_is_found() {
    static LEFT: AtomicUsize = AtomicUsize::new(0);
    let (is_clean, report) = told(spoiled!(|_, outcome| outcome), &LEFT);
    assert!(is_clean && report.ends_with("\n0 failures, 0 leaks\n"), "{report}");

    let wrong: [(Make, &str); 5] = [
        (
            spoiled!(|call, outcome| {
                if outcome.is_err()
                    && let Some(byte) = call.out.storage.bytes_mut().last_mut()
                {
                    *byte ^= 1;
                }
                outcome
            }),
            "out is half written, after the error: ",
        ),
        (
            spoiled!(|_, outcome| outcome.map_err(|_| Refusal::Broken(String::from("out of luck")))),
            "expected the error of the fault, got: out of luck",
        ),
        (spoiled!(|_, outcome| outcome.or(Ok(()))), "expected an error, got a result"),
        (
            spoiled!(|_, outcome| {
                static FAILED: AtomicUsize = AtomicUsize::new(0);
                let is_next = FAILED.swap(usize::from(outcome.is_err()), Ordering::Relaxed) == 1;
                if is_next { Err(Refusal::Broken(String::from("not yet"))) } else { outcome }
            }),
            "no fault: expected a result, got the error: not yet",
        ),
        (
            spoiled!(|_, outcome| {
                LEFT.fetch_add(usize::from(outcome.is_err()), Ordering::Relaxed);
                outcome
            }),
            "a leak: before: 0; after: ",
        ),
    ];
    for (make, words) in wrong {
        let (is_clean, report) = told(make, &LEFT);
        assert!(!is_clean && report.contains(words), "no {words:?} in\n{report}");
        let again = "cargo run --release -- soak --seed 7 --threads 1 --first ";
        assert!(report.contains(again), "{report}");
    }
}
