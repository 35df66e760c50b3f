//! What a configuration file of `aclInit` sets, and what is refused.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::CString;
use std::path::PathBuf;
use std::{fs, ptr, thread};

use aclnn_sys::*;
use common::{Session, acl, fails, malloc, message, ok, wild};

/// A file of a test's own.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("host-cann-{}-{name}.json", std::process::id())))
    }

    fn write(&self, text: &str) -> CString {
        fs::write(&self.0, text).unwrap();
        CString::new(self.0.to_str().unwrap()).unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Runs something with a configuration instead of the session's none.
fn with(name: &str, text: &str, work: impl FnOnce()) {
    let session = Session::with(&[]);
    ok!(aclFinalize());
    let file = File::new(name);
    ok!(aclInit(file.write(text).as_ptr()));
    work();
    drop(session);
}

#[test]
fn what_clients_of_cann_configure_is_taken() {
    for text in [
        "",
        " {\n} ",
        "{\"dump\":{\"dump_scene\":\"lite_exception\"},\"err_msg_mode\":\"1\"}",
        "{\"dump\":{\"dump_scene\":\"lite_exception\"},\"defaultDevice\":{\"default_device\":\"0\"}}",
        "{\"dump\":{},\"err_msg_mode\":\"0\",\"defaultDevice\":{}}",
    ] {
        with("taken", text, || {
            ok!(aclrtSetDevice(0));
        });
    }
}

#[test]
fn what_would_be_ignored_is_refused_by_name() {
    let session = Session::with(&[]);
    ok!(aclFinalize());
    let file = File::new("refused");
    let path = CString::new(file.0.to_str().unwrap()).unwrap();
    fails!(aclInit(path.as_ptr()), ACL_ERROR_INVALID_FILE, "refused.json");
    for (text, code, words) in [
        ("{\"dump\": {\"dump_level\": \"op\"}}", ACL_ERROR_FEATURE_UNSUPPORTED, "dump.dump_level"),
        ("{\"dump\": {\"dump_scene\": \"watcher\"}}", ACL_ERROR_FEATURE_UNSUPPORTED, "\"watcher\""),
        ("{\"profiler\": {\"switch\": \"on\"}}", ACL_ERROR_FEATURE_UNSUPPORTED, "profiler"),
        ("{\"defaultDevice\": {\"device\": \"0\"}}", ACL_ERROR_FEATURE_UNSUPPORTED, "defaultDevice.device"),
        ("{\"defaultDevice\": {\"default_device\": 0}}", ACL_ERROR_INVALID_PARAM, "default_device"),
        ("{\"defaultDevice\": {\"default_device\": \"01\"}}", ACL_ERROR_INVALID_PARAM, "got \"01\""),
        ("{\"defaultDevice\": {\"default_device\": \"7\"}}", ACL_ERROR_RT_INVALID_DEVICEID, "device 7"),
        ("{\"err_msg_mode\": \"2\"}", ACL_ERROR_INVALID_PARAM, "err_msg_mode"),
        ("{\"err_msg_mode\": 1}", ACL_ERROR_INVALID_PARAM, "got 1"),
        ("{\"dump\": \"on\"}", ACL_ERROR_INVALID_PARAM, "an object expected"),
        ("{\"dump\": ", ACL_ERROR_PARSE_FILE, "refused.json"),
        ("[]", ACL_ERROR_PARSE_FILE, "refused.json"),
    ] {
        file.write(text);
        fails!(aclInit(path.as_ptr()), code, words);
        // Nothing runs now.
        fails!(aclrtSynchronizeDevice(), ACL_ERROR_UNINITIALIZE, "aclInit was not called");
    }
    file.write("{\"a\": 1}");
    assert_eq!(acl!(aclnnInit(path.as_ptr())), ACLNN_ERR_PARAM_INVALID);
    file.write(" {\n} ");
    assert_eq!(acl!(aclnnInit(path.as_ptr())).0, 0);
    assert_eq!(acl!(aclnnInit(c"/no/such/file".as_ptr())).0, 0);
    assert_eq!(acl!(aclnnFinalize()).0, 0);
    let _ = message();
    ok!(aclInit(ptr::null()));
    drop(session);
}

fn fail_in_another_thread() {
    let code = thread::spawn(|| acl!(aclrtDestroyEvent(wild()))).join().unwrap();
    assert!(!code.is_success());
}

#[test]
fn messages_can_be_those_of_all_threads() {
    with("messages", "{\"err_msg_mode\": \"1\"}", || {
        fail_in_another_thread();
        let told = thread::spawn(message).join().unwrap();
        assert!(told.contains("aclrtDestroyEvent"), "{told}");
        assert_eq!(message(), "");
        // They are forgotten at the end.
        fail_in_another_thread();
    });
    assert_eq!(message(), "");
    with("messages", "{\"err_msg_mode\": \"0\"}", || {
        fail_in_another_thread();
        assert_eq!(message(), "");
    });
}

#[test]
fn a_default_device_is_that_of_threads_that_set_none() {
    with("device", "{\"defaultDevice\": {\"default_device\": \"1\"}}", || {
        let device = || {
            let mut device = -1;
            ok!(aclrtGetDevice(&mut device));
            device
        };
        assert_eq!(thread::spawn(device).join().unwrap(), 1);
        ok!(aclrtFree(malloc(64)));
        // That is no use of the device that somebody could undo.
        fails!(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "device 1 has not been set");
        ok!(aclrtSetDevice(0));
        assert_eq!(device(), 0);
        // A thread whose context has ended doesn't go on with another device.
        let mut context = ptr::null_mut();
        ok!(aclrtCreateContext(&mut context, 0));
        ok!(aclrtDestroyContext(context));
        fails!(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL, "its device or context has ended");
    });
    // It was that configuration's.
    let session = Session::with(&[]);
    let mut device = -1;
    fails!(aclrtGetDevice(&mut device), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
    drop(session);
}
