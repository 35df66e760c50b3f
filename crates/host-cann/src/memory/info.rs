//! Queries of memory.

use core::ffi::c_void;

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID, ACL_MEM_LOCATION_TYPE_DEVICE,
    ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_UNREGISTERED, ACL_RT_CMO_TYPE_FLUSH, aclrtCmoType,
    aclrtMemAttr, aclrtMemLocation, aclrtPtrAttributes, aclrtStream,
};

use super::span::Span;
use super::{Place, device_space, locate};
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::{context, stream};

/// Free and total bytes of the thread's device; all kinds of memory are the same here.
pub(crate) fn memory(kind: aclrtMemAttr, free: Out<usize>, total: Out<usize>) -> Fallible {
    let (free, total) = (free.required()?, total.required()?);
    ensure!(
        kind.0 <= aclnn_sys::ACL_MEM_P2P_HUGE1G.0,
        ACL_ERROR_RT_PARAM_INVALID,
        "memory attribute {} is unknown",
        kind.0
    );
    let device = context::current()?.device();
    let usage = device_space(device).map(super::Space::usage).ok_or_else(|| {
        failure!(aclnn_sys::ACL_ERROR_RT_MEMORY_ALLOCATION, "no addresses are left for device {device}")
    })?;
    free.put(usage.limit.saturating_sub(usage.used));
    total.put(usage.limit);
    Ok(())
}

/// Where an address lies.
pub(crate) fn pointer(pointer: *const c_void, attributes: Out<aclrtPtrAttributes>) -> Fallible {
    ensure!(!pointer.is_null(), ACL_ERROR_INVALID_PARAM, "ptr is null");
    let attributes = attributes.required()?;
    crate::process::check()?;
    let (kind, id) = match locate(pointer.addr()) {
        Place::Device(device, Some(_)) => (ACL_MEM_LOCATION_TYPE_DEVICE, device.unsigned_abs()),
        Place::Pinned(Some(_)) | Place::Registered(_) => (ACL_MEM_LOCATION_TYPE_HOST, 0),
        _ => (ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0),
    };
    let location = aclrtMemLocation { id, type_: kind };
    let page = u32::try_from(super::pages::page()).unwrap_or(0);
    attributes.put(aclrtPtrAttributes { location, pageSize: page, rsv: [0; 4] });
    Ok(())
}

/// Does something with a cache in a stream. There is none, so nothing is submitted; but the range
/// must be of the device.
pub(crate) fn cache_in_stream(
    memory: *mut c_void,
    size: usize,
    kind: aclrtCmoType,
    stream: aclrtStream,
) -> Fallible {
    ensure!(kind.0 <= ACL_RT_CMO_TYPE_FLUSH.0, ACL_ERROR_RT_PARAM_INVALID, "cmoType {} is unknown", kind.0);
    stream::of_current(stream, &*context::current()?)?;
    ensure!(!memory.is_null(), ACL_ERROR_INVALID_PARAM, "src is null");
    ensure!(size > 0, ACL_ERROR_INVALID_PARAM, "size is 0");
    let span = Span::new("src", memory, size)?;
    ensure!(span.side().is_device(), ACL_ERROR_RT_PARAM_INVALID, "src {memory:?} is {}", span.side());
    Ok(())
}
