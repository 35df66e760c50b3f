//! Valid scatters of every form, with tensors at good and bad addresses.

use scatter::{Addressing, DType, Layout, Reduce};

use super::address;
use super::phase::{self, Handle, Launch};
use super::{copy, memory, tensor};
use crate::common::generate::layout;
use crate::common::tensors::{Spec, code};
use crate::common::which::Which;
use crate::world::World;

/// A tensor with this layout, at an address that may be bad.
fn place(world: &mut World, layout: Layout, dtype: DType, device: i32) -> Spec {
    let size = dtype.size();
    let len = layout.storage_len() * size;
    let alignment = if dtype.is_complex() { size / 2 } else { size };
    if address::good(world, device, len, alignment).is_none() && world.device() == Some(device) {
        let _ = memory::new(world, len.max(1), false);
    }
    let address = address::any(world, device, len, alignment);
    Spec {
        dtype: code(dtype),
        shape: layout.shape().iter().map(|&size| size as i64).collect(),
        strides: layout.strides().iter().map(|&stride| stride as i64).collect(),
        offset: layout.offset() as i64,
        storage: vec![layout.storage_len() as i64],
        address: address::pointer(address),
    }
}

/// Writes index values for an axis of `size` elements, of which one may be out of range.
fn write_index(world: &mut World, spec: &Spec, size: usize) {
    let is_wide = spec.dtype == code(DType::I64);
    let (start, count) = (spec.address.addr(), spec.storage[0] as usize);
    let bytes = count * if is_wide { 8 } else { 4 };
    if world.memory.holding(start, bytes).is_none() || bytes == 0 {
        return;
    }
    let bad = if world.one_in(8) { world.random.below(count) } else { count };
    let mut values = Vec::with_capacity(bytes);
    for at in 0..count {
        let value = match at == bad {
            true => [size as i64, -(size as i64) - 1, i64::from(i32::MAX), i64::from(i32::MIN)]
                [world.random.below(4)],
            false => world.random.below(2 * size) as i64 - size as i64,
        };
        match is_wide {
            true => values.extend(value.to_ne_bytes()),
            false => values.extend((value as i32).to_ne_bytes()),
        }
    }
    copy::upload(world, start, &values);
}

/// Shapes of self, index and src; the size of the smallest axis of self to which an index value
/// refers; and dim.
fn shapes(world: &mut World, which: Which) -> ([Vec<usize>; 3], usize, usize) {
    let random = &mut world.random;
    let rank = random.below(4);
    if which.addressing() == Addressing::Nd {
        let shape: Vec<usize> = (0..1 + rank).map(|_| 1 + random.below(4)).collect();
        let points: Vec<usize> = (0..1 + random.below(2)).map(|_| random.below(4)).collect();
        let depth = 1 + random.below(shape.len());
        let index = if which == Which::NdAdd && random.flip() {
            points.clone()
        } else {
            points.iter().copied().chain([depth]).collect()
        };
        let cut = if index.len() == points.len() { 1 } else { depth };
        let src = points.iter().chain(&shape[cut..]).copied().collect();
        let least = shape.iter().copied().min().unwrap_or(1);
        return ([shape, index, src], least, 0);
    }
    if which.addressing() == Addressing::Rows {
        let shape = vec![1 + random.below(4), 1 + random.below(4)];
        let index: Vec<usize> = (0..rank).map(|_| random.below(4)).collect();
        let src = index.iter().copied().chain([shape[1]]).collect();
        let rows = shape[0];
        return ([shape, index, src], rows, 0);
    }
    if which.addressing() == Addressing::Windows {
        let shape: Vec<usize> = (0..2 + rank).map(|_| 1 + random.below(4)).collect();
        let along = 1 + random.below(1 + rank);
        let has_columns = random.flip();
        let count = random.below(1 + if has_columns { 5 } else { shape[0] });
        let mut src = shape.clone();
        (src[0], src[along]) = (count, 1 + random.below(shape[along]));
        let places = shape[along] + 1 - src[along];
        let least = if has_columns { places.min(shape[0]) } else { places };
        let index = if has_columns { vec![count, 2] } else { vec![count] };
        return ([shape, index, src], least, along);
    }
    let along = random.below(rank.max(1));
    let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(4)).collect();
    let empty = random.below(10) == 0;
    let index: Vec<usize> = (0..rank)
        .map(|axis| {
            if axis == along { random.below(5) + usize::from(!empty) } else { 1 + random.below(shape[axis]) }
        })
        .collect();
    let size = shape.get(along).copied().unwrap_or(1);
    if which.addressing() == Addressing::Slices {
        let count = index.get(along).copied().unwrap_or(1);
        let mut src = shape.clone();
        if let Some(size) = src.get_mut(along) {
            *size = count;
        }
        return ([shape, vec![count], src], size, along);
    }
    let src = index.iter().map(|size| size + random.below(2)).collect();
    ([shape, index, src], size, along)
}

/// Calls phase one, and mostly also phase two, of a scatter that breaks no rule except about
/// addresses.
pub(crate) fn scatter(world: &mut World) {
    let which = Which::ALL[world.random.below(Which::ALL.len())];
    let dtype = DType::ALL[world.random.below(DType::ALL.len())];
    let index_dtype = if world.random.flip() { DType::I32 } else { DType::I64 };
    let device = world.device().unwrap_or(0);
    let ([shape, index_shape, src_shape], size, along) = shapes(world, which);
    let self_ = layout(&mut world.random, &shape, false);
    let index = layout(&mut world.random, &index_shape, true);
    let src = layout(&mut world.random, &src_shape, true);
    let out_shape = if which.gathers() { &index_shape } else { &shape };
    let out = layout(&mut world.random, out_shape, false);
    let self_ = place(world, self_, dtype, device);
    let index = place(world, index, index_dtype, device);
    write_index(world, &index, size);
    let src = place(world, src, dtype, device);
    let self_ = tensor::make(world, self_);
    let index = tensor::make(world, index);
    let src = if which.takes_src() { tensor::make(world, src) } else { Handle::null() };
    let out = if which.is_in_place() || !which.gathers() && world.random.flip() {
        self_.clone()
    } else {
        let out = place(world, out, dtype, device);
        tensor::make(world, out)
    };
    let dim = along as i64 - if world.random.flip() { shape.len().max(1) as i64 } else { 0 };
    let reduce = Reduce::ALL[world.random.below(6)];
    let include_self = world.random.flip();
    let value = tensor::scalar(world);
    let op = which.op(dim, reduce, include_self, value.1);
    let made = phase::make(world, which, op, &[self_, index, src, out], value.0);
    if made && !world.one_in(5) {
        let place = world.executors.len() - 1;
        Launch::own(world, place).run(world);
    }
}
