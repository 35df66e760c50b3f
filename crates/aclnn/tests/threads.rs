//! Which types may move between threads, and what happens when a thread ends.

#![allow(clippy::unwrap_used)]

mod common;

use std::cell::RefCell;

use aclnn::{
    AclScalar, Any, AnyTensor, Device, DeviceBuffer, Error, Event, Executor, ExecutorOperand, MemoryInfo, On,
    PinnedBuffer, Rejected, RepeatableExecutor, Result, Runtime, Stream, Tensor, TensorView, TensorViewMut,
    Transfer, Update,
};
use common::{alone, stream};
use host_cann::Counters;
use static_assertions::{assert_impl_all, assert_not_impl_any};

assert_impl_all!(Runtime: Clone, Send, Sync);
assert_impl_all!(Device: Clone, Send, Sync);
assert_impl_all!(MemoryInfo: Copy, Send, Sync);
assert_impl_all!(Stream: Send, Sync);
assert_impl_all!(On<'static>: Copy, Send, Sync);
assert_impl_all!(Event: Send, Sync);
assert_impl_all!(DeviceBuffer: Clone, Send, Sync);
assert_impl_all!(PinnedBuffer<f32>: Send, Sync);
assert_impl_all!(Transfer<PinnedBuffer<f32>>: Send, Sync);
assert_impl_all!(Rejected<PinnedBuffer<f32>>: std::error::Error, Send, Sync);
assert_impl_all!(Tensor<f32>: Send, Sync);
assert_impl_all!(AnyTensor: Send, Sync);
assert_impl_all!(TensorView<'static, f32>: Clone, Send, Sync);
assert_impl_all!(TensorViewMut<'static, Any>: Send, Sync);
assert_impl_all!(Update<'static, f32>: Send, Sync);
assert_impl_all!(AclScalar: Send, Sync);
assert_impl_all!(ExecutorOperand: Send, Sync);
assert_impl_all!(Error: std::error::Error, Clone, Send, Sync);
// CANN keeps what phase one finds in thread-local state.
assert_not_impl_any!(Executor: Send, Sync, Clone);
assert_not_impl_any!(RepeatableExecutor: Send, Sync, Clone);
// A stream has one owner, who closes it; tensors are shared only explicitly, with `share`.
assert_not_impl_any!(Stream: Clone);
assert_not_impl_any!(Tensor<f32>: Clone, Copy);
assert_not_impl_any!(TensorViewMut<'static, f32>: Clone, Copy);

#[test]
fn everything_is_used_and_dropped_on_other_threads() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let mut sums = Tensor::<f32>::zeros([4], &stream)?;
    let (index, src) = std::thread::spawn({
        let device = stream.device().clone();
        move || -> Result<_> {
            Ok((Tensor::new([1_i64, 3], &device)?, Tensor::<f32>::new([1.0, 2.0], &device)?))
        }
    })
    .join()
    .unwrap()?;
    let (stream, sums) = std::thread::spawn(move || -> Result<_> {
        sums.scatter_add_(0, &index, &src, &stream)?;
        Ok((stream, sums))
    })
    .join()
    .unwrap()?;
    let sums = std::thread::spawn(move || sums.to_vec(&stream)).join().unwrap()?;
    assert_eq!(sums, [0.0, 1.0, 0.0, 2.0]);
    assert_eq!(Counters::now(), Counters::default());
    Ok(())
}

#[test]
fn a_thread_s_own_are_dropped_at_its_end() {
    thread_local! {
        static OWN: RefCell<Option<(Stream, Tensor<f32>, Event)>> = const { RefCell::new(None) };
    }
    let _alone = alone();
    let ended = std::thread::spawn(|| {
        OWN.with(|own| -> Result<()> {
            // The thread's other thread-local variables are made after this one, and destroyed
            // before it.
            let mut own = own.borrow_mut();
            let stream = stream()?;
            let mut tensor = Tensor::<f32>::zeros([1000], &stream)?;
            let mut event = Event::new(&stream)?;
            let index = Tensor::<i64>::full([1000], 1, &stream)?;
            tensor.scatter_add_(0, &index, &Tensor::full([1000], 1.0, &stream)?, &stream)?;
            stream.record(&mut event)?;
            assert!(stream.device().runtime().device(99).is_err());
            *own = Some((stream, tensor, event));
            Ok(())
        })
        .unwrap();
    });
    ended.join().unwrap();
    assert_eq!(Counters::now(), Counters::default());
}
