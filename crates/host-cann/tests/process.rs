//! Start and end of the runtime, and its own versions and properties.

mod common;

use std::ffi::CStr;
use std::ptr;

use aclnn_sys::*;
use common::{Session, acl, fails, malloc, message, ok, stream, wild};
use host_cann::Counters;

#[test]
fn every_declared_function_is_there_and_no_operator() {
    let names: Vec<&CStr> = host_cann::table().map(|(name, _)| name).collect();
    let of_operators = |name: &CStr| {
        name.to_bytes().starts_with(b"aclnn") && name != c"aclnnInit" && name != c"aclnnFinalize"
    };
    let declared: Vec<&CStr> = FUNCTIONS.into_iter().filter(|name| !of_operators(name)).collect();
    let (extension, functions) = names.split_last().unwrap();
    assert_eq!(functions, declared);
    assert_eq!(*extension, c"hostcann_extension");
    assert!(host_cann::table().all(|(_, address)| !address.is_null()));
}

#[test]
fn repeated_calls_have_cann_s_codes_and_are_counted() {
    let session = Session::new();
    fails!(aclInit(ptr::null()), ACL_ERROR_REPEAT_INITIALIZE, "call 2");
    let mut left = 0;
    ok!(aclFinalizeReference(&mut left));
    assert_eq!(left, 1);
    ok!(aclrtSetDevice(1));
    ok!(aclFinalizeReference(&mut left));
    assert_eq!(left, 0);
    fails!(aclFinalizeReference(&mut left), ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before");
    fails!(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before");
    let mut memory = ptr::null_mut();
    fails!(aclrtMalloc(&mut memory, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_UNINITIALIZE, "aclInit");
    // aclFinalize undoes every aclInit at once.
    for _ in 0..3 {
        let _ = acl!(aclInit(ptr::null()));
    }
    ok!(aclFinalize());
    fails!(aclrtResetDevice(0), ACL_ERROR_UNINITIALIZE, "aclInit");
    ok!(aclInit(ptr::null()));
    drop(session);
}

#[test]
fn leftovers_are_counted_and_taken_back() {
    let session = Session::new();
    let memory = malloc(1000);
    let left = stream();
    let mut event = ptr::null_mut();
    ok!(aclrtCreateEvent(&mut event));
    ok!(aclFinalize());
    let counted = Counters::leftovers().unwrap();
    assert_eq!(
        (counted.device_allocations, counted.device_bytes, counted.streams, counted.events),
        (1, 1056, 1, 1)
    );
    assert_eq!(counted.to_string(), "1 device allocations, 1056 device bytes, 1 streams, 1 events");
    assert_eq!(Counters::now(), Counters::default());
    ok!(aclInit(ptr::null()));
    ok!(aclrtSetDevice(0));
    fails!(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID, "living allocation");
    fails!(aclrtDestroyStream(left), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    fails!(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    drop(session);
}

#[test]
fn a_wrong_environment_is_said_at_init() {
    let session = Session::new();
    ok!(aclFinalize());
    for (name, value) in
        [("HOST_CANN_DEVICES", "0"), ("HOST_CANN_DEVICES", "65"), ("HOST_CANN_MEMORY", "lots")]
    {
        // SAFETY: the session's lock is held.
        unsafe { std::env::set_var(name, value) };
        fails!(aclInit(ptr::null()), ACL_ERROR_INVALID_PARAM, name, value);
        // SAFETY: the session's lock is held.
        unsafe { std::env::remove_var(name) };
    }
    ok!(aclInit(ptr::null()));
    drop(session);
}

#[test]
fn messages_are_the_thread_s_the_newest_first_and_told_once() {
    let _session = Session::new();
    assert_eq!(message(), "");
    let _ = acl!(aclrtDestroyStream(wild()));
    let _ = acl!(aclrtSetDevice(99));
    let other = std::thread::spawn(message);
    assert_eq!(other.join().unwrap(), "");
    let messages = message();
    let lines: Vec<&str> = messages.lines().collect();
    assert_eq!(lines.len(), 2, "{messages}");
    assert!(
        lines[0].starts_with("aclrtSetDevice: ACL_ERROR_RT_INVALID_DEVICEID (107001): device 99"),
        "{messages}"
    );
    assert!(lines[1].starts_with("aclrtDestroyStream"), "{messages}");
    assert_eq!(message(), "");
    assert_eq!(acl!(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)), ACL_ERROR_RT_INVALID_DEVICEID);
    assert_eq!(acl!(aclrtGetLastError(ACL_RT_THREAD_LEVEL)), ACL_ERROR_RT_INVALID_DEVICEID);
    assert_eq!(acl!(aclrtGetLastError(ACL_RT_THREAD_LEVEL)), ACL_SUCCESS);
    assert_eq!(message(), "");
}

#[test]
fn what_is_not_implemented_fails_and_names_itself() {
    let _session = Session::new();
    let code = ACL_ERROR_API_NOT_SUPPORT;
    fails!(aclrtIpcMemClose(ptr::null()), code, "does not implement");
    let relaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    fails!(aclmdlRICaptureBegin(ptr::null_mut(), relaxed), ACL_ERROR_API_NOT_SUPPORT, "does not implement");
    assert!(acl!(aclmdlCreateDesc()).is_null());
    assert!(message().contains("aclmdlCreateDesc: ACL_ERROR_API_NOT_SUPPORT (200001)"));
}

#[test]
fn the_runtime_says_what_it_is() {
    let _session = Session::new();
    let soc = acl!(aclrtGetSocName());
    // SAFETY: the runtime's text is valid to the end of the process.
    assert_eq!(unsafe { CStr::from_ptr(soc) }, c"HostCann");
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    ok!(aclrtGetVersion(&mut major, &mut minor, &mut patch));
    assert_eq!((major, minor, patch), (1, 13, 0));
    let mut version = std::mem::MaybeUninit::uninit();
    fails!(
        aclsysGetCANNVersion(ACL_PKG_NAME_CANN, version.as_mut_ptr()),
        ACL_ERROR_INVALID_FILE,
        "ASCEND_HOME_PATH"
    );
    // SAFETY: a failure writes empty texts.
    assert_eq!(unsafe { version.assume_init() }.version, [0; 128]);
    let mut mode = ACL_DEVICE;
    ok!(aclrtGetRunMode(&mut mode));
    assert_eq!(mode, ACL_HOST);
    let (mut list, mut count) = (ptr::null(), 0);
    ok!(aclGetCannAttributeList(&mut list, &mut count));
    // SAFETY: the list has `count` entries.
    let list = unsafe { std::slice::from_raw_parts(list, count) };
    assert_eq!(list, [ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16]);
    let sizes = [
        (ACL_FLOAT, 4),
        (ACL_BF16, 2),
        (ACL_BOOL, 1),
        (ACL_COMPLEX128, 16),
        (ACL_INT4, 0),
        (aclDataType(99), 0),
    ];
    for (dtype, size) in sizes {
        assert_eq!(acl!(aclDataTypeSize(dtype)), size, "{dtype}");
    }
    assert_eq!(acl!(aclFloat16ToFloat(0x3C00)), 1.0);
    assert_eq!(acl!(aclFloatToFloat16(65504.0)), 0x7BFF);
}

#[test]
fn settings_are_zero_until_set_and_missing_in_a_context() {
    let _session = Session::new();
    let mut value = -1;
    ok!(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &mut value));
    assert_eq!(value, 0);
    ok!(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    ok!(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &mut value));
    assert_eq!(value, 1);
    fails!(aclrtSetSysParamOpt(aclSysParamOpt(9), 1), ACL_ERROR_INVALID_PARAM, "9");
    let early = ACL_OPT_ENABLE_KERNEL_EARLY_START;
    fails!(aclrtCtxSetSysParamOpt(early, 1), ACL_ERROR_INVALID_PARAM, "3");
    let deterministic = ACL_OPT_DETERMINISTIC;
    fails!(aclrtCtxGetSysParamOpt(deterministic, &mut value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "not set");
    ok!(aclrtCtxSetSysParamOpt(deterministic, 2));
    ok!(aclrtCtxGetSysParamOpt(deterministic, &mut value));
    assert_eq!(value, 2);
    ok!(aclrtSetDevice(1));
    fails!(aclrtCtxGetSysParamOpt(deterministic, &mut value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "not set");
}
