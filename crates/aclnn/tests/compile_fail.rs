//! Programs that must not compile. `TRYBUILD=overwrite cargo test -p aclnn --test compile_fail`
//! rewrites the expected messages of the compiler.

/// What trybuild (1.0.122) passes to rustc. It leaves the last one out when it compiles the
/// dependencies, so that cargo compiles them a second time with it.
const RUSTFLAGS: &str = "--cfg trybuild --verbose -A dead_code --diagnostic-width=140";

#[test]
fn what_must_not_compile_does_not() {
    // SAFETY: no other thread reads or writes the environment: this is the only test here, and the
    // thread that started it waits for it.
    unsafe { std::env::set_var("CARGO_ENCODED_RUSTFLAGS", RUSTFLAGS.replace(' ', "\u{1f}")) }
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
