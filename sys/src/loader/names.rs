//! The names of CANN's libraries. The build script reads this file, too.

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
