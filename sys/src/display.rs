//! How codes and enumerations are shown.

use core::fmt;

/// `ACL_FLOAT (0)`, or `aclDataType 99` without a name.
pub(crate) fn value(f: &mut fmt::Formatter<'_>, kind: &str, name: Option<&str>, value: i64) -> fmt::Result {
    match name {
        Some(name) => write!(f, "{name} ({value})"),
        None => write!(f, "{kind} {value}"),
    }
}
