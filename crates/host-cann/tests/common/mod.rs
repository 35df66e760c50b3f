//! What the tests share: the functions through the loader's table, and a runtime that must be empty
//! at the end.

#![allow(dead_code, unused_imports, unused_macros, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub(crate) mod operator;
#[path = "../../../../tests/processes/setting.rs"]
mod setting;

use std::collections::BTreeMap;
use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use aclnn_sys::*;
use host_cann::Counters;
pub(crate) use setting::setting;

/// CANN, embedded.
pub(crate) fn cann() -> &'static Cann {
    static CANN: LazyLock<Cann> = LazyLock::new(|| Cann::from_table(host_cann::table()));
    &CANN
}

/// Calls a function of CANN's.
macro_rules! acl {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the table has the function, and the test passes valid arguments, or such as it
        // must refuse.
        unsafe { $crate::common::cann().$name($($argument),*) }.unwrap()
    }};
}
pub(crate) use acl;

/// Calls a function of the runtime that must succeed.
macro_rules! ok {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let code = $crate::common::acl!($name($($argument),*));
        assert!(code.is_success(), "{}: {code}: {}", stringify!($name), $crate::common::message());
    }};
}
pub(crate) use ok;

/// Calls a function that must fail with a code, and a message with all these words in it.
macro_rules! fails {
    ($name:ident($($argument:expr),* $(,)?), $code:expr, $($word:expr),* $(,)?) => {{
        let _ = $crate::common::message();
        let code = $crate::common::acl!($name($($argument),*));
        let message = $crate::common::message();
        assert_eq!(code, $code, "{}: {message}", stringify!($name));
        for word in [stringify!($name), $($word),*] {
            assert!(message.contains(word), "{}: no {word:?} in {message:?}", stringify!($name));
        }
    }};
}
pub(crate) use fails;

