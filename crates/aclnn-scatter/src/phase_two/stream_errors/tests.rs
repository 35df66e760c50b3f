//! What is kept of each stream's failures, and of its status words.

use super::*;

use core::ffi::{CStr, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use aclnn_sys::{
    ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEMCPY_HOST_TO_DEVICE,
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR, AclError, Cann,
};
use host_cann::Counters;
use scatter::{DType, Layout, Op, Operand, Operator, Problem, Shape};
use scatter_kernels::tiling::Status;

use crate::executor::positions::Positions;
use crate::function::Function;
use crate::phase_two::status_words::Origin;

fn bad(value: i64) -> BadIndex {
    let position = Shape::new(&[1, 2]).unwrap();
    BadIndex {
        function: c"aclnnScatterAdd",
        operator: Operator::ScatterAdd,
        axis: 0,
        position,
        value,
        size: 5,
    }
}

fn session() -> &'static Session {
    crate::process::session::open(Cann::from_table([]))
}

fn stream(number: usize) -> aclrtStream {
    ptr::without_provenance_mut(number)
}

#[test]
fn the_first_is_told_once() {
    let (session, other) = (session(), session());
    record(session, stream(8), 0, bad(7));
    record(session, stream(8), 0, bad(9));
    record(session, stream(16), 0, bad(11));
    record(other, stream(8), 0, bad(13));
    let info = take(session, stream(8)).unwrap().info();
    assert_eq!((info.code, info.rank, info.value, info.size), (ACLNN_ERR_PARAM_INVALID, 2, 7, 5));
    assert_eq!(info.position, [1, 2, 0, 0, 0, 0, 0, 0]);
    // SAFETY: the name ends with a NUL.
    let name = unsafe { CStr::from_ptr(info.opName.as_ptr()) };
    assert_eq!(name, c"aclnnScatterAdd");
    assert!(take(session, stream(8)).is_none());
    assert_eq!(take(session, stream(16)).unwrap().value, 11);
    assert_eq!(take(other, stream(8)).unwrap().value, 13);
}

#[test]
fn streams_that_never_ask_do_not_pile_up() {
    // Not the static `STREAMS`, which other tests use.
    let mut streams = Streams::default();
    for number in 0..3 * REMEMBERED {
        streams.record((1, number), 0, bad(0));
    }
    assert_eq!((streams.failed.len(), streams.order.len()), (REMEMBERED, REMEMBERED));
    assert!(streams.failed.contains_key(&(1, 3 * REMEMBERED - 1)) && !streams.failed.contains_key(&(1, 0)));
}

#[test]
fn numbered_calls_are_told_one_by_one_and_never_forgotten() {
    let (session, many) = (session(), session());
    for (ticket, value) in [(0, 6), (3, 7), (5, 8)] {
        record(session, stream(8), ticket, bad(value));
    }
    let told = take_all(session, stream(8));
    let tickets: Vec<_> = told.iter().map(|told| told.tickets.clone()).collect();
    assert_eq!(tickets, [0..=0, 3..=3, 5..=5]);
    let values: Vec<_> = told.iter().map(|told| told.error.to_string()).collect();
    assert!(values[0].ends_with("got 6") && values[2].ends_with("got 8"), "{values:?}");
    assert!(take_all(session, stream(8)).is_empty());
    // The last entry covers all that are too many.
    for ticket in 101..=300 {
        record(many, stream(8), ticket, bad(ticket as i64));
    }
    record(many, stream(8), 7, bad(7));
    let told = take_all(many, stream(8));
    assert_eq!(told.len(), KEPT);
    assert_eq!((told[0].tickets.clone(), told[KEPT - 1].tickets.clone()), (101..=101, 7..=300));

    let mut streams = Streams::default();
    streams.record((1, 0), 0, bad(0));
    streams.record((1, 0), 1, bad(1));
    for number in 1..=REMEMBERED {
        streams.record((1, number), 0, bad(0));
    }
    assert_eq!((streams.failed.len(), streams.order.len()), (REMEMBERED + 1, REMEMBERED));
}

static GATE: AtomicBool = AtomicBool::new(false);
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn wait_for_gate(_: *mut c_void) {
    HAS_BEGUN.store(true, Ordering::SeqCst);
    while !GATE.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
}

unsafe extern "C" fn lost(_: aclrtStream) -> AclError {
    ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
}

