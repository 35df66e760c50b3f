//! The soak: short ones, which must be clean, and the same each time.

use crate::program::{complaint, conformance};

/// A soak's report without its first line, which has the time in it.
fn soak(arguments: &[&str]) -> (i32, String) {
    let (code, out, err) = conformance(&[&["soak"], arguments].concat());
    assert_eq!(err, "", "{out}");
    (code, out.split_once('\n').unwrap().1.to_owned())
}

#[test]
fn every_fault_happens_and_leaves_nothing() {
    let (code, report) = soak(&["--steps", "300", "--threads", "3", "--seed", "5"]);
    assert!(code == 0 && report.ends_with("\n0 failures, 0 leaks\n"), "{report}");
    for engine in ["reference ", "cpu ", "kernel ", "c-abi ", "aclnn ", "aclnn-any "] {
        assert!(report.lines().any(|line| line.starts_with(engine)), "no {engine}in\n{report}");
    }
    let total = report.lines().find_map(|line| line.strip_prefix("total")).unwrap();
    let counts: Vec<u64> = total.split_whitespace().map(|count| count.parse().unwrap()).collect();
    assert!(counts.len() == 9 && counts.iter().all(|&count| count > 0), "{report}");
}

#[test]
fn the_same_seed_gives_the_same_calls() {
    let table =
        |seed, first, steps| soak(&["--steps", steps, "--threads", "2", "--seed", seed, "--first", first]).1;
    let soaked = table("8", "0", "40");
    assert_eq!(soaked, table("8", "0", "40"));
    assert_ne!(soaked, table("9", "0", "40"));
    assert_ne!(table("8", "3", "1"), table("8", "4", "1"));
}

#[test]
fn bad_options_are_told_on_one_line() {
    for (arguments, told) in [
        (&["soak", "--minutes", "ten"][..], "invalid value 'ten' for '--minutes <N>'"),
        (&["soak", "--minutes", "1", "--steps", "1"], "cannot be used with"),
        (&["soak", "--threads", "63"], "63 is not in 1..=62"),
    ] {
        let complaint = complaint(arguments);
        assert!(complaint.contains(told), "{arguments:?}: {complaint}");
    }
}

#[test]
fn there_is_a_step_however_short_the_time() {
    let (code, out, _) = conformance(&["soak", "--minutes", "1e-12", "--threads", "1"]);
    assert!(code == 0 && out.starts_with("soak: 1 steps from 0 "), "{out}");
}
