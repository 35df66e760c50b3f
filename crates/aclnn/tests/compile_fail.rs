//! What the types refuse. `TRYBUILD=overwrite cargo test -p aclnn --test compile_fail` writes what
//! the compiler says.

#[test]
fn what_must_not_compile_does_not() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
