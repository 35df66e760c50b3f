//! What the developer commands lay out, as functions, so that tests of other packages lay out the
//! same.

pub mod device_kernels;
pub mod dist;
mod error;
mod folder;
pub mod host_toolkit;
mod libraries;
mod metadata;
mod names;
pub mod op_package;
mod stand_in;
mod target;
mod third_party;

pub use error::Error;
pub use libraries::{Build, Profile};
pub use metadata::metadata;
pub use stand_in::{kernels_on_streams, vendor_operators};
pub use target::Target;

use std::path::{Path, PathBuf};

/// The folder of the workspace.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}
