//! Memory.

use core::ffi::c_void;

use aclnn_sys::{
    AclError, aclrtDrvMemHandle, aclrtHostRegisterType, aclrtMallocConfig, aclrtMemAttr,
    aclrtMemGranularityOptions, aclrtMemMallocPolicy, aclrtMemcpyKind, aclrtPhysicalMemProp,
    aclrtPtrAttributes, aclrtStream,
};

use crate::entry::entry;
use crate::memory::allocate::{self, Padding};
use crate::memory::{copy, info, mapping, register, set};

entry! {
    fn aclrtMalloc(#[out] devPtr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy)
        -> AclError => allocate::malloc(devPtr, size, policy, Padding::Usual);
    fn aclrtMallocAlign32(#[out] devPtr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy)
        -> AclError => allocate::malloc(devPtr, size, policy, Padding::Rounded);
    fn aclrtMallocHost(#[out] hostPtr: *mut *mut c_void, size: usize)
        -> AclError => allocate::malloc_host(hostPtr, size);
    fn aclrtMallocHostWithCfg(#[out] ptr: *mut *mut c_void, size: u64, cfg: *mut aclrtMallocConfig) -> AclError => {
        // SAFETY: by the function's contract the configuration is null or valid.
        unsafe { allocate::malloc_host_with(ptr, size, cfg) }
    };
    fn aclrtFree(devPtr: *mut c_void) -> AclError => allocate::free(devPtr, false);
    fn aclrtFreeWithDevSync(devPtr: *mut c_void) -> AclError => allocate::free(devPtr, true);
    fn aclrtFreeHost(hostPtr: *mut c_void) -> AclError => allocate::free_host(hostPtr);
    fn aclrtGetMemInfo(attr: aclrtMemAttr, #[out] free: *mut usize, #[out] total: *mut usize)
        -> AclError => info::memory(attr, free, total);
    fn aclrtPointerGetAttributes(ptr: *const c_void, #[out] attributes: *mut aclrtPtrAttributes)
        -> AclError => info::pointer(ptr, attributes);
    fn aclrtHostRegister(
        ptr: *mut c_void,
        size: u64,
        type_: aclrtHostRegisterType,
        #[out] devPtr: *mut *mut c_void,
    ) -> AclError => register::register(ptr, size, type_, devPtr);
    fn aclrtHostUnregister(ptr: *mut c_void) -> AclError => register::unregister(ptr);
    fn aclrtMemcpy(dst: *mut c_void, destMax: usize, src: *const c_void, count: usize, kind: aclrtMemcpyKind)
        -> AclError => copy::line(dst, destMax, src, count, kind, None);
    fn aclrtMemcpyAsync(
        dst: *mut c_void,
        destMax: usize,
        src: *const c_void,
        count: usize,
        kind: aclrtMemcpyKind,
        stream: aclrtStream,
    ) -> AclError => copy::line(dst, destMax, src, count, kind, Some(stream));
    fn aclrtMemcpyAsyncWithCondition(
        dst: *mut c_void,
        destMax: usize,
        src: *const c_void,
        count: usize,
        kind: aclrtMemcpyKind,
        stream: aclrtStream,
    ) -> AclError => copy::pinned_line(dst, destMax, src, count, kind, stream);
    fn aclrtMemcpy2d(
        dst: *mut c_void,
        dpitch: usize,
        src: *const c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: aclrtMemcpyKind,
    ) -> AclError => copy::rectangle((dst, dpitch), (src, spitch), width, height, kind, None);
    fn aclrtMemcpy2dAsync(
        dst: *mut c_void,
        dpitch: usize,
        src: *const c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: aclrtMemcpyKind,
        stream: aclrtStream,
    ) -> AclError => copy::rectangle((dst, dpitch), (src, spitch), width, height, kind, Some(stream));
    fn aclrtMemset(devPtr: *mut c_void, maxCount: usize, value: i32, count: usize)
        -> AclError => set::fill(devPtr, maxCount, value, count, None);
    fn aclrtMemsetAsync(devPtr: *mut c_void, maxCount: usize, value: i32, count: usize, stream: aclrtStream)
        -> AclError => set::fill(devPtr, maxCount, value, count, Some(stream));
    fn aclrtMemGetAllocationGranularity(
        prop: *mut aclrtPhysicalMemProp,
        option: aclrtMemGranularityOptions,
        #[out] granularity: *mut usize,
    ) -> AclError => {
        // SAFETY: by the function's contract the properties are null or valid.
        unsafe { mapping::granularity(prop, option, granularity) }
    };
    fn aclrtMallocPhysical(
        #[out] handle: *mut aclrtDrvMemHandle,
        size: usize,
        prop: *const aclrtPhysicalMemProp,
        flags: u64,
    ) -> AclError => {
        // SAFETY: by the function's contract the properties are null or valid.
        unsafe { mapping::allocate(handle, size, prop, flags) }
    };
    fn aclrtFreePhysical(handle: aclrtDrvMemHandle) -> AclError => mapping::free(handle);
    fn aclrtReserveMemAddress(
        #[out] virPtr: *mut *mut c_void,
        size: usize,
        alignment: usize,
        expectPtr: *mut c_void,
        flags: u64,
    ) -> AclError => mapping::reserve(virPtr, size, alignment, expectPtr, flags);
    fn aclrtReleaseMemAddress(virPtr: *mut c_void) -> AclError => mapping::release(virPtr);
    fn aclrtMapMem(virPtr: *mut c_void, size: usize, offset: usize, handle: aclrtDrvMemHandle, flags: u64)
        -> AclError => mapping::map(virPtr, size, offset, handle, flags);
    fn aclrtUnmapMem(virPtr: *mut c_void) -> AclError => mapping::unmap(virPtr);
}
