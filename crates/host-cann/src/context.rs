//! Contexts: the device, default stream and settings that a thread works with.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_PARAM_INVALID,
    ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, AclError, aclrtContext, aclrtStream,
};

use crate::entry::Out;
use crate::failure::{Failure, Fallible, ensure, failure};
use crate::handle::{Kind, Table};
use crate::params::Params;
use crate::stream::{self, Stop, Stream};
use crate::{device, process};

/// A device, a default stream, and settings.
#[derive(Debug)]
pub(crate) struct Context {
    handle: usize,
    device: i32,
    /// A device's own context, which programs don't destroy.
    primary: bool,
    default_stream: Mutex<Option<Arc<Stream>>>,
    stop: Arc<Stop>,
    /// A thread destroys it, or has.
    is_ending: AtomicBool,
    pub(crate) params: Mutex<Params>,
}

static CONTEXTS: Table<Arc<Context>> = Table::new(Kind::Context);

thread_local! {
    /// The handle of the thread's context, which may have ended since.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

impl Context {
    pub(crate) fn handle(&self) -> usize {
        self.handle
    }

    pub(crate) fn device(&self) -> i32 {
        self.device
    }

    /// Whether a failure stops the context's streams, and whether one has.
    pub(crate) fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }

    /// The stream that the null stream stands for.
    pub(crate) fn default_stream(&self) -> Fallible<Arc<Stream>> {
        let stream = crate::sync::lock(&self.default_stream).clone();
        stream.ok_or_else(|| failure!(ACL_ERROR_RT_CONTEXT_NULL, "the context has ended"))
    }
}

/// The thread's context. A thread that never had one is given that of the default device, if there
/// is one; one whose context has ended is not, for it would go on with another device.
pub(crate) fn current() -> Fallible<Arc<Context>> {
    process::check()?;
    let mut context = CONTEXTS.get(CURRENT.get());
    if CURRENT.get() == 0
        && let Some(device) = device::default()
    {
        device::enter_default(device)?;
        context = CONTEXTS.get(CURRENT.get());
    }
    context.ok_or_else(|| {
        failure!(
            ACL_ERROR_RT_CONTEXT_NULL,
            "the thread has no context: aclrtSetDevice was not called in it, or its device or context has ended"
        )
    })
}

/// Refuses a context that has ended.
pub(crate) fn check_lives(context: &Context) -> Fallible {
    let lives = CONTEXTS.get(context.handle).is_some();
    ensure!(lives, ACL_ERROR_RT_CONTEXT_NULL, "the context has ended meanwhile");
    Ok(())
}

/// Makes a context the thread's.
pub(crate) fn make_current(handle: usize) {
    CURRENT.set(handle);
}

/// Makes a context of a device that exists.
pub(crate) fn make(device: i32, primary: bool) -> Fallible<Arc<Context>> {
    let handle = CONTEXTS.insert_with(|handle| {
        Arc::new(Context {
            handle,
            device,
            primary,
            default_stream: Mutex::new(None),
            stop: Arc::default(),
            is_ending: AtomicBool::new(false),
            params: Mutex::default(),
        })
    });
    let context = handle.and_then(|handle| CONTEXTS.get(handle));
    let context =
        context.ok_or_else(|| failure!(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no more contexts can be made"))?;
    match stream::make_default(&context) {
        Ok(stream) => *crate::sync::lock(&context.default_stream) = Some(stream),
        Err(problem) => {
            CONTEXTS.remove(context.handle);
            return Err(problem);
        }
    }
    Ok(context)
}

/// Ends a context and its streams after their work is done.
pub(crate) fn end(context: &Context) {
    // Host functions that still run keep the context alive; streams that another thread creates
    // meanwhile are ended after it.
    stream::end_of_context(context.handle);
    CONTEXTS.remove(context.handle);
    crate::sync::lock(&context.default_stream).take();
    stream::end_of_context(context.handle);
}

/// Makes a context for the program, and makes it the thread's.
pub(crate) fn create(context: Out<aclrtContext>, device: i32) -> Fallible {
    let out = context.required()?;
    device::check(device)?;
    let context = make(device, false)?;
    make_current(context.handle);
    out.put(pointer(context.handle));
    Ok(())
}

/// Ends a context that [`create`] made.
pub(crate) fn destroy(context: aclrtContext) -> Fallible {
    let found = find(context)?;
    ensure!(
        !found.primary,
        ACL_ERROR_RT_PARAM_INVALID,
        "the default context of device {} ends with aclrtResetDevice",
        found.device
    );
    stream::of_context(found.handle).iter().try_for_each(|stream| stream.check_not_inside())?;
    if found.is_ending.swap(true, Ordering::Relaxed) {
        return Err(unknown(context));
    }
    end(&found);
    Ok(())
}

/// Makes a context the thread's.
pub(crate) fn set_current(context: aclrtContext) -> Fallible {
    make_current(find(context)?.handle);
    Ok(())
}

/// Returns the thread's context.
pub(crate) fn get_current(context: Out<aclrtContext>) -> Fallible {
    let out = context.required()?;
    out.put(pointer(current()?.handle));
    Ok(())
}

/// Returns the default stream of the thread's context.
pub(crate) fn get_default_stream(stream: Out<aclrtStream>) -> Fallible {
    let out = stream.required()?;
    out.put(stream::pointer(current()?.default_stream()?.handle()));
    Ok(())
}

fn find(context: aclrtContext) -> Fallible<Arc<Context>> {
    process::check()?;
    ensure!(!context.is_null(), ACL_ERROR_INVALID_PARAM, "context is null");
    CONTEXTS.get(context.addr()).ok_or_else(|| unknown(context))
}

fn unknown(context: aclrtContext) -> Failure<AclError> {
    failure!(ACL_ERROR_RT_PARAM_INVALID, "context {context:?} does not exist, or has ended")
}

fn pointer(handle: usize) -> aclrtContext {
    core::ptr::without_provenance_mut(handle)
}

/// How many contexts programs have made and not destroyed.
pub(crate) fn count() -> usize {
    CONTEXTS.count(|context| !context.primary)
}

/// Ends all contexts.
pub(crate) fn clear() {
    CONTEXTS.matching(|_| true).iter().for_each(|context| end(context));
}