/// A device, simulated with host-cann, whose CANN can't synchronise its streams.
struct Device(&'static Session);

impl Device {
    fn new() -> Self {
        let table = [(c"aclrtSynchronizeStream", lost as *const c_void)];
        let cann = Cann::from_table(table).then(Cann::from_table(host_cann::table()));
        let session = crate::process::session::open(cann);
        // SAFETY: null stands for no configuration.
        unsafe {
            // Another test of this process may have called it before.
            let _ = session.cann.aclInit(ptr::null());
            assert!(session.cann.aclrtSetDevice(0).unwrap().is_success());
        }
        Self(session)
    }

    fn stream(&self) -> aclrtStream {
        let mut stream = ptr::null_mut();
        // SAFETY: `stream` is a live local.
        assert!(unsafe { self.0.cann.aclrtCreateStream(&mut stream) }.unwrap().is_success());
        stream
    }

    /// Lets a stream run a task until the gate is opened.
    fn hold(&self, stream: aclrtStream) {
        GATE.store(false, Ordering::SeqCst);
        HAS_BEGUN.store(false, Ordering::SeqCst);
        // SAFETY: the function ignores its argument.
        let held = unsafe { self.0.cann.aclrtLaunchHostFunc(stream, Some(wait_for_gate), ptr::null_mut()) };
        assert!(held.unwrap().is_success());
        while !HAS_BEGUN.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
    }

    /// Opens the gate, and waits for a stream.
    fn release(&self, stream: aclrtStream) {
        GATE.store(true, Ordering::SeqCst);
        // SAFETY: the stream is not destroyed.
        assert!(unsafe { host_cann::c::aclrtSynchronizeStream(stream) }.is_success());
    }

    /// The status words of a launch with one block, which report a value, on their way to the host.
    fn words(&self, value: i64, stream: aclrtStream) -> StatusWords {
        let words = Status { position: 2, value, ..Status::GOOD };
        let (mut place, bytes) = (ptr::null_mut(), size_of::<Status>());
        // SAFETY: `place` is a live local; the allocation has the bytes that are copied, and is not
        // freed.
        unsafe {
            let cann = &self.0.cann;
            let made = cann.aclrtMalloc(&mut place, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
            assert!(made.unwrap().is_success());
            let from = ptr::from_ref(&words).cast();
            let copied = cann.aclrtMemcpy(place, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
            assert!(copied.unwrap().is_success());
            StatusWords::new(self.0, origin(), 1, true).unwrap().copy(place, None, stream).unwrap()
        }
    }

    fn watch(&self, words: StatusWords, stream: aclrtStream) {
        watch(self.0, stream, 0, words);
    }

    fn told(&self, stream: aclrtStream) -> Option<i64> {
        take(self.0, stream).map(|bad| bad.value)
    }
}

fn origin() -> Origin {
    let operand =
        |dtype, len: usize, address| Operand::new(dtype, Layout::contiguous(&[len], len).unwrap(), address);
    let (out, index) = (operand(DType::F32, 4, 0x1000), operand(DType::I64, 3, 0x2000));
    let src = operand(DType::F32, 3, 0x3000);
    let problem = Problem::new(Op::ScatterAdd { dim: 0 }, &out, &index, Some(&src), &out).unwrap();
    Origin { function: Function::ScatterAdd, problem, positions: Positions { rank: 1, merged: None } }
}

/// The pinned memory and the events of status words.
fn kept() -> (usize, usize) {
    (Counters::now().host_allocations, Counters::now().events)
}

#[test]
fn words_are_kept_until_their_copy_is_done_and_no_longer() {
    let device = Device::new();
    let (stream, other) = (device.stream(), device.stream());

    // Of a call that has failed.
    device.hold(stream);
    let words = device.words(-9, stream);
    let failure = words.wait(stream).unwrap_err();
    assert_eq!(failure.code, ACLNN_ERR_RUNTIME_ERROR, "{}", failure.message);
    device.watch(words.unread(), stream);
    assert_eq!((device.told(stream), kept()), (None, (1, 1)));
    device.release(stream);
    assert_eq!((device.told(stream), kept()), (None, (0, 0)));

    // They report the index, although synchronising fails.
    let words = device.words(-9, stream);
    device.release(stream);
    let told = words.bad_index().unwrap();
    assert_eq!((told.position[..].to_vec(), told.value, told.size), (vec![2], -9, 4));
    assert!(words.wait(stream).is_err());
    device.watch(words, stream);
    assert_eq!((device.told(stream), kept()), (Some(-9), (0, 0)));

    // A copy that is dropped leaves words that report nothing. They are kept until the work ends
    // that ran then.
    device.hold(stream);
    device.watch(device.words(-9, stream), stream);
    // SAFETY: the stream is not destroyed.
    assert!(unsafe { device.0.cann.aclrtStreamAbort(stream) }.unwrap().is_success());
    assert_eq!((device.told(stream), kept()), (None, (1, 1)));
    device.release(stream);
    assert_eq!((device.told(stream), kept()), (None, (0, 0)));

    // Those of a stream that is not used again go with a call of another stream.
    device.hold(stream);
    device.watch(device.words(-9, stream), stream);
    device.release(stream);
    assert_eq!(kept(), (1, 1));
    device.hold(other);
    device.watch(device.words(-8, other), other);
    assert_eq!(kept(), (1, 1));
    device.release(other);
    assert_eq!((device.told(stream), device.told(other), kept()), (Some(-9), Some(-8), (0, 0)));

    // But not with a call in another context, for the first one may have ended.
    device.hold(stream);
    device.watch(device.words(-9, stream), stream);
    device.release(stream);
    let (mut first, mut second) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the contexts are live locals, and the second one is ended when its work is done.
    unsafe {
        let cann = &device.0.cann;
        assert!(cann.aclrtGetCurrentContext(&mut first).unwrap().is_success());
        assert!(cann.aclrtCreateContext(&mut second, 0).unwrap().is_success());
        let elsewhere = device.stream();
        device.watch(device.words(-7, elsewhere), elsewhere);
        device.release(elsewhere);
        assert_eq!(device.told(elsewhere), Some(-7));
        assert_eq!(kept(), (1, 1));
        assert!(cann.aclrtDestroyContext(second).unwrap().is_success());
        assert!(cann.aclrtSetCurrentContext(first).unwrap().is_success());
    }
    assert_eq!((device.told(stream), kept()), (Some(-9), (0, 0)));
}
