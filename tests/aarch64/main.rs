//! Nothing: the manifest says why.

fn main() {}
