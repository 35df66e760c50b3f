//! Channels from devices to the host, to which nothing is ever written.

#![allow(clippy::unwrap_used)]

mod common;

use std::ptr;
use std::thread::{self, JoinHandle};

use aclnn_sys::*;
use common::{Session, acl, fails, message, ok, wild};
use host_cann::Counters;

/// A wait in a thread of its own; handles are numbers, and so can be passed on.
fn wait_for_ever(channel: *mut acltdtChannelHandle, dataset: *mut acltdtDataset) -> JoinHandle<AclError> {
    let (channel, dataset) = (channel.addr(), dataset.addr());
    let before = host_cann::waiting_threads();
    let waiting = thread::spawn(move || {
        let (channel, dataset) = (ptr::without_provenance(channel), ptr::without_provenance_mut(dataset));
        acl!(acltdtReceiveTensor(channel, dataset, -1))
    });
    while host_cann::waiting_threads() == before {
        thread::yield_now();
    }
    waiting
}

#[test]
fn a_channel_is_empty_and_a_wait_ends_with_it() {
    let session = Session::new();
    let channel = acl!(acltdtCreateChannelWithCapacity(0, c"dump".as_ptr(), 8));
    let dataset = acl!(acltdtCreateDataset());
    assert!(!channel.is_null() && !dataset.is_null());
    let mut size = 9;
    ok!(acltdtQueryChannelSize(channel, &mut size));
    assert_eq!(size, 0);
    let _ = message();
    for timeout in [0, 1] {
        assert_eq!(acl!(acltdtReceiveTensor(channel, dataset, timeout)), ACL_ERROR_RT_QUEUE_EMPTY);
    }
    // It is no failure.
    assert_eq!(message(), "");
    assert_eq!(acl!(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)), AclError::SUCCESS);
    // One that would wait for ever ends with the channel.
    let waiting = wait_for_ever(channel, dataset);
    ok!(acltdtDestroyChannel(channel));
    assert_eq!(waiting.join().unwrap(), ACL_ERROR_RT_QUEUE_EMPTY);
    ok!(acltdtDestroyDataset(dataset));
    drop(session);
}

#[test]
fn aclfinalize_ends_waits_too() {
    let session = Session::new();
    let channel = acl!(acltdtCreateChannelWithCapacity(1, c"dump".as_ptr(), 8));
    let dataset = acl!(acltdtCreateDataset());
    let waiting = wait_for_ever(channel, dataset);
    ok!(aclFinalize());
    assert_eq!(waiting.join().unwrap(), ACL_ERROR_RT_QUEUE_EMPTY);
    assert_eq!(Counters::leftovers().map(|left| left.channels), Some(2));
    ok!(aclInit(ptr::null()));
    drop(session);
}

#[test]
fn wrong_arguments_are_refused() {
    let session = Session::new();
    let dataset = acl!(acltdtCreateDataset());
    let made = |device, name| acl!(acltdtCreateChannelWithCapacity(device, name, 8));
    let long = std::ffi::CString::new("n".repeat(128)).unwrap();
    for (device, name, words) in [
        (0, ptr::null(), "name is null"),
        (2, c"dump".as_ptr(), "device 2 does not exist"),
        (0, long.as_ptr(), "name has 129 bytes"),
    ] {
        assert!(made(device, name).is_null());
        assert!(message().contains(words), "{words}");
    }
    let channel = made(0, c"dump".as_ptr());
    fails!(acltdtReceiveTensor(channel, dataset, -2), ACL_ERROR_INVALID_PARAM, "timeout -2");
    fails!(acltdtReceiveTensor(wild(), dataset, 0), ACL_ERROR_INVALID_PARAM, "channel");
    fails!(acltdtReceiveTensor(channel, wild(), 0), ACL_ERROR_INVALID_PARAM, "dataset");
    fails!(acltdtQueryChannelSize(channel, ptr::null_mut()), ACL_ERROR_INVALID_PARAM, "size is null");
    ok!(acltdtDestroyChannel(channel));
    fails!(acltdtDestroyChannel(channel), ACL_ERROR_INVALID_PARAM, "was destroyed");
    ok!(acltdtDestroyDataset(dataset));
    fails!(acltdtDestroyDataset(dataset), ACL_ERROR_INVALID_PARAM, "was destroyed");
    fails!(acltdtSendTensor(channel, dataset, -1), ACL_ERROR_API_NOT_SUPPORT, "acltdtSendTensor");
    drop(session);
}
