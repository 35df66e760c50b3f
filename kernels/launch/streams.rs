//! Launches on streams that stand in for a device's: `launch_streams.h` in Rust.

use core::ffi::{c_char, c_void};
use core::ptr;

use super::{Range, Table};

unsafe extern "C" {
    fn scatter_kernels_on_streams(runtime: &'static Runtime) -> &'static Table;
}

/// `ScatterRuntime` of `launch_streams.h`: what launches on streams need from the runtime.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// Puts a call of a function with an argument into a stream; 0, or an error, and the function
    /// is never called.
    pub enqueue: unsafe extern "C" fn(
        stream: *mut c_void,
        run: unsafe extern "C" fn(argument: *mut c_void),
        argument: *mut c_void,
    ) -> i32,
    /// Called from that function: sets the address of each memory of a kernel to where this process
    /// can access it, and keeps it there until the function returns. Returns not 0 where the device
    /// could not access it: the stream has failed then.
    pub reach: unsafe extern "C" fn(kernel: *const c_char, uses: *const Use, count: u32) -> i32,
}

/// `ScatterUse` of `launch_memory.h`: memory that a kernel accesses.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// Its name, for messages.
    pub name: *const c_char,
    /// Where it is; 0 bytes mean that there is none.
    pub memory: *mut Range,
    access: u32,
}

impl Use {
    /// Whether the kernel writes there.
    #[must_use]
    pub const fn is_written(&self) -> bool {
        self.access & 2 != 0
    }
}

/// What `scatter_kernels` returns in a library that stands in for a device library: a table of
/// `launch.h` whose launches run on the host model, in streams.
///
/// # Safety
/// The functions of `runtime` do what [`Runtime`] says, and can be called from any thread as long
/// as the process lives.
#[must_use]
pub unsafe fn on_streams(runtime: &'static Runtime) -> *const c_void {
    // SAFETY: `runtime` and its functions can be used from any thread as long as the process lives.
    let table = unsafe { scatter_kernels_on_streams(runtime) };
    ptr::from_ref(table).cast()
}
