//! The process, its settings and what is known of CANN.

use core::ffi::c_char;

use aclnn_sys::{
    AclError, AclnnStatus, aclCANNPackageName, aclCANNPackageVersion, aclCannAttr, aclDataType,
    aclDeviceInfo, aclFloat16, aclSysParamOpt, aclrtLastErrLevel, aclrtRunMode,
};

use crate::entry::entry;
use crate::{errors, meta, params, process, version};

entry! {
    // SAFETY: by the function's contract the path is null or a text.
    fn aclInit(configPath: *const c_char) -> AclError => unsafe { process::init(configPath) };
    fn aclFinalize() -> AclError => process::finalize();
    fn aclFinalizeReference(#[out] refCount: *mut u64) -> AclError => process::finalize_reference(refCount);
    // SAFETY: by the function's contract the path is null or a text.
    fn aclnnInit(configPath: *const c_char) -> AclnnStatus => unsafe { process::init_operators(configPath) };
    #[stateless]
    fn aclnnFinalize() -> AclnnStatus => Ok(());
    #[stateless]
    fn aclrtGetVersion(#[out] majorVersion: *mut i32, #[out] minorVersion: *mut i32, #[out] patchVersion: *mut i32)
        -> AclError => version::abi(majorVersion, minorVersion, patchVersion);
    #[stateless]
    fn aclsysGetCANNVersion(name: aclCANNPackageName, #[out] version: *mut aclCANNPackageVersion)
        -> AclError => version::package(name, version);
    #[stateless]
    fn aclsysGetVersionStr(pkgName: *mut c_char, versionStr: *mut c_char) -> AclError => {
        // SAFETY: by the function's contract the name is a text, and the version has room.
        unsafe { version::text(pkgName, versionStr) }
    };
    #[stateless]
    fn aclGetRecentErrMsg() -> *const c_char => Ok(errors::take_messages());
    fn aclrtSetSysParamOpt(opt: aclSysParamOpt, value: i64) -> AclError => params::set(opt, value);
    fn aclrtGetSysParamOpt(opt: aclSysParamOpt, #[out] value: *mut i64) -> AclError => params::get(opt, value);
    #[stateless]
    fn aclrtGetSocName() -> *const c_char => Ok(version::soc());
    #[stateless]
    fn aclGetCannAttributeList(#[out] cannAttrList: *mut *const aclCannAttr, #[out] num: *mut usize)
        -> AclError => version::attributes(cannAttrList, num);
    #[stateless]
    fn aclGetCannAttribute(cannAttr: aclCannAttr, #[out] value: *mut i32)
        -> AclError => version::attribute(cannAttr, value);
    fn aclGetDeviceCapability(deviceId: u32, deviceInfo: aclDeviceInfo, #[out] value: *mut i64)
        -> AclError => version::capability(deviceId, deviceInfo, value);
    #[stateless]
    fn aclFloat16ToFloat(value: aclFloat16) -> f32 => Ok(half::f16::from_bits(value).to_f32());
    #[stateless]
    fn aclFloatToFloat16(value: f32) -> aclFloat16 => Ok(half::f16::from_f32(value).to_bits());
    #[stateless]
    fn aclDataTypeSize(dataType: aclDataType) -> usize => Ok(meta::tensor::element_size(dataType));
    #[stateless]
    fn aclrtGetRunMode(#[out] runMode: *mut aclrtRunMode) -> AclError => {
        runMode.required()?.put(aclnn_sys::ACL_HOST);
        Ok(())
    };
}

/// These two return an earlier failure and don't fail themselves, so what they return is not noted
/// as a new failure.
macro_rules! last_error {
    ($($name:ident, $forget:literal;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`](aclnn_sys::Cann::", stringify!($name), ") on the CPU.")]
        ///
        /// # Safety
        /// Any level may be passed.
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $name(level: aclrtLastErrLevel) -> AclError {
            let mut last = AclError::SUCCESS;
            let asked: AclError = crate::entry::call_stateless(stringify!($name), || {
                last = errors::last(level, $forget)?;
                Ok(())
            });
            if asked.is_success() { last } else { asked }
        }
        const _: aclnn_sys::prototypes::$name = $name;
    )*};
}

last_error! {
    aclrtGetLastError, true;
    aclrtPeekAtLastError, false;
}
