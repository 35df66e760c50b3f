//! The list of C functions.

use core::ffi::{CStr, c_void};

/// Calls a macro with the names of all C functions. Each is in [`c`](crate::c), and its prototype
/// in [`sys::prototypes`](crate::sys::prototypes).
///
/// The library that exports the functions under their C names uses this list.
#[macro_export]
macro_rules! for_each_name {
    ($($callback:tt)+) => {
        $($callback)+! {
            aclnnEmbeddingDenseBackward
            aclnnEmbeddingDenseBackwardGetWorkspaceSize
            aclnnGather
            aclnnGatherGetWorkspaceSize
            aclnnIndexAdd
            aclnnIndexAddGetWorkspaceSize
            aclnnIndexAddV2
            aclnnIndexAddV2GetWorkspaceSize
            aclnnIndexCopy
            aclnnIndexCopyGetWorkspaceSize
            aclnnIndexPutImpl
            aclnnIndexPutImplGetWorkspaceSize
            aclnnInplaceIndexCopy
            aclnnInplaceIndexCopyGetWorkspaceSize
            aclnnInplaceScatter
            aclnnInplaceScatterGetWorkspaceSize
            aclnnInplaceScatterReduce
            aclnnInplaceScatterReduceGetWorkspaceSize
            aclnnInplaceScatterUpdate
            aclnnInplaceScatterUpdateGetWorkspaceSize
            aclnnInplaceScatterValue
            aclnnInplaceScatterValueGetWorkspaceSize
            aclnnScatter
            aclnnScatterAdd
            aclnnScatterAddGetWorkspaceSize
            aclnnScatterGetWorkspaceSize
            aclnnScatterNd
            aclnnScatterNdGetWorkspaceSize
            aclnnScatterNdUpdate
            aclnnScatterNdUpdateGetWorkspaceSize
            aclnnScatterReduce
            aclnnScatterReduceGetWorkspaceSize
            aclnnScatterStreamStatus
            aclnnScatterValue
            aclnnScatterValueGetWorkspaceSize
            aclnnTfScatterAdd
            aclnnTfScatterAddGetWorkspaceSize
        }
    };
}

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
    for_each_name!(entries).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_of_the_headers_is_in_the_table() {
        let ours: Vec<&CStr> = table().map(|(name, _)| name).collect();
        let of_operators = |name: &&CStr| {
            name.to_bytes().starts_with(b"aclnn") && *name != c"aclnnInit" && *name != c"aclnnFinalize"
        };
        let declared: Vec<&CStr> = aclnn_sys::FUNCTIONS.into_iter().filter(of_operators).collect();
        assert_eq!(ours, declared);
    }
}
