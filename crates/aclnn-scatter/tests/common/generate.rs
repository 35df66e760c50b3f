//! Random scatters.

use aclnn_scatter::sys::aclrtStream;
use scatter::{Axes, Complex, DType, Element, Index, Layout, Op, Reduce, Scalar};

use super::Random;
use super::case::{Case, Data};

/// A random call of each kind, compared with the reference.
pub(crate) fn check_each<T: Element, I: Index>(random: &mut Random, stream: aclrtStream) {
    scatter::<T, I>(random).check(stream);
    nd::<T, I>(random).check(stream);
    slices::<T, I>(random, 3).check(stream);
    windows::<T, I>(random).check(stream);
    gather::<T, I>(random).check(stream);
    lists::<T, I>(random).check(stream);
    rows::<T, I>(random).check(stream);
}

/// A random layout of a shape: any order of axes, gaps, an offset and, for tensors that are only
/// read (`expands`), axes with stride 0.
pub(crate) fn layout(random: &mut Random, shape: &[usize], expands: bool) -> Layout {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, random.below(place + 1));
    }
    let mut strides = vec![0_isize; shape.len()];
    let mut step = 1 + random.below(2);
    for &axis in &order {
        let expanded = expands && random.below(4) == 0;
        strides[axis] = if expanded { 0 } else { step as isize };
        if !expanded {
            step = step * shape[axis].max(1) + random.below(3);
        }
    }
    let offset = random.below(4);
    let last: usize =
        shape.iter().zip(&strides).map(|(&size, &stride)| (size.max(1) - 1) * stride as usize).sum();
    let len = offset + last + 1 + random.below(3);
    Layout::new(shape, &strides, offset, len).unwrap()
}

fn value<T: Element>(random: &mut Random) -> T {
    let number = random.below(9) as i64 - 3;
    let scalar = if T::DTYPE.is_complex() {
        Scalar::Complex(Complex::new(number as f64, random.below(5) as f64))
    } else {
        Scalar::Int(number.max(if T::DTYPE == DType::U8 { 0 } else { i64::MIN }).into())
    };
    T::from_scalar(scalar).unwrap()
}

fn data<T: Element>(random: &mut Random, shape: &[usize], expands: bool) -> Data<T> {
    let layout = layout(random, shape, expands);
    let values = (0..layout.storage_len()).map(|_| value(random)).collect();
    Data { layout, values }
}

fn indices<I: Index>(random: &mut Random, shape: &[usize], size: impl Fn(usize) -> usize) -> Data<I> {
    let layout = layout(random, shape, true);
    // Every number in the storage is in range for every axis.
    let sizes: Vec<usize> = (0..shape.last().copied().unwrap_or(1)).map(size).collect();
    let smallest = sizes.iter().copied().min().unwrap_or(1);
    let number = |random: &mut Random| random.below(2 * smallest) as i64 - smallest as i64;
    let values = (0..layout.storage_len()).map(|_| I::from_scalar(number(random).into()).unwrap()).collect();
    Data { layout, values }
}

/// A random scatter along an axis, by an index of self's rank.
pub(crate) fn scatter<T: Element, I: Index>(random: &mut Random) -> Case<T, I> {
    let rank = random.below(5);
    let along = random.below(rank.max(1));
    let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(4)).collect();
    let empty = random.below(8) == 0;
    let index_shape: Vec<usize> = (0..rank)
        .map(|axis| {
            if axis == along { random.below(6) + usize::from(!empty) } else { 1 + random.below(shape[axis]) }
        })
        .collect();
    let src_shape: Vec<usize> = index_shape.iter().map(|size| size + random.below(3)).collect();
    let dim = along as i64 - if random.flip() { rank.max(1) as i64 } else { 0 };
    let reduce = loop {
        let reduce = Reduce::ALL[random.below(6)];
        if reduce.missing_for(T::DTYPE).is_none() {
            break reduce;
        }
    };
    let op = match random.below(4) {
        0 => Op::ScatterAdd { dim },
        1 => Op::Scatter { dim, reduce },
        2 => Op::ScatterValue { dim, reduce, value: Scalar::Int(random.below(5) as i128) },
        _ => Op::ScatterReduce { dim, reduce, include_self: random.flip() },
    };
    let size = shape.get(along).copied().unwrap_or(1);
    Case {
        op,
        self_: data(random, &shape, false),
        index: indices(random, &index_shape, |_| size),
        src: op.value().is_none().then(|| data(random, &src_shape, true)),
        out: random.flip().then(|| data(random, &shape, false)),
        rows: None,
    }
}

/// A random gather.
pub(crate) fn gather<T: Element, I: Index>(random: &mut Random) -> Case<T, I> {
    let scatter = scatter::<T, I>(random);
    let shape = scatter.index.layout.shape();
    let along = scatter.op.dim().unwrap_or_default();
    Case {
        op: Op::Gather { dim: along },
        out: Some(data(random, shape, false)),
        src: None,
        self_: scatter.self_,
        index: scatter.index,
        rows: None,
    }
}

/// A random copy, sum or filling of slices, by a scalar of at most `most`.
pub(crate) fn slices<T: Element, I: Index>(random: &mut Random, most: usize) -> Case<T, I> {
    let rank = random.below(5);
    let along = random.below(rank.max(1));
    let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(4)).collect();
    let count = if rank == 0 { 1 } else { random.below(6) };
    let mut src_shape = shape.clone();
    src_shape.iter_mut().skip(along).take(1).for_each(|size| *size = count);
    let size = shape.get(along).copied().unwrap_or(1);
    let dim = along as i64 - if random.flip() { rank.max(1) as i64 } else { 0 };
    let scalar = Scalar::Int(1 + random.below(most) as i128);
    let op = match random.below(3) {
        0 => Op::IndexCopy { dim },
        1 => Op::IndexAdd { dim, alpha: scalar },
        _ => Op::IndexFill { dim, value: scalar },
    };
    Case {
        op,
        self_: data(random, &shape, false),
        index: indices(random, &[count], |_| size),
        src: op.value().is_none().then(|| data(random, &src_shape, true)),
        out: random.flip().then(|| data(random, &shape, false)),
        rows: None,
    }
}

