//! Tensors print their elements in the format of `ndarray`.

#![allow(clippy::unwrap_used)]

mod common;

use aclnn::sys::Cann;
use aclnn::{AnyTensor, Bool, Complex, DType, Error, Reduce, Result, Runtime, Tensor, bf16, f16};
use common::{Gate, alone, stand_in, stream};
use ndarray::ArrayD;

#[test]
fn the_text_is_that_of_ndarray() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let shapes: &[&[usize]] = &[
        &[],
        &[0],
        &[1],
        &[7],
        &[499],
        &[500],
        &[2, 3],
        &[1, 0, 2],
        &[2, 3, 4],
        &[11, 46],
        &[12, 45],
        &[50, 11],
        &[50, 12],
        &[7, 20, 30],
        &[6, 9, 10],
        &[7, 1, 2, 50],
        &[2, 2, 2, 2, 2],
        &[2, 1, 7, 3, 1, 20],
        &[2, 1, 1, 7, 1, 3, 1, 20],
    ];
    for &shape in shapes {
        let len = shape.iter().product::<usize>();
        let numbers: Vec<f32> = (0..len).map(|number| number as f32 / 4.0 - 3.0).collect();
        let tensor = Tensor::from_slice(&numbers, shape, &stream)?;
        let array = ArrayD::from_shape_vec(shape, numbers).unwrap();
        assert_eq!(format!("{tensor}"), format!("{array}"), "{shape:?}");
        assert_eq!(format!("{tensor:#}"), format!("{array:#}"), "{shape:?}");
        assert_eq!(format!("{tensor:7.2}"), format!("{array:7.2}"), "{shape:?}");
        let (debug, wanted) = (format!("{tensor:?}"), format!("{array:?}"));
        let wanted = wanted.split_once(", shape=").unwrap().0;
        assert!(debug.starts_with(&format!("{wanted}, dtype=f32, shape={shape:?}, ")), "{debug}");
    }
    Ok(())
}

#[test]
fn debug_tells_what_the_tensor_is() -> Result<()> {
    let stream = stream()?;
    let table = Tensor::<i32>::new([[1, 2, 3], [4, 5, 6]], &stream)?;
    assert_eq!(
        format!("{:?}", table.view().t()?),
        "[[1, 4],\n [2, 5],\n [3, 6]], dtype=i32, shape=[3, 2], strides=[1, 3], device=0"
    );
    Ok(())
}

#[test]
fn every_dtype_is_printed() -> Result<()> {
    let stream = stream()?;
    let shown = |tensor: AnyTensor| (format!("{tensor}"), format!("{tensor:?}"));
    for dtype in DType::ALL {
        let (display, debug) = shown(AnyTensor::ones(dtype, [2], &stream)?);
        let (one, other) = match dtype {
            DType::Bool => ("true", "true"),
            DType::Complex64 | DType::Complex128 => ("1+0i", "1+0i"),
            DType::Bf16 | DType::F16 | DType::F32 | DType::F64 => ("1", "1.0"),
            _ => ("1", "1"),
        };
        assert_eq!(display, format!("[{one}, {one}]"), "{dtype}");
        assert!(debug.starts_with(&format!("[{other}, {other}], dtype={dtype}, ")), "{debug}");
    }
    // A byte that is neither 0 nor 1 reads as true.
    assert_eq!(Tensor::new([Bool(0), Bool(2)], &stream)?.to_string(), "[false, true]");
    assert_eq!(Tensor::new([Complex::new(1.5_f32, -2.0)], &stream)?.to_string(), "[1.5-2i]");
    assert_eq!(Tensor::new([bf16::from_f32(-0.5)], &stream)?.to_string(), "[-0.5]");
    assert_eq!(format!("{:?}", Tensor::new(f16::NAN, &stream)?).split_once(',').unwrap().0, "NaN");
    Ok(())
}

