//! Many threads at once, and a runtime that is empty afterwards. `CONTEXT_ROUNDS` sets how often a
//! stream is made while its context ends.

mod common;

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use aclnn_sys::*;
use common::{Session, acl, event, launch, malloc, malloc_host, ok, setting, stream};
use host_cann::Counters;

const THREADS: u64 = 16;
const STREAMS: usize = 4;
/// Some 28 calls each, so that all threads together make 100,000.
const ROUNDS: u64 = 225;
const SIZE: usize = 256;

/// One thread's part: memory is copied through a chain of streams that events order, and the result
/// must be right.
fn work(seed: u64, launched: &Arc<AtomicU64>) {
    let device = (seed % 2) as i32;
    ok!(aclrtSetDevice(device));
    let streams: Vec<aclrtStream> = (0..STREAMS).map(|_| stream()).collect();
    let pinned = malloc_host(SIZE);
    for round in 0..ROUNDS {
        let value = (seed * 31 + round) as i32 & 0xFF;
        let memory = [malloc(SIZE), malloc(SIZE)];
        let shape = [SIZE as i64];
        let tensor = acl!(aclCreateTensor(
            shape.as_ptr(),
            1,
            ACL_UINT8,
            ptr::null(),
            0,
            ACL_FORMAT_ND,
            shape.as_ptr(),
            1,
            memory[0]
        ));
        let marks: Vec<aclrtEvent> = (1..STREAMS).map(|_| event()).collect();
        ok!(aclrtMemsetAsync(memory[0], SIZE, value, SIZE, streams[0]));
        for (place, mark) in marks.iter().enumerate() {
            ok!(aclrtRecordEvent(*mark, streams[place]));
            ok!(aclrtStreamWaitEvent(streams[place + 1], *mark));
            let (from, to) = (memory[place % 2], memory[(place + 1) % 2]);
            ok!(aclrtMemcpyAsync(to, SIZE, from, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, streams[place + 1]));
            let launched = Arc::clone(launched);
            launch(streams[place + 1], move || {
                launched.fetch_add(1, Ordering::Relaxed);
            });
        }
        let last = streams[STREAMS - 1];
        let from = memory[(STREAMS - 1) % 2];
        ok!(aclrtMemcpyAsync(pinned, SIZE, from, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, last));
        ok!(aclrtSynchronizeStream(last));
        // SAFETY: pinned memory of `SIZE` bytes, which the stream no longer uses.
        let bytes = unsafe { std::slice::from_raw_parts(pinned.cast::<u8>(), SIZE) };
        assert!(bytes.iter().all(|byte| i32::from(*byte) == value), "thread {seed}, round {round}");
        let mut address = ptr::null_mut();
        ok!(aclGetRawTensorAddr(tensor, &mut address));
        assert_eq!(address, memory[0]);
        ok!(aclDestroyTensor(tensor));
        marks.into_iter().for_each(|mark| ok!(aclrtDestroyEvent(mark)));
        memory.into_iter().for_each(|memory| ok!(aclrtFree(memory)));
    }
    ok!(aclrtFreeHost(pinned));
    streams.into_iter().for_each(|stream| ok!(aclrtDestroyStream(stream)));
    ok!(aclrtResetDevice(device));
}

#[test]
fn sixteen_threads_with_four_streams_on_two_devices() {
    let _session = Session::with(&[]);
    let launched = Arc::new(AtomicU64::new(0));
    thread::scope(|scope| {
        for seed in 0..THREADS {
            let launched = &launched;
            scope.spawn(move || work(seed, launched));
        }
    });
    assert_eq!(launched.load(Ordering::Relaxed), THREADS * ROUNDS * (STREAMS as u64 - 1));
}

/// Handles that one thread destroys while others use them: calls succeed or are refused, and
/// nothing else happens.
#[test]
fn handles_may_go_while_others_use_them() {
    let _session = Session::new();
    for _ in 0..200 {
        let (stream, event) = (stream(), event());
        let (stream, event) = (stream.addr(), event.addr());
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(move || {
                    ok!(aclrtSetDevice(0));
                    let (stream, event): (aclrtStream, aclrtEvent) =
                        (ptr::without_provenance_mut(stream), ptr::without_provenance_mut(event));
                    let refused = [ACL_SUCCESS, ACL_ERROR_RT_INVALID_HANDLE];
                    assert!(refused.contains(&acl!(aclrtRecordEvent(event, stream))));
                    assert!(refused.contains(&acl!(aclrtSynchronizeStream(stream))));
                    let _ = acl!(aclrtDestroyEvent(event));
                    let _ = acl!(aclrtDestroyStream(stream));
                    ok!(aclrtResetDevice(0));
                });
            }
        });
    }
}

#[test]
fn a_stream_that_is_made_while_its_context_ends_ends_with_it() {
    let _session = Session::new();
    for _ in 0..setting("CONTEXT_ROUNDS", 3_000) {
        let mut context = ptr::null_mut();
        ok!(aclrtCreateContext(&mut context, 0));
        let handle = context.addr();
        thread::scope(|scope| {
            scope.spawn(move || {
                let (context, mut stream) = (ptr::without_provenance_mut(handle), ptr::null_mut());
                if acl!(aclrtSetCurrentContext(context)).is_success() {
                    while acl!(aclrtCreateStream(&mut stream)).is_success() {}
                }
            });
            ok!(aclrtDestroyContext(ptr::without_provenance_mut(handle)));
        });
        assert_eq!(Counters::now().streams, 0);
    }
}
