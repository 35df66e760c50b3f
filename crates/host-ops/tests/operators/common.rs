//! Helpers of the tests: host-cann, embedded, tensors in its memory, and calls of both phases.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use aclnn_sys::{
    ACL_BF16, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_FORMAT_ND,
    ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE, ACL_SUCCESS, ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_UINT64, AclError,
    AclnnStatus, Cann, aclDataType, aclIntArray, aclOpExecutor, aclScalar, aclTensor, aclrtStream,
};
use bytemuck::Pod;
use half::{bf16, f16};
use num_complex::Complex;

/// The process's CANN: host-cann, on device 0 of this thread.
pub(crate) fn cann() -> &'static Cann {
    static CANN: OnceLock<Cann> = OnceLock::new();
    thread_local! {
        static HAS_DEVICE: Cell<bool> = const { Cell::new(false) };
    }
    let cann = CANN.get_or_init(|| {
        // SAFETY: only the runtime reads this variable, and no thread uses it before this is done.
        unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
        host_ops::install(Cann::from_table(host_cann::table())).unwrap();
        let cann = Cann::from_table(host_cann::table());
        // SAFETY: null stands for no configuration.
        assert_eq!(unsafe { cann.aclInit(null()) }, Ok(ACL_SUCCESS));
        cann
    });
    if !HAS_DEVICE.replace(true) {
        // SAFETY: the device exists.
        assert_eq!(unsafe { cann.aclrtSetDevice(0) }, Ok(ACL_SUCCESS));
    }
    cann
}

/// The thread's messages, which are gone then.
pub(crate) fn messages() -> String {
    // SAFETY: the function has no precondition.
    let text = unsafe { cann().aclGetRecentErrMsg() }.unwrap();
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the text has a NUL behind it, and is copied at once.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A type of elements.
pub(crate) trait Typed: Pod {
    const DTYPE: aclDataType;
}

macro_rules! typed {
    ($($kind:ty: $dtype:ident;)*) => {$(
        impl Typed for $kind {
            const DTYPE: aclDataType = $dtype;
        }
    )*};
}
typed! {
    u8: ACL_UINT8; i8: ACL_INT8; u16: ACL_UINT16; i16: ACL_INT16; u32: ACL_UINT32; i32: ACL_INT32;
    u64: ACL_UINT64; i64: ACL_INT64; f16: ACL_FLOAT16; bf16: ACL_BF16; f32: ACL_FLOAT; f64: ACL_DOUBLE;
    Complex<f32>: ACL_COMPLEX64; Complex<f64>: ACL_COMPLEX128; Truth: ACL_BOOL;
}

/// An element of bool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(crate) struct Truth(pub(crate) u8);

/// Elements of bool.
pub(crate) fn truths(all: &[bool]) -> Vec<Truth> {
    all.iter().map(|truth| Truth((*truth).into())).collect()
}

/// Memory of the device.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) address: *mut c_void,
    bytes: usize,
}

impl Memory {
    pub(crate) fn new<T: Pod>(elements: &[T]) -> Self {
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        let (mut address, size) = (null_mut(), bytes.len());
        // SAFETY: the place for the address is a local, and the sizes are those of the memory.
        unsafe {
            let made = cann().aclrtMalloc(&raw mut address, size.max(1), ACL_MEM_MALLOC_NORMAL_ONLY);
            assert_eq!(made, Ok(ACL_SUCCESS));
            let kind = ACL_MEMCPY_HOST_TO_DEVICE;
            let copied = cann().aclrtMemcpy(address, size, bytes.as_ptr().cast(), size, kind);
            assert_eq!(copied, Ok(ACL_SUCCESS));
        }
        Self { address, bytes: size }
    }

    pub(crate) fn read<T: Pod>(&self) -> Vec<T> {
        let mut elements = vec![T::zeroed(); self.bytes / size_of::<T>()];
        let kind = ACL_MEMCPY_DEVICE_TO_HOST;
        // SAFETY: both have this size.
        let copied = unsafe {
            cann().aclrtMemcpy(elements.as_mut_ptr().cast(), self.bytes, self.address, self.bytes, kind)
        };
        assert_eq!(copied, Ok(ACL_SUCCESS), "{}", messages());
        elements
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: this value owns the memory.
        let _ = unsafe { cann().aclrtFree(self.address) };
    }
}

/// A tensor with its memory.
#[derive(Debug)]
pub(crate) struct Tensor {
    pub(crate) raw: *mut aclTensor,
    pub(crate) memory: Memory,
}

