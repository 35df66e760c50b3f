//! Stand-ins for libraries that only an Ascend host has.

use std::path::PathBuf;

use crate::Error;
use crate::libraries::{self, Build, KERNELS, VENDOR};

/// Builds the kernels on the host model as a library that `ACLNN_SCATTER_KERNELS` may name, and
/// returns where it is. It launches them on streams, as a device library does; so what an operator
/// library does on a device can be tried without one (`HOST_CANN_EXTENSION=0`).
///
/// # Errors
/// The library can't be built.
pub fn kernels_on_streams(build: &Build) -> Result<PathBuf, Error> {
    let [library] = libraries::build([KERNELS], build)?;
    Ok(library)
}

/// Builds a stand-in for CANN's own operators, which counts its calls, and returns where it is. It
/// goes before host-cann's library in `ACLNN_LIBRARY_PATH`, and hides host-cann's extension from
/// others. `VENDOR_OPERATORS_CALLS` names the file for the counts.
///
/// # Errors
/// The library can't be built.
pub fn vendor_operators(build: &Build) -> Result<PathBuf, Error> {
    let [library] = libraries::build([VENDOR], build)?;
    Ok(library)
}
