//! Several threads, streams and devices at once: the results are right, and nothing is left.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ptr::null_mut;

use aclnn_scatter::c;
use aclnn_scatter::sys::{ACL_FLOAT, ACL_INT32, ACL_SUCCESS};
use common::tensors::Owned;
use common::{Random, Stream, cann, messages};

const THREADS: u64 = 8;
const CALLS: usize = 300;

/// Makes calls on two streams of a device, each of which adds to its own tensor. Some executors are
/// repeatable, and some calls fail.
fn work(thread: u64) {
    let device = (thread % 2) as i32;
    let streams = [Stream::on(device), Stream::on(device)];
    let mut random = Random(thread + 1);
    let index = Owned::new(ACL_INT32, &[4], &[0_i32, 1, 2, -1]);
    let bad = Owned::new(ACL_INT32, &[4], &[0_i32, 1, 2, 4]);
    let src = Owned::new(ACL_FLOAT, &[4], &[1_f32; 4]);
    let sums = [Owned::new(ACL_FLOAT, &[4], &[0_f32; 4]), Owned::new(ACL_FLOAT, &[4], &[0_f32; 4])];
    let mut expected = [0_f32; 2];
    for _ in 0..CALLS {
        let which = random.below(2);
        let (stream, sum) = (&streams[which], sums[which].raw());
        let is_bad = random.below(16) == 0;
        let index = if is_bad { bad.raw() } else { index.raw() };
        let (mut size, mut executor) = (0, null_mut());
        // SAFETY: the handles live until the streams are synchronised, and the storages have the
        // size that the tensors say.
        unsafe {
            let first =
                c::aclnnScatterAddGetWorkspaceSize(sum, 0, index, src.raw(), sum, &mut size, &mut executor);
            assert!(first.is_success(), "{}", messages());
            let mut runs = 1;
            match random.below(8) {
                0 => {
                    assert!(cann().aclDestroyAclOpExecutor(executor).unwrap().is_success());
                    continue;
                }
                1 => {
                    assert!(cann().aclSetAclOpExecutorRepeatable(executor).unwrap().is_success());
                    runs = 1 + random.below(3);
                    for _ in 0..runs {
                        assert!(c::aclnnScatterAdd(null_mut(), 0, executor, stream.raw).is_success());
                    }
                    assert!(cann().aclDestroyAclOpExecutor(executor).unwrap().is_success());
                }
                _ => assert!(c::aclnnScatterAdd(null_mut(), 0, executor, stream.raw).is_success()),
            }
            if is_bad {
                assert!(!stream.synchronize().is_success());
                let info = stream.status();
                assert_eq!((info.code.0, info.value, info.position[0]), (161_002, 4, 3));
            } else {
                expected[which] += runs as f32;
            }
        }
    }
    for ((stream, sum), expected) in streams.iter().zip(&sums).zip(expected) {
        assert!(stream.synchronize().is_success(), "{}", messages());
        assert!(stream.status().code.is_success());
        // Index -1 means 3, so every element gets the same sum.
        assert_eq!(sum.memory.read::<f32>(), [expected; 4]);
    }
}

#[test]
fn threads_do_not_disturb_each_other_and_nothing_is_left() {
    cann();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || work(thread))).collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert_eq!(aclnn_scatter::live_executors(), 0);
    // SAFETY: nothing uses the runtime any more.
    assert_eq!(unsafe { cann().aclFinalize() }, Ok(ACL_SUCCESS));
    assert_eq!(host_cann::Counters::leftovers(), Some(host_cann::Counters::default()));
}
