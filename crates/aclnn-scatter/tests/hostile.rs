//! Phase one with hostile tensors: it does not crash, returns only documented codes, and leaks
//! nothing.
//!
//! `ACLNN_SCATTER_HOSTILE_CALLS` sets the number of calls.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::{null, null_mut, without_provenance_mut};

use aclnn_scatter::c;
use aclnn_scatter::sys::{aclDataType, aclScalar, aclTensor, aclTensorList};
use common::hostile;
use common::tensors::{List, Memory, Scalar, Tensor, list, zeros};
use common::which::Which;
use common::{Random, Stream, cann, setting};

fn address(random: &mut Random, memory: &[Memory]) -> *mut c_void {
    match random.below(12) {
        0 => null_mut(),
        1 => without_provenance_mut(usize::MAX - random.below(64)),
        2 => memory[0].address.wrapping_byte_add(random.below(64)),
        _ => memory[random.below(memory.len())].address,
    }
}

/// A list of hostile tensors, some of them null.
fn hostile_list(random: &mut Random, memory: &[Memory]) -> List {
    let handles: Vec<*const aclTensor> = (0..random.below(4))
        .map(|_| {
            let address = address(random, memory);
            let made = hostile::spec(random, address).try_create().filter(|_| random.below(20) > 0);
            made.map_or(null(), Tensor::into_entry)
        })
        .collect();
    List { raw: list(&handles), memory: Vec::new() }
}

#[test]
fn hostile_tensors_are_answered_with_documented_codes() {
    let _stream = Stream::new();
    let mut random = Random(0xBAD_5EED);
    let memory: Vec<Memory> = (0..6).map(|_| Memory::of(&zeros::<u64>(512))).collect();
    let scalars: Vec<Scalar> = [0, 1, 9, 11, 12, 17, 27]
        .map(|dtype| Scalar::new([random.next(), random.next()], aclDataType(dtype)))
        .into();
    let mut codes = BTreeMap::<i32, usize>::new();
    for _ in 0..setting("ACLNN_SCATTER_HOSTILE_CALLS", 20_000) {
        let tensors: Vec<Option<Tensor>> = (0..4)
            .map(|_| {
                let address = address(&mut random, &memory);
                hostile::spec(&mut random, address).try_create()
            })
            .collect();
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
        let (dim, reduce, include) =
            (hostile::number(&mut random), random.below(8) as i64 - 1, random.flip());
        let (mut size, mut executor) = (0, null_mut());
        let ws = if random.below(50) == 0 { null_mut() } else { &raw mut size };
        let ex = if random.below(50) == 0 { null_mut() } else { &raw mut executor };
        let status = match Which::ALL.get(random.below(Which::ALL.len() + 1)) {
            Some(which) => which.first([a, b, d, out], value, (dim, reduce, include), ws, ex),
            None => {
                let list = hostile_list(&mut random, &memory);
                let indices: *mut aclTensorList = match random.below(20) {
                    0 => null_mut(),
                    1 => without_provenance_mut(random.next() as usize),
                    _ => list.raw,
                };
                // SAFETY: handles are looked up, and pointers for results are null or valid.
                unsafe { c::aclnnIndexPutImplGetWorkspaceSize(a, indices, b, include, random.flip(), ws, ex) }
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
