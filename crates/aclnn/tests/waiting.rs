//! Only calls that are documented to wait do so. The tests see a wait by the calls to CANN that it
//! makes.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use core::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use aclnn::sys::{AclError, Cann, aclrtEvent, aclrtStream};
use aclnn::{Device, DeviceBuffer, Event, PinnedBuffer, Reduce, Result, Runtime, Tensor};
use common::{Gate, alone};

/// Called when a call waits for a stream or an event, with the address of its handle.
type Hook = Box<dyn FnMut(usize) + Send>;

static HOOK: Mutex<Option<Hook>> = Mutex::new(None);

/// Calls the hook, which is taken out meanwhile, because it may itself call CANN.
fn tell(handle: usize) {
    let hook = HOOK.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(mut hook) = hook {
        hook(handle);
        HOOK.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(hook);
    }
}

unsafe extern "C" fn synchronize_stream(stream: aclrtStream) -> AclError {
    tell(stream.addr());
    // SAFETY: the argument is passed on unchanged.
    unsafe { host_cann::c::aclrtSynchronizeStream(stream) }
}

unsafe extern "C" fn synchronize_event(event: aclrtEvent) -> AclError {
    tell(event.addr());
    // SAFETY: the argument is passed on unchanged.
    unsafe { host_cann::c::aclrtSynchronizeEvent(event) }
}

/// A device of host-cann; waits for its streams and events call the hook.
fn device(hook: impl FnMut(usize) + Send + 'static) -> Result<Device> {
    *HOOK.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(hook));
    let own = [
        (c"aclrtSynchronizeStream", synchronize_stream as *const c_void),
        (c"aclrtSynchronizeEvent", synchronize_event as *const c_void),
    ];
    // SAFETY: the functions are host-cann's, or call the ones that they replace.
    unsafe { Runtime::from_cann(Cann::from_table(own).then(Cann::from_table(host_cann::table()))) }?.device(0)
}

/// A hook that sends its argument to a channel.
fn sender() -> (impl FnMut(usize) + Send + 'static, Receiver<usize>) {
    let (sender, receiver): (Sender<usize>, _) = channel();
    (move |handle| sender.send(handle).unwrap_or(()), receiver)
}

/// Long enough for any call that does not hang.
const EVER: Duration = Duration::from_secs(60);

/// Runs `run` on a new thread, and fails if it does not return in time.
#[track_caller]
fn comes_back<R: Send + 'static>(what: &str, run: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(run()));
    receiver.recv_timeout(EVER).unwrap_or_else(|_| panic!("{what} waits"))
}

#[test]
fn who_waits_for_a_tensor_keeps_nobody_from_it() -> Result<()> {
    let _alone = alone();
    let (hook, waiting) = sender();
    let device = device(hook)?;
    let (busy, idle) = (device.stream()?, device.stream()?);
    let raw = busy.as_raw()?.addr();
    let tensor = Tensor::<f32>::new([1.0, 2.0], &device)?;
    let gate = Gate::new(&busy);
    let reader = thread::spawn({
        let tensor = tensor.share();
        move || tensor.to_vec(&busy).map(|read| (read, busy))
    });
    assert_eq!(waiting.recv_timeout(EVER).unwrap(), raw);
    let (read, idle) = comes_back("a reader on an idle stream", {
        let tensor = tensor.share();
        move || (tensor.to_vec(&idle), idle)
    });
    assert_eq!(read?, [1.0, 2.0]);
    let idle = comes_back("a writer that does not wait", {
        let (mut tensor, index) = (tensor.share(), Tensor::<i64>::new([0], &device)?);
        move || tensor.scatter_(0, &index, 5.0, Reduce::None, &idle).map(|_| idle)
    })?;
    gate.open();
    let (read, busy) = reader.join().unwrap()?;
    assert_eq!(read[1], 2.0);
    assert_eq!(tensor.to_vec(&busy)?, [5.0, 2.0]);
    idle.close()
}

