//! Programs that must not compile. `TRYBUILD=overwrite cargo test -p aclnn --test compile_fail`
//! rewrites the expected messages of the compiler.

#[test]
fn what_must_not_compile_does_not() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
