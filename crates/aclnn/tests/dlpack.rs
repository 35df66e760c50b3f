//! Memory that is shared by DLPack.

#![cfg(feature = "dlpack")]
#![allow(clippy::unwrap_used)]

use aclnn::{AnyTensor, DType, Error, Runtime, Tensor};
use dlpark::ffi::{DLDataTypeCode, DLDevice, DLDeviceType};

#[test]
fn a_tensor_goes_out_and_comes_back_in_the_same_memory() -> Result<(), Error> {
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
    // SAFETY: it is a tensor of this device, which nobody else uses.
    let mut back = unsafe { AnyTensor::from_dlpack(shared, &stream) }?.typed::<f32>()?;
    assert_eq!(back.to_vec(&stream)?, [2.0, 5.0, 3.0, 6.0]);
    back.scatter_(0, &Tensor::<i64>::new([[1, 0]], &stream)?, 9.0, aclnn::Reduce::None, &stream)?;
    assert_eq!(back.to_vec(&stream)?, [2.0, 9.0, 9.0, 6.0]);
    Ok(())
}

#[test]
fn every_dtype_keeps_its_name() -> Result<(), Error> {
    let stream = Runtime::host()?.device(1)?.stream()?;
    for dtype in DType::ALL {
        let shared = AnyTensor::zeros(dtype, [2, 0, 3], &stream)?.to_dlpack(&stream)?;
        // SAFETY: it has no elements.
        let back = unsafe { AnyTensor::from_dlpack(shared, &stream) }?;
        assert_eq!((back.dtype(), back.shape()), (dtype, &[2, 0, 3][..]));
    }
    let of_one = Tensor::<i8>::new(7, &stream)?.to_dlpack(&stream)?;
    let zero = Runtime::host()?.device(0)?;
    // SAFETY: it is refused.
    let error = unsafe { AnyTensor::from_dlpack(of_one, &zero) }.unwrap_err();
    assert_eq!(error, Error::Device { call: "from_dlpack", expected: 0, got: 1 });
    Ok(())
}
