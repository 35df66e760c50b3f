//! `ndarray` arrays of any strides as operands.
#![cfg(feature = "ndarray-0_17")]

use ndarray::{Array, Array1, Array2, ArrayD, Axis, CowArray, IxDyn, array, s};
use scatter::{Argument, Error, Operator, Reduce, scatter, scatter_add, scatter_add_into, scatter_value};

#[test]
fn owned_arrays_and_views_of_every_kind_mix() {
    let mut grid = Array2::<f32>::zeros((3, 4));
    let (index, src) = (array![[0_i64, 1, 2, -1]], array![[1.0_f32, 2.0, 3.0, 4.0], [9.0, 9.0, 9.0, 9.0]]);
    scatter_add(&mut grid, 0, &index, &src).unwrap();
    assert_eq!(grid, array![[1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 4.0]]);

    // One column of self, reversed; an index that is one element, broadcast.
    let index = array![0_i32];
    let index = index.broadcast(3).unwrap();
    let src = array![1.0_f32, 10.0, 100.0];
    scatter_add(&mut grid.slice_mut(s![..;-1, 1]), 0, &index, &src.slice(s![..;-1])).unwrap();
    assert_eq!(grid.column(1), array![0.0, 2.0, 111.0]);
    assert_eq!(grid.column(0), array![1.0, 0.0, 0.0]);
}

#[test]
fn only_the_elements_of_a_view_are_written() {
    let mut storage = Array1::from_vec((0..24).collect::<Vec<i32>>());
    let before = storage.clone();
    let (even, mut odd) = storage.multi_slice_mut((s![..;2], s![1..;2]));
    scatter_value(&mut odd, 0, &array![0_i64, 11], 0, Reduce::None).unwrap();
    assert_eq!(even, before.slice(s![..;2]));
    // Interleaved views of one storage don't overlap: one can be scattered into the other.
    scatter_add_into(&even, 0, &array![5_i64], &array![1000], &mut odd).unwrap();
    assert_eq!(odd[4], 8);
    assert_eq!(odd[5], 1010);
    for at in (0..24).step_by(2) {
        assert_eq!(storage[at], before[at]);
    }
}

#[test]
fn negative_strides_write_where_ndarray_reads() {
    let mut cube: ArrayD<i64> = Array::zeros(IxDyn(&[2, 3, 2]));
    let mut flipped = cube.view_mut();
    flipped.invert_axis(Axis(0));
    flipped.invert_axis(Axis(1));
    flipped.swap_axes(0, 2);
    let index = Array::from_elem(IxDyn(&[1, 1, 1]), 2_i64);
    scatter(&mut flipped, 1, &index, &Array::from_elem(IxDyn(&[1, 1, 1]), 7_i64), Reduce::None).unwrap();
    assert_eq!(flipped[[0, 2, 0]], 7);
    assert_eq!(cube.sum(), 7);
}

#[test]
fn nine_axes_are_refused_and_empty_arrays_are_not() {
    let mut deep = ArrayD::<f32>::zeros(IxDyn(&[1; 9]));
    let operator = Operator::ScatterAdd;
    let index = Array::from_elem(IxDyn(&[1; 9]), 0_i64);
    let src = deep.clone();
    let error = Error::Rank { operator, argument: Argument::SelfTensor, expected: 8, got: 9 };
    assert_eq!(scatter_add(&mut deep, 0, &index, &src), Err(error));
    // A 0-stride destination can't be had from ndarray; an empty one can, in any direction.
    let mut nothing = Array2::<f32>::zeros((0, 3));
    let mut nothing = nothing.slice_mut(s![..;-1, ..;-1]);
    scatter_add(&mut nothing, 0, &Array2::<i64>::zeros((0, 3)), &Array2::zeros((0, 3))).unwrap();
}

#[test]
fn shared_arrays_are_made_their_own_before_they_are_written() {
    let big = Array1::<i32>::zeros(4000);
    let sparse = big.slice(s![..;1000]);
    let index = array![1_i64, 2, 3];
    let mut borrowed = CowArray::from(sparse);
    scatter_value(&mut borrowed, 0, &index, 7, Reduce::None).unwrap();
    assert_eq!(borrowed, array![0, 7, 7, 7]);

    let mut shared = big.clone().into_shared().slice_move(s![..;1000]);
    let other = shared.clone();
    scatter_value(&mut shared, 0, &index, 7, Reduce::None).unwrap();
    assert_eq!(shared, array![0, 7, 7, 7]);
    assert_eq!(other, array![0, 0, 0, 0]);
}
