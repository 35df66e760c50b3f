//! Empty, for cargo wants a target. Cargo.toml says what the package is for.

fn main() {}
