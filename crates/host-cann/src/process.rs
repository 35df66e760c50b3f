//! The beginning and the end: `aclInit` and `aclFinalize`.

use core::ffi::{CStr, c_char};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_REPEAT_FINALIZE, ACL_ERROR_REPEAT_INITIALIZE, ACL_ERROR_UNINITIALIZE,
    ACLNN_ERR_PARAM_INVALID,
};

use crate::counters::{Counters, note_leftovers};
use crate::entry::Out;
use crate::failure::{Failure, Fallible, NnFallible, ensure, failure};
use crate::sync::lock;
use crate::{
    acl_json, aclop, callback, config, context, device, errors, event, exception, memory, params, stream, tdt,
};

/// How often `aclInit` was called and not undone.
static INITS: Mutex<u64> = Mutex::new(0);
/// Whether the runtime runs; read by every call. Changed under the lock of [`INITS`].
static RUNNING: AtomicBool = AtomicBool::new(false);

/// Refuses a call before the runtime runs, or after `aclFinalize`.
pub(crate) fn check() -> Fallible {
    ensure!(
        RUNNING.load(Ordering::Acquire),
        ACL_ERROR_UNINITIALIZE,
        "aclInit was not called, or was undone; nor was aclrtSetDevice since"
    );
    Ok(())
}

/// Starts the runtime unless it runs: for functions with which a program may begin.
///
/// CANN's documents ask for `aclInit` first. But its runtime library starts by itself, and of its
/// functions those of dumps alone ask whether `aclInit` was called (hicann/runtime, August 2026:
/// `ACL_ERROR_UNINITIALIZE` in src/acl), so programs set a device before it, or never call it.
pub(crate) fn start() -> Fallible {
    if RUNNING.load(Ordering::Acquire) {
        return Ok(());
    }
    check_outside()?;
    // Holds until the runtime runs: one thread starts it.
    let _inits = lock(&INITS);
    begin()
}

/// Starts the runtime unless it runs. The lock of [`INITS`] is held.
fn begin() -> Fallible {
    if RUNNING.load(Ordering::Acquire) {
        return Ok(());
    }
    let wrong = |problem| Failure::new(ACL_ERROR_INVALID_PARAM, problem);
    let devices = config::devices().map_err(wrong)?;
    let memory = config::memory().map_err(wrong)?;
    memory::set_limit(memory);
    device::start(devices);
    RUNNING.store(true, Ordering::Release);
    print(format_args!(
        "host-cann {}: CANN on the CPU, not an NPU; {devices} devices with {memory} bytes each (HOST_CANN_QUIET=1 silences this)",
        env!("CARGO_PKG_VERSION")
    ));
    Ok(())
}

/// Starts the runtime, or counts one more start.
///
/// # Safety
/// The path is null or a text with a NUL behind it.
pub(crate) unsafe fn init(path: *const c_char) -> Fallible {
    check_outside()?;
    let mut inits = lock(&INITS);
    if *inits > 0 {
        *inits += 1;
        return Err(failure!(
            ACL_ERROR_REPEAT_INITIALIZE,
            "aclInit was called before; this is call {}",
            *inits
        ));
    }
    // SAFETY: the path is null or a text with a NUL behind it.
    let path = unsafe { file(path) };
    let configuration = path.map(acl_json::read).transpose()?.unwrap_or_default();
    let ran = RUNNING.load(Ordering::Acquire);
    begin()?;
    if let Err(unknown) = device::set_default(configuration.default_device) {
        if !ran {
            end();
        }
        return Err(unknown);
    }
    errors::set_of_process(configuration.messages_of_process);
    *inits = 1;
    Ok(())
}

/// Ends the runtime, however often `aclInit` was called.
pub(crate) fn finalize() -> Fallible {
    check_outside()?;
    let mut inits = lock(&INITS);
    check_finalize(*inits)?;
    *inits = 0;
    end();
    Ok(())
}

/// Undoes one `aclInit`, and returns how many are left.
pub(crate) fn finalize_reference(count: Out<u64>) -> Fallible {
    check_outside()?;
    let mut inits = lock(&INITS);
    let count = count.optional();
    let outcome = check_finalize(*inits);
    if outcome.is_ok() {
        *inits -= 1;
        if *inits == 0 {
            end();
        }
    }
    if let Some(count) = count {
        count.put(*inits);
    }
    outcome
}

fn check_finalize(inits: u64) -> Fallible {
    ensure!(inits > 0, ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before, or aclInit never was");
    Ok(())
}

/// Refuses a call from a host function, which can't start or end the runtime: the runtime may be
/// waiting for it to end.
fn check_outside() -> Fallible {
    ensure!(
        stream::inside() == 0,
        aclnn_sys::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "a host function can't start or end the runtime"
    );
    Ok(())
}

/// Waits for all work, prints what is left over, and frees it. Tensors, scalars, arrays and lists
/// stay: they need no `aclInit`.
fn end() {
    stream::drain_all();
    let left = Counters::now();
    note_leftovers(left);
    if left != Counters::default() {
        print(format_args!("host-cann: left over at aclFinalize: {left}"));
    }
    device::stop();
    callback::REPORTS.clear();
    context::clear();
    event::clear();
    stream::limit::clear();
    exception::clear();
    memory::clear();
    params::clear();
    aclop::compile::clear();
    tdt::clear();
    errors::set_of_process(false);
    RUNNING.store(false, Ordering::Release);
}

/// Initialises the operators, of which host-cann has none: a configuration must be empty; a missing
/// file counts as empty.
///
/// # Safety
/// The path is null or a text with a NUL behind it.
pub(crate) unsafe fn init_operators(path: *const c_char) -> NnFallible {
    // SAFETY: the path is null or a text with a NUL behind it.
    let Some(path) = (unsafe { file(path) }) else { return Ok(()) };
    if !path.exists() {
        return Ok(());
    }
    ensure!(
        acl_json::object(path).is_ok_and(|settings| settings.is_empty()),
        ACLNN_ERR_PARAM_INVALID,
        "{} configures what host-cann does not have; only {{}} is supported",
        path.display()
    );
    Ok(())
}

/// The file that a path names, if it names any.
unsafe fn file<'a>(path: *const c_char) -> Option<&'a Path> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the path is not null, and has a NUL behind it.
    let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
    let path: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    (!bytes.is_empty()).then_some(Path::new(path))
}

/// Prints a message to the standard error.
fn print(words: core::fmt::Arguments<'_>) {
    if !config::quiet() {
        // If it can't be written, nobody reads it.
        let _ = writeln!(std::io::stderr(), "{words}");
    }
}
