//! The stand-in for the device library of the kernels.

use std::path::PathBuf;

use crate::Error;
use crate::libraries::{self, Build, KERNELS};

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
