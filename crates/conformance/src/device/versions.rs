//! What the installed CANN reports about itself and the device.

use core::ffi::{CStr, c_char};
use std::path::PathBuf;

use aclnn_sys::{
    ACL_DEV_ATTR_AICORE_CORE_NUM, ACL_DEV_ATTR_L2_CACHE_SIZE, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE,
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, ACL_DEV_ATTR_VECTOR_CORE_NUM, ACL_PKG_NAME_CANN,
    ACL_PKG_NAME_COMPILER, ACL_PKG_NAME_DRIVER, ACL_PKG_NAME_OPP, ACL_PKG_NAME_OPP_KERNEL,
    ACL_PKG_NAME_RUNTIME, ACL_PKG_NAME_TOOLKIT, AclError, Cann, LoadError, aclCANNPackageVersion,
};
use engines::engine::SafeApi;
use engines::usage::UsageError;
use scatter_kernels::{Kernels, Soc};
use serde::Serialize;

/// A property and its value, or why there is none.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    pub(super) what: &'static str,
    pub(super) value: Option<String>,
    /// Why there is no value; `None` where there is one.
    pub(super) not_told: Option<String>,
}

impl Told {
    fn new(what: &'static str, told: Result<String, String>) -> Self {
        let (value, not_told) = match told {
            Ok(value) => (Some(value), None),
            Err(why) => (None, Some(why)),
        };
        Self { what, value, not_told }
    }
}

/// A device and its CANN.
#[derive(Debug, Serialize)]
pub(super) struct Device {
    /// The result of `aclrtGetSocName`.
    pub(super) soc: String,
    /// The number of devices, of which only the first is measured.
    pub(super) devices: u32,
    /// Vector cores that the kernels are planned for.
    pub(super) cores: u32,
    /// The clock by which cycles are computed, and its source.
    pub(super) megahertz: u64,
    pub(super) megahertz_of: &'static str,
    pub(super) properties: Vec<Told>,
    pub(super) versions: Vec<Told>,
    /// Whether the CANN is host-cann with its extensions, so that there is no device.
    pub(super) is_host: bool,
}

/// Queries the engine's device and its CANN.
pub(super) fn device(engine: &SafeApi) -> Result<Device, UsageError> {
    let unusable = |error: aclnn::Error| UsageError::Libraries {
        engine: SafeApi::DEVICE,
        setting: "the installed CANN",
        reason: error.to_string(),
    };
    let runtime = engine.device().runtime();
    let soc = runtime.soc_name().map_err(unusable)?;
    let (megahertz, megahertz_of) = clock(&soc);
    Ok(Device {
        devices: runtime.device_count().map_err(unusable)?,
        cores: Soc::named(&soc).map_or(0, |soc| soc.cores),
        megahertz,
        megahertz_of,
        properties: properties(runtime.cann()),
        versions: versions(runtime.cann()),
        is_host: runtime.is_host(),
        soc,
    })
}

/// The clock of a processor's vector cores, in MHz, and its source. CANN has no function that
/// returns it.
fn clock(soc: &str) -> (u64, &'static str) {
    const KNOWN: [(&str, u64); 6] = [
        ("Ascend910B1", 1850),
        ("Ascend910B2", 1800),
        ("Ascend910B3", 1800),
        ("Ascend910B4", 1500),
        ("Ascend910_9391", 1850),
        ("Ascend910_9382", 1800),
    ];
    let known = KNOWN.iter().find(|(name, _)| soc.starts_with(name));
    known.map_or((1800, "assumed: nothing tells this processor's"), |&(_, megahertz)| {
        (megahertz, "by the platform_config of CANN 8.1")
    })
}

/// What `aclrtGetDeviceInfo` reports for device 0.
fn properties(cann: &Cann) -> Vec<Told> {
    let attributes = [
        ("vector cores", ACL_DEV_ATTR_VECTOR_CORE_NUM),
        ("AI cores", ACL_DEV_ATTR_AICORE_CORE_NUM),
        ("bytes of UB of a vector core", ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE),
        ("bytes of L2", ACL_DEV_ATTR_L2_CACHE_SIZE),
        ("bytes of memory", ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE),
    ];
    let told = attributes.map(|(what, attribute)| {
        let mut value = 0;
        // SAFETY: `value` is valid for a write.
        let code = unsafe { cann.aclrtGetDeviceInfo(0, attribute, &mut value) };
        Told::new(what, outcome("aclrtGetDeviceInfo", code).map(|()| value.to_string()))
    });
    told.into()
}