#[test]
fn a_copy_that_others_overtake_is_done_all_the_same() -> Result<()> {
    let _alone = alone();
    let calls = Arc::new(Mutex::new((0_u32, None::<Box<dyn FnMut() + Send>>)));
    let device = device({
        let calls = Arc::clone(&calls);
        move |_| {
            let mut calls = calls.lock().unwrap();
            calls.0 += 1;
            if let Some(call) = &mut calls.1 {
                call();
            }
        }
    })?;
    let (stream, other) = (device.stream()?, device.stream()?);
    let mut tensor = Tensor::<f32>::new([0.0, 0.0], &device)?;
    // At each wait, the hook enqueues another write to the tensor.
    let one = Tensor::<f32>::new([1.0, 1.0], &device)?;
    let index = Tensor::<i64>::new([0, 1], &device)?;
    let mut shared = tensor.share();
    calls.lock().unwrap().1 = Some(Box::new(move || {
        shared.scatter_add_(0, &index, &one, &other).unwrap();
    }));
    let (read, stream) = comes_back("a reader", {
        let tensor = tensor.share();
        move || (tensor.to_vec(&stream), stream)
    });
    let read = read?;
    let count = calls.lock().unwrap().0;
    assert!(
        count > 2 && read[0] >= 1.0 && read[0] <= count as f32 && read[0] == read[1],
        "{count}: {read:?}"
    );
    tensor.copy_from_slice(&[100.0, 100.0], &stream)?;
    let hook = calls.lock().unwrap().1.take();
    let read = tensor.to_vec(&stream)?;
    assert!(read[0] >= 100.0 && read[0] == read[1], "{read:?}");
    drop(hook);
    stream.synchronize()
}

/// Closes something while held-up work uses it. `close` must wait, which lets the work go on.
fn close_waits<R>(
    close: impl FnOnce(&aclnn::Stream) -> Result<R>,
    used: impl FnOnce(R) -> Result<()>,
) -> Result<()> {
    let _alone = alone();
    let gate = Arc::new(Mutex::new(None::<Gate>));
    let has_waited = Arc::new(AtomicBool::new(false));
    let device = device({
        let (gate, has_waited) = (Arc::clone(&gate), Arc::clone(&has_waited));
        move |_| {
            has_waited.store(true, Ordering::SeqCst);
            gate.lock().unwrap().take();
        }
    })?;
    let stream = device.stream()?;
    *gate.lock().unwrap() = Some(Gate::new(&stream));
    let resource = close(&stream)?;
    assert!(!has_waited.load(Ordering::SeqCst));
    used(resource)?;
    assert!(has_waited.load(Ordering::SeqCst), "it did not wait for the work that uses it");
    // Before the stream is closed.
    gate.lock().unwrap().take();
    stream.close()
}

#[test]
fn closing_a_buffer_waits_for_its_work() -> Result<()> {
    close_waits(
        |stream| {
            let mut tensor = Tensor::<f32>::zeros([2], stream)?;
            tensor.scatter_(0, &Tensor::<i64>::new([1], stream)?, 1.0, Reduce::None, stream)?;
            Ok(tensor.buffer().clone())
        },
        DeviceBuffer::close,
    )?;
    // Also for work that only reads it.
    close_waits(
        |stream| {
            let tensor = Tensor::<f32>::zeros([2], stream)?;
            tensor.contiguous(stream)?;
            Ok(tensor.buffer().clone())
        },
        DeviceBuffer::close,
    )
}

#[test]
fn closing_an_event_waits_for_its_streams() -> Result<()> {
    close_waits(
        |stream| {
            let mut event = Event::new(stream)?;
            stream.record(&mut event)?;
            Ok(event)
        },
        Event::close,
    )
}

#[test]
fn giving_work_waits_for_nothing() -> Result<()> {
    let _alone = alone();
    let (hook, waiting) = sender();
    let device = device(hook)?;
    let (busy, other) = (device.stream()?, device.stream()?);
    let gate = Gate::new(&busy);
    let mut tensor = Tensor::<f32>::zeros([2], &device)?;
    let index = Tensor::<i64>::new([1], &device)?;
    let mut event = Event::new(&device)?;
    tensor.scatter_(0, &index, 1.0, Reduce::None, &busy)?;
    let copy = tensor.contiguous(&other)?;
    busy.record(&mut event)?;
    other.wait(&event)?;
    let back = copy.copy_to_pinned(PinnedBuffer::new(&device, 2)?, &other)?;
    let sent = tensor.copy_from_pinned(PinnedBuffer::from_slice(&device, &[5.0, 6.0])?, &other)?;
    assert!(!other.is_idle()?);
    drop((tensor, index, event, copy));
    assert!(waiting.try_recv().is_err(), "somebody waited");
    gate.open();
    assert_eq!(*back.wait()?, [0.0, 1.0]);
    sent.wait().map(drop)
}
