//! The C functions: both phases of each pair of [`pairs`](crate::pairs), and the one that reports
//! an index out of range.

use aclnn_sys::{aclnnScatterStatusInfo, aclrtStream};

use crate::entry::{entries, entry};
use crate::phase_two::stream_errors;

crate::for_each_pair!([entries]);

entry! {
    /// Reports the first index out of range of a stream that the caller has synchronised, once.
    /// Returns 0 also when it reports one; then `info->code` is 161002.
    fn aclnnScatterStreamStatus(stream: aclrtStream, info: *mut aclnnScatterStatusInfo) => {
        // SAFETY: by this function's contract, `info` is null or can be written.
        unsafe { stream_errors::stream_status(stream, info) }
    }
}
