//! The Rust examples of the repository's documents are tests of this package. They can't be tests
//! of the crates that they are about: a published package has no file outside its own folder.

#[cfg(doctest)]
mod examples {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/start.md")]
    struct Start;
    #[doc = include_str!("../../../docs/safe-api.md")]
    struct SafeApi;
}