impl Tensor {
    /// A tensor whose elements lie one behind the other.
    pub(crate) fn new<T: Typed>(shape: &[i64], elements: &[T]) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis];
        }
        Self::strided(shape, &strides, 0, elements)
    }

    /// A tensor in a storage of these elements.
    pub(crate) fn strided<T: Typed>(shape: &[i64], strides: &[i64], offset: i64, storage: &[T]) -> Self {
        let memory = Memory::new(storage);
        let raw = handle::<T>(shape, strides, offset, storage.len(), memory.address);
        Self { raw, memory }
    }

    pub(crate) fn read<T: Typed>(&self) -> Vec<T> {
        self.memory.read()
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: this value owns the tensor.
        let _ = unsafe { cann().aclDestroyTensor(self.raw) };
    }
}

/// A tensor on memory.
pub(crate) fn handle<T: Typed>(
    shape: &[i64],
    strides: &[i64],
    offset: i64,
    storage: usize,
    address: *mut c_void,
) -> *mut aclTensor {
    let (rank, storage) = (shape.len() as u64, [storage as i64]);
    // SAFETY: shape and strides have as many numbers as the rank says.
    unsafe {
        cann().aclCreateTensor(
            shape.as_ptr(),
            rank,
            T::DTYPE,
            strides.as_ptr(),
            offset,
            ACL_FORMAT_ND,
            storage.as_ptr(),
            1,
            address,
        )
    }
    .unwrap()
}

/// A scalar. (It is never destroyed.)
pub(crate) fn scalar<T: Typed>(value: T) -> *mut aclScalar {
    let mut value = value;
    // SAFETY: the value is one of the dtype.
    unsafe { cann().aclCreateScalar((&raw mut value).cast(), T::DTYPE) }.unwrap()
}

/// An array of numbers. (It is never destroyed.)
pub(crate) fn integers(values: &[i64]) -> *mut aclIntArray {
    // SAFETY: the length is that of the numbers.
    unsafe { cann().aclCreateIntArray(values.as_ptr(), values.len() as u64) }.unwrap()
}

/// The type of phase two.
pub(crate) type PhaseTwo =
    unsafe extern "C" fn(*mut c_void, u64, *mut aclOpExecutor, aclrtStream) -> AclnnStatus;

/// Runs phase one, which must succeed.
pub(crate) fn plan(one: impl FnOnce(*mut u64, *mut *mut aclOpExecutor) -> AclnnStatus) -> *mut aclOpExecutor {
    let (mut size, mut executor) = (7, null_mut());
    let status = one(&raw mut size, &raw mut executor);
    assert!(status.is_success(), "{}", messages());
    assert_eq!(size, 0);
    executor
}

/// Runs phase two on the default stream, and waits for it.
pub(crate) fn launch(executor: *mut aclOpExecutor, two: PhaseTwo) -> (AclnnStatus, AclError) {
    // SAFETY: the tensors of the tests live until the stream is done.
    unsafe {
        let status = two(null_mut(), 0, executor, null_mut());
        (status, cann().aclrtSynchronizeStream(null_mut()).unwrap())
    }
}

/// Runs both phases, which must succeed.
pub(crate) fn run(one: impl FnOnce(*mut u64, *mut *mut aclOpExecutor) -> AclnnStatus, two: PhaseTwo) {
    let executor = plan(one);
    assert_eq!(launch(executor, two), (AclnnStatus::SUCCESS, ACL_SUCCESS), "{}", messages());
}

/// Runs phase one, which must fail, and returns its code and message.
pub(crate) fn refused(
    one: impl FnOnce(*mut u64, *mut *mut aclOpExecutor) -> AclnnStatus,
) -> (AclnnStatus, String) {
    let (mut size, mut executor) = (7, null_mut());
    let _ = messages();
    let status = one(&raw mut size, &raw mut executor);
    assert!(!status.is_success());
    assert!(size == 7 && executor.is_null(), "a refused phase one writes nothing");
    (status, messages())
}

/// `call!(aclnnMul, aclnnMulGetWorkspaceSize(…))`: both phases of an operator, which must succeed.
macro_rules! call {
    ($two:ident, $one:ident($($argument:expr),* $(,)?)) => {
        $crate::common::run(
            // SAFETY: the handles live, and the places for results are locals.
            |size, executor| unsafe { host_ops::c::$one($($argument,)* size, executor) },
            host_ops::c::$two,
        )
    };
}
pub(crate) use call;

/// `refusal!(aclnnAddGetWorkspaceSize(…))`: the code and the message of a phase one that fails.
macro_rules! refusal {
    ($one:ident($($argument:expr),* $(,)?)) => {
        $crate::common::refused(
            // SAFETY: the handles live, or are refused; the places for results are locals.
            |size, executor| unsafe { host_ops::c::$one($($argument,)* size, executor) },
        )
    };
}
pub(crate) use refusal;

/// `planned!(aclnnAddGetWorkspaceSize(…))`: the executor of a phase one.
macro_rules! planned {
    ($one:ident($($argument:expr),* $(,)?)) => {
        $crate::common::plan(
            // SAFETY: the handles live, and the places for results are locals.
            |size, executor| unsafe { host_ops::c::$one($($argument,)* size, executor) },
        )
    };
}
pub(crate) use planned;
