//! The wrapper around the body of every exported function.

use std::panic::{AssertUnwindSafe, catch_unwind};

use aclnn_sys::{
    ACL_DT_UNDEFINED, ACL_ERROR_INTERNAL_ERROR, ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_AICORE_OVER_FLOW,
    ACL_ERROR_RT_AIVEC_OVER_FLOW, ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_END_OF_SEQUENCE,
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_MODEL_ABORT_NORMAL, ACL_ERROR_RT_OVER_FLOW,
    ACL_ERROR_RT_SOCKET_CLOSE, ACL_FORMAT_UNDEFINED, ACLNN_ERR_INNER, ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR, AclError, AclnnStatus, aclDataType, aclFormat, fork,
};

use crate::errors;
use crate::failure::{Failure, Fallible, NnFallible, ensure, failure};

/// What an exported function returns.
pub(crate) trait Answer: Sized {
    /// What its body returns on success.
    type Success;
    /// The number space in which it fails.
    type Code: Code;

    fn success(value: Self::Success) -> Self;
    fn failure(code: Self::Code) -> Self;
}

/// A number space of CANN's codes.
pub(crate) trait Code: Copy + core::fmt::Display {
    /// For internal errors.
    const INTERNAL: Self;
    /// For a call in a fork.
    const FORKED: Self;

    /// The code, if it is one of CANN's runtime library: then it becomes the last error of the
    /// thread.
    ///
    /// CANN (hicann/runtime, 2026): the functions of the runtime library note what they return
    /// (`GetRtExtErrCodeAndSetGlobalErr` in src/runtime/api/api_global_err.cc), except states that
    /// are no errors; success doesn't clear it. The `acl` functions above it (src/acl/aclrt_impl)
    /// don't note their own errors: null arguments, values that are unknown or not supported there,
    /// a runtime that was not initialised. These have other numbers. Nor do the functions of the
    /// tensor API.
    fn runtime(self) -> Option<AclError>;
}

/// Codes that don't become the last error: those that synchronising a stream returns without an
/// error of the stream (src/runtime/api/api_c_stream.cc), and `FEATURE_NOT_SUPPORT`. CANN does note
/// the latter. But torch_npu takes the last error for that of whatever fails next, and after this
/// one it only warns: no failure would be raised any more.
const NOT_NOTED: [AclError; 7] = [
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_END_OF_SEQUENCE,
    ACL_ERROR_RT_MODEL_ABORT_NORMAL,
    ACL_ERROR_RT_AICORE_OVER_FLOW,
    ACL_ERROR_RT_AIVEC_OVER_FLOW,
    ACL_ERROR_RT_OVER_FLOW,
    ACL_ERROR_RT_SOCKET_CLOSE,
];

impl Code for AclError {
    const INTERNAL: Self = ACL_ERROR_INTERNAL_ERROR;
    // Not `FEATURE_NOT_SUPPORT`, after which torch_npu goes on with a warning.
    const FORKED: Self = ACL_ERROR_RT_CONTEXT_NULL;

    fn runtime(self) -> Option<AclError> {
        // CANN numbers wrong calls from 107000 on, missing resources from 207000, and failures from
        // 507000.
        let is_runtimes = matches!(self.0 / 1_000, 107 | 207 | 507);
        (is_runtimes && !NOT_NOTED.contains(&self)).then_some(self)
    }
}

impl Code for AclnnStatus {
    const INTERNAL: Self = ACLNN_ERR_INNER;
    const FORKED: Self = ACLNN_ERR_RUNTIME_ERROR;

    fn runtime(self) -> Option<AclError> {
        None
    }
}

impl Answer for AclError {
    type Success = ();
    type Code = Self;

    fn success((): ()) -> Self {
        Self::SUCCESS
    }

    fn failure(code: Self) -> Self {
        code
    }
}

impl Answer for AclnnStatus {
    type Success = ();
    type Code = Self;

    fn success((): ()) -> Self {
        Self::SUCCESS
    }

    fn failure(code: Self) -> Self {
        code
    }
}

/// Functions that return a value instead of a code: what each type returns on failure, which is no
/// valid result. (u32 is the number of an exception, for which CANN has all ones.)
macro_rules! value_answers {
    ($($kind:ty, $code:ty, $nothing:expr;)*) => {$(
        impl Answer for $kind {
            type Success = Self;
            type Code = $code;

            fn success(value: Self) -> Self {
                value
            }

            fn failure(_: $code) -> Self {
                $nothing
            }
        }
    )*};
}

value_answers! {
    u16, AclError, 0;
    u32, AclError, u32::MAX;
    usize, AclError, 0;
    i64, AclError, -1;
    (), AclError, ();
    aclDataType, AclError, ACL_DT_UNDEFINED;
    aclFormat, AclError, ACL_FORMAT_UNDEFINED;
    *mut core::ffi::c_void, AclError, core::ptr::null_mut();
    *mut aclnn_sys::aclDataBuffer, AclError, core::ptr::null_mut();
    *mut aclnn_sys::aclTensorDesc, AclError, core::ptr::null_mut();
    *mut aclnn_sys::aclopAttr, AclError, core::ptr::null_mut();
    f32, AclError, 0.0;
    *const core::ffi::c_char, AclError, core::ptr::null();
    *mut aclnn_sys::aclmdlDataset, AclError, core::ptr::null_mut();
    *mut aclnn_sys::aclmdlDesc, AclError, core::ptr::null_mut();
    *mut aclnn_sys::aclmdlExecConfigHandle, AclError, core::ptr::null_mut();
    *mut aclnn_sys::aclprofConfig, AclError, core::ptr::null_mut();
    *mut aclnn_sys::aclprofStepInfo, AclError, core::ptr::null_mut();
    aclnn_sys::aclrtAllocatorDesc, AclError, core::ptr::null_mut();
    *mut aclnn_sys::acltdtChannelHandle, AclError, core::ptr::null_mut();
    *mut aclnn_sys::acltdtDataset, AclError, core::ptr::null_mut();
    *mut aclnn_sys::acltdtDataItem, AclError, core::ptr::null_mut();
    aclnn_sys::acltdtTensorType, AclError, aclnn_sys::ACL_TENSOR_DATA_UNDEFINED;
}

