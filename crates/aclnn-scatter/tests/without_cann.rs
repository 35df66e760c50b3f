//! A process in which no CANN is found.

use std::ptr::{null_mut, without_provenance_mut};

use aclnn_scatter::sys::Cann;
use aclnn_scatter::{c, take_error_message};

#[test]
fn every_call_says_what_is_missing() {
    aclnn_scatter::install(Cann::load_from("/no/such/libascendcl.so")).unwrap();
    let tensor = without_provenance_mut(0x1000);
    let (mut size, mut executor) = (0, null_mut());
    // SAFETY: without a CANN no handle is read.
    unsafe {
        let status =
            c::aclnnScatterAddGetWorkspaceSize(tensor, 0, tensor, tensor, tensor, &mut size, &mut executor);
        assert_eq!(status.0, 361_001);
        let message = take_error_message().unwrap();
        assert!(message.contains("self: aclGetDataType not found: /no/such/libascendcl.so"), "{message}");
        let status = c::aclnnScatterAddGetWorkspaceSize(
            null_mut(),
            0,
            tensor,
            tensor,
            tensor,
            &mut size,
            &mut executor,
        );
        assert_eq!(status.0, 161_001);
        assert_eq!(c::aclnnScatterAdd(null_mut(), 0, without_provenance_mut(0x20), null_mut()).0, 561_003);
        assert!(take_error_message().unwrap().contains("aclnnScatterAdd not found"));
    }
}
