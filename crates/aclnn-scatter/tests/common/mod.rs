//! Helpers of the tests: host-cann, embedded, and tensors in its memory.

// No test uses all of them.
#![allow(dead_code, unused_imports, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub(crate) mod call;
pub(crate) mod case;
pub(crate) mod generate;
pub(crate) mod hostile;
#[path = "../../../../tests/processes/setting.rs"]
mod setting;
pub(crate) mod tensors;
pub(crate) mod which;

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use aclnn_scatter::sys::{ACL_SUCCESS, AclError, Cann, aclnnScatterStatusInfo, aclrtStream};
pub(crate) use setting::setting;

/// The process's CANN: host-cann.
pub(crate) fn cann() -> &'static Cann {
    static START: Once = Once::new();
    START.call_once(|| {
        // SAFETY: only the runtime reads this variable, and no thread uses it before the `Once` is
        // done.
        unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
        // Fails if a test has installed another CANN, built on host-cann's functions, which is
        // fine.
        let _ = aclnn_scatter::install(Cann::from_table(host_cann::table()));
        // SAFETY: null stands for no configuration.
        assert_eq!(unsafe { aclnn_scatter::cann().aclInit(null()) }, Ok(ACL_SUCCESS));
    });
    aclnn_scatter::cann()
}

/// A device and a stream of this thread.
pub(crate) struct Stream {
    pub(crate) raw: aclrtStream,
    device: i32,
}

impl Stream {
    pub(crate) fn new() -> Self {
        Self::on(0)
    }

    pub(crate) fn on(device: i32) -> Self {
        let mut raw = null_mut();
        // SAFETY: the device number may be any, and `raw` is a live local.
        unsafe {
            assert_eq!(cann().aclrtSetDevice(device), Ok(ACL_SUCCESS));
            assert_eq!(cann().aclrtCreateStream(&mut raw), Ok(ACL_SUCCESS));
        }
        Self { raw, device }
    }

    pub(crate) fn synchronize(&self) -> AclError {
        // SAFETY: the stream lives.
        unsafe { cann().aclrtSynchronizeStream(self.raw) }.unwrap()
    }

    /// What `aclnnScatterStreamStatus` reports for this stream.
    pub(crate) fn status(&self) -> aclnnScatterStatusInfo {
        status(self.raw)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream lives, and is not used again.
        unsafe {
            assert_eq!(cann().aclrtDestroyStream(self.raw), Ok(ACL_SUCCESS));
            assert_eq!(cann().aclrtResetDevice(self.device), Ok(ACL_SUCCESS));
        }
    }
}

/// What a stream's work waits for, for tests that need work in the stream which has not begun.
pub(crate) struct Gate(AtomicBool);

impl Gate {
    pub(crate) const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Lets the work that the stream is given from now on wait until the gate is opened.
    pub(crate) fn close(&'static self, stream: &Stream) {
        unsafe extern "C" fn wait(gate: *mut c_void) {
            // SAFETY: this is the gate of `close`, a static.
            let Gate(is_open) = unsafe { &*gate.cast::<Gate>() };
            while !is_open.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
        }
        self.0.store(false, Ordering::SeqCst);
        let gate = std::ptr::from_ref(self).cast_mut().cast();
        // SAFETY: the stream lives, and the function only reads the gate.
        assert_eq!(unsafe { cann().aclrtLaunchHostFunc(stream.raw, Some(wait), gate) }, Ok(ACL_SUCCESS));
    }

    pub(crate) fn open(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// What `aclnnScatterStreamStatus` reports.
pub(crate) fn status(stream: aclrtStream) -> aclnnScatterStatusInfo {
    // SAFETY: the struct has only numbers, for which zeros are valid.
    let mut info = unsafe { std::mem::zeroed() };
    // SAFETY: streams are looked up, and `info` is a live local.
    let told = unsafe { aclnn_scatter::c::aclnnScatterStreamStatus(stream, &mut info) };
    assert!(told.is_success());
    info
}

/// The messages of this thread.
pub(crate) fn messages() -> String {
    // SAFETY: the message is a C string, which is valid until the next call.
    unsafe {
        let message = cann().aclGetRecentErrMsg().unwrap();
        if message.is_null() { String::new() } else { CStr::from_ptr(message).to_str().unwrap().to_owned() }
    }
}

/// A small generator of pseudorandom numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub(crate) fn flip(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// Asserts that a status reports this index.
pub(crate) fn assert_told(
    info: &aclnnScatterStatusInfo,
    name: &CStr,
    position: &[i64],
    value: i64,
    size: i64,
) {
    assert_eq!(info.code.0, 161_002);
    assert_eq!(&info.position[..info.rank as usize], position);
    assert!(info.position[info.rank as usize..].iter().all(|&coordinate| coordinate == 0));
    assert_eq!((info.value, info.size), (value, size));
    // SAFETY: the name ends with a NUL.
    assert_eq!(unsafe { CStr::from_ptr(info.opName.as_ptr()) }, name);
}

/// Asserts that a status reports no index.
pub(crate) fn assert_clear(info: &aclnnScatterStatusInfo) {
    assert!(info.code.is_success());
    assert_eq!((info.rank, info.position, info.value, info.size, info.opName), (0, [0; 8], 0, 0, [0; 64]));
}
