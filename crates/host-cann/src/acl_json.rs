//! The configuration file of `aclInit`.
//!
//! The names and values are those of CANN's documentation of `aclInit` (hicann/runtime,
//! docs/zh/api_ref/02_initialization_and_deinitialization.md). CANN ignores names that it doesn't
//! know; here whatever would change nothing is refused, so that nobody waits for a dump that never
//! comes.

use std::path::Path;

use aclnn_sys::{
    ACL_ERROR_FEATURE_UNSUPPORTED, ACL_ERROR_INVALID_FILE, ACL_ERROR_INVALID_PARAM, ACL_ERROR_PARSE_FILE,
};
use serde_json::{Map, Value};

use crate::failure::{Fallible, ensure, failure};

/// What a configuration sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// `err_msg_mode`: whether `aclGetRecentErrMsg` tells the failures of all threads.
    pub(crate) messages_of_process: bool,
    /// `default_device`: the device of threads that have set none.
    pub(crate) default_device: Option<i32>,
}

/// Dumps of what AI cores were working on when they failed. There are no AI cores here, so there
/// never is anything to dump.
const SCENES_OF_AI_CORES: [&str; 3] = ["lite_exception", "aic_err_brief_dump", "aic_err_norm_dump"];

/// The settings of a file.
pub(crate) fn read(path: &Path) -> Fallible<Configuration> {
    let mut configuration = Configuration::default();
    for (name, value) in &object(path)? {
        match name.as_str() {
            "err_msg_mode" => configuration.messages_of_process = per_process(path, value)?,
            "dump" => check_dump(path, value)?,
            "defaultDevice" => configuration.default_device = default_device(path, value)?,
            _ => return Err(unsupported(path, name)),
        }
    }
    Ok(configuration)
}

/// The JSON object in a file; an empty file counts as an empty one.
pub(crate) fn object(path: &Path) -> Fallible<Map<String, Value>> {
    let text = std::fs::read_to_string(path)
        .map_err(|problem| failure!(ACL_ERROR_INVALID_FILE, "{}: {problem}", path.display()))?;
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_str(&text)
        .map_err(|problem| failure!(ACL_ERROR_PARSE_FILE, "{} is no JSON object: {problem}", path.display()))
}

fn per_process(path: &Path, value: &Value) -> Fallible<bool> {
    match value.as_str() {
        Some("0") => Ok(false),
        Some("1") => Ok(true),
        _ => Err(wrong(path, "err_msg_mode", "\"0\" or \"1\"", value)),
    }
}

fn check_dump(path: &Path, value: &Value) -> Fallible {
    for (name, value) in members(path, "dump", value)? {
        let of_ai_cores = value.as_str().is_some_and(|scene| SCENES_OF_AI_CORES.contains(&scene));
        match name.as_str() {
            "dump_scene" if of_ai_cores => {}
            "dump_scene" => return Err(unsupported(path, &format!("dump.dump_scene {value}"))),
            _ => return Err(unsupported(path, &format!("dump.{name}"))),
        }
    }
    Ok(())
}

fn default_device(path: &Path, value: &Value) -> Fallible<Option<i32>> {
    let mut device = None;
    for (name, value) in members(path, "defaultDevice", value)? {
        ensure!(
            name == "default_device",
            ACL_ERROR_FEATURE_UNSUPPORTED,
            "{}: defaultDevice.{name} is unknown",
            path.display()
        );
        // In quotes and without leading zeros, as CANN wants it.
        let number =
            value.as_str().and_then(|text| text.parse::<u16>().ok().filter(|n| n.to_string() == text));
        let number =
            number.ok_or_else(|| wrong(path, "default_device", "a device's number in quotes", value))?;
        device = Some(i32::from(number));
    }
    Ok(device)
}

fn members<'a>(path: &Path, name: &str, value: &'a Value) -> Fallible<&'a Map<String, Value>> {
    value.as_object().ok_or_else(|| wrong(path, name, "an object", value))
}

fn unsupported(path: &Path, setting: &str) -> crate::failure::Failure<aclnn_sys::AclError> {
    failure!(
        ACL_ERROR_FEATURE_UNSUPPORTED,
        "{}: host-cann does not have what {setting} sets, so it is refused rather than ignored",
        path.display()
    )
}

fn wrong(
    path: &Path,
    name: &str,
    expected: &str,
    value: &Value,
) -> crate::failure::Failure<aclnn_sys::AclError> {
    failure!(ACL_ERROR_INVALID_PARAM, "{}: {name}: {expected} expected, got {value}", path.display())
}
