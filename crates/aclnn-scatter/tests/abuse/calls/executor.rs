//! Calls that make executors repeatable, change their addresses, or destroy them.

use std::ptr::without_provenance_mut;

use aclnn_scatter::sys::aclOpExecutor;
use scatter::{DType, Operand};

use super::{address, tensor};
use crate::common::messages;
use crate::world::{World, acl};

/// A random executor, or a handle that has ended or never was one.
fn any(world: &mut World) -> (*mut aclOpExecutor, Option<usize>) {
    let living = world.place(world.executors.len()).filter(|_| !world.one_in(6));
    if let Some(place) = living {
        return (world.executors[place].raw, Some(place));
    }
    let ended = world.place(world.ended[3].len()).filter(|_| !world.one_in(4));
    let raw = ended.map_or(0x1230, |place| world.ended[3][place]);
    let raw: *mut aclOpExecutor = without_provenance_mut(raw);
    (raw, world.executors.iter().position(|executor| executor.raw == raw))
}

pub(crate) fn destroy(world: &mut World) {
    let (raw, place) = any(world);
    let code = acl!(world, aclDestroyAclOpExecutor(raw));
    assert_eq!(code == 0, place.is_some(), "{code} {}", messages());
    if let Some(place) = place {
        world.executors.swap_remove(place);
        world.end(3, raw.addr());
    }
}

pub(crate) fn set_repeatable(world: &mut World) {
    let (raw, place) = any(world);
    let code = acl!(world, aclSetAclOpExecutorRepeatable(raw));
    assert_eq!(code == 0, place.is_some(), "{code} {}", messages());
    if let Some(place) = place {
        world.executors[place].is_repeatable = true;
    }
}

/// Changes an address of an executor to a good or a bad one.
pub(crate) fn set_address(world: &mut World) {
    let (raw, place) = any(world);
    let (kind, at) = (world.random.below(3), world.random.below(5));
    let operand = place.and_then(|place| slot(world, place, kind, at)).copied();
    let (len, alignment) = operand.as_ref().map_or((64, 4), extent);
    let device = world.device().unwrap_or(0);
    let address = address::any(world, device, len, alignment);
    let handle = tensor::any(world);
    let target = address::pointer(address);
    let code = match kind {
        0 => acl!(world, AclSetInputTensorAddr(raw, at, handle.raw, target)),
        1 => acl!(world, aclSetOutputTensorAddr(raw, at, handle.raw, target)),
        _ => acl!(world, AclSetTensorAddr(raw, at, handle.raw, target)),
    };
    let is_known = handle.spec.is_some();
    let Some((place, operand)) = place.zip(operand).filter(|_| is_known) else {
        return assert_ne!(code, 0, "a tensor that there is not was moved");
    };
    let has_elements = operand.layout.is_ok_and(|layout| !layout.is_empty());
    let fits = !has_elements || address.is_multiple_of(alignment) && address.checked_add(len).is_some();
    assert_eq!(code == 0, fits, "{address:#x} for {len} bytes: {code} {}", messages());
    if code != 0 {
        return;
    }
    if let Some(found) = slot(world, place, kind, at) {
        found.address = address;
    }
    let executor = &mut world.executors[place];
    let inputs = executor.which.inputs();
    let is_destination = kind == 1 || inputs.get(at).is_none_or(|&input| input == 0);
    // A tensor that was given for both self and out has one address.
    if is_destination && (executor.which.is_in_place() || executor.one_tensor == Some(handle.raw)) {
        (executor.tensors.self_.address, executor.tensors.out.address) = (address, address);
    }
    for (raw, spec) in &mut world.tensors {
        if *raw == handle.raw {
            spec.address = target;
        }
    }
}

/// The size of a tensor's storage in bytes, and the alignment of its address.
fn extent(operand: &Operand) -> (usize, usize) {
    let size = operand.dtype.map_or(1, DType::size);
    let alignment = operand.dtype.map_or(1, |dtype| if dtype.is_complex() { size / 2 } else { size });
    (operand.layout.map_or(0, |layout| layout.storage_len() * size), alignment)
}

/// The tensor with this number among the inputs, the outputs or both (`kind`), which counts in the
/// order of the prototype of phase one.
fn slot(world: &mut World, place: usize, kind: usize, at: usize) -> Option<&mut Operand> {
    let executor = &mut world.executors[place];
    let inputs = executor.which.inputs();
    let is_in_place = executor.which.is_in_place();
    let tensors = &mut executor.tensors;
    let at = match kind {
        0 if at < inputs.len() => at,
        1 if at == 0 => inputs.len(),
        2 if at <= inputs.len() => at,
        _ => return None,
    };
    match inputs.get(at) {
        Some(0) => Some(&mut tensors.self_),
        Some(1) => Some(&mut tensors.index),
        Some(_) => tensors.src.as_mut(),
        None if is_in_place => Some(&mut tensors.self_),
        None => Some(&mut tensors.out),
    }
}
