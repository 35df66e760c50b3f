//! Numbers that the environment has for tests, such as how often they repeat something.

#![allow(dead_code, clippy::panic)]

/// The whole number in a variable, or `usual` where there is no such variable.
pub(crate) fn setting(name: &str, usual: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return usual };
    text.parse().unwrap_or_else(|_| panic!("{name}: expected a whole number, got {text:?}"))
}
