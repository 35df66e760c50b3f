//! The list of C functions.

use core::ffi::{CStr, c_void};

macro_rules! entries {
    ($($name:ident)*) => {
        [$((
            crate::function::symbol!($name),
            crate::api::$name as aclnn_sys::prototypes::$name as *const c_void,
        )),*]
    };
}

/// The C functions with their names, for [`Cann::from_table`](crate::sys::Cann::from_table), which
/// then treats them as CANN's.
pub fn table() -> impl Iterator<Item = (&'static CStr, *const c_void)> {
    crate::for_each_name!(entries).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_of_the_headers_is_in_the_table() {
        let mut ours: Vec<&CStr> = table().map(|(name, _)| name).collect();
        ours.sort_unstable();
        let of_operators = |name: &&CStr| {
            name.to_bytes().starts_with(b"aclnn") && *name != c"aclnnInit" && *name != c"aclnnFinalize"
        };
        let declared: Vec<&CStr> = aclnn_sys::FUNCTIONS.into_iter().filter(of_operators).collect();
        assert_eq!(ours, declared);
    }
}
