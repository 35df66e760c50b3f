//! The runtime's own versions and properties.

use core::ffi::{CStr, c_char};
use std::path::PathBuf;

use aclnn_sys::{
    ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_JIT_COMPILE, ACL_DEVICE_INFO_AI_CORE_NUM,
    ACL_DEVICE_INFO_L2_SIZE, ACL_DEVICE_INFO_VECTOR_CORE_NUM, ACL_ERROR_INVALID_FILE,
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_MAJOR_VERSION, ACL_MINOR_VERSION,
    ACL_PATCH_VERSION, ACL_PKG_NAME_CANN, ACL_PKG_NAME_COMPILER, ACL_PKG_NAME_DRIVER, ACL_PKG_NAME_HCCL,
    ACL_PKG_NAME_OPP, ACL_PKG_NAME_OPP_KERNEL, ACL_PKG_NAME_RUNTIME, ACL_PKG_NAME_TOOLKIT,
    ACL_PKG_VERSION_MAX_SIZE, ACL_RT_OVERFLOW_MODE_INFNAN, aclCANNPackageName, aclCANNPackageVersion,
    aclCannAttr, aclrtFloatOverflowMode,
};

use crate::entry::{Out, Place};
use crate::failure::{Fallible, ensure, failure};
use crate::{device, process};

/// The version of the ABI that the headers describe.
pub(crate) fn abi(major: Out<i32>, minor: Out<i32>, patch: Out<i32>) -> Fallible {
    let versions = [ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION];
    let places = [major.required()?, minor.required()?, patch.required()?];
    for (place, version) in places.into_iter().zip(versions) {
        place.put(i32::try_from(version).unwrap_or(i32::MAX));
    }
    Ok(())
}

/// The version of a part of the CANN installation that `ASCEND_HOME_PATH` names, read as CANN reads
/// it. Without an installation there is none: host-cann itself has no version of CANN.
///
/// Where it fails, texts are empty: torch_npu doesn't ask whether it failed before it prints them.
pub(crate) fn package(name: aclCANNPackageName, version: Out<aclCANNPackageVersion>) -> Fallible {
    let version = version.required()?;
    let found = known_package(name);
    let texts = found.as_ref().map_or_else(|_| <[String; 5]>::default(), Clone::clone);
    let [text, major, minor, release, patch] = texts;
    version.put(aclCANNPackageVersion {
        version: array(&text),
        majorVersion: array(&major),
        minorVersion: array(&minor),
        releaseVersion: array(&release),
        patchVersion: array(&patch),
        reserved: [0; 128],
    });
    found.map(drop)
}

/// The version of a package, and its four parts.
fn known_package(name: aclCANNPackageName) -> Fallible<[String; 5]> {
    let folder = match name {
        ACL_PKG_NAME_CANN | ACL_PKG_NAME_RUNTIME => "runtime",
        ACL_PKG_NAME_COMPILER => "bisheng-compiler",
        ACL_PKG_NAME_HCCL => "hccl",
        ACL_PKG_NAME_TOOLKIT => "oam-tools",
        ACL_PKG_NAME_OPP | ACL_PKG_NAME_OPP_KERNEL => "ops-legacy",
        ACL_PKG_NAME_DRIVER => return Err(failure!(ACL_ERROR_INVALID_FILE, "there is no driver")),
        other => return Err(failure!(ACL_ERROR_INVALID_PARAM, "package {} is unknown", other.0)),
    };
    let text = read(folder)?.replacen('-', ".", 1);
    let mut parts = text.splitn(4, '.').map(str::to_owned);
    let (Some(major), Some(minor)) = (parts.next(), parts.next()) else {
        return Err(failure!(ACL_ERROR_INVALID_FILE, "version {text:?} of {folder} has no two parts"));
    };
    let mut next = || parts.next().unwrap_or_else(|| "0".to_owned());
    let (release, patch) = (next(), next());
    Ok([text, major, minor, release, patch])
}

/// As [`package`], as text, for a package by its folder's name.
///
/// # Safety
/// The name is null or a text with a NUL behind it; the text is null or has room for
/// `ACL_PKG_VERSION_MAX_SIZE` bytes.
pub(crate) unsafe fn text(name: *const c_char, text: *mut c_char) -> Fallible {
    ensure!(!text.is_null(), ACL_ERROR_INVALID_PARAM, "versionStr is null");
    ensure!(!name.is_null(), ACL_ERROR_INVALID_PARAM, "pkgName is null");
    // SAFETY: the name is not null, and has a NUL behind it.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    ensure!(!name.contains(['/', '.']), ACL_ERROR_INVALID_PARAM, "pkgName {name:?} is not a package's name");
    let version: [c_char; ACL_PKG_VERSION_MAX_SIZE as usize] = array(&read(&name)?);
    // SAFETY: the text is not null, and has room for `ACL_PKG_VERSION_MAX_SIZE` bytes.
    unsafe { text.cast::<[c_char; ACL_PKG_VERSION_MAX_SIZE as usize]>().write(version) };
    Ok(())
}

