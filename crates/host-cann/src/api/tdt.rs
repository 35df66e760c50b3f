//! Channels from devices to the host.

use core::ffi::c_char;

use aclnn_sys::{ACL_ERROR_RT_QUEUE_EMPTY, AclError, acltdtChannelHandle, acltdtDataset};

use crate::entry::{call, entry};
use crate::tdt;

entry! {
    fn acltdtCreateChannelWithCapacity(deviceId: u32, name: *const c_char, _capacity: usize)
        -> *mut acltdtChannelHandle => {
        // SAFETY: by the function's contract the name is null or a text.
        unsafe { tdt::create(deviceId, name) }
    };
    fn acltdtDestroyChannel(handle: *mut acltdtChannelHandle) -> AclError => tdt::destroy(handle);
    fn acltdtQueryChannelSize(handle: *const acltdtChannelHandle, #[out] size: *mut usize)
        -> AclError => tdt::size(handle, size);
    fn acltdtCreateDataset() -> *mut acltdtDataset => tdt::create_dataset();
    fn acltdtDestroyDataset(dataset: *mut acltdtDataset) -> AclError => tdt::destroy_dataset(dataset);
}

/// [`acltdtReceiveTensor`](aclnn_sys::Cann::acltdtReceiveTensor) on the CPU. That nothing came is
/// no failure, and leaves no message, as in CANN.
///
/// # Safety
/// Handles may have any value.
#[allow(non_snake_case)]
pub unsafe extern "C" fn acltdtReceiveTensor(
    handle: *const acltdtChannelHandle,
    dataset: *mut acltdtDataset,
    timeout: i32,
) -> AclError {
    let waited: AclError = call("acltdtReceiveTensor", || tdt::wait(handle, dataset, timeout));
    if waited.is_success() { ACL_ERROR_RT_QUEUE_EMPTY } else { waited }
}
const _: aclnn_sys::prototypes::acltdtReceiveTensor = acltdtReceiveTensor;