/// Random updates whose index names where windows begin.
pub(crate) fn windows<T: Element, I: Index>(random: &mut Random) -> Case<T, I> {
    let rank = 2 + random.below(3);
    let along = 1 + random.below(rank - 1);
    let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(4)).collect();
    let extent = 1 + random.below(shape[along]);
    let has_columns = random.flip();
    let count = 1 + random.below(if has_columns { 6 } else { shape[0] });
    let mut src_shape = shape.clone();
    (src_shape[0], src_shape[along]) = (count, extent);
    let index_shape = if has_columns { vec![count, 2] } else { vec![count] };
    let places = shape[along] + 1 - extent;
    Case {
        op: Op::ScatterUpdate { dim: along as i64 - if random.flip() { rank as i64 } else { 0 } },
        self_: data(random, &shape, false),
        index: indices(random, &index_shape, |_| if has_columns { places.min(shape[0]) } else { places }),
        src: Some(data(random, &src_shape, true)),
        // There is no function with a separate out.
        out: None,
        rows: None,
    }
}

/// Random updates by a list of index tensors.
pub(crate) fn lists<T: Element, I: Index>(random: &mut Random) -> Case<T, I> {
    let rank = 1 + random.below(4);
    let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(4)).collect();
    let one = random.below(rank);
    let (chosen, others): (Vec<usize>, Vec<usize>) =
        (0..rank).partition(|&axis| axis == one || random.flip());
    let axes = Axes::new(&chosen).unwrap();
    // A tensor without elements would stand for an axis without index.
    let points: Vec<usize> = (0..random.below(3)).map(|_| 1 + random.below(4)).collect();
    let before = if axes.are_neighbours() { chosen[0] } else { 0 };
    let mut src_shape: Vec<usize> = others.iter().map(|&axis| shape[axis]).collect();
    src_shape.splice(before..before, points.iter().copied());
    // It is broadcast.
    src_shape.iter_mut().filter(|_| random.below(4) == 0).for_each(|size| *size = 1);
    let index_shape: Vec<usize> = points.into_iter().chain([chosen.len()]).collect();
    Case {
        op: Op::IndexPut { axes, accumulate: random.flip() },
        self_: data(random, &shape, false),
        index: indices(random, &index_shape, |column| shape[chosen[column]]),
        src: Some(data(random, &src_shape, true)),
        // There is no function with a separate out.
        out: None,
        rows: None,
    }
}

/// A random gradient of an embedding.
pub(crate) fn rows<T: Element, I: Index>(random: &mut Random) -> Case<T, I> {
    let shape = [1 + random.below(5), 1 + random.below(4)];
    let index_shape: Vec<usize> = (0..random.below(4)).map(|_| random.below(4)).collect();
    let src_shape: Vec<usize> = index_shape.iter().copied().chain([shape[1]]).collect();
    let scale = Reduce::Mean.missing_for(T::DTYPE).is_none() && random.flip();
    Case {
        // A row of out, or one beyond the last: a number that is the code of a reduction, too.
        op: Op::EmbeddingBackward { padding: Some(random.below(shape[0] + 1)), scale },
        // It is only written.
        self_: data(random, &shape, false),
        index: indices(random, &index_shape, |_| shape[0]),
        src: Some(data(random, &src_shape, true)),
        out: None,
        rows: None,
    }
}

/// A random scatter with coordinates along the last axis of index; a sum also in the row form of
/// `aclnnTfScatterAdd`.
pub(crate) fn nd<T: Element, I: Index>(random: &mut Random) -> Case<T, I> {
    let rank = 1 + random.below(4);
    let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(4)).collect();
    let points: Vec<usize> = (0..random.below(3)).map(|_| random.below(4)).collect();
    let op = if random.flip() { Op::ScatterNdAdd } else { Op::ScatterNdUpdate };
    let is_row_form = op == Op::ScatterNdAdd && !points.is_empty() && random.flip();
    let depth = if is_row_form { 1 } else { 1 + random.below(rank) };
    let index_shape: Vec<usize> = points.iter().copied().chain([depth]).collect();
    let mut update_shape: Vec<usize> = points.iter().copied().chain(shape[depth..].iter().copied()).collect();
    let (mut index, mut rows) = (indices(random, &index_shape, |axis| shape[axis]), None);
    if is_row_form {
        // The row form has no last axis.
        let (sizes, strides) =
            (&index.layout.shape()[..points.len()], &index.layout.strides()[..points.len()]);
        let layout = Layout::new(sizes, strides, index.layout.offset(), index.values.len()).unwrap();
        rows = Some(Data { layout, values: index.values.clone() });
    }
    if update_shape.is_empty() {
        // The C functions do not accept updates without axes.
        index = indices(random, &[1, depth], |axis| shape[axis]);
        update_shape = vec![1];
    }
    Case {
        op,
        self_: data(random, &shape, false),
        index,
        src: Some(data(random, &update_shape, true)),
        // There is no function that adds into a separate out.
        out: (op == Op::ScatterNdUpdate && random.flip()).then(|| data(random, &shape, false)),
        rows,
    }
}