/// Functions of the tensor API that return a handle fail with null.
macro_rules! handle_answers {
    ($($kind:ident),*) => { value_answers! { $(*mut aclnn_sys::$kind, AclnnStatus, core::ptr::null_mut();)* } };
}

handle_answers!(aclTensor, aclScalar, aclIntArray, aclFloatArray, aclBoolArray, aclTensorList, aclScalarList);

/// Runs the body of an exported function. Fails in a fork of a process that has called one; catches
/// panics; and notes a failure for the thread.
pub(crate) fn call<A: Answer>(name: &str, body: impl FnOnce() -> Result<A::Success, Failure<A::Code>>) -> A {
    call_stateless(name, || match fork::enter() {
        Ok(()) => body(),
        // Before anything waits for a thread that doesn't exist in the fork.
        Err(forked) => Err(failure!(A::Code::FORKED, "{forked}")),
    })
}

/// The same for a body that uses nothing that threads share, so that it may run in a fork, and
/// before one.
pub(crate) fn call_stateless<A: Answer>(
    name: &str,
    body: impl FnOnce() -> Result<A::Success, Failure<A::Code>>,
) -> A {
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        Err(failure!(A::Code::INTERNAL, "host-cann panicked, which is a bug of its own"))
    });
    match outcome {
        Ok(value) => A::success(value),
        Err(Failure { code, message, is_above_runtime }) => {
            let last = if is_above_runtime { None } else { code.runtime() };
            errors::note(format!("{name}: {code}: {message}"), last);
            A::failure(code)
        }
    }
}

/// An argument through which a function returns something.
pub(crate) struct Out<T> {
    address: *mut T,
    name: &'static str,
}

/// An [`Out`] that is not null.
pub(crate) struct Place<T>(*mut T);

impl<T> Out<T> {
    /// # Safety
    /// The address is null, or a `T` may be written to it for as long as this value and its
    /// [`Place`] live.
    pub(crate) unsafe fn new(address: *mut T, name: &'static str) -> Self {
        Self { address, name }
    }

    /// For a runtime function to which null must not be passed.
    pub(crate) fn required(self) -> Fallible<Place<T>> {
        ensure!(!self.address.is_null(), ACL_ERROR_INVALID_PARAM, "{} is null", self.name);
        Ok(Place(self.address))
    }

    /// For a function of the tensor API to which null must not be passed.
    pub(crate) fn required_nn(self) -> NnFallible<Place<T>> {
        ensure!(!self.address.is_null(), ACLNN_ERR_PARAM_NULLPTR, "{} is null", self.name);
        Ok(Place(self.address))
    }

    /// For a function to which null may be passed.
    pub(crate) fn optional(self) -> Option<Place<T>> {
        (!self.address.is_null()).then_some(Place(self.address))
    }
}

impl<T> Place<T> {
    pub(crate) fn put(self, value: T) {
        // SAFETY: by the contract of `Out::new` a T may be written to this address, which is not
        // null.
        unsafe { self.0.write(value) }
    }
}

/// Exported functions. An argument marked `#[out]` is an [`Out`] in the body; the name and
/// prototype are those of `aclnn-sys`. One marked `#[stateless]` is run by [`call_stateless`].
macro_rules! entry {
    (@run stateless) => { $crate::entry::call_stateless };
    (@run) => { $crate::entry::call };
    (@bind out $argument:ident) => {
        // SAFETY: by the function's contract this argument is null or has room for the result
        // during the call.
        let $argument = unsafe { $crate::entry::Out::new($argument, stringify!($argument)) };
    };
    (@bind $argument:ident) => {};
    ($($(#[$run:ident])? fn $name:ident($($(#[$mode:ident])? $argument:ident: $kind:ty),* $(,)?) -> $answer:ty => $body:expr;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`](aclnn_sys::Cann::", stringify!($name), ") on the CPU.")]
        ///
        /// # Safety
        /// The arguments are what CANN's documentation of the function asks for. Handles may have
        /// any value.
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> $answer {
            $crate::entry::entry!(@run $($run)?)(stringify!($name), || {
                $($crate::entry::entry!(@bind $($mode)? $argument);)*
                $body
            })
        }
        const _: aclnn_sys::prototypes::$name = $name;
    )*};
}
pub(crate) use entry;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_comes_back_as_an_error() {
        let code: AclError = call("aclrtMalloc", || panic!("a bug"));
        assert_eq!(code, ACL_ERROR_INTERNAL_ERROR);
        let status: AclnnStatus = call("aclGetDataType", || panic!("a bug"));
        assert_eq!(status, ACLNN_ERR_INNER);
        let handle: *mut aclnn_sys::aclTensor = call("aclCreateTensor", || panic!("a bug"));
        assert!(handle.is_null());
        // SAFETY: the message is a text until the thread asks again.
        let words = unsafe { core::ffi::CStr::from_ptr(errors::take_messages()) }.to_str().unwrap();
        for name in ["aclrtMalloc: ", "aclGetDataType: ", "aclCreateTensor: "] {
            assert!(words.contains(name) && words.contains("host-cann panicked"), "{words}");
        }
    }
}
