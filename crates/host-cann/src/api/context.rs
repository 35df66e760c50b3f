//! Contexts.

use aclnn_sys::{AclError, aclSysParamOpt, aclrtContext, aclrtStream};

use crate::entry::entry;
use crate::{context, device, params};

entry! {
    fn aclrtCreateContext(#[out] context: *mut aclrtContext, deviceId: i32)
        -> AclError => context::create(context, deviceId);
    fn aclrtDestroyContext(context: aclrtContext) -> AclError => context::destroy(context);
    fn aclrtSetCurrentContext(context: aclrtContext) -> AclError => context::set_current(context);
    fn aclrtGetCurrentContext(#[out] context: *mut aclrtContext) -> AclError => context::get_current(context);
    fn aclrtGetPrimaryCtxState(deviceId: i32, #[out] flags: *mut u32, #[out] active: *mut i32)
        -> AclError => device::primary_state(deviceId, flags, active);
    fn aclrtCtxGetCurrentDefaultStream(#[out] stream: *mut aclrtStream)
        -> AclError => context::get_default_stream(stream);
    fn aclrtCtxSetSysParamOpt(opt: aclSysParamOpt, value: i64) -> AclError => params::set_of_context(opt, value);
    fn aclrtCtxGetSysParamOpt(opt: aclSysParamOpt, #[out] value: *mut i64)
        -> AclError => params::get_of_context(opt, value);
}
