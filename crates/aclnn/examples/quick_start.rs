//! The examples from the operators' documentation, each as short as its original: CANN's
//! ScatterAdd, and MindSpore's `Tensor.scatter_add`, `Tensor.scatter_add_` and `Tensor.scatter_`.
//! Prints what the documentation prints, and fails where the result differs.
//!
//! ```sh
//! cargo run -p aclnn --example quick_start              # on this machine's CPU
//! cargo run -p aclnn --example quick_start -- --load    # on an NPU, with the installed CANN
//! ```
#![allow(clippy::print_stdout)]

use aclnn::{Element, Error, Reduce, Result, Runtime, Stream, Tensor, scatter};

fn main() -> Result<()> {
    let runtime =
        if std::env::args().any(|word| word == "--load") { Runtime::load() } else { Runtime::host() };
    let stream = runtime?.device(0)?.stream()?;
    cann_scatter_add(&stream)?;
    mindspore_scatter_add(&stream)?;
    mindspore_scatter_add_indices_updates(&stream)?;
    mindspore_scatter_add_in_place(&stream)?;
    mindspore_scatter_in_place(&stream)?;
    index_out_of_range(&stream)?;
    stream.close()
}

fn cann_scatter_add(stream: &Stream) -> Result<()> {
    println!("ScatterAdd");
    let input = Tensor::<i32>::new([[1, 2, 3], [4, 5, 6], [7, 8, 9]], stream)?;
    let index = Tensor::<i64>::new([[0, 2, 1], [0, 0, 1]], stream)?;
    let src = Tensor::<i32>::new([[10, 11, 12], [13, 14, 15]], stream)?;
    let output = input.scatter_add(1, &index, &src, stream)?;
    print(&output, stream, "[[11 14 14]\n [31 20 6]\n [7 8 9]]")
}

fn mindspore_scatter_add(stream: &Stream) -> Result<()> {
    println!("Tensor.scatter_add(dim, index, src)");
    let input = Tensor::<f32>::new([[1.0, 2.0, 3.0, 4.0, 5.0]], stream)?;
    let src = Tensor::<f32>::new([[8.0, 8.0]], stream)?;
    let index = Tensor::<i64>::new([[2, 4]], stream)?;
    let out = input.scatter_add(1, &index, &src, stream)?;
    print(&out, stream, "[[1. 2. 11. 4. 13.]]")?;

    let input = Tensor::<f32>::zeros([5, 5], stream)?;
    let src = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], stream)?;
    let index = Tensor::<i64>::new([[0, 0, 0], [2, 2, 2], [4, 4, 4]], stream)?;
    let out = input.scatter_add(0, &index, &src, stream)?;
    print(&out, stream, ROWS_0_2_4)?;

    let input = Tensor::<f32>::zeros([5, 5], stream)?;
    let src = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], stream)?;
    let index = Tensor::<i64>::new([[0, 2, 4], [0, 2, 4], [0, 2, 4]], stream)?;
    let out = input.scatter_add(1, &index, &src, stream)?;
    print(&out, stream, COLUMNS_0_2_4)
}

fn mindspore_scatter_add_indices_updates(stream: &Stream) -> Result<()> {
    println!("Tensor.scatter_add(indices, updates)");
    let input_x = Tensor::<f32>::new([[-0.1, 0.3, 3.6], [0.4, 0.5, -3.2]], stream)?;
    let indices = Tensor::<i32>::new([[0, 0], [0, 0]], stream)?;
    let updates = Tensor::<f32>::new([1.0, 2.2], stream)?;
    let output = input_x.scatter_nd_add(&indices, &updates, stream)?;
    print(&output, stream, "[[ 3.1  0.3  3.6]\n [ 0.4  0.5 -3.2]]")
}

fn mindspore_scatter_add_in_place(stream: &Stream) -> Result<()> {
    println!("Tensor.scatter_add_(dim, index, src)");
    let mut input = Tensor::<f32>::new([[1.0, 2.0, 3.0, 4.0, 5.0]], stream)?;
    let src = Tensor::<f32>::new([[8.0, 8.0]], stream)?;
    let index = Tensor::<i64>::new([[2, 4]], stream)?;
    let out = input.scatter_add_(1, &index, &src, stream)?;
    print(out, stream, "[[1. 2. 11. 4. 13.]]")?;

    let mut input = Tensor::<f32>::zeros([5, 5], stream)?;
    let src = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], stream)?;
    let index = Tensor::<i64>::new([[0, 0, 0], [2, 2, 2], [4, 4, 4]], stream)?;
    let out = input.scatter_add_(0, &index, &src, stream)?;
    print(out, stream, ROWS_0_2_4)?;

    let mut input = Tensor::<f32>::zeros([5, 5], stream)?;
    let src = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], stream)?;
    let index = Tensor::<i64>::new([[0, 2, 4], [0, 2, 4], [0, 2, 4]], stream)?;
    let out = input.scatter_add_(1, &index, &src, stream)?;
    print(out, stream, COLUMNS_0_2_4)
}

