//! Calls that make and destroy tensors and scalars.

use std::ffi::c_void;
use std::mem::forget;
use std::ptr::{null_mut, without_provenance_mut};

use aclnn_scatter::sys::{ACL_DOUBLE, ACL_INT64, aclDataType, aclScalar};

use super::address;
use super::phase::Handle;
use crate::common::messages;
use crate::common::tensors::{self, Spec};
use crate::common::{cann, hostile};
use crate::world::{Scalar, World, acl};

/// The most tensors that a world has.
const MOST: usize = 32;

/// Makes a tensor. If there are too many, destroys another one first, even if executors were made
/// from it.
pub(crate) fn make(world: &mut World, spec: Spec) -> Handle {
    while world.tensors.len() >= MOST {
        let place = world.random.below(MOST - 4);
        end(world, place);
    }
    let Some(tensor) = spec.try_create() else { return Handle::null() };
    world.called("aclCreateTensor", 0);
    let raw = tensor.0;
    // The world destroys it at the end.
    forget(tensor);
    world.tensors.push((raw, spec.clone()));
    Handle { raw, spec: Some(spec) }
}

fn end(world: &mut World, place: usize) {
    let (raw, _) = world.tensors.remove(place);
    assert_eq!(acl!(world, aclDestroyTensor(raw)), 0, "{}", messages());
    world.end(2, raw.addr());
}

/// Makes a tensor with arbitrary sizes, strides and so on.
pub(crate) fn create(world: &mut World) {
    let device = world.device().unwrap_or(0);
    let address = address::any(world, device, 64, 8);
    let spec = hostile::spec(&mut world.random, address::pointer(address));
    make(world, spec);
}

/// A random tensor, or a handle that was destroyed or never was one.
pub(crate) fn any(world: &mut World) -> Handle {
    match world.random.below(30) {
        0 => Handle::null(),
        1 => Handle { raw: without_provenance_mut(0x1230), spec: None },
        2 if !world.ended[2].is_empty() => {
            let place = world.random.below(world.ended[2].len());
            Handle { raw: without_provenance_mut(world.ended[2][place]), spec: None }
        }
        _ => match world.place(world.tensors.len()) {
            None => Handle::null(),
            Some(place) => {
                let (raw, spec) = &world.tensors[place];
                Handle { raw: *raw, spec: Some(spec.clone()) }
            }
        },
    }
}

/// Destroys a tensor, or tries to destroy a handle that is none.
pub(crate) fn destroy(world: &mut World) {
    let handle = any(world);
    let place = world.tensors.iter().position(|(raw, _)| *raw == handle.raw);
    match place {
        Some(place) => end(world, place),
        None => assert_eq!(acl!(world, aclDestroyTensor(handle.raw)) == 0, handle.raw.is_null()),
    }
}

/// Asks for the address of a tensor's storage, or tries to with a handle that is none.
pub(crate) fn ask(world: &mut World) {
    let handle = any(world);
    let mut address: *mut c_void = null_mut();
    let code = acl!(world, aclGetRawTensorAddr(handle.raw, &mut address));
    match &handle.spec {
        Some(spec) => assert_eq!((code, address), (0, spec.address)),
        None => assert_ne!(code, 0),
    }
}

/// A random scalar, and its value.
pub(crate) fn scalar(world: &mut World) -> (*mut aclScalar, scatter::Scalar) {
    if world.scalars.len() < 8 {
        let number = world.random.below(300) as i64 - 20;
        let (scalar, value) = match world.random.flip() {
            true => (tensors::Scalar::new(number, ACL_INT64), scatter::Scalar::from(number)),
            false => (tensors::Scalar::new(number as f64, ACL_DOUBLE), scatter::Scalar::from(number as f64)),
        };
        world.called("aclCreateScalar", 0);
        let raw = scalar.0;
        // The world destroys it at the end.
        forget(scalar);
        world.scalars.push(Scalar { raw, value });
        return (raw, value);
    }
    let place = world.random.below(8);
    if world.one_in(16) {
        let Scalar { raw, .. } = world.scalars.swap_remove(place);
        assert_eq!(acl!(world, aclDestroyScalar(raw)), 0, "{}", messages());
        assert_ne!(acl!(world, aclDestroyScalar(raw)), 0, "destroyed twice");
        let mut number = 0_u64;
        // SAFETY: the pointer is to 8 bytes, more than an unknown dtype reads.
        let none = unsafe { cann().aclCreateScalar((&raw mut number).cast(), aclDataType(-1)) };
        assert_eq!(none, Ok(null_mut()));
        return scalar(world);
    }
    (world.scalars[place].raw, world.scalars[place].value)
}
