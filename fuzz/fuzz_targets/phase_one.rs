//! Phase one with hostile tensors, and calls in any order: no crash, every result a documented
//! code, and no leaks.
//!
//! `RUSTC_BOOTSTRAP=1 cargo fuzz run phase_one`, in this repository's root. Phase two is only
//! called where it must refuse: it trusts tensors, so one with a wrong storage would make it access
//! memory out of bounds.

#![no_main]

use std::ffi::c_void;
use std::ptr::{null, null_mut, without_provenance_mut};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use aclnn_scatter::{c, cann};
use aclnn_sys::{
    ACL_FORMAT_ND, ACL_SUCCESS, AclnnStatus, Cann, aclDataType, aclOpExecutor, aclScalar, aclTensor,
    aclTensorList, aclrtStream,
};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = run(&mut Unstructured::new(bytes));
});

/// Calls of phase one so far; printed from time to time, because libFuzzer only counts inputs.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// An address that tensors may claim: nothing is ever read there.
static STORAGE: [u64; 512] = [0; 512];

fn start() {
    static START: Once = Once::new();
    START.call_once(|| {
        // SAFETY: libFuzzer runs targets on one thread, and the runtime has not started.
        unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
        assert!(aclnn_scatter::install(Cann::from_table(host_cann::table())).is_ok());
        // SAFETY: there is no configuration, and device 0 exists.
        unsafe {
            assert_eq!(cann().aclInit(null()), Ok(ACL_SUCCESS));
            assert_eq!(cann().aclrtSetDevice(0), Ok(ACL_SUCCESS));
        }
    });
}

/// The handles that exist, and those that were destroyed but may be passed again.
#[derive(Default)]
struct World {
    tensors: Vec<*mut aclTensor>,
    scalars: Vec<*mut aclScalar>,
    lists: Vec<*mut aclTensorList>,
    executors: Vec<(*mut aclOpExecutor, usize)>,
    gone: Vec<*mut aclOpExecutor>,
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: each exists, and is destroyed once.
        unsafe {
            for (executor, _) in self.executors.drain(..) {
                assert_eq!(cann().aclDestroyAclOpExecutor(executor), Ok(AclnnStatus::SUCCESS));
            }
            for tensor in self.tensors.drain(..) {
                assert_eq!(cann().aclDestroyTensor(tensor), Ok(AclnnStatus::SUCCESS));
            }
            for list in self.lists.drain(..) {
                assert_eq!(cann().aclDestroyTensorList(list), Ok(AclnnStatus::SUCCESS));
            }
            for scalar in self.scalars.drain(..) {
                assert_eq!(cann().aclDestroyScalar(scalar), Ok(AclnnStatus::SUCCESS));
            }
        }
        assert_eq!(aclnn_scatter::live_executors(), 0);
    }
}

fn run(u: &mut Unstructured<'_>) -> Result<()> {
    start();
    let mut world = World::default();
    for _ in 0..4 {
        let tensor = create(u)?;
        if !tensor.is_null() {
            world.tensors.push(tensor);
        }
    }
    let (mut value, dtype) = (u.arbitrary::<[u8; 17]>()?, aclDataType(u.int_in_range(-2..=45)?));
    // SAFETY: the bytes are as many as the largest number has.
    let scalar = unsafe { cann().aclCreateScalar(value.as_mut_ptr().cast(), dtype) };
    world.scalars.extend(scalar.ok().filter(|scalar| !scalar.is_null()));
    world.lists.extend(list(u)?);
    for _ in 0..u.int_in_range(1..=12)? {
        step(u, &mut world)?;
    }
    Ok(())
}

/// Numbers that break arithmetic, and some that don't.
fn number(u: &mut Unstructured<'_>) -> Result<i64> {
    const EDGES: [i64; 8] =
        [i64::MIN, i64::MIN + 1, -1, 1 << 31, 1 << 62, i64::MAX / 8, i64::MAX - 1, i64::MAX];
    Ok(match u.int_in_range(0..=7)? {
        0 => *u.choose(&EDGES)?,
        1 => u.arbitrary()?,
        _ => u.int_in_range(0..=5)?,
    })
}

fn numbers(u: &mut Unstructured<'_>, len: usize) -> Result<Vec<i64>> {
    (0..len).map(|_| number(u)).collect()
}

