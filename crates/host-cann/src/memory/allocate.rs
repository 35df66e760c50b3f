//! Allocating and freeing.

use core::ffi::c_void;

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_MEMORY_ALLOCATION,
    ACL_ERROR_RT_MEMORY_FREE, ACL_ERROR_RT_PARAM_INVALID, ACL_MEM_MALLOC_HUGE1G_ONLY,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P, ACL_RT_MEM_ATTR_DEVICE_ID, ACL_RT_MEM_ATTR_MODULE_ID,
    ACL_RT_MEM_ATTR_RSV, aclrtMallocConfig, aclrtMemMallocPolicy,
};

use super::{Place, Space, address, device_space, locate, pinned_space};
use crate::entry::Out;
use crate::failure::{Failure, Fallible, ensure, failure};
use crate::fault::{self, Action};
use crate::{context, device};

/// Sizes are rounded up to this, and most functions add as much again.
const UNIT: usize = 32;

/// What is added to a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    /// Nothing but what rounding up adds.
    Rounded,
    /// 32 bytes more; not for memory of 1 GiB pages.
    Usual,
}

/// Allocates memory of the thread's device.
pub(crate) fn malloc(
    out: Out<*mut c_void>,
    size: usize,
    policy: aclrtMemMallocPolicy,
    padding: Padding,
) -> Fallible {
    let out = out.required()?;
    let large_pages = [ACL_MEM_MALLOC_HUGE1G_ONLY, ACL_MEM_MALLOC_HUGE1G_ONLY_P2P].contains(&policy);
    let more = if padding == Padding::Usual && !large_pages { UNIT } else { 0 };
    let padded = padded(size, more)?;
    fault::before(Action::Allocation)?;
    let device = context::current()?.device();
    let space = device_space(device);
    out.put(allocate(space, size, padded, &format_args!("device {device}"))?);
    Ok(())
}

/// Allocates pinned memory of the host.
pub(crate) fn malloc_host(out: Out<*mut c_void>, size: usize) -> Fallible {
    let out = out.required()?;
    let padded = padded(size, 0)?;
    fault::before(Action::Allocation)?;
    context::current()?;
    out.put(allocate(pinned_space(), size, padded, &"pinned host memory")?);
    Ok(())
}

/// Allocates pinned memory of the host with attributes.
///
/// # Safety
/// The configuration is null or valid, with as many attributes as it says.
pub(crate) unsafe fn malloc_host_with(
    out: Out<*mut c_void>,
    size: u64,
    config: *const aclrtMallocConfig,
) -> Fallible {
    // SAFETY: the configuration is null or valid, with as many attributes as it says.
    unsafe { check_config(config) }?;
    malloc_host(out, usize::try_from(size).unwrap_or(usize::MAX))
}

/// Refuses attributes that would have an effect here.
unsafe fn check_config(config: *const aclrtMallocConfig) -> Fallible {
    // SAFETY: the configuration is null or valid.
    let Some(config) = (unsafe { config.as_ref() }) else { return Ok(()) };
    ensure!(
        config.numAttrs == 0 || !config.attrs.is_null(),
        ACL_ERROR_INVALID_PARAM,
        "cfg->attrs is null, but cfg->numAttrs is {}",
        config.numAttrs
    );
    for index in 0..config.numAttrs {
        // SAFETY: the configuration has `numAttrs` attributes.
        let attribute = unsafe { &*config.attrs.add(index) };
        match attribute.attr {
            ACL_RT_MEM_ATTR_RSV | ACL_RT_MEM_ATTR_MODULE_ID => {}
            ACL_RT_MEM_ATTR_DEVICE_ID => {
                // SAFETY: this attribute says that the field is the device.
                let wanted = unsafe { attribute.value.deviceId };
                let current = context::current()?.device();
                ensure!(
                    i32::try_from(wanted) == Ok(current),
                    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "memory of device {wanted} can't be allocated in a context of device {current}"
                );
            }
            other => {
                return Err(failure!(
                    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "attribute {} of an allocation is not supported",
                    other.0
                ));
            }
        }
    }
    Ok(())
}

fn padded(size: usize, more: usize) -> Fallible<usize> {
    ensure!(size > 0, ACL_ERROR_INVALID_PARAM, "size is 0");
    let padded = size.checked_next_multiple_of(UNIT).and_then(|size| size.checked_add(more));
    padded.ok_or_else(|| failure!(ACL_ERROR_INVALID_PARAM, "size {size} is too large"))
}

fn allocate(
    space: Option<&'static Space>,
    size: usize,
    padded: usize,
    whose: &dyn core::fmt::Display,
) -> Fallible<*mut c_void> {
    let out_of_memory = |used: usize, limit: usize| -> Failure<_> {
        failure!(
            ACL_ERROR_RT_MEMORY_ALLOCATION,
            "{size} bytes can't be had from {whose}: {used} of {limit} bytes are in use"
        )
    };
    let Some(space) = space else { return Err(out_of_memory(0, 0)) };
    space.allocate(size, padded).map(address).ok_or_else(|| {
        let usage = space.usage();
        out_of_memory(usage.used, usage.limit)
    })
}

/// Frees memory of a device.
pub(crate) fn free(memory: *mut c_void, wait: bool) -> Fallible {
    ensure!(!memory.is_null(), ACL_ERROR_INVALID_PARAM, "devPtr is null");
    crate::process::check()?;
    let device = match locate(memory.addr()) {
        Place::Device(device, _) => device,
        Place::Pinned(_) => {
            return Err(failure!(
                ACL_ERROR_RT_PARAM_INVALID,
                "devPtr {memory:?} is pinned host memory, which aclrtFreeHost frees"
            ));
        }
        _ => return Err(failure!(ACL_ERROR_RT_PARAM_INVALID, "devPtr {memory:?} is not memory of a device")),
    };
    if wait {
        device::wait(device, None)?;
    }
    release(device_space(device), memory, "devPtr")
}

/// Frees pinned memory of the host; with `wait` after the device's work is done.
pub(crate) fn free_host(memory: *mut c_void) -> Fallible {
    ensure!(!memory.is_null(), ACL_ERROR_INVALID_PARAM, "hostPtr is null");
    crate::process::check()?;
    ensure!(
        matches!(locate(memory.addr()), Place::Pinned(_)),
        ACL_ERROR_RT_PARAM_INVALID,
        "hostPtr {memory:?} is not memory of aclrtMallocHost"
    );
    release(pinned_space(), memory, "hostPtr")
}

fn release(space: Option<&'static Space>, memory: *mut c_void, name: &str) -> Fallible {
    let block = space.and_then(|space| space.release(memory.addr()));
    let block = block.ok_or_else(|| {
        failure!(
            ACL_ERROR_RT_PARAM_INVALID,
            "{name} {memory:?} is not the beginning of a living allocation: it was freed before, or lies inside of one"
        )
    })?;
    match block.damage() {
        None => Ok(()),
        Some(place) => Err(failure!(
            ACL_ERROR_RT_MEMORY_FREE,
            "{} bytes at {memory:?}: something has written to {place:#x}, outside of the allocation; it is freed all the same",
            block.len
        )),
    }
}
