//! The host toolkit tree that the programs are compiled against.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use xtask::host_toolkit;

use crate::machine;

/// Cargo's folder for what tests write.
pub(crate) fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The tree, laid out once.
pub(crate) fn path() -> &'static Path {
    static TREE: LazyLock<PathBuf> = LazyLock::new(|| {
        let tree = temporary().join("host-toolkit");
        host_toolkit::run(&tree, &machine::build()).unwrap();
        tree
    });
    &TREE
}
