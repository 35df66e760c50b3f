//! Memory that is shared through DLPack.

#![cfg(feature = "dlpark-0_10")]
#![allow(clippy::unwrap_used)]

use aclnn::{AnyTensor, DType, DeviceBuffer, Error, LayoutError, Result, Runtime, Stream, Tensor};
use dlpark::ffi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType};
use dlpark::metadata::Dynamic;
use dlpark::versioned::Dlpack;

#[test]
fn a_tensor_goes_out_and_comes_back_in_the_same_memory() -> Result<()> {
    let stream = Runtime::host()?.device(0)?.stream()?;
    let tensor = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &stream)?;
    let column = tensor.share().transpose(0, 1)?.narrow(0, 1..3)?;
    let shared = column.to_dlpack(&stream)?;
    {
        let described = shared.validate().unwrap();
        assert_eq!((described.shape(), described.strides()), (&[2, 2][..], Some(&[1, 3][..])));
        assert_eq!(described.byte_offset(), 4);
        assert_eq!((described.dtype().code, described.dtype().bits), (DLDataTypeCode::FLOAT, 32));
        assert_eq!(described.device(), DLDevice { device_type: DLDeviceType::EXTDEV, device_id: 0 });
    }
    drop((tensor, column));
    // SAFETY: the DLPack tensor is one of this device, and nothing else uses it.
    let mut back = unsafe { AnyTensor::from_dlpack(shared, &stream) }?.typed::<f32>()?;
    assert_eq!(back.to_vec(&stream)?, [2.0, 5.0, 3.0, 6.0]);
    back.scatter_(0, &Tensor::<i64>::new([[1, 0]], &stream)?, 9.0, aclnn::Reduce::None, &stream)?;
    assert_eq!(back.to_vec(&stream)?, [2.0, 9.0, 9.0, 6.0]);
    Ok(())
}

#[test]
fn every_dtype_keeps_its_name() -> Result<()> {
    let stream = Runtime::host()?.device(1)?.stream()?;
    for dtype in DType::ALL {
        let shared = AnyTensor::zeros(dtype, [2, 0, 3], &stream)?.to_dlpack(&stream)?;
        // SAFETY: the tensor has no elements, so its memory is never accessed.
        let back = unsafe { AnyTensor::from_dlpack(shared, &stream) }?;
        assert_eq!((back.dtype(), back.shape()), (dtype, &[2, 0, 3][..]));
    }
    let nothing = DeviceBuffer::new(&stream, 0)?;
    let nothing = Tensor::<i64>::from_buffer(nothing, [0], [1], usize::MAX)?.to_dlpack(&stream)?;
    assert_eq!(nothing.validate().unwrap().byte_offset(), 0);
    let of_one = Tensor::<i8>::new(7, &stream)?.to_dlpack(&stream)?;
    let zero = Runtime::host()?.device(0)?;
    // SAFETY: the tensor is refused, so its memory is never accessed.
    let error = unsafe { AnyTensor::from_dlpack(of_one, &zero) }.unwrap_err();
    assert_eq!(error, Error::Device { call: "from_dlpack", expected: 0, got: 1 });
    Ok(())
}

/// Imports a DLPack tensor of two f32 whose stride is `step`.
fn apart(step: i64, stream: &Stream) -> Result<AnyTensor> {
    let mut tensor = Dynamic::new(&[2_i64][..], &[step][..]).initialize(Box::new(())).unwrap();
    let buffer = DeviceBuffer::new(stream, 8)?;
    tensor
        .set_data(buffer.as_raw())
        .set_device(DLDevice { device_type: DLDeviceType::EXTDEV, device_id: 0 })
        .set_dtype(DLDataType { code: DLDataTypeCode::FLOAT, bits: 32, lanes: 1 });
    // SAFETY: the elements are never accessed.
    let shared: Dlpack = unsafe { tensor.finish() };
    // SAFETY: the tensor is refused, or its elements are never accessed.
    unsafe { AnyTensor::from_dlpack(shared, stream) }
}

#[test]
fn what_can_not_be_addressed_is_refused() -> Result<()> {
    let stream = Runtime::host()?.device(0)?.stream()?;
    assert_eq!(apart(-1, &stream)?.layout().offset(), 1);
    let error = apart(i64::MIN, &stream).unwrap_err();
    assert!(matches!(error, Error::Layout(LayoutError::Overflow { axis: 0, size: 2, .. })), "{error}");
    let error = apart(i64::MAX / 2, &stream).unwrap_err();
    assert!(matches!(error, Error::Unsupported { call: "from_dlpack", .. }), "{error}");
    Ok(())
}
