//! Operators only access memory that a device could access: never bytes that do not belong to the
//! stream's device.
//!
//! The tests run with the CPU engine and, with feature `model`, with the kernels.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aclnn_scatter::sys::{
    ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, ACL_FLOAT, ACL_INT64, ACL_SUCCESS, aclDataType, aclOpExecutor,
    aclrtExceptionInfo,
};
use aclnn_scatter::{Check, Engine, c, set_check, set_engine};
use common::tensors::{Memory, Spec, Tensor};
use common::{Stream, assert_clear, cann, messages};

/// The number of elements of each tensor.
const LEN: i64 = 2048;

/// Sets engine and check of the process. No other test changes them meanwhile, nor allocates
/// memory, which would take the place of what a test has freed.
fn settings(engine: Engine, check: Check) -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    set_engine(engine);
    set_check(check);
    guard
}

/// Runs a test with each engine that is available.
fn with_engines(test: impl Fn()) {
    for engine in [Engine::Cpu, Engine::Kernel] {
        if engine == Engine::Cpu || cfg!(feature = "model") {
            let _settings = settings(engine, Check::Flag);
            test();
        }
    }
}

/// Memory for tensors of exactly [`LEN`] elements each.
struct Tensors {
    self_: Memory,
    index: Memory,
    src: Memory,
    out: Memory,
    workspace: Memory,
}

impl Tensors {
    fn new() -> Self {
        let len = LEN as usize;
        Self {
            self_: Memory::of(&vec![1_f32; len]),
            index: Memory::of(&(0..LEN).collect::<Vec<i64>>()),
            src: Memory::of(&vec![2_f32; len]),
            out: Memory::of(&vec![0_f32; len]),
            workspace: Memory::of(&vec![0_u8; 1 << 16]),
        }
    }

    fn addresses(&self) -> [*mut c_void; 4] {
        [self.self_.address, self.index.address, self.src.address, self.out.address]
    }
}

/// The tensors of `out = self; out[index[i]] += src[i]`, in the order of [`NAMES`].
fn create(addresses: [*mut c_void; 4]) -> [Tensor; 4] {
    let dtypes: [aclDataType; 4] = [ACL_FLOAT, ACL_INT64, ACL_FLOAT, ACL_FLOAT];
    std::array::from_fn(|place| Spec::new(dtypes[place], &[LEN], addresses[place]).create())
}

const NAMES: [&str; 4] = ["self", "index", "src", "out"];
/// The sizes of the tensors in bytes.
const BYTES: [usize; 4] = [8192, 16384, 8192, 8192];

fn phase_one(tensors: &[Tensor; 4]) -> (u64, *mut aclOpExecutor) {
    let ([self_, index, src, out], mut size, mut executor) = (tensors, 0, null_mut());
    // SAFETY: the handles live, and pointers for results are to live locals.
    let status = unsafe {
        c::aclnnScatterAddGetWorkspaceSize(self_.0, 0, index.0, src.0, out.0, &mut size, &mut executor)
    };
    assert!(status.is_success(), "{}", messages());
    (size, executor)
}

fn phase_two(workspace: *mut c_void, (size, executor): (u64, *mut aclOpExecutor), stream: &Stream) -> i32 {
    let workspace = if size == 0 { null_mut() } else { workspace };
    // SAFETY: tensors may describe memory wrongly here, but host-cann checks all memory before it
    // is accessed.
    unsafe { c::aclnnScatterAdd(workspace, size, executor, stream.raw) }.0
}

/// Asserts that the stream's next synchronisation fails with these words, and the one after it
/// succeeds.
fn assert_failed(stream: &Stream, words: &[&str]) {
    let _ = messages();
    assert_eq!(stream.synchronize(), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "{words:?}");
    let message = messages();
    for words in words {
        assert!(message.contains(words), "{words}: {message}");
    }
    assert!(stream.synchronize().is_success());
    // The failure is not an index out of range.
    assert_clear(&stream.status());
}

/// Asserts that a call in which one tensor has this address fails with these words, and writes
/// nothing.
fn assert_refused(place: usize, address: *mut c_void, stream: &Stream, words: &[&str]) {
    let good = Tensors::new();
    let mut addresses = good.addresses();
    addresses[place] = address;
    let tensors = create(addresses);
    let _ = messages();
    assert_eq!(phase_two(good.workspace.address, phase_one(&tensors), stream), 0, "{}", messages());
    let access = if place == 3 { "write" } else { "read" };
    let all = format!("aclnnScatterAdd: {}: device 0 can't {access} {} bytes at", NAMES[place], BYTES[place]);
    assert_failed(stream, &[&[all.as_str()], words].concat());
    assert!(good.out.read::<f32>().iter().all(|&value| value == 0.0));
}

