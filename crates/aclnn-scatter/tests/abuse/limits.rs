//! A process that can't get threads, or memory, for a while: a failing call returns an error, a
//! call that succeeds is right, and afterwards everything works.

use std::ptr::null_mut;

use aclnn_scatter::sys::{ACL_FLOAT, ACL_INT64, ACL_MEM_MALLOC_HUGE_FIRST, aclrtStream};
use host_cann::Counters;

use crate::common::tensors::{Owned, Spec};
use crate::common::which::Which;
use crate::common::{Random, cann, messages};

/// Elements of the tensors, enough that the engine uses threads.
const LEN: usize = 1 << 15;

/// The resource that is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    None,
    Threads,
    /// At most this many more bytes of address space than the process has now.
    Addresses(u64),
}

/// Sets a limit of the process, or with `None` raises it to the maximum.
fn set(resource: u32, number: Option<u64>) {
    // SAFETY: the functions read and write only a live local struct of numbers.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        assert_eq!(libc::getrlimit(resource, &mut limit), 0);
        limit.rlim_cur = number.unwrap_or(limit.rlim_max);
        assert_eq!(libc::setrlimit(resource, &limit), 0);
    }
}

/// The size of the process's address space in bytes.
fn addresses() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    // SAFETY: `sysconf` only returns a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages.split(' ').next().unwrap().parse::<u64>().unwrap() * u64::try_from(page).unwrap()
}

impl Limit {
    fn begin(self) {
        match self {
            Self::None => {}
            Self::Threads => set(libc::RLIMIT_NPROC, Some(0)),
            Self::Addresses(more) => set(libc::RLIMIT_AS, Some(addresses() + more)),
        }
    }

    fn end() {
        set(libc::RLIMIT_NPROC, None);
        set(libc::RLIMIT_AS, None);
    }
}

/// Tensors of one call: `self[i % 7] += 1` for every i.
struct Tensors {
    self_: Owned,
    index: Owned,
    src: Owned,
    expected: Vec<f32>,
}

impl Tensors {
    fn new() -> Self {
        let index: Vec<i64> = (0..LEN as i64).map(|at| at % 7).collect();
        Self {
            self_: Owned::new(ACL_FLOAT, &[LEN as i64], &vec![0_f32; LEN]),
            index: Owned::new(ACL_INT64, &[LEN as i64], &index),
            src: Owned::new(ACL_FLOAT, &[LEN as i64], &vec![1_f32; LEN]),
            expected: vec![0.0; LEN],
        }
    }

    /// Calls both phases and a synchronisation on a new stream. Returns whether all succeeded.
    fn scatter(&mut self) -> bool {
        let mut stream: aclrtStream = null_mut();
        // SAFETY: `stream` is a live local.
        if !unsafe { cann().aclrtCreateStream(&mut stream) }.unwrap().is_success() {
            return false;
        }
        let tensors = [&self.self_, &self.index, &self.src].map(Owned::raw);
        let [self_, index, src] = tensors;
        let (mut size, mut executor) = (0, null_mut());
        let (given, parameters) = ([self_, index, src, null_mut()], (0, 1, true));
        let first = Which::InplaceScatter.first(given, null_mut(), parameters, &mut size, &mut executor);
        let second = if first.is_success() { Which::InplaceScatter.second(executor, stream) } else { first };
        // SAFETY: the stream lives.
        let codes = unsafe {
            let waited = cann().aclrtSynchronizeStream(stream).unwrap();
            assert!(cann().aclrtDestroyStream(stream).unwrap().is_success(), "{}", messages());
            [first.0, second.0, waited.0]
        };
        let is_done = codes == [0; 3];
        if is_done {
            (0..LEN).for_each(|at| self.expected[at % 7] += 1.0);
        }
        is_done
    }

    fn compare(&self) {
        assert!(self.self_.memory.read::<f32>() == self.expected);
    }
}

/// An allocation, which may fail, and then must leave nothing behind.
fn allocate(random: &mut Random) {
    let (mut memory, size) = (null_mut(), 1 << random.below(26));
    let is_pinned = random.flip();
    // SAFETY: `memory` is a live local; the allocated bytes are written, and freed once.
    unsafe {
        let code = match is_pinned {
            true => cann().aclrtMallocHost(&mut memory, size),
            false => cann().aclrtMalloc(&mut memory, size, ACL_MEM_MALLOC_HUGE_FIRST),
        };
        if !code.unwrap().is_success() {
            return assert!(memory.is_null());
        }
        assert!(cann().aclrtMemset(memory, size, 1, size.min(1 << 16)).unwrap().is_success());
        let freed = if is_pinned { cann().aclrtFreeHost(memory) } else { cann().aclrtFree(memory) };
        assert!(freed.unwrap().is_success());
    }
}

pub(crate) fn run(calls: usize, seed: u64) {
    // SAFETY: the functions take numbers, and no other thread of this process reads the
    // environment. The process gives up root, because limits of processes do not apply to root.
    unsafe {
        std::env::set_var("HOST_CANN_MEMORY", "64M");
        if libc::geteuid() == 0 {
            assert_eq!(libc::setuid(65_534), 0);
        }
    }
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    // SAFETY: the device exists.
    assert!(unsafe { cann().aclrtSetDevice(0) }.unwrap().is_success());
    let mut tensors = Tensors::new();
    let (mut refused, mut done) = (0, 0);
    // Each turn makes about forty calls.
    for _ in 0..calls / 40 {
        let limit = match random.below(4) {
            0 => Limit::None,
            1 => Limit::Threads,
            // More than the program itself needs, and less than the stack of a thread.
            _ => Limit::Addresses((1 << 20) + random.below(1 << 20) as u64),
        };
        limit.begin();
        for _ in 0..4 {
            match random.below(3) {
                0 => allocate(&mut random),
                1 => drop(Spec::new(ACL_FLOAT, &[3], null_mut()).try_create()),
                _ if tensors.scatter() => done += 1,
                _ => refused += 1,
            }
        }
        Limit::end();
        tensors.compare();
        assert!(tensors.scatter(), "{limit:?} has lasted: {}", messages());
        tensors.compare();
    }
    println!("{done} scatters done under limits, {refused} refused");
    assert!(calls < 10_000 || done > 0 && refused > 0);
    drop(tensors);
    // SAFETY: nothing uses the device any more.
    unsafe {
        assert!(cann().aclrtResetDevice(0).unwrap().is_success());
        assert!(cann().aclFinalize().unwrap().is_success());
    }
    assert_eq!(Counters::leftovers(), Some(Counters::default()));
    assert_eq!(aclnn_scatter::live_executors(), 0);
}