/// A tensor that is nearly valid, or far from it; null where host-cann creates none.
fn create(u: &mut Unstructured<'_>) -> Result<*mut aclTensor> {
    let rank = if u.ratio(1, 10)? { u.int_in_range(0..=26)? } else { u.int_in_range(0..=3)? };
    let dtype =
        aclDataType(if u.ratio(1, 6)? { u.int_in_range(-2..=45)? } else { *u.choose(&[0, 0, 3, 9])? });
    let (shape, strides) = (numbers(u, rank)?, numbers(u, rank)?);
    let axes = u.int_in_range(0..=3)?;
    let (mut offset, mut storage) = (number(u)?, numbers(u, axes)?);
    let strides = if u.arbitrary()? {
        (offset, storage) = (0, vec![512]);
        null()
    } else {
        strides.as_ptr()
    };
    let address: *mut c_void = match u.int_in_range(0..=9)? {
        0 => null_mut(),
        1 => without_provenance_mut(u.arbitrary()?),
        at => STORAGE.as_ptr().wrapping_add(32 * at).cast_mut().cast(),
    };
    let (dims, sizes) = (shape.len() as u64, storage.len() as u64);
    // SAFETY: shape, strides and storage shape are as long as their lengths say.
    let tensor = unsafe {
        let (shape, storage) = (shape.as_ptr(), storage.as_ptr());
        cann().aclCreateTensor(shape, dims, dtype, strides, offset, ACL_FORMAT_ND, storage, sizes, address)
    };
    Ok(tensor.unwrap_or(null_mut()))
}

/// A list of tensors, which it owns.
fn list(u: &mut Unstructured<'_>) -> Result<Option<*mut aclTensorList>> {
    let mut tensors = Vec::new();
    for _ in 0..u.int_in_range(0..=3)? {
        tensors.push(create(u)?.cast_const());
    }
    tensors.retain(|tensor| !tensor.is_null());
    // SAFETY: the handles can be read, and belong to the list from here on.
    let list = unsafe { cann().aclCreateTensorList(tensors.as_ptr(), tensors.len() as u64) };
    Ok(list.ok().filter(|list| !list.is_null()))
}

/// One of these handles, or an invalid one.
fn handle<T>(u: &mut Unstructured<'_>, known: &[*mut T]) -> Result<*mut T> {
    Ok(match u.int_in_range(0..=24)? {
        0 => null_mut(),
        1 => without_provenance_mut(u.arbitrary()?),
        _ if known.is_empty() => null_mut(),
        _ => *u.choose(known)?,
    })
}

fn step(u: &mut Unstructured<'_>, world: &mut World) -> Result<()> {
    match u.int_in_range(0..=9)? {
        0 => second(u, world),
        1 => destroy(u, world),
        2 => change(u, world),
        3 if !world.tensors.is_empty() => {
            // Its handle is invalid afterwards.
            let place = u.choose_index(world.tensors.len())?;
            // SAFETY: it exists, and executors keep no reference to it.
            let destroyed = unsafe { cann().aclDestroyTensor(world.tensors[place]) };
            assert_eq!(destroyed, Ok(AclnnStatus::SUCCESS));
            world.tensors.swap_remove(place);
            Ok(())
        }
        _ => first(u, world),
    }
}

/// A phase one.
fn first(u: &mut Unstructured<'_>, world: &mut World) -> Result<()> {
    let (mut size, mut executor) = (7, null_mut());
    let ws = if u.ratio(1, 40)? { null_mut() } else { &raw mut size };
    let ex = if u.ratio(1, 40)? { null_mut() } else { &raw mut executor };
    let pair = u.choose_index(PAIRS.len())?;
    let status = (PAIRS[pair].one)(u, world, ws, ex)?;
    let calls = CALLS.fetch_add(1, Ordering::Relaxed) + 1;
    if calls.is_multiple_of(1_000_000) {
        eprintln!("{calls} calls of phase one");
    }
    if status.is_success() {
        assert!(size == 0 && !executor.is_null());
        world.executors.push((executor, pair));
    } else {
        documented(status);
        assert!(size == 7 && executor.is_null(), "a refused phase one has written");
    }
    Ok(())
}

/// A call of phase two that must be refused: of another operator, or with an executor that does not
/// exist.
fn second(u: &mut Unstructured<'_>, world: &World) -> Result<()> {
    let other = u.choose_index(PAIRS.len())?;
    let executor = match world.executors.is_empty() || u.arbitrary()? {
        true => dead(u, world)?,
        false => match *u.choose(&world.executors)? {
            (_, pair) if pair == other => return Ok(()),
            (executor, _) => executor,
        },
    };
    let stream: aclrtStream =
        if u.arbitrary()? { null_mut() } else { without_provenance_mut(u.arbitrary()?) };
    let mut workspace = [0_u8; 8];
    let workspace: *mut c_void = if u.arbitrary()? { null_mut() } else { workspace.as_mut_ptr().cast() };
    // SAFETY: handles are looked up, whatever they are.
    let status = unsafe { (PAIRS[other].two)(workspace, u.int_in_range(0..=8)?, executor, stream) };
    assert!(!status.is_success());
    documented(status);
    Ok(())
}

