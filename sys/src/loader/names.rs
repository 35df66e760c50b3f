//! What CANN's libraries are called, and which of them a folder has. The build script uses this
//! file, too.

use std::path::Path;

/// The variables that name the folder of an install, the first that counts first.
pub(crate) const HOMES: [&str; 2] = ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"];

/// The libraries that hold the functions of these headers, in the order in which they are searched.
/// The runtime's newer name comes before its older one, and so do the operators' names.
pub(crate) const LIBRARIES: [&str; 8] = [
    "libacl_rt.so",
    "libascendcl.so",
    "libnnopbase.so",
    NEWER[0],
    NEWER[1],
    OLDER,
    "libacl_op_compiler.so",
    "libacl_tdt_channel.so",
];

/// The operators' libraries since CANN 8.5, and the one before that; of an installation that has
/// both only the newer are used.
pub(crate) const NEWER: [&str; 2] = ["libopapi_nn.so", "libopapi_math.so"];
pub(crate) const OLDER: &str = "libopapi.so";

/// The names of CANN's libraries that are files of a folder.
pub(crate) fn among(folder: &Path) -> Vec<&'static str> {
    let mut found = LIBRARIES.to_vec();
    found.retain(|name| folder.join(name).is_file());
    if found.contains(&NEWER[0]) {
        found.retain(|name| *name != OLDER);
    }
    found
}
