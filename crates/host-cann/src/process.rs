//! The beginning and the end: `aclInit` and `aclFinalize`.

use core::ffi::{CStr, c_char};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use aclnn_sys::{
    ACL_ERROR_FEATURE_UNSUPPORTED, ACL_ERROR_INVALID_FILE, ACL_ERROR_INVALID_PARAM,
    ACL_ERROR_REPEAT_FINALIZE, ACL_ERROR_REPEAT_INITIALIZE, ACL_ERROR_UNINITIALIZE, ACLNN_ERR_PARAM_INVALID,
};

use crate::counters::{Counters, note_leftovers};
use crate::entry::Out;
use crate::failure::{Failure, Fallible, NnFallible, ensure, failure};
use crate::sync::lock;
use crate::{callback, config, context, device, event, exception, memory, params, stream};

/// How often `aclInit` was called and not undone.
static INITS: Mutex<u64> = Mutex::new(0);
/// Whether that is more than never; read by every call.
static RUNNING: AtomicBool = AtomicBool::new(false);

/// Refuses a call outside of `aclInit` and `aclFinalize`.
pub(crate) fn check() -> Fallible {
    ensure!(RUNNING.load(Ordering::Acquire), ACL_ERROR_UNINITIALIZE, "aclInit was not called, or was undone");
    Ok(())
}

/// Begins, or counts that someone began again.
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
    // SAFETY: the caller answers for the path.
    let path = unsafe { file(path) };
    if let Some(path) = path {
        let content = read(path)?;
        ensure!(
            is_empty(&content),
            ACL_ERROR_FEATURE_UNSUPPORTED,
            "{} configures what host-cann does not have (dumps, profiling, …); only {{}} is supported",
            path.display()
        );
    }
    let wrong = |problem| Failure::new(ACL_ERROR_INVALID_PARAM, problem);
    let devices = config::devices().map_err(wrong)?;
    let memory = config::memory().map_err(wrong)?;
    memory::set_limit(memory);
    device::start(devices);
    *inits = 1;
    RUNNING.store(true, Ordering::Release);
    print(format_args!(
        "host-cann {}: CANN on the CPU, not an NPU; {devices} devices with {memory} bytes each (HOST_CANN_QUIET=1 silences this)",
        env!("CARGO_PKG_VERSION")
    ));
    Ok(())
}

/// Ends, however often `aclInit` was called.
pub(crate) fn finalize() -> Fallible {
    check_outside()?;
    let mut inits = lock(&INITS);
    check_finalize(*inits)?;
    *inits = 0;
    end();
    Ok(())
}

/// Undoes one `aclInit`, and tells how many are left.
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

/// A host function can't begin or end the runtime, which may be waiting for it to end.
fn check_outside() -> Fallible {
    ensure!(
        stream::inside() == 0,
        aclnn_sys::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "a host function can't call aclInit or aclFinalize"
    );
    Ok(())
}

/// Waits for all work, tells what is left over, and takes it back. Tensors and their like stay: they need no `aclInit`.
fn end() {
    stream::drain_all();
    let left = Counters::now();
    note_leftovers(left);
    if left != Counters::default() {
        print(format_args!("host-cann: left over at aclFinalize: {left}"));
    }
    device::stop();
    callback::REPORTS.clear();
    callback::HOST_FUNCTIONS.clear();
    context::clear();
    event::clear();
    stream::config::clear();
    stream::limit::clear();
    exception::clear();
    memory::clear();
    params::clear();
    RUNNING.store(false, Ordering::Release);
}

/// Sets the operators up, which host-cann has none of: a configuration must be empty, and a file that is missing is one.
///
/// # Safety
/// The path is null or a text with a NUL behind it.
pub(crate) unsafe fn init_operators(path: *const c_char) -> NnFallible {
    // SAFETY: the caller answers for the path.
    let Some(path) = (unsafe { file(path) }) else { return Ok(()) };
    let content = read(path).unwrap_or_default();
    ensure!(
        is_empty(&content),
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
    // SAFETY: the caller says that a NUL is behind the text.
    let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
    let path: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    (!bytes.is_empty()).then_some(Path::new(path))
}

fn read(path: &Path) -> Fallible<String> {
    std::fs::read_to_string(path)
        .map_err(|problem| failure!(ACL_ERROR_INVALID_FILE, "{}: {problem}", path.display()))
}

/// Whether a configuration says nothing.
fn is_empty(content: &str) -> bool {
    let content: String = content.chars().filter(|letter| !letter.is_whitespace()).collect();
    ["", "{}"].contains(&content.as_str())
}

/// Tells something to whoever watches.
fn print(words: core::fmt::Arguments<'_>) {
    if !config::quiet() {
        // Where nobody can read it there is nobody to miss it.
        let _ = writeln!(std::io::stderr(), "{words}");
    }
}
