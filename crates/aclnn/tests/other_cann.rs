//! A CANN that is not host-cann: kernels for it are searched for, and its own operators are called.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use aclnn::sys::{
    ACLNN_ERR_INNER_NULLPTR, AclnnStatus, Cann, aclOpExecutor, aclTensor, aclTensorList, aclrtStream,
    prototypes,
};
use aclnn::{DeviceBuffer, Engine, Error, Result, Runtime, Tensor};
use aclnn_scatter::{Check, Scope, Session, c};

/// host-cann disguised as another CANN, with these functions instead of or besides its own.
fn other<const N: usize>(functions: [(&'static CStr, *const c_void); N]) -> Result<Runtime> {
    let is_kept = |name| name != c"hostcann_extension" && functions.iter().all(|(own, _)| *own != name);
    let others = host_cann::table().filter(|(name, _)| is_kept(*name));
    // SAFETY: the functions are host-cann's, and others with the prototypes that CANN declares for
    // their names.
    unsafe { Runtime::from_cann(Cann::from_table(others.chain(functions))) }
}

static HAD_CONTEXT: AtomicBool = AtomicBool::new(false);

/// The name of the chip, which the search for kernels asks for.
unsafe extern "C" fn name() -> *const c_char {
    let mut context = null_mut();
    // SAFETY: host-cann writes the context to a live local.
    let found = unsafe { host_cann::c::aclrtGetCurrentContext(&mut context) };
    HAD_CONTEXT.store(found.is_success() && !context.is_null(), Ordering::Relaxed);
    c"Ascend910B2".as_ptr()
}

#[test]
fn kernels_are_looked_for_in_the_device_s_context() -> Result<()> {
    let runtime = other([(c"aclrtGetSocName", name as prototypes::aclrtGetSocName as _)])?;
    let stream = runtime.device(0)?.stream()?;
    let (index, src) = (Tensor::<i64>::new([1], &stream)?, Tensor::<f32>::new([1.0], &stream)?);
    let mut sums = Tensor::<f32>::zeros([4], &stream)?;
    // A call from a thread without a context. It fails, because there are neither kernels nor
    // operators.
    let call = || sums.scatter_add_(0, &index, &src, &stream).map(drop);
    std::thread::scope(|scope| scope.spawn(call).join().unwrap()).unwrap_err();
    assert!(HAD_CONTEXT.load(Ordering::Relaxed));
    Ok(())
}

/// The calls of this CANN's operators, in order.
static CALLED: Mutex<Vec<&str>> = Mutex::new(Vec::new());

unsafe fn first(name: &'static str, size: *mut u64, executor: *mut *mut aclOpExecutor) -> AclnnStatus {
    CALLED.lock().unwrap().push(name);
    // SAFETY: callers of phase one pass valid pointers for both results.
    unsafe {
        size.write(0);
        executor.write(without_provenance_mut(0x5550));
    }
    AclnnStatus::SUCCESS
}

unsafe extern "C" fn add_first(
    _: *const aclTensor,
    _: i64,
    _: *const aclTensor,
    _: *const aclTensor,
    _: *mut aclTensor,
    size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    // SAFETY: the caller passes valid pointers for both results.
    unsafe { first("first of the copy", size, executor) }
}

unsafe extern "C" fn nd_add_first(
    _: *mut aclTensor,
    _: *const aclTensor,
    _: *const aclTensor,
    size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    // SAFETY: the caller passes valid pointers for both results.
    unsafe { first("first of nd_add", size, executor) }
}

unsafe extern "C" fn add(_: *mut c_void, _: u64, _: *mut aclOpExecutor, _: aclrtStream) -> AclnnStatus {
    CALLED.lock().unwrap().push("copy");
    AclnnStatus::SUCCESS
}

unsafe extern "C" fn nd_add(_: *mut c_void, _: u64, _: *mut aclOpExecutor, _: aclrtStream) -> AclnnStatus {
    CALLED.lock().unwrap().push("nd_add");
    AclnnStatus::SUCCESS
}

unsafe extern "C" fn nd_first(
    _: *const aclTensor,
    _: *const aclTensor,
    _: *const aclTensor,
    _: *mut aclTensor,
    size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    // SAFETY: the caller passes valid pointers for both results.
    unsafe { first("first of nd", size, executor) }
}

unsafe extern "C" fn nd(_: *mut c_void, _: u64, _: *mut aclOpExecutor, _: aclrtStream) -> AclnnStatus {
    CALLED.lock().unwrap().push("nd");
    AclnnStatus::SUCCESS
}

/// Tests that look at [`CALLED`] run one after the other.
static IN_TURN: Mutex<()> = Mutex::new(());

/// CANN's own ScatterNd returns at once where a tensor is empty, and does not write out. So self is
/// copied to out, as a call without updates demands.
#[test]
fn an_out_that_the_operator_leaves_is_copied() -> Result<()> {
    let _turn = IN_TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = other([
        (c"aclnnScatterAddGetWorkspaceSize", add_first as prototypes::aclnnScatterAddGetWorkspaceSize as _),
        (c"aclnnScatterAdd", add as prototypes::aclnnScatterAdd as _),
        (c"aclnnScatterNdGetWorkspaceSize", nd_first as prototypes::aclnnScatterNdGetWorkspaceSize as _),
        (c"aclnnScatterNd", nd as prototypes::aclnnScatterNd as _),
    ])?;
    let stream = runtime.with_engine(Engine::Vendor).device(0)?.stream()?;
    let x = Tensor::<f32>::zeros([4], &stream)?;
    for (indices, updates, calls) in [
        ([0, 1], vec![0], &["first of nd", "first of the copy", "copy", "nd"][..]),
        ([2, 0], vec![2, 4], &["first of nd", "first of the copy", "copy", "nd"]),
        ([2, 1], vec![2], &["first of nd", "nd"]),
    ] {
        let indices = Tensor::<i64>::zeros(indices, &stream)?;
        let updates = Tensor::<f32>::zeros(updates, &stream)?;
        x.scatter_nd_update(&indices, &updates, &stream)?;
        assert_eq!(std::mem::take(&mut *CALLED.lock().unwrap()), calls);
    }
    Ok(())
}

/// CANN's own operator works only in place, so self is copied to out first, but not for a call that
/// the operator refuses.
#[test]
fn what_nd_add_refuses_copies_nothing() -> Result<()> {
    let _turn = IN_TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = other([
        (c"aclnnScatterAddGetWorkspaceSize", add_first as prototypes::aclnnScatterAddGetWorkspaceSize as _),
        (c"aclnnScatterAdd", add as prototypes::aclnnScatterAdd as _),
        (
            c"aclnnTfScatterAddGetWorkspaceSize",
            nd_add_first as prototypes::aclnnTfScatterAddGetWorkspaceSize as _,
        ),
        (c"aclnnTfScatterAdd", nd_add as prototypes::aclnnTfScatterAdd as _),
    ])?;
    let stream = runtime.with_engine(Engine::Vendor).device(0)?.stream()?;
    let (x, mut out) = (Tensor::<f32>::zeros([4], &stream)?, Tensor::<f32>::zeros([4], &stream)?);
    let updates = Tensor::<f32>::new([1.0, 2.0], &stream)?;
    let backwards = DeviceBuffer::new(&stream, 16)?;
    let backwards = Tensor::<i64>::from_buffer(backwards, [2, 1], [-1, 1], 1)?;
    let error = x.scatter_nd_add_into(&backwards, &updates, &mut out, &stream).unwrap_err();
    assert!(matches!(error, Error::Aclnn { code: ACLNN_ERR_INNER_NULLPTR, .. }), "{error}");
    assert_eq!(*CALLED.lock().unwrap(), [""; 0]);

    let indices = Tensor::<i64>::new([[1], [0]], &stream)?;
    x.scatter_nd_add_into(&indices, &updates, &mut out, &stream)?;
    let called = std::mem::take(&mut *CALLED.lock().unwrap());
    assert_eq!(called, ["first of nd_add", "first of the copy", "copy", "nd_add"]);
    out.scatter_nd_add_(&indices, &updates, &stream)?;
    assert_eq!(std::mem::take(&mut *CALLED.lock().unwrap()), ["first of nd_add", "nd_add"]);
    Ok(())
}

/// Where this CANN's own operators compute: host-cann with its extension, by which they read lists.
fn inside() -> Scope {
    static SESSION: LazyLock<&Session> =
        LazyLock::new(|| aclnn_scatter::open(Cann::from_table(host_cann::table())));
    Scope::new(*SESSION).engine(Engine::Cpu).check(Check::Off)
}

/// Runs a phase one, and gives its executor a handle that only [`second`] knows.
unsafe fn hidden(
    name: &'static str,
    executor: *mut *mut aclOpExecutor,
    first: impl FnOnce(*mut *mut aclOpExecutor) -> AclnnStatus,
) -> AclnnStatus {
    CALLED.lock().unwrap().push(name);
    let mut inner = null_mut();
    let status = inside().run(|| first(&raw mut inner));
    // SAFETY: callers of phase one pass a valid pointer for the executor.
    unsafe { executor.write(Box::into_raw(Box::new(inner)).cast()) };
    status
}

/// Runs the phase two of a hidden executor.
unsafe fn second(
    name: &'static str,
    executor: *mut aclOpExecutor,
    second: impl FnOnce(*mut aclOpExecutor) -> AclnnStatus,
) -> AclnnStatus {
    CALLED.lock().unwrap().push(name);
    // SAFETY: `hidden` boxed the executor, which runs once.
    let inner = unsafe { *Box::from_raw(executor.cast::<*mut aclOpExecutor>()) };
    inside().run(|| second(inner))
}

unsafe extern "C" fn own_put_first(
    self_: *mut aclTensor,
    indices: *const aclTensorList,
    values: *const aclTensor,
    accumulate: bool,
    is_unsafe: bool,
    size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    // SAFETY: the arguments are the caller's.
    unsafe {
        hidden("first of put", executor, |inner| {
            c::aclnnIndexPutImplGetWorkspaceSize(self_, indices, values, accumulate, is_unsafe, size, inner)
        })
    }
}

unsafe extern "C" fn own_put(
    workspace: *mut c_void,
    bytes: u64,
    executor: *mut aclOpExecutor,
    stream: aclrtStream,
) -> AclnnStatus {
    // SAFETY: the arguments are the caller's, and the executor is that of phase one.
    unsafe { second("put", executor, |inner| c::aclnnIndexPutImpl(workspace, bytes, inner, stream)) }
}

unsafe extern "C" fn own_add_first(
    self_: *const aclTensor,
    dim: i64,
    index: *const aclTensor,
    src: *const aclTensor,
    out: *mut aclTensor,
    size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    // SAFETY: the arguments are the caller's.
    unsafe {
        hidden("first of the copy", executor, |inner| {
            c::aclnnScatterAddGetWorkspaceSize(self_, dim, index, src, out, size, inner)
        })
    }
}

unsafe extern "C" fn own_add(
    workspace: *mut c_void,
    bytes: u64,
    executor: *mut aclOpExecutor,
    stream: aclrtStream,
) -> AclnnStatus {
    // SAFETY: the arguments are the caller's, and the executor is that of phase one.
    unsafe { second("copy", executor, |inner| c::aclnnScatterAdd(workspace, bytes, inner, stream)) }
}

/// This CANN's lists can't be read from outside, so CANN's own operator gets the list, and computes
/// it.
#[test]
fn a_list_of_indices_is_passed_to_the_operator() -> Result<()> {
    let _turn = IN_TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = other([
        (
            c"aclnnScatterAddGetWorkspaceSize",
            own_add_first as prototypes::aclnnScatterAddGetWorkspaceSize as _,
        ),
        (c"aclnnScatterAdd", own_add as prototypes::aclnnScatterAdd as _),
        (
            c"aclnnIndexPutImplGetWorkspaceSize",
            own_put_first as prototypes::aclnnIndexPutImplGetWorkspaceSize as _,
        ),
        (c"aclnnIndexPutImpl", own_put as prototypes::aclnnIndexPutImpl as _),
    ])?;
    let called = || std::mem::take(&mut *CALLED.lock().unwrap());
    // Without kernels that is the automatic choice, too.
    for engine in [Engine::Vendor, Engine::Auto] {
        let stream = runtime.clone().with_engine(engine).device(0)?.stream()?;
        let mut x = Tensor::<f32>::full([2, 2, 3], 1.0, &stream)?;
        let (blocks, slots) = (Tensor::<i64>::new([1, 0], &stream)?, Tensor::<i64>::new([2, 0], &stream)?);
        let keys = Tensor::<f32>::new([[1.0, 2.0], [3.0, 4.0]], &stream)?;
        let indices = [Some(&blocks), None, Some(&slots), None];
        let sum = x.index_put(&indices, &keys, true, &stream)?;
        assert_eq!(called(), ["first of put", "first of the copy", "copy", "put"]);
        let expected = [[4.0, 1.0, 1.0, 5.0, 1.0, 1.0], [1.0, 1.0, 2.0, 1.0, 1.0, 3.0]].concat();
        assert_eq!(sum.to_vec(&stream)?, expected);
        assert_eq!(x.to_vec(&stream)?, [1.0; 12]);
        x.index_put_(&indices[..1], &keys.view().narrow(0, 0..1)?.reshape([2, 1])?, false, &stream)?;
        assert_eq!(called(), ["first of put", "put"]);
        assert_eq!(x.to_vec(&stream)?, [[1.0; 3], [2.0; 3], [1.0; 3], [2.0; 3]].concat());

        // In a list of CANN's, a tensor without elements would stand for an axis without index.
        let nothing = Tensor::<i64>::zeros([0], &stream)?;
        let one = Tensor::<f32>::zeros([1], &stream)?;
        let same = x.index_put(&[Some(&nothing), None, Some(&nothing)], &one, false, &stream)?;
        assert_eq!(called(), ["first of the copy", "copy"]);
        assert_eq!(same.to_vec(&stream)?, x.to_vec(&stream)?);
        x.index_put_(&[Some(&nothing)], &one, false, &stream)?;
        assert_eq!(called(), [""; 0]);
    }
    let stream = runtime.with_engine(Engine::Kernel).device(0)?.stream()?;
    let mut x = Tensor::<f32>::zeros([2], &stream)?;
    let index = Tensor::<i64>::new([0], &stream)?;
    let error =
        x.index_put_(&[Some(&index)], &Tensor::<f32>::zeros([1], &stream)?, false, &stream).unwrap_err();
    assert!(error.to_string().contains("libscatter_kernels_dav-2201.so"), "{error}");
    assert_eq!(host_cann::Counters::now().lists, 0);
    Ok(())
}