/// Destroys an executor, or passes an invalid one.
fn destroy(u: &mut Unstructured<'_>, world: &mut World) -> Result<()> {
    if world.executors.is_empty() || u.ratio(1, 3)? {
        // SAFETY: handles are looked up, whatever they are.
        let status = unsafe { cann().aclDestroyAclOpExecutor(dead(u, world)?) };
        assert!(status.is_ok_and(|status| !status.is_success()));
        return Ok(());
    }
    let place = u.choose_index(world.executors.len())?;
    let (executor, _) = world.executors.swap_remove(place);
    world.gone.push(executor);
    // SAFETY: handles are looked up, whatever they are.
    assert_eq!(unsafe { cann().aclDestroyAclOpExecutor(executor) }, Ok(AclnnStatus::SUCCESS));
    Ok(())
}

/// Makes an executor repeatable, or changes an address of it.
fn change(u: &mut Unstructured<'_>, world: &World) -> Result<()> {
    let lives = !world.executors.is_empty() && u.arbitrary()?;
    let executor = if lives { u.choose(&world.executors)?.0 } else { dead(u, world)? };
    let (tensor, place) = (handle(u, &world.tensors)?, u.int_in_range(0..=6)?);
    let address: *mut c_void = without_provenance_mut(u.arbitrary()?);
    // SAFETY: handles are looked up, whatever they are, and an address is a number.
    let status = unsafe {
        match u.int_in_range(0..=3)? {
            0 => cann().aclSetAclOpExecutorRepeatable(executor),
            1 => cann().AclSetInputTensorAddr(executor, place, tensor, address),
            2 => cann().AclSetOutputTensorAddr(executor, place, tensor, address),
            _ => cann().AclSetTensorAddr(executor, place, tensor, address),
        }
    };
    assert!(status.is_ok_and(|status| lives || !status.is_success()));
    Ok(())
}

/// An executor that does not exist.
fn dead(u: &mut Unstructured<'_>, world: &World) -> Result<*mut aclOpExecutor> {
    let executor = handle(u, &world.gone)?;
    let lives = world.executors.iter().any(|(living, _)| *living == executor);
    Ok(if lives { null_mut() } else { executor })
}

/// A pair of C functions.
struct Pair {
    /// Calls phase one with arguments of the world.
    one: fn(&mut Unstructured<'_>, &World, *mut u64, *mut *mut aclOpExecutor) -> Result<AclnnStatus>,
    two: unsafe extern "C" fn(*mut c_void, u64, *mut aclOpExecutor, aclrtStream) -> AclnnStatus,
}

/// An argument of phase one, by its kind in the table of pairs.
macro_rules! argument {
    ($u:ident, $world:ident, Indices) => {
        handle($u, &$world.lists)?
    };
    ($u:ident, $world:ident, Value) => {
        handle($u, &$world.scalars)?
    };
    ($u:ident, $world:ident, Dim) => {
        number($u)?
    };
    ($u:ident, $world:ident, Reduce) => {
        $u.int_in_range(-1..=6)?
    };
    ($u:ident, $world:ident, Mode) => {
        number($u)?
    };
    ($u:ident, $world:ident, Rows) => {
        number($u)?.cast_unsigned()
    };
    ($u:ident, $world:ident, Padding) => {
        number($u)?.cast_unsigned()
    };
    ($u:ident, $world:ident, IncludeSelf) => {
        $u.arbitrary()?
    };
    ($u:ident, $world:ident, Accumulate) => {
        $u.arbitrary()?
    };
    ($u:ident, $world:ident, Unsafe) => {
        $u.arbitrary()?
    };
    ($u:ident, $world:ident, Scale) => {
        $u.arbitrary()?
    };
    // What is left are tensors.
    ($u:ident, $world:ident, $kind:ident) => {
        handle($u, &$world.tensors)?
    };
}

macro_rules! pairs {
    ($(
        $(#[$doc:meta])*
        $pair:ident: $first:ident, $second:ident($($parameter:ident: $kind:ident),*) => $operator:ident;
    )+) => {
        const PAIRS: &[Pair] = &[$(Pair {
            one: |u, world, size, executor| {
                $(let $parameter = argument!(u, world, $kind);)*
                // SAFETY: handles are looked up, whatever they are, and places are null or valid.
                Ok(unsafe { c::$first($($parameter,)* size, executor) })
            },
            two: c::$second,
        }),+];
    };
}
aclnn_scatter::for_each_pair!([pairs]);

fn documented(status: AclnnStatus) {
    assert!(
        [161_001, 161_002, 561_103].contains(&status.0),
        "{status}: {:?}",
        aclnn_scatter::take_error_message()
    );
}