#[test]
fn good_memory_is_used() {
    with_engines(|| {
        let (stream, good) = (Stream::new(), Tensors::new());
        let tensors = create(good.addresses());
        assert_eq!(phase_two(good.workspace.address, phase_one(&tensors), &stream), 0);
        assert!(stream.synchronize().is_success(), "{}", messages());
        assert!(good.out.read::<f32>().iter().all(|&value| value == 3.0));
    });
}

#[test]
fn host_memory_is_no_tensor_s() {
    with_engines(|| {
        let stream = Stream::new();
        let mut forgotten = vec![5_u64; LEN as usize];
        for place in 0..4 {
            assert_refused(place, forgotten.as_mut_ptr().cast(), &stream, &["it is host memory"]);
            assert_refused(place, without_provenance_mut(0x1000), &stream, &["at 0x1000", "or none at all"]);
        }
        assert!(forgotten.iter().all(|&value| value == 5));
    });
}

#[test]
fn a_tensor_that_is_larger_than_its_memory_touches_no_neighbour() {
    with_engines(|| {
        let stream = Stream::new();
        let (before, small) = (Memory::of(&[7_u8; 480]), Memory::of(&[7_u8; 64]));
        let behind = Memory::of(&[7_u8; 1 << 16]);
        for place in 0..4 {
            assert_refused(place, small.address, &stream, &["96 bytes are there"]);
            // The tensor begins in one allocation and ends in the next.
            assert_refused(place, before.address, &stream, &["512 bytes are there"]);
        }
        for guard in [&before, &small, &behind] {
            assert!(guard.read::<u8>().iter().all(|&byte| byte == 7));
        }
    });
}

#[test]
fn an_address_that_is_set_later_is_looked_at_when_the_work_runs() {
    with_engines(|| {
        let (stream, good, small) = (Stream::new(), Tensors::new(), Memory::of(&[7_f32; 16]));
        let tensors = create(good.addresses());
        let (size, executor) = phase_one(&tensors);
        let set_out = |address| {
            // SAFETY: host-cann looks up handles.
            unsafe { cann().aclSetOutputTensorAddr(executor, 0, tensors[3].0, address) }.unwrap()
        };
        // SAFETY: host-cann looks up handles.
        assert!(unsafe { cann().aclSetAclOpExecutorRepeatable(executor) }.unwrap().is_success());
        assert!(set_out(small.address).is_success());
        assert_eq!(phase_two(good.workspace.address, (size, executor), &stream), 0);
        assert_failed(&stream, &["out: device 0 can't write 8192 bytes", "96 bytes are there"]);
        assert_eq!(small.read::<f32>(), [7.0; 16]);
        assert!(set_out(good.out.address).is_success());
        assert_eq!(phase_two(good.workspace.address, (size, executor), &stream), 0);
        assert!(stream.synchronize().is_success());
        assert!(good.out.read::<f32>().iter().all(|&value| value == 3.0));
        // SAFETY: the executor lives.
        assert!(unsafe { cann().aclDestroyAclOpExecutor(executor) }.unwrap().is_success());
    });
}

#[test]
fn memory_that_was_freed_is_not_touched() {
    with_engines(|| {
        let stream = Stream::new();
        for place in 0..4 {
            // Memory that is freed between the phases.
            let (good, freed) = (Tensors::new(), Memory::of(&vec![0_i64; LEN as usize]));
            let mut addresses = good.addresses();
            addresses[place] = freed.address;
            let tensors = create(addresses);
            let executor = phase_one(&tensors);
            drop(freed);
            assert_eq!(phase_two(good.workspace.address, executor, &stream), 0);
            assert_failed(&stream, &[NAMES[place], "it was freed"]);
            // Memory that is freed while the work waits in the stream.
            let freed = Memory::of(&vec![0_i64; LEN as usize]);
            let mut addresses = good.addresses();
            addresses[place] = freed.address;
            let tensors = create(addresses);
            let gate = Gate::close(&stream);
            assert_eq!(phase_two(good.workspace.address, phase_one(&tensors), &stream), 0);
            drop(freed);
            gate.open();
            assert_failed(&stream, &[NAMES[place], "it was freed"]);
            assert!(good.out.read::<f32>().iter().all(|&value| value == 0.0));
        }
    });
}

#[test]
fn memory_of_another_device_is_not_touched() {
    with_engines(|| {
        let elsewhere = {
            let _device = Stream::on(1);
            Memory::of(&vec![7_i64; LEN as usize])
        };
        let stream = Stream::new();
        for place in 0..4 {
            assert_refused(place, elsewhere.address, &stream, &["it is memory of device 1"]);
        }
        assert!(elsewhere.read::<i64>().iter().all(|&value| value == 7));
    });
}

