//! Times the CPU engine on one shape, for several operations and dtypes: what
//! `benches/peers/shapes.py` sets beside PyTorch.
//!
//!     shapes SELF INDEX DIM full|expanded
//!
//! Shapes are sizes with commas. Index is uniform; an expanded one is the same along the last axis.
//! A line for each operation and dtype: their names, and the median of a call in milliseconds.

#![allow(clippy::print_stdout)]

use std::env;
use std::error::Error;
use std::time::{Duration, Instant};

use bench::median_seconds;
use engines::random::Random;
use scatter::{Element, Reduce, Scalar, View, ViewMut, bf16, f16};
use scatter::{gather, scatter, scatter_add, scatter_reduce, scatter_value};

/// As long as this, and five times at the least, a call is repeated.
const ENOUGH: Duration = Duration::from_millis(150);

struct Shape {
    self_: Vec<usize>,
    index: Vec<usize>,
    dim: usize,
    is_expanded: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [self_, index, dim, kind] = arguments.as_slice() else {
        return Err("usage: shapes SELF INDEX DIM full|expanded".into());
    };
    let sizes = |text: &str| text.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>();
    let (self_, index) = (sizes(self_)?, sizes(index)?);
    let shape = Shape { self_, index, dim: dim.parse()?, is_expanded: kind == "expanded" };
    time(&shape, "f32", Scalar::Float(1.0), |at| at as f32)?;
    time(&shape, "f16", Scalar::Float(1.0), |at| f16::from_f32(at as f32))?;
    time(&shape, "bf16", Scalar::Float(1.0), |at| bf16::from_f32(at as f32))?;
    time(&shape, "i64", Scalar::Int(1), |at| at as i64)?;
    time(&shape, "i32", Scalar::Int(1), |at| at as i32)?;
    time(&shape, "u8", Scalar::Int(1), |at| at as u8)
}

/// Times all operations on elements of one dtype, which are small numbers.
fn time<T: Element>(
    shape: &Shape,
    dtype: &str,
    value: Scalar,
    element: impl Fn(usize) -> T,
) -> Result<(), Box<dyn Error>> {
    let Shape { self_: sizes, index: index_sizes, dim, is_expanded } = shape;
    let elements = |sizes: &[usize]| -> Vec<T> {
        (0..sizes.iter().product::<usize>()).map(|at| element(at % 7)).collect()
    };
    // The sizes of what is stored of index.
    let mut stored = index_sizes.clone();
    if let Some(last) = stored.last_mut().filter(|_| *is_expanded) {
        *last = 1;
    }
    let strides: Vec<isize> = (0..stored.len())
        .map(|axis| if stored[axis] == 1 { 0 } else { stored[axis + 1..].iter().product::<usize>() as isize })
        .collect();
    let mut random = Random::of(0, "shapes");
    let index: Vec<i64> =
        (0..stored.iter().product()).map(|_| random.below(sizes[*dim] as u64) as i64).collect();
    let index = View::strided(&index, index_sizes, &strides, 0)?;
    let src = elements(index_sizes);
    let src = View::new(&src, index_sizes)?;
    let mut self_ = elements(sizes);
    let along = *dim as i64;
    for operation in ["add", "amax", "mean", "set", "value"] {
        let mut out = ViewMut::new(&mut self_, sizes)?;
        report(operation, dtype, || match operation {
            "add" => scatter_add(&mut out, along, &index, &src),
            "amax" => scatter_reduce(&mut out, along, &index, &src, Reduce::Max, true),
            "mean" => scatter_reduce(&mut out, along, &index, &src, Reduce::Mean, true),
            "set" => scatter(&mut out, along, &index, &src, Reduce::None),
            _ => scatter_value(&mut out, along, &index, value, Reduce::None),
        })?;
    }
    let mut out = elements(index_sizes);
    let (self_, mut out) = (View::new(&self_, sizes)?, ViewMut::new(&mut out, index_sizes)?);
    report("gather", dtype, || gather(&self_, along, &index, &mut out))
}

/// Makes a call again and again, after one to warm up, and prints its median time.
fn report(
    operation: &str,
    dtype: &str,
    mut call: impl FnMut() -> Result<(), scatter::Error>,
) -> Result<(), Box<dyn Error>> {
    call()?;
    let (mut times, begin) = (Vec::new(), Instant::now());
    while times.len() < 5 || begin.elapsed() < ENOUGH {
        let start = Instant::now();
        call()?;
        times.push(start.elapsed());
    }
    println!("{operation} {dtype} {:.6}", 1e3 * median_seconds(&times));
    Ok(())
}