/// The documentation of `Tensor.scatter_` has formulas and no numbers. These are its four forms,
/// each applied to the result of the one before.
fn mindspore_scatter_in_place(stream: &Stream) -> Result<()> {
    let mut input = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], stream)?;
    let index = Tensor::<i64>::new([[0, 2], [1, -1]], stream)?;
    let src = Tensor::<f32>::new([[10.0, 20.0], [30.0, 40.0]], stream)?;

    println!("Tensor.scatter_(dim, index, src)");
    let out = input.scatter_(1, &index, &src, Reduce::None, stream)?;
    print(out, stream, "[[10. 2. 20.]\n [4. 30. 40.]]")?;

    println!("Tensor.scatter_(dim, index, src, reduce=\"add\")");
    let out = input.scatter_(1, &index, &src, Reduce::Add, stream)?;
    print(out, stream, "[[20. 2. 40.]\n [4. 60. 80.]]")?;

    println!("Tensor.scatter_(dim, index, value)");
    let out = input.scatter_(1, &index, 7, Reduce::None, stream)?;
    print(out, stream, "[[7. 2. 7.]\n [4. 7. 7.]]")?;

    println!("Tensor.scatter_(dim, index, value, reduce=\"multiply\")");
    let out = input.scatter_(1, &index, 0.5, Reduce::Mul, stream)?;
    print(out, stream, "[[3.5 2. 3.5]\n [4. 3.5 3.5]]")
}

/// MindSpore's documentation leaves an index out of range undefined on Ascend. Here it is an error,
/// which `synchronize` returns.
fn index_out_of_range(stream: &Stream) -> Result<()> {
    let mut input = Tensor::<f32>::zeros([1, 5], stream)?;
    let index = Tensor::<i64>::new([[2, 5]], stream)?;
    input.scatter_add_(1, &index, &Tensor::new([[8.0, 8.0]], stream)?, stream)?;
    let Err(Error::Scatter(error)) = stream.synchronize() else { unreachable!("5 is no index of 5 columns") };
    println!("{error}");
    assert!(matches!(*error, scatter::Error::IndexOutOfRange { value: 5, size: 5, .. }));
    Ok(())
}

const ROWS_0_2_4: &str = "\
[[1. 2. 3. 0. 0.]
 [0. 0. 0. 0. 0.]
 [4. 5. 6. 0. 0.]
 [0. 0. 0. 0. 0.]
 [7. 8. 9. 0. 0.]]";

const COLUMNS_0_2_4: &str = "\
[[1. 0. 2. 0. 3.]
 [4. 0. 5. 0. 6.]
 [7. 0. 8. 0. 9.]
 [0. 0. 0. 0. 0.]
 [0. 0. 0. 0. 0.]]";

/// Prints a matrix in the documentation's format, and checks that it equals the documented one.
fn print<T: Element>(tensor: &Tensor<T>, stream: &Stream, page: &str) -> Result<()> {
    // `1.` for 1.0, and all columns of the same width if any number has a sign.
    let texts = tensor.to_vec(stream)?.into_iter().map(|element| format!("{element:?}"));
    let numbers: Vec<String> =
        texts.map(|text| text.strip_suffix(".0").map_or(text.clone(), |whole| format!("{whole}."))).collect();
    let signed = numbers.iter().any(|number| number.starts_with('-'));
    let width = if signed { numbers.iter().map(String::len).max().unwrap_or(0) } else { 0 };
    let padded: Vec<String> = numbers.iter().map(|number| format!("{number:>width$}")).collect();
    let rows: Vec<String> =
        padded.chunks(tensor.shape()[1]).map(|row| format!("[{}]", row.join(" "))).collect();
    let printed = format!("[{}]", rows.join("\n "));
    println!("{printed}\n");
    assert_eq!(printed, page);
    Ok(())
}