fn read(package: &str) -> Fallible<String> {
    let home = std::env::var_os("ASCEND_HOME_PATH").ok_or_else(|| {
        failure!(
            ACL_ERROR_INVALID_FILE,
            "host-cann is not an installed CANN; ASCEND_HOME_PATH names none either"
        )
    })?;
    let path: PathBuf = [home.as_os_str(), "share/info".as_ref(), package.as_ref(), "version.info".as_ref()]
        .into_iter()
        .collect();
    let content = std::fs::read_to_string(&path)
        .map_err(|problem| failure!(ACL_ERROR_INVALID_FILE, "{}: {problem}", path.display()))?;
    let version =
        content.lines().find_map(|line| line.split_once("Version=")).map(|(_, version)| version.trim());
    let version = version.filter(|version| !version.is_empty());
    let missing = || failure!(ACL_ERROR_INVALID_FILE, "{} has no line Version=", path.display());
    version.map(str::to_owned).ok_or_else(missing)
}

/// Text in a fixed number of bytes, truncated so that a NUL is behind it.
fn array<const N: usize>(text: &str) -> [c_char; N] {
    let mut bytes = [0; N];
    for (byte, letter) in bytes.iter_mut().take(N - 1).zip(text.bytes()) {
        *byte = letter as c_char;
    }
    bytes
}

/// The name of the chip.
pub(crate) fn soc() -> *const c_char {
    crate::config::soc().as_ptr()
}

static ATTRIBUTES: [(aclCannAttr, i32); 3] =
    [(ACL_CANN_ATTR_INF_NAN, 1), (ACL_CANN_ATTR_BF16, 1), (ACL_CANN_ATTR_JIT_COMPILE, 0)];
static SUPPORTED: [aclCannAttr; 2] = [ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16];

/// The properties of this CANN.
pub(crate) fn attributes(list: Out<*const aclCannAttr>, count: Out<usize>) -> Fallible {
    let (list, count): (Place<_>, Place<_>) = (list.required()?, count.required()?);
    list.put(SUPPORTED.as_ptr());
    count.put(SUPPORTED.len());
    Ok(())
}

/// Whether this CANN has a property.
pub(crate) fn attribute(attribute: aclCannAttr, value: Out<i32>) -> Fallible {
    let value = value.required()?;
    let found = ATTRIBUTES.iter().find(|(known, _)| *known == attribute);
    let (_, has) = found
        .ok_or_else(|| failure!(ACL_ERROR_INVALID_PARAM, "attribute {} of CANN is unknown", attribute.0))?;
    value.put(*has);
    Ok(())
}

/// How many units of an NPU a device has, and their memory: none, for there is no NPU. That is not
/// refused: after an error clients (torch_npu's `get_device_properties`) would use their own memory
/// uninitialised.
pub(crate) fn capability(device: u32, kind: aclnn_sys::aclDeviceInfo, value: Out<i64>) -> Fallible {
    let value = value.required()?;
    device::check(i32::try_from(device).unwrap_or(i32::MAX))?;
    let known = [ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM, ACL_DEVICE_INFO_L2_SIZE];
    ensure!(known.contains(&kind), ACL_ERROR_INVALID_PARAM, "property {} of a device is unknown", kind.0);
    value.put(0);
    Ok(())
}

/// Returns that infinities and NaNs are kept. The mode is the process's: no device need be set.
pub(crate) fn saturation(mode: Out<aclrtFloatOverflowMode>) -> Fallible {
    let mode = mode.required()?;
    process::start()?;
    mode.put(ACL_RT_OVERFLOW_MODE_INFNAN);
    Ok(())
}

/// Refuses any mode in which infinities and NaNs aren't kept. A program may begin with it.
pub(crate) fn set_saturation(mode: aclrtFloatOverflowMode) -> Fallible {
    process::start()?;
    ensure!(
        mode == ACL_RT_OVERFLOW_MODE_INFNAN,
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "overflow mode {} is not supported: the CPU keeps infinities and NaNs",
        mode.0
    );
    Ok(())
}
