//! Settings: those of the process, each of which is 0 until set, and those of contexts, each of
//! which is missing until set.

use std::sync::Mutex;

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, ACL_OPT_ENABLE_KERNEL_EARLY_START,
    ACL_OPT_STRONG_CONSISTENCY, aclSysParamOpt,
};

use crate::context;
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::sync::lock;

/// The value of each setting, if it was set.
#[derive(Debug, Default)]
pub(crate) struct Params([Option<i64>; 4]);

static PROCESS: Mutex<Params> = Mutex::new(Params([None; 4]));

/// The index of a setting, up to `last`: the last setting exists only for the process.
fn index(setting: aclSysParamOpt, last: aclSysParamOpt) -> Fallible<usize> {
    let index = usize::try_from(setting.0).unwrap_or(usize::MAX);
    ensure!(setting.0 <= last.0 && index < 4, ACL_ERROR_INVALID_PARAM, "opt {} is unknown", setting.0);
    Ok(index)
}

pub(crate) fn set(setting: aclSysParamOpt, value: i64) -> Fallible {
    let index = index(setting, ACL_OPT_ENABLE_KERNEL_EARLY_START)?;
    lock(&PROCESS).0[index] = Some(value);
    Ok(())
}

pub(crate) fn get(setting: aclSysParamOpt, value: Out<i64>) -> Fallible {
    let value = value.required()?;
    let index = index(setting, ACL_OPT_ENABLE_KERNEL_EARLY_START)?;
    value.put(lock(&PROCESS).0[index].unwrap_or(0));
    Ok(())
}

pub(crate) fn set_of_context(setting: aclSysParamOpt, value: i64) -> Fallible {
    let index = index(setting, ACL_OPT_STRONG_CONSISTENCY)?;
    lock(&context::current()?.params).0[index] = Some(value);
    Ok(())
}

pub(crate) fn get_of_context(setting: aclSysParamOpt, value: Out<i64>) -> Fallible {
    let value = value.required()?;
    let index = index(setting, ACL_OPT_STRONG_CONSISTENCY)?;
    let set = lock(&context::current()?.params).0[index];
    let set = set.ok_or_else(|| {
        failure!(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "opt {} was not set in the thread's context", setting.0)
    })?;
    value.put(set);
    Ok(())
}

/// Forgets the settings of the process.
pub(crate) fn clear() {
    *lock(&PROCESS) = Params::default();
}