static EXCEPTIONS: AtomicU32 = AtomicU32::new(0);

/// The exception callback: counts the failed tasks.
unsafe extern "C" fn count(_: *mut aclrtExceptionInfo) {
    EXCEPTIONS.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn streams_go_on_and_others_are_not_told() {
    with_engines(|| {
        let (stream, other, good) = (Stream::new(), Stream::new(), Tensors::new());
        let mut addresses = good.addresses();
        addresses[2] = without_provenance_mut(0x1000);
        let (bad, tensors) = (create(addresses), create(good.addresses()));
        EXCEPTIONS.store(0, Ordering::SeqCst);
        // SAFETY: the callback ignores its argument, and may be called at any time.
        let set = unsafe { cann().aclrtSetExceptionInfoCallback(Some(count)) };
        assert_eq!(set, Ok(ACL_SUCCESS));
        assert_eq!(phase_two(good.workspace.address, phase_one(&bad), &stream), 0);
        assert_eq!(phase_two(good.workspace.address, phase_one(&tensors), &stream), 0);
        assert!(other.synchronize().is_success());
        assert_failed(&stream, &["src"]);
        assert_eq!(EXCEPTIONS.load(Ordering::SeqCst), 1, "the task has failed once");
        assert!(good.out.read::<f32>().iter().all(|&value| value == 3.0), "later work of the stream is done");
        // SAFETY: null removes the callback.
        assert_eq!(unsafe { cann().aclrtSetExceptionInfoCallback(None) }, Ok(ACL_SUCCESS));
    });
}

#[test]
fn sync_waits_and_returns_it() {
    for engine in [Engine::Cpu, Engine::Kernel] {
        if engine == Engine::Kernel && !cfg!(feature = "model") {
            continue;
        }
        let _settings = settings(engine, Check::Sync);
        let (stream, good) = (Stream::new(), Tensors::new());
        let mut addresses = good.addresses();
        addresses[2] = without_provenance_mut(0x1000);
        let tensors = create(addresses);
        let _ = messages();
        assert_eq!(phase_two(good.workspace.address, phase_one(&tensors), &stream), 361_001);
        let message = messages();
        for words in ["aclnnScatterAdd: ", "507035", "src: device 0 can't read 8192 bytes at 0x1000"] {
            assert!(message.contains(words), "{words}: {message}");
        }
        assert!(stream.synchronize().is_success());
        assert!(good.out.read::<f32>().iter().all(|&value| value == 0.0));
    }
}

#[cfg(feature = "model")]
#[test]
fn the_kernels_workspace_is_held_to_it_too() {
    for check in [Check::Off, Check::Sync] {
        let _settings = settings(Engine::Kernel, check);
        let (stream, good) = (Stream::new(), Tensors::new());
        let tensors = create(good.addresses());
        let (size, executor) = phase_one(&tensors);
        let mut host = vec![[7_u64; 8]; size as usize / 64 + 1];
        let host_workspace = host.as_mut_ptr().wrapping_byte_add(host.as_ptr().align_offset(64));
        let status = phase_two(host_workspace.cast(), (size, executor), &stream);
        if check == Check::Off {
            assert_eq!(status, 0);
            assert_failed(
                &stream,
                &[&format!("workspace: device 0 can't write {size} bytes"), "host memory"],
            );
        } else {
            assert_eq!(status, 361_001);
            assert!(messages().contains("workspace: device 0 can't write"));
        }
        assert!(host.iter().flatten().all(|&word| word == 7));
        assert!(good.out.read::<f32>().iter().all(|&value| value == 0.0));
    }
}

/// Holds up a stream until it is opened.
struct Gate(Sender<()>);

impl Gate {
    fn close(stream: &Stream) -> Self {
        unsafe extern "C" fn wait(receiver: *mut c_void) {
            // SAFETY: the argument is the boxed receiver from `close`, and nothing else uses it.
            let receiver = unsafe { Box::from_raw(receiver.cast::<Receiver<()>>()) };
            receiver.recv().unwrap_or(());
        }
        let (sender, receiver) = channel::<()>();
        let receiver = Box::into_raw(Box::new(receiver)).cast();
        // SAFETY: the function takes a boxed receiver, and is called once.
        let launched = unsafe { cann().aclrtLaunchHostFunc(stream.raw, Some(wait), receiver) };
        assert_eq!(launched, Ok(ACL_SUCCESS));
        Self(sender)
    }

    fn open(self) {
        self.0.send(()).unwrap();
    }
}
