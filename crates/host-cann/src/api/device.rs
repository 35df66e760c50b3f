//! Devices.

use aclnn_sys::{AclError, aclrtDevAttr, aclrtFloatOverflowMode};

use crate::entry::entry;
use crate::{device, version};

entry! {
    fn aclrtSetDevice(deviceId: i32) -> AclError => device::set(deviceId);
    fn aclrtResetDevice(deviceId: i32) -> AclError => device::reset(deviceId, false);
    fn aclrtResetDeviceForce(deviceId: i32) -> AclError => device::reset(deviceId, true);
    fn aclrtGetDevice(#[out] deviceId: *mut i32) -> AclError => device::current(deviceId);
    #[stateless]
    fn aclrtGetDeviceCount(#[out] count: *mut u32) -> AclError => device::count(count);
    fn aclrtSynchronizeDevice() -> AclError => device::synchronize(-1);
    fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> AclError => device::synchronize(timeout);
    fn aclrtDeviceTaskAbort(deviceId: i32, _timeout: u32) -> AclError => device::abort(deviceId);
    fn aclrtGetDeviceInfo(deviceId: u32, attr: aclrtDevAttr, #[out] value: *mut i64)
        -> AclError => device::describe(deviceId, attr, value);
    fn aclrtGetDeviceSatMode(#[out] mode: *mut aclrtFloatOverflowMode) -> AclError => version::saturation(mode);
    fn aclrtSetDeviceSatMode(mode: aclrtFloatOverflowMode) -> AclError => version::set_saturation(mode);
    fn aclrtDeviceCanAccessPeer(#[out] canAccessPeer: *mut i32, deviceId: i32, peerDeviceId: i32)
        -> AclError => device::can_access(canAccessPeer, deviceId, peerDeviceId);
    fn aclrtDeviceEnablePeerAccess(peerDeviceId: i32, flags: u32)
        -> AclError => device::enable_peer(peerDeviceId, flags);
    fn aclrtDeviceDisablePeerAccess(peerDeviceId: i32) -> AclError => device::disable_peer(peerDeviceId);
}