#[test]
fn of_a_large_tensor_only_what_is_shown_is_read() -> Result<()> {
    let stream = stream()?;
    // More elements than are copied at once: along the last axis, along the first, and in both
    // orders in memory.
    let len = 1 << 17;
    let numbers: Vec<i32> = (0..len).collect();
    let size = usize::try_from(len).unwrap();
    let line = Tensor::from_slice(&numbers, [size], &stream)?;
    let text = "[0, 1, 2, 3, 4, ..., 131067, 131068, 131069, 131070, 131071]";
    assert_eq!(line.to_string(), text);
    for shape in [[size / 2, 2], [2, size / 2], [size / 64, 64], [size, 1]] {
        let array = ArrayD::from_shape_vec(&shape[..], numbers.clone()).unwrap();
        let tensor = line.view().reshape(shape)?;
        assert_eq!(tensor.to_string(), array.to_string(), "{shape:?}");
        assert_eq!(tensor.t()?.to_string(), array.t().to_string(), "{shape:?}");
    }
    assert!(format!("{line:#}").split(", ").count() == size);
    // More elements than any host has memory for, broadcast from a single one.
    let one = Tensor::<f32>::new([[7.0]], &stream)?;
    let many = one.view().expand([1 << 40, 1 << 20])?;
    assert!(many.to_vec(&stream).is_err());
    let row = "[7, 7, 7, 7, 7, ..., 7, 7, 7, 7, 7]";
    let rows = [row; 5].join(",\n ");
    assert_eq!(many.to_string(), format!("[{rows},\n ...,\n {rows}]"));
    Ok(())
}

#[test]
fn printing_waits_for_what_writes_the_tensor() -> Result<()> {
    let stream = stream()?;
    let mut sums = Tensor::<i32>::zeros([3], &stream)?;
    let gate = Gate::new(&stream);
    sums.scatter_(0, &Tensor::<i64>::new([2, 0], &stream)?, 5, Reduce::Add, &stream)?;
    assert!(!stream.is_idle()?);
    std::thread::scope(|scope| {
        scope.spawn(move || gate.open());
        assert_eq!(sums.to_string(), "[5, 0, 5]");
    });
    Ok(())
}

#[test]
fn printing_takes_no_error_from_anybody() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let tensor = Tensor::<f32>::new([1.0], &stream)?;
    // The error of a drop is still returned by the next call.
    stand_in::prepare_broken(&tensor, &stream).map(drop)?;
    assert_eq!(tensor.to_string(), "[1]");
    assert!(matches!(stream.synchronize(), Err(Error::Dropped(_))));
    stream.synchronize()?;
    // An index out of range is still returned by its stream.
    let mut sums = Tensor::<f32>::zeros([1], &stream)?;
    sums.scatter_(0, &Tensor::<i64>::new([3], &stream)?, 1.0, Reduce::None, &stream)?;
    let text = sums.to_string();
    assert!(
        text.starts_with("<no elements: scatter_value: index: value at [0] ") && text.ends_with('>'),
        "{text}"
    );
    assert!(matches!(stream.synchronize(), Err(Error::Scatter(_))));
    assert_eq!(sums.to_string(), "[0]");
    Ok(())
}

#[test]
fn an_error_is_printed_in_the_place_of_the_elements() -> Result<()> {
    let _alone = alone();
    let functions = host_cann::table().filter(|(name, _)| *name != c"aclrtMemcpy");
    // SAFETY: the table has only functions of host-cann.
    let runtime = unsafe { Runtime::from_cann(Cann::from_table(functions)) }?;
    let tensor = Tensor::<f32>::zeros([2], runtime.device(0)?)?;
    let text = tensor.to_string();
    assert!(text.starts_with("<no elements: ") && text.contains("aclrtMemcpy"), "{text}");
    let debug = format!("{tensor:?}");
    assert!(
        debug.starts_with(&text) && debug.ends_with(", dtype=f32, shape=[2], strides=[1], device=0"),
        "{debug}"
    );
    Ok(())
}
