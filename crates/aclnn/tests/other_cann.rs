//! A CANN that is not host-cann: its kernels are looked for, and its own operators are called.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use aclnn::sys::{Cann, prototypes};
use aclnn::{Result, Runtime, Tensor};

/// host-cann as another CANN, with these functions instead of its own.
fn other<const N: usize>(functions: [(&'static CStr, *const c_void); N]) -> Result<Runtime> {
    let is_kept = |name| name != c"hostcann_extension" && functions.iter().all(|(own, _)| *own != name);
    let others = host_cann::table().filter(|(name, _)| is_kept(*name));
    // SAFETY: the functions are host-cann's, and some of the same types as CANN's.
    unsafe { Runtime::from_cann(Cann::from_table(others.chain(functions))) }
}

static HAD_CONTEXT: AtomicBool = AtomicBool::new(false);

/// The name of the processor, by which kernels are looked for.
unsafe extern "C" fn name() -> *const c_char {
    let mut context = null_mut();
    // SAFETY: there is a place for the context.
    let found = unsafe { host_cann::c::aclrtGetCurrentContext(&mut context) };
    HAD_CONTEXT.store(found.is_success() && !context.is_null(), Ordering::Relaxed);
    c"Ascend910B2".as_ptr()
}

#[test]
fn kernels_are_looked_for_in_the_device_s_context() -> Result<()> {
    let runtime = other([(c"aclrtGetSocName", name as prototypes::aclrtGetSocName as _)])?;
    let stream = runtime.device(0)?.stream()?;
    let (index, src) = (Tensor::<i64>::new([1], &stream)?, Tensor::<f32>::new([1.0], &stream)?);
    let mut sums = Tensor::<f32>::zeros([4], &stream)?;
    // A thread without a context; there are neither kernels nor operators.
    let call = || sums.scatter_add_(0, &index, &src, &stream).map(drop);
    std::thread::scope(|scope| scope.spawn(call).join().unwrap()).unwrap_err();
    assert!(HAD_CONTEXT.load(Ordering::Relaxed));
    Ok(())
}
