//! Threads that make random calls on the same handles and memory at once. The order of the calls is
//! unknown, but nothing may crash or hang, memory that no tensor uses must not change, and nothing
//! may be left at the end.
//!
//! Index values lie in registered host memory that is never written: the one thing that a program
//! must not do is to write memory while another stream reads it as an index.

use std::ffi::c_void;
use std::ptr::{null, null_mut, with_exposed_provenance_mut, without_provenance_mut};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use aclnn_scatter::sys::{
    ACL_DOUBLE, ACL_ERROR_RT_MEMORY_FREE, ACL_FLOAT, ACL_FLOAT16, ACL_HOST_REGISTER_MAPPED, ACL_INT64,
    ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE, ACL_SUCCESS,
};
use host_cann::Counters;

use crate::common::tensors::Spec;
use crate::common::which::Which;
use crate::common::{Random, cann};
use crate::memory::{actual, is_debug};
use crate::stream::{close_gate, open_gates, wait_for_gate};

const THREADS: u64 = 4;
/// Bytes of every allocation.
const BYTES: usize = 1024;
/// Index values for an axis of size 4: all of the first half are in range, and one of the second
/// half is not.
static INDEX: [i64; 32] = {
    let mut values = [0; 32];
    let mut at = 0;
    while at < 32 {
        values[at] = at as i64 % 8 - 4;
        at += 1;
    }
    values[20] = 4;
    values
};

/// Handles that any thread may replace; 0 for none.
struct Shared {
    data: [AtomicUsize; 12],
    streams: [AtomicUsize; 6],
    events: [AtomicUsize; 4],
    tensors: [AtomicUsize; 16],
    indices: [AtomicUsize; 6],
    executors: [AtomicUsize; 12],
    /// The pair that made each executor.
    pairs: [AtomicUsize; 12],
}

static SHARED: Shared = Shared {
    data: [const { AtomicUsize::new(0) }; 12],
    streams: [const { AtomicUsize::new(0) }; 6],
    events: [const { AtomicUsize::new(0) }; 4],
    tensors: [const { AtomicUsize::new(0) }; 16],
    indices: [const { AtomicUsize::new(0) }; 6],
    executors: [const { AtomicUsize::new(0) }; 12],
    pairs: [const { AtomicUsize::new(0) }; 12],
};

fn any<'a>(random: &mut Random, handles: &'a [AtomicUsize]) -> &'a AtomicUsize {
    &handles[random.below(handles.len())]
}

/// A random one of these handles, and sometimes a handle that is none.
fn handle<T>(random: &mut Random, handles: &[AtomicUsize]) -> *mut T {
    let handle = any(random, handles).load(Relaxed);
    without_provenance_mut(if random.below(64) == 0 { 0x1230 } else { handle })
}

fn data(random: &mut Random) -> *mut c_void {
    let base = any(random, &SHARED.data).load(Relaxed);
    with_exposed_provenance_mut(base)
}

/// An address for a tensor of data: in an allocation, near its end, in the gap after it, or in no
/// memory.
fn address(random: &mut Random) -> *mut c_void {
    let base = data(random);
    match random.below(12) {
        0 => base.wrapping_byte_add(BYTES - 8),
        1 => base.wrapping_byte_add(BYTES + 64),
        2 => without_provenance_mut(0x1000),
        3 => null_mut(),
        at => base.wrapping_byte_add(at * 16),
    }
}

