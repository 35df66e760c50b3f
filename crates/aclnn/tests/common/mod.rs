//! Helpers that several tests use.

// No test uses all of them.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

pub(crate) mod stand_in;

use core::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use aclnn::scatter::{self, Operator};
use aclnn::{Error, Result, Runtime, Stream};

/// A stream of the first device.
pub(crate) fn stream() -> Result<Stream> {
    Runtime::host()?.device(0)?.stream()
}

/// Lets only one at a time of the tests run that count the live objects of the process.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asserts that the error is an index out of range; returns its operator, position, value and size.
pub(crate) fn bad_index(error: Error) -> (Operator, Vec<usize>, i64, usize) {
    let Error::Scatter(error) = error else { panic!("{error}") };
    let scatter::Error::IndexOutOfRange { operator, position, value, size, .. } = *error else {
        panic!("{error}")
    };
    (operator, position.to_vec(), value, size)
}

/// Holds up a stream, at the point at which this is made, until it is opened or dropped.
pub(crate) struct Gate(Arc<State>);

#[derive(Default)]
struct State {
    is_open: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    pub(crate) fn new(stream: &Stream) -> Self {
        let state = Arc::new(State::default());
        let argument = Arc::into_raw(Arc::clone(&state)).cast_mut().cast();
        let (cann, stream) = (stream.device().runtime().cann(), stream.as_raw().unwrap());
        // SAFETY: `wait` takes one count of the `Arc`, and the stream calls it once.
        let launched = unsafe { cann.aclrtLaunchHostFunc(stream, Some(wait), argument) };
        assert!(launched.unwrap().is_success());
        Self(state)
    }

    pub(crate) fn open(self) {}
}

impl Drop for Gate {
    fn drop(&mut self) {
        *self.0.is_open.lock().unwrap() = true;
        self.0.changed.notify_all();
    }
}

unsafe extern "C" fn wait(state: *mut c_void) {
    // SAFETY: `Gate::new` passed one count of the `Arc`, to this one call.
    let state = unsafe { Arc::from_raw(state.cast_const().cast::<State>()) };
    let is_open = state.is_open.lock().unwrap();
    drop(state.changed.wait_while(is_open, |is_open| !*is_open).unwrap());
}
