//! Calls every operator for every dtype and both types of index, so that the program contains all
//! of the crate that it can. `tests/code_size/run` measures its size.

use scatter::{
    DType, Element, Index, Reduce, Scalar, View, ViewMut, embedding_backward, gather, index_add,
    index_add_into, index_copy, index_copy_into, index_fill, index_fill_into, index_put, index_put_into,
    scatter, scatter_add, scatter_add_into, scatter_into, scatter_nd_add, scatter_nd_add_into,
    scatter_nd_update, scatter_nd_update_into, scatter_reduce, scatter_reduce_into, scatter_src_grad,
    scatter_update, scatter_update_into, scatter_value, scatter_value_into, with_element,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for dtype in DType::ALL {
        with_element!(dtype, T => {
            let one = T::from_scalar(Scalar::from(1)).ok_or("1 fits all dtypes")?;
            call_all(one, [1_i64, 0])?;
            call_all(one, [1_i32, 0])?;
        });
    }
    Ok(())
}

fn call_all<T: Element, I: Index>(one: T, places: [I; 2]) -> Result<(), Box<dyn std::error::Error>> {
    let (mut data, mut other, values) = ([one; 2], [one; 2], [one; 2]);
    let (mut input, mut out) = (ViewMut::new(&mut data, &[2])?, ViewMut::new(&mut other, &[2])?);
    let (index, src) = (View::new(&places, &[2])?, View::new(&values, &[2])?);
    let indices = View::new(&places, &[2, 1])?;
    scatter_add(&mut input, 0, &index, &src)?;
    scatter_add_into(&input, 0, &index, &src, &mut out)?;
    scatter_nd_add(&mut input, &indices, &src)?;
    scatter_nd_add_into(&input, &indices, &src, &mut out)?;
    scatter_nd_update(&mut input, &indices, &src)?;
    scatter_nd_update_into(&input, &indices, &src, &mut out)?;
    index_copy(&mut input, 0, &index, &src)?;
    index_copy_into(&input, 0, &index, &src, &mut out)?;
    index_add(&mut input, 0, &index, &src, 2)?;
    index_add_into(&input, 0, &index, &src, 2, &mut out)?;
    index_fill(&mut input, 0, &index, 1)?;
    index_fill_into(&input, 0, &index, 1, &mut out)?;
    index_put(&mut input, &[Some(&index)], &src, true)?;
    index_put_into(&input, &[Some(&index)], &src, false, &mut out)?;
    let (rows, mut weights) = (View::new(&values, &[2, 1])?, [one; 2]);
    embedding_backward(&rows, &index, Some(0), false, &mut ViewMut::new(&mut weights, &[2, 1])?)?;
    gather(&input, 0, &index, &mut out)?;
    scatter_src_grad(&input, 0, &index, &mut out)?;
    let (mut caches, mut others) = ([one; 2], [one; 2]);
    let keys = View::new(&values, &[2, 1])?;
    let (mut cache, mut other) = (ViewMut::new(&mut caches, &[2, 1])?, ViewMut::new(&mut others, &[2, 1])?);
    scatter_update(&mut cache, &View::new(&[places[1]; 2], &[2])?, &keys, 1)?;
    scatter_update_into(&cache, &View::new(&[places[1]; 2], &[2])?, &keys, 1, &mut other)?;
    for reduce in Reduce::ALL.into_iter().filter(|reduce| reduce.missing_for(T::DTYPE).is_none()) {
        scatter(&mut input, 0, &index, &src, reduce)?;
        scatter_into(&input, 0, &index, &src, reduce, &mut out)?;
        scatter_value(&mut input, 0, &index, 1, reduce)?;
        scatter_value_into(&input, 0, &index, 1, reduce, &mut out)?;
        scatter_reduce(&mut input, 0, &index, &src, reduce, false)?;
        scatter_reduce_into(&input, 0, &index, &src, reduce, true, &mut out)?;
    }
    Ok(())
}
