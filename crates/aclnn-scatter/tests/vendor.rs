//! A CANN that is not host-cann, with operators of its own: these compute, after this library has
//! checked its rules.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use aclnn_scatter::sys::{
    ACL_DOUBLE, ACL_FLOAT, ACL_INT64, AclnnStatus, Cann, aclOpExecutor, aclScalar, aclTensor, aclrtStream,
    prototypes,
};
use aclnn_scatter::{Engine, c, set_engine, take_error_message};
use common::Stream;
use common::tensors::{Owned, Scalar};

static FIRST: AtomicUsize = AtomicUsize::new(0);
static SECOND: AtomicUsize = AtomicUsize::new(0);

/// The executor that the other CANN's phase one makes.
fn executor() -> *mut aclOpExecutor {
    without_provenance_mut(0x5550)
}

unsafe extern "C" fn add_first(
    _: *const aclTensor,
    dim: i64,
    _: *const aclTensor,
    _: *const aclTensor,
    _: *mut aclTensor,
    size: *mut u64,
    place: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    FIRST.fetch_add(1, Ordering::Relaxed);
    // SAFETY: callers of phase one pass valid pointers for both results.
    unsafe {
        size.write(640 + dim as u64);
        place.write(executor());
    }
    AclnnStatus::SUCCESS
}

unsafe extern "C" fn second(
    _: *mut c_void,
    size: u64,
    given: *mut aclOpExecutor,
    _: aclrtStream,
) -> AclnnStatus {
    SECOND.fetch_add(1, Ordering::Relaxed);
    if given == executor() { AclnnStatus(size as i32) } else { AclnnStatus(561_103) }
}

unsafe extern "C" fn value_first(
    _: *mut aclTensor,
    _: i64,
    _: *const aclTensor,
    _: *const aclScalar,
    _: i64,
    _: *mut u64,
    _: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    AclnnStatus(77)
}

// A single test, because the CANN is installed for the process.
#[test]
fn calls_are_handed_on_to_cann_s_own_operators() {
    let own = aclnn_scatter::table();
    let vendors: [(_, *const c_void); 3] = [
        (c"aclnnScatterAddGetWorkspaceSize", add_first as prototypes::aclnnScatterAddGetWorkspaceSize as _),
        (c"aclnnScatterAdd", second as prototypes::aclnnScatterAdd as _),
        (
            c"aclnnInplaceScatterValueGetWorkspaceSize",
            value_first as prototypes::aclnnInplaceScatterValueGetWorkspaceSize as _,
        ),
    ];
    let runtime = host_cann::table().filter(|(name, _)| *name != c"hostcann_extension");
    // As when this library takes the place of CANN's: the search finds its own functions first, and
    // must skip them.
    let cann = Cann::from_table(own).then(Cann::from_table(vendors)).then(Cann::from_table(runtime));
    aclnn_scatter::install(cann).unwrap();
    let _device = Stream::new();
    let (self_, src) = (Owned::new(ACL_FLOAT, &[3], &[0_f32; 3]), Owned::new(ACL_FLOAT, &[2], &[1_f32; 2]));
    let index = Owned::new(ACL_INT64, &[2], &[0_i64, 1]);
    let value = Scalar::new(1e300, ACL_DOUBLE);
    let (self_, index, src, value) = (self_.raw(), index.raw(), src.raw(), value.0);
    let (mut size, mut made) = (0, null_mut());
    let (ws, ex) = (&raw mut size, &raw mut made);
    let counts = || (FIRST.load(Ordering::Relaxed), SECOND.load(Ordering::Relaxed));
    // SAFETY: the handles live, and pointers for results are to live locals; nothing is computed.
    unsafe {
        for engine in [Engine::Auto, Engine::Vendor] {
            set_engine(engine);
            assert!(c::aclnnScatterAddGetWorkspaceSize(self_, 0, index, src, self_, ws, ex).is_success());
            assert_eq!((size, made), (640, executor()));
            // CANN returns the status, also for executors that this library does not know.
            assert_eq!(c::aclnnScatterAdd(null_mut(), 5, made, null_mut()).0, 5);
            assert_eq!(c::aclnnScatterAdd(null_mut(), 5, without_provenance_mut(8), null_mut()).0, 561_103);
        }
        assert_eq!(counts(), (2, 4));
        // This library checks its rules first, and does not forward a call that it refuses.
        assert_eq!(c::aclnnScatterAddGetWorkspaceSize(self_, 1, index, src, self_, ws, ex).0, 161_002);
        assert!(take_error_message().unwrap().contains("dim: -1 to below 1 expected, got 1"));
        assert_eq!(c::aclnnScatterAddGetWorkspaceSize(self_, 0, index, src, src, ws, ex).0, 161_002);
        assert_eq!(counts(), (2, 4));
        // CANN checks the value of a scalar, and this library every other rule.
        assert_eq!(c::aclnnInplaceScatterValueGetWorkspaceSize(self_, 0, index, value, 0, ws, ex).0, 77);
        assert_eq!(c::aclnnInplaceScatterValueGetWorkspaceSize(self_, 0, index, value, 9, ws, ex).0, 161_002);
        assert_eq!(c::aclnnInplaceScatterValueGetWorkspaceSize(self_, 3, index, value, 0, ws, ex).0, 161_002);
        // An operator that this CANN does not have.
        assert_eq!(c::aclnnScatterGetWorkspaceSize(self_, 0, index, src, 0, self_, ws, ex).0, 561_003);
        let message = take_error_message().unwrap();
        assert!(message.contains("aclnnScatterGetWorkspaceSize not found"), "{message}");
        assert!(message.contains("it is the one that asks"), "{message}");
        // An engine that needs host-cann, or kernels, is never silently replaced.
        for (engine, words) in
            [(Engine::Cpu, "engine cpu: it needs host-cann"), (Engine::Kernel, "engine kernel: ")]
        {
            set_engine(engine);
            assert_eq!(c::aclnnScatterAddGetWorkspaceSize(self_, 0, index, src, self_, ws, ex).0, 561_003);
            assert!(take_error_message().unwrap().contains(words));
        }
        assert_eq!(counts(), (2, 4));
    }
}
