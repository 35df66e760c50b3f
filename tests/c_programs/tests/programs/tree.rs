//! The host toolkit tree that the programs are compiled against.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use xtask::host_toolkit;

use crate::machine;

/// Cargo's folder for files of tests, or a folder in it for another machine.
pub(crate) fn temporary() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let own = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let Some(target) = machine::target() else { return own };
        let folder = own.join(target.triple());
        std::fs::create_dir_all(&folder).unwrap();
        folder
    });
    &FOLDER
}

/// The path of the tree, which is laid out once.
pub(crate) fn path() -> &'static Path {
    static TREE: LazyLock<PathBuf> = LazyLock::new(|| {
        let tree = temporary().join("host-toolkit");
        host_toolkit::run(&tree, &machine::build()).unwrap();
        tree
    });
    &TREE
}