/// Makes the calls of one thread.
fn work(seed: u64, calls: usize) {
    let mut random = Random(seed);
    let gate = seed as usize;
    let cann = cann();
    for _ in 0..calls {
        let r = &mut random;
        let (mut place, mut stream, mut event) = (null_mut(), null_mut(), null_mut());
        let mut host = [3_u8; 64];
        let (mut size, mut executor) = (0, null_mut());
        // SAFETY: handles and device addresses are looked up, whatever their value; pointers for
        // results and host memory are valid.
        let _ = unsafe {
            match r.below(34) {
                0 => cann.aclrtSetDevice(r.below(2) as i32),
                1 if r.below(8) == 0 => cann.aclrtResetDevice(r.below(2) as i32),
                2 | 3 => {
                    let made = cann.aclrtMalloc(&mut place, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
                    let old = any(r, &SHARED.data).swap(place.expose_provenance(), Relaxed);
                    if old != 0 { cann.aclrtFree(with_exposed_provenance_mut(old)) } else { made }
                }
                4 => {
                    let freed = cann.aclrtFree(data(r));
                    assert_ne!(freed, Ok(ACL_ERROR_RT_MEMORY_FREE), "written outside of an allocation");
                    freed
                }
                5 => cann.aclrtMemcpy(data(r), 64, host.as_ptr().cast(), 64, ACL_MEMCPY_HOST_TO_DEVICE),
                6 => cann.aclrtMemcpy(host.as_mut_ptr().cast(), 64, data(r), 64, ACL_MEMCPY_DEVICE_TO_HOST),
                7 => {
                    let (to, from, stream) = (data(r), data(r), handle(r, &SHARED.streams));
                    cann.aclrtMemcpyAsync(to, 64, from, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream)
                }
                8 => {
                    let (to, from, stream) = (data(r), host.as_ptr().cast(), handle(r, &SHARED.streams));
                    cann.aclrtMemcpyAsync(to, 64, from, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream)
                }
                9 => cann.aclrtMemsetAsync(data(r), BYTES, 1, BYTES, handle(r, &SHARED.streams)),
                10 => {
                    let made = cann.aclrtCreateStream(&mut stream);
                    let old = any(r, &SHARED.streams).swap(stream.addr(), Relaxed);
                    if old != 0 { cann.aclrtDestroyStream(without_provenance_mut(old)) } else { made }
                }
                11 => match r.below(4) {
                    0 => cann.aclrtDestroyStreamForce(handle(r, &SHARED.streams)),
                    1 => cann.aclrtStreamAbort(handle(r, &SHARED.streams)),
                    2 => cann.aclrtDeviceTaskAbort(r.below(2) as i32, 1000),
                    _ => cann.aclrtSynchronizeDevice(),
                },
                12 | 13 => cann.aclrtSynchronizeStream(handle(r, &SHARED.streams)),
                14 => {
                    let made = cann.aclrtCreateEvent(&mut event);
                    let old = any(r, &SHARED.events).swap(event.addr(), Relaxed);
                    if old != 0 { cann.aclrtDestroyEvent(without_provenance_mut(old)) } else { made }
                }
                15 => cann.aclrtRecordEvent(handle(r, &SHARED.events), handle(r, &SHARED.streams)),
                16 => cann.aclrtStreamWaitEvent(handle(r, &SHARED.streams), handle(r, &SHARED.events)),
                17 => cann.aclrtSynchronizeEvent(handle(r, &SHARED.events)),
                18 => {
                    // Holds up a stream during a few calls, none of which waits.
                    close_gate(gate);
                    let argument = without_provenance_mut(gate);
                    let held =
                        cann.aclrtLaunchHostFunc(handle(r, &SHARED.streams), Some(wait_for_gate), argument);
                    for _ in 0..4 {
                        let _ = cann.aclrtMemsetAsync(data(r), BYTES, 2, BYTES, handle(r, &SHARED.streams));
                        second(r);
                        let _ = cann.aclrtFree(data(r));
                    }
                    open_gates(Some(gate));
                    held
                }
                19 => {
                    tensor(r, &SHARED.tensors, false);
                    continue;
                }
                20 => {
                    tensor(r, &SHARED.indices, true);
                    continue;
                }
                21 => {
                    let _ = cann.aclDestroyAclOpExecutor(handle(r, &SHARED.executors));
                    continue;
                }
                22 => {
                    let _ = cann.aclSetAclOpExecutorRepeatable(handle(r, &SHARED.executors));
                    continue;
                }
                23 => {
                    // Not tensor 1, the index, whose address must not change.
                    let (of, at) = (handle(r, &SHARED.executors), [0, 2, 3][r.below(3)]);
                    let _ = cann.AclSetTensorAddr(of, at, handle(r, &SHARED.tensors), address(r));
                    continue;
                }
                24 if r.below(200) == 0 => {
                    let _ = cann.aclFinalize();
                    let begun = cann.aclInit(null());
                    register();
                    begun
                }
                25..30 => {
                    let given = [
                        handle(r, &SHARED.tensors),
                        handle(r, &SHARED.indices),
                        handle(r, &SHARED.tensors),
                        handle(r, &SHARED.tensors),
                    ];
                    let (number, parameters) = (r.below(Which::ALL.len()), (0, r.below(3) as i64, r.flip()));
                    let which = Which::ALL[number];
                    if which.first(given, null_mut(), parameters, &mut size, &mut executor).is_success() {
                        let at = r.below(SHARED.executors.len());
                        let old = SHARED.executors[at].swap(executor.addr(), Relaxed);
                        SHARED.pairs[at].store(number, Relaxed);
                        if old != 0 {
                            let _ = cann.aclDestroyAclOpExecutor(without_provenance_mut(old));
                        }
                    }
                    continue;
                }
                _ => {
                    second(r);
                    continue;
                }
            }
        };
    }
}

/// Calls phase two with a random executor.
fn second(random: &mut Random) {
    let at = random.below(SHARED.executors.len());
    let executor: *mut aclnn_scatter::sys::aclOpExecutor =
        without_provenance_mut(SHARED.executors[at].load(Relaxed));
    let which = Which::ALL[SHARED.pairs[at].load(Relaxed)];
    let _ = which.second(executor, handle(random, &SHARED.streams));
}

/// Replaces a tensor by a new one of `[4, 4]` index values or data.
fn tensor(random: &mut Random, tensors: &[AtomicUsize], is_index: bool) {
    let (dtype, address) = match is_index {
        true => (ACL_INT64, INDEX.as_ptr().wrapping_add(4 * random.below(8)).cast_mut().cast()),
        false => ([ACL_FLOAT, ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE][random.below(4)], address(random)),
    };
    let shape = [[4, 4], [4, 2], [4, 1]][random.below(if is_index { 3 } else { 2 })];
    let Some(tensor) = Spec::new(dtype, &shape, address).try_create() else { return };
    let old = any(random, tensors).swap(tensor.0.addr(), Relaxed);
    // The call that replaces it destroys it.
    std::mem::forget(tensor);
    // SAFETY: tensors are looked up.
    let _ = unsafe { cann().aclDestroyTensor(without_provenance_mut(old)) };
}

/// Lets devices read the index values.
fn register() {
    let mut device = null_mut();
    let memory = INDEX.as_ptr().cast_mut().cast();
    // SAFETY: the values are static, and nothing writes them.
    let _ = unsafe {
        let _ = cann().aclrtSetDevice(0);
        cann().aclrtHostRegister(memory, size_of_val(&INDEX) as u64, ACL_HOST_REGISTER_MAPPED, &mut device)
    };
}

pub(crate) fn run(calls: usize, seed: u64) {
    register();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                work((seed.wrapping_mul(THREADS) + thread).wrapping_mul(0x9E37_79B9) | 1, calls / 4);
            });
        }
    });
    open_gates(None);
    if !is_debug() {
        // The gaps between allocations must never have been written.
        for base in SHARED.data.iter().map(|base| base.load(Relaxed)).filter(|&base| base != 0) {
            let gap = base + BYTES + 32..(base + BYTES + 32).next_multiple_of(512);
            assert!(actual(&gap).iter().all(|&byte| byte == 0), "written behind the allocation at {base:#x}");
        }
    }
    // SAFETY: handles are looked up, whatever their value, and nothing uses them any more.
    unsafe {
        for handle in SHARED.tensors.iter().chain(&SHARED.indices) {
            let _ = cann().aclDestroyTensor(without_provenance_mut(handle.load(Relaxed)));
        }
        for handle in &SHARED.executors {
            let _ = cann().aclDestroyAclOpExecutor(without_provenance_mut(handle.load(Relaxed)));
        }
        assert_eq!(cann().aclFinalize(), Ok(ACL_SUCCESS));
    }
    assert_eq!(Counters::now(), Counters::default());
    assert_eq!(aclnn_scatter::live_executors(), 0);
}