/// The versions of the runtime's interface and of CANN's packages.
fn versions(cann: &Cann) -> Vec<Told> {
    let packages = [
        ("CANN", ACL_PKG_NAME_CANN),
        ("driver", ACL_PKG_NAME_DRIVER),
        ("runtime", ACL_PKG_NAME_RUNTIME),
        ("toolkit", ACL_PKG_NAME_TOOLKIT),
        ("compiler", ACL_PKG_NAME_COMPILER),
        ("operators", ACL_PKG_NAME_OPP),
        ("operators' kernels", ACL_PKG_NAME_OPP_KERNEL),
    ];
    let mut told = vec![Told::new("interface of the runtime", interface(cann))];
    told.extend(packages.map(|(what, name)| {
        let mut version = aclCANNPackageVersion {
            version: [0; _],
            majorVersion: [0; _],
            minorVersion: [0; _],
            releaseVersion: [0; _],
            patchVersion: [0; _],
            reserved: [0; _],
        };
        // SAFETY: `version` is valid for a write.
        let code = unsafe { cann.aclsysGetCANNVersion(name, &mut version) };
        Told::new(what, outcome("aclsysGetCANNVersion", code).map(|()| text(&version.version)))
    }));
    told
}

/// The result of `aclrtGetVersion`.
fn interface(cann: &Cann) -> Result<String, String> {
    let [mut major, mut minor, mut patch] = [0; 3];
    // SAFETY: each of the three numbers is valid for a write.
    let code = unsafe { cann.aclrtGetVersion(&mut major, &mut minor, &mut patch) };
    outcome("aclrtGetVersion", code).map(|()| format!("{major}.{minor}.{patch}"))
}

/// Turns the code that a function returned into a result.
fn outcome(function: &str, code: Result<AclError, LoadError>) -> Result<(), String> {
    let AclError(code) = code.map_err(|_| format!("this CANN has no {function}"))?;
    if code == 0 { Ok(()) } else { Err(format!("{function} returned {code}")) }
}

/// The text in an array up to its NUL.
fn text(array: &[c_char]) -> String {
    let bytes: Vec<u8> = array.iter().map(|&letter| letter as u8).collect();
    CStr::from_bytes_until_nul(&bytes).unwrap_or_default().to_string_lossy().into_owned()
}

/// The library with the device's kernels.
#[derive(Debug, Serialize)]
pub(super) struct Library {
    pub(super) path: Option<PathBuf>,
    /// What runs the kernels, as the library describes it.
    pub(super) description: Option<String>,
    /// Why the library couldn't be found or loaded.
    pub(super) problem: Option<String>,
}

/// Looks for the library where the operators look.
pub(super) fn library(engine: &SafeApi) -> Library {
    let runtime = engine.device().runtime();
    let none = |path, problem| Library { path, description: None, problem: Some(problem) };
    if runtime.is_host() {
        return none(None, "host-cann computes on the CPU, by no kernel".to_owned());
    }
    let soc = runtime.soc_name().ok().and_then(|name| Soc::named(&name));
    let arch = soc.map_or(Soc::default().arch, |soc| soc.arch);
    match aclnn_scatter::kernel_library(arch) {
        Err(problem) => none(None, problem),
        // SAFETY: the operators have loaded the same library already, so loading it runs no new
        // initialiser; whoever installed it answers for its functions.
        Ok(path) => match unsafe { Kernels::load(&path) } {
            Ok(kernels) => {
                Library { description: Some(kernels.description()), path: Some(path), problem: None }
            }
            Err(error) => none(Some(path), error.to_string()),
        },
    }
}

impl Library {
    /// Whether the kernels run on the host model of Ascend C instead of a device.
    pub(super) fn is_model(&self) -> bool {
        self.description.as_deref().is_some_and(|description| description.starts_with("the host model"))
    }
}
