//! Phase one with hostile tensors: no crash, every answer a documented code, and nothing left.
//!
//! `ACLNN_SCATTER_HOSTILE_CALLS` asks for more calls than a test makes.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};

use aclnn_scatter::c;
use aclnn_scatter::sys::{ACL_FORMAT_ND, aclDataType, aclScalar, aclTensor};
use common::tensors::{Memory, Scalar, Spec, Tensor, zeros};
use common::{Random, Stream, cann};

/// Numbers that break arithmetic, and some that don't.
fn number(random: &mut Random) -> i64 {
    const EDGES: [i64; 12] =
        [i64::MIN, i64::MIN + 1, -1, 0, 1, 2, 3, 1 << 31, 1 << 62, i64::MAX / 8, i64::MAX - 1, i64::MAX];
    match random.below(8) {
        0 => EDGES[random.below(EDGES.len())],
        1 => random.next() as i64,
        _ => random.below(6) as i64,
    }
}

fn numbers(random: &mut Random, len: usize) -> Vec<i64> {
    (0..len).map(|_| number(random)).collect()
}

fn address(random: &mut Random, memory: &[Memory]) -> *mut c_void {
    match random.below(12) {
        0 => null_mut(),
        1 => without_provenance_mut(usize::MAX - random.below(64)),
        2 => memory[0].address.wrapping_byte_add(random.below(64)),
        _ => memory[random.below(memory.len())].address,
    }
}

/// A tensor that is near one that could be computed with, or far from it.
fn spec(random: &mut Random, memory: &[Memory]) -> Spec {
    let rank = if random.below(10) == 0 { random.below(26) } else { random.below(4) };
    let dtype = aclDataType(if random.below(6) == 0 {
        random.below(48) as i32 - 2
    } else {
        [0, 0, 3, 9][random.below(4)]
    });
    let address = address(random, memory);
    if random.flip() {
        let shape: Vec<i64> = (0..rank).map(|_| random.below(4) as i64).collect();
        let mut spec = Spec::new(dtype, &shape, address);
        spec.storage = vec![shape.iter().product::<i64>().max(1) + random.below(3) as i64];
        return spec;
    }
    let (shape, strides) = (numbers(random, rank), numbers(random, rank));
    let rank = random.below(4);
    let (offset, storage) = (number(random), numbers(random, rank));
    Spec { dtype, shape, strides, offset, storage, address }
}

/// A tensor of host-cann's, if it makes such a one.
fn create(spec: &Spec) -> Option<Tensor> {
    let (dims, storage) = (spec.shape.len() as u64, spec.storage.len() as u64);
    // SAFETY: shapes and strides are as long as is said.
    let raw = unsafe {
        cann().aclCreateTensor(
            spec.shape.as_ptr(),
            dims,
            spec.dtype,
            spec.strides.as_ptr(),
            spec.offset,
            ACL_FORMAT_ND,
            spec.storage.as_ptr(),
            storage,
            spec.address,
        )
    };
    let raw = raw.unwrap();
    (!raw.is_null()).then_some(Tensor(raw))
}

#[test]
fn hostile_tensors_are_answered_with_documented_codes() {
    let calls = std::env::var("ACLNN_SCATTER_HOSTILE_CALLS").ok().and_then(|text| text.parse().ok());
    let _stream = Stream::new();
    let mut random = Random(0xBAD_5EED);
    let memory: Vec<Memory> = (0..6).map(|_| Memory::of(&zeros::<u64>(512))).collect();
    let scalars: Vec<Scalar> = [0, 1, 9, 11, 12, 17, 27]
        .map(|dtype| Scalar::new([random.next(), random.next()], aclDataType(dtype)))
        .into();
    let mut codes = BTreeMap::<i32, usize>::new();
    for _ in 0..calls.unwrap_or(20_000) {
        let tensors: Vec<Option<Tensor>> = (0..4).map(|_| create(&spec(&mut random, &memory))).collect();
        let tensor = |random: &mut Random| -> *mut aclTensor {
            match random.below(40) {
                0 => null_mut(),
                1 => without_provenance_mut(random.next() as usize),
                _ => tensors[random.below(4)].as_ref().map_or(null_mut(), |tensor| tensor.0),
            }
        };
        let [a, b, d, out] = std::array::from_fn(|_| tensor(&mut random));
        let value: *mut aclScalar = match random.below(20) {
            0 => null_mut(),
            1 => without_provenance_mut(random.next() as usize),
            _ => scalars[random.below(scalars.len())].0,
        };
        let (dim, reduce, include) = (number(&mut random), random.below(8) as i64 - 1, random.flip());
        let (mut size, mut executor) = (0, null_mut());
        let ws = if random.below(50) == 0 { null_mut() } else { &raw mut size };
        let ex = if random.below(50) == 0 { null_mut() } else { &raw mut executor };
        // SAFETY: handles are looked up, whatever they are, and places are null or valid.
        let status = unsafe {
            match random.below(8) {
                0 => c::aclnnScatterAddGetWorkspaceSize(a, dim, b, d, out, ws, ex),
                1 => c::aclnnScatterGetWorkspaceSize(a, dim, b, d, reduce, out, ws, ex),
                2 => c::aclnnInplaceScatterGetWorkspaceSize(a, dim, b, d, reduce, ws, ex),
                3 => c::aclnnScatterValueGetWorkspaceSize(a, dim, b, value, reduce, out, ws, ex),
                4 => c::aclnnInplaceScatterValueGetWorkspaceSize(a, dim, b, value, reduce, ws, ex),
                5 => c::aclnnScatterReduceGetWorkspaceSize(a, dim, b, d, reduce, include, out, ws, ex),
                6 => c::aclnnInplaceScatterReduceGetWorkspaceSize(a, dim, b, d, reduce, include, ws, ex),
                _ => c::aclnnTfScatterAddGetWorkspaceSize(a, b, d, ws, ex),
            }
        };
        *codes.entry(status.0).or_default() += 1;
        if status.is_success() {
            // SAFETY: the executor has not run.
            assert!(unsafe { cann().aclDestroyAclOpExecutor(executor) }.unwrap().is_success());
        }
    }
    println!("{codes:?}");
    assert!(codes.keys().all(|code| [0, 161_001, 161_002, 561_103].contains(code)), "{codes:?}");
    assert!(codes.values().all(|&count| count > 100) && codes.len() == 4, "{codes:?}");
    assert_eq!(aclnn_scatter::live_executors(), 0);
}