/// What `aclGetRecentErrMsg` returns.
pub(crate) fn message() -> String {
    let text = acl!(aclGetRecentErrMsg());
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the text is valid until the thread asks again.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A running runtime, of which a process has one at a time.
pub(crate) struct Session(MutexGuard<'static, ()>);

impl Session {
    /// Sets the environment, and calls `aclInit`.
    pub(crate) fn with(environment: &[(&str, &str)]) -> Self {
        static ONE: Mutex<()> = Mutex::new(());
        let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        for name in ["HOST_CANN_DEVICES", "HOST_CANN_MEMORY", "HOST_CANN_DEBUG"] {
            // SAFETY: only the thread that holds the lock reads or writes the environment.
            unsafe { std::env::remove_var(name) };
        }
        for (name, value) in [("HOST_CANN_QUIET", "1")].iter().chain(environment) {
            // SAFETY: only the thread that holds the lock reads or writes the environment.
            unsafe { std::env::set_var(name, value) };
        }
        ok!(aclInit(ptr::null()));
        Self(guard)
    }

    /// As usual, with device 0.
    pub(crate) fn new() -> Self {
        let session = Self::with(&[]);
        ok!(aclrtSetDevice(0));
        session
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let code = acl!(aclFinalize());
        if !std::thread::panicking() {
            assert!(code.is_success(), "{}", message());
            assert_eq!(Counters::leftovers(), Some(Counters::default()), "left over");
        }
    }
}

/// Memory of the thread's device.
pub(crate) fn malloc(size: usize) -> *mut c_void {
    let mut memory = ptr::null_mut();
    ok!(aclrtMalloc(&mut memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    memory
}

/// Pinned memory of the host.
pub(crate) fn malloc_host(size: usize) -> *mut c_void {
    let mut memory = ptr::null_mut();
    ok!(aclrtMallocHost(&mut memory, size));
    memory
}

/// A stream of the thread's context.
pub(crate) fn stream() -> aclrtStream {
    let mut stream = ptr::null_mut();
    ok!(aclrtCreateStream(&mut stream));
    stream
}

/// An event of `aclrtCreateEvent`.
pub(crate) fn event() -> aclrtEvent {
    let mut event = ptr::null_mut();
    ok!(aclrtCreateEvent(&mut event));
    event
}

/// A handle that never was one.
pub(crate) fn wild<T>() -> *mut T {
    ptr::without_provenance_mut(0x1234_5678)
}

/// Enqueues a call of a closure in a stream. A closure whose task is dropped stays where the leak
/// detector finds it.
pub(crate) fn launch(stream: aclrtStream, function: impl FnOnce() + Send + 'static) {
    type Waiting = BTreeMap<usize, Box<dyn FnOnce() + Send>>;
    static WAITING: Mutex<Waiting> = Mutex::new(BTreeMap::new());
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    unsafe extern "C" fn run(argument: *mut c_void) {
        let function = WAITING.lock().unwrap_or_else(PoisonError::into_inner).remove(&argument.addr());
        function.unwrap()();
    }
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    WAITING.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Box::new(function));
    ok!(aclrtLaunchHostFunc(stream, Some(run), ptr::without_provenance_mut(number)));
}

/// Fails the stream whose host function calls it.
pub(crate) fn fail(code: AclError, words: &CStr) {
    // SAFETY: the words end with a NUL.
    let failed = unsafe { extension().failStream.unwrap()(ptr::null_mut(), code, words.as_ptr()) };
    assert!(failed.is_success());
}

/// Blocks a stream until something is sent, or the sender is dropped.
pub(crate) fn hold(stream: aclrtStream) -> Sender<()> {
    let (sender, receiver): (_, Receiver<()>) = channel();
    launch(stream, move || receiver.recv().unwrap_or(()));
    sender
}

/// Waits until `threads` threads wait in calls of the runtime.
pub(crate) fn wait_for_waiting(threads: usize) {
    while host_cann::waiting_threads() != threads {
        std::thread::yield_now();
    }
}

/// Makes a call that must wait for a held stream, which continues as soon as the call waits.
pub(crate) fn waits_for(held: Sender<()>, call: impl FnOnce()) {
    let released = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let release = std::sync::Arc::clone(&released);
    let waker = std::thread::spawn(move || {
        wait_for_waiting(1);
        release.store(true, Ordering::SeqCst);
        drop(held);
    });
    call();
    assert!(released.load(Ordering::SeqCst), "it did not wait for the stream");
    waker.join().unwrap();
}

/// Works for at least `milliseconds` milliseconds, by the clock of events.
pub(crate) fn work_for(milliseconds: u64) {
    let (start, long) = (std::time::Instant::now(), std::time::Duration::from_millis(milliseconds));
    while start.elapsed() < long {
        std::hint::spin_loop();
    }
}

/// Copies by their directions.
pub(crate) const H2H: aclrtMemcpyKind = ACL_MEMCPY_HOST_TO_HOST;
pub(crate) const H2D: aclrtMemcpyKind = ACL_MEMCPY_HOST_TO_DEVICE;
pub(crate) const D2H: aclrtMemcpyKind = ACL_MEMCPY_DEVICE_TO_HOST;
pub(crate) const D2D: aclrtMemcpyKind = ACL_MEMCPY_DEVICE_TO_DEVICE;
pub(crate) const ANY: aclrtMemcpyKind = ACL_MEMCPY_DEFAULT;

/// The address of bytes.
pub(crate) fn bytes(values: &mut [u8]) -> *mut c_void {
    values.as_mut_ptr().cast()
}

/// host-cann's extension, looked up as a library of operators does.
pub(crate) fn extension() -> hostcannExtension {
    let named = host_cann::table().find(|(name, _)| *name == c"hostcann_extension").unwrap().1;
    // SAFETY: the symbol is a function of this type.
    let get: hostcannGetExtension = unsafe { std::mem::transmute(named) };
    // SAFETY: the extension is there for the whole process.
    let extension = unsafe { *get.unwrap()() };
    assert_eq!(extension.version, HOSTCANN_EXTENSION_VERSION);
    assert_eq!(extension.size as usize, size_of::<hostcannExtension>());
    extension
}

/// Runs one test at a time, because they count objects; there must be none yet.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(Counters::now(), Counters::default());
    guard
}

/// A tensor of bf16 as `aclCreateTensor` takes it.
pub(crate) fn tensor(
    shape: &[i64],
    strides: Option<&[i64]>,
    offset: i64,
    storage: &[i64],
    address: usize,
) -> *mut aclTensor {
    acl!(aclCreateTensor(
        shape.as_ptr(),
        shape.len() as u64,
        ACL_BF16,
        strides.map_or(ptr::null(), <[i64]>::as_ptr),
        offset,
        ACL_FORMAT_NCHW,
        storage.as_ptr(),
        storage.len() as u64,
        ptr::without_provenance_mut(address),
    ))
}
