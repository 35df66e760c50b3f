//! Stand-ins for what only an Ascend host has.

use std::path::PathBuf;

use crate::Error;
use crate::libraries::{self, Build, KERNELS, VENDOR};

/// Builds the kernels on the host model as a library that `ACLNN_SCATTER_KERNELS` may name, and
/// tells where it is. It launches them on streams, as a device library does; so the path of an
/// operator library on a device can be tried where there is none (`HOST_CANN_EXTENSION=0`).
///
/// # Errors
/// The library can't be built.
pub fn kernels_on_streams(build: &Build) -> Result<PathBuf, Error> {
    let [library] = libraries::build([KERNELS], build)?;
    Ok(library)
}

/// Builds a stand-in for CANN's own operators, which counts its calls, and tells where it is. It
/// belongs before host-cann's library in `ACLNN_LIBRARY_PATH`, and hides host-cann's extension from
/// others. `VENDOR_OPERATORS_CALLS` names the file for the counts.
///
/// # Errors
/// The library can't be built.
pub fn vendor_operators(build: &Build) -> Result<PathBuf, Error> {
    let [library] = libraries::build([VENDOR], build)?;
    Ok(library)
}
