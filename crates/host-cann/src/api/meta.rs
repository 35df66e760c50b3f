//! Tensors, scalars, arrays, lists and executors.

use core::ffi::c_void;

use aclnn_sys::{
    AclnnStatus, HOSTCANN_TENSOR_ANY, HOSTCANN_TENSOR_INPUT, HOSTCANN_TENSOR_OUTPUT, aclBoolArray,
    aclDataType, aclFloatArray, aclFormat, aclIntArray, aclOpExecutor, aclScalar, aclScalarList, aclTensor,
    aclTensorList,
};

use crate::entry::entry;
use crate::meta::array::{BOOLS, FLOATS, INTEGERS};
use crate::meta::tensor::{self, Numbers, Parts};
use crate::meta::{executor, list, scalar};

entry! {
    fn aclCreateTensor(
        viewDims: *const i64,
        viewDimsNum: u64,
        dataType: aclDataType,
        stride: *const i64,
        offset: i64,
        format: aclFormat,
        storageDims: *const i64,
        storageDimsNum: u64,
        tensorData: *mut c_void,
    ) -> *mut aclTensor => {
        let (shape, storage) = ((viewDims, viewDimsNum), (storageDims, storageDimsNum));
        let parts = Parts { shape, dtype: dataType, strides: stride, offset, format, storage, address: tensorData };
        // SAFETY: by the function's contract shapes and strides are null or can be read.
        unsafe { tensor::create(parts) }
    };
    fn aclInitTensor(
        tensor: *mut aclTensor,
        viewDims: *const i64,
        viewDimsNum: u64,
        dataType: aclDataType,
        stride: *const i64,
        offset: i64,
        format: aclFormat,
        storageDims: *const i64,
        storageDimsNum: u64,
        tensorDataAddr: *mut c_void,
    ) -> AclnnStatus => {
        let (shape, storage) = ((viewDims, viewDimsNum), (storageDims, storageDimsNum));
        let parts = Parts { shape, dtype: dataType, strides: stride, offset, format, storage, address: tensorDataAddr };
        // SAFETY: by the function's contract shapes and strides are null or can be read.
        unsafe { tensor::init(tensor, parts) }
    };
    fn aclCreateScalar(value: *mut c_void, dataType: aclDataType) -> *mut aclScalar => {
        // SAFETY: by the function's contract the value is null or one of the dtype.
        unsafe { scalar::create(value, dataType) }
    };
    fn aclCreateIntArray(value: *const i64, size: u64) -> *mut aclIntArray => {
        // SAFETY: by the function's contract the values are null, or `size` values can be read.
        unsafe { INTEGERS.create(value, size) }
    };
    fn aclCreateFloatArray(value: *const f32, size: u64) -> *mut aclFloatArray => {
        // SAFETY: by the function's contract the values are null, or `size` values can be read.
        unsafe { FLOATS.create(value, size) }
    };
    fn aclCreateBoolArray(value: *const bool, size: u64) -> *mut aclBoolArray => {
        // SAFETY: by the function's contract the values are null, or `size` values can be read.
        unsafe { BOOLS.create(value.cast(), size) }
    };
    fn aclCreateTensorList(value: *const *const aclTensor, size: u64) -> *mut aclTensorList => {
        // SAFETY: by the function's contract the handles are null, or `size` handles can be read.
        unsafe { list::create_of_tensors(value, size) }
    };
    fn aclCreateScalarList(value: *const *const aclScalar, size: u64) -> *mut aclScalarList => {
        // SAFETY: by the function's contract the handles are null, or `size` handles can be read.
        unsafe { list::create_of_scalars(value, size) }
    };
    fn aclDestroyTensor(tensor: *const aclTensor) -> AclnnStatus => tensor::destroy(tensor);
    fn aclDestroyScalar(scalar: *const aclScalar) -> AclnnStatus => scalar::destroy(scalar);
    fn aclDestroyIntArray(array: *const aclIntArray) -> AclnnStatus => INTEGERS.destroy(array);
    fn aclDestroyFloatArray(array: *const aclFloatArray) -> AclnnStatus => FLOATS.destroy(array);
    fn aclDestroyBoolArray(array: *const aclBoolArray) -> AclnnStatus => BOOLS.destroy(array);
    fn aclDestroyTensorList(array: *const aclTensorList) -> AclnnStatus => list::destroy_tensors(array);
    fn aclDestroyScalarList(array: *const aclScalarList) -> AclnnStatus => list::destroy_scalars(array);
    fn aclGetViewShape(tensor: *const aclTensor, #[out] viewDims: *mut *mut i64, #[out] viewDimsNum: *mut u64)
        -> AclnnStatus => tensor::numbers(tensor, Numbers::Shape, viewDims, viewDimsNum);
    fn aclGetStorageShape(tensor: *const aclTensor, #[out] storageDims: *mut *mut i64, #[out] storageDimsNum: *mut u64)
        -> AclnnStatus => tensor::numbers(tensor, Numbers::Storage, storageDims, storageDimsNum);
    fn aclGetViewStrides(tensor: *const aclTensor, #[out] stridesValue: *mut *mut i64, #[out] stridesNum: *mut u64)
        -> AclnnStatus => tensor::numbers(tensor, Numbers::Strides, stridesValue, stridesNum);
    fn aclGetViewOffset(tensor: *const aclTensor, #[out] offset: *mut i64)
        -> AclnnStatus => tensor::offset(tensor, offset);
    fn aclGetFormat(tensor: *const aclTensor, #[out] format: *mut aclFormat)
        -> AclnnStatus => tensor::format(tensor, format);
    fn aclGetDataType(tensor: *const aclTensor, #[out] dataType: *mut aclDataType)
        -> AclnnStatus => tensor::dtype(tensor, dataType);
    fn aclGetIntArraySize(array: *const aclIntArray, #[out] size: *mut u64)
        -> AclnnStatus => INTEGERS.size(array, size);
    fn aclGetFloatArraySize(array: *const aclFloatArray, #[out] size: *mut u64)
        -> AclnnStatus => FLOATS.size(array, size);
    fn aclGetBoolArraySize(array: *const aclBoolArray, #[out] size: *mut u64)
        -> AclnnStatus => BOOLS.size(array, size);
    fn aclGetTensorListSize(tensorList: *const aclTensorList, #[out] size: *mut u64)
        -> AclnnStatus => list::tensors(tensorList, size);
    fn aclGetScalarListSize(scalarList: *const aclScalarList, #[out] size: *mut u64)
        -> AclnnStatus => list::scalars(scalarList, size);
    fn aclSetRawTensorAddr(tensor: *mut aclTensor, addr: *mut c_void)
        -> AclnnStatus => tensor::set_address(tensor, addr);
    fn aclGetRawTensorAddr(tensor: *const aclTensor, #[out] addr: *mut *mut c_void)
        -> AclnnStatus => tensor::address(tensor, addr);
    fn aclSetAclOpExecutorRepeatable(executor: *mut aclOpExecutor) -> AclnnStatus => executor::set_repeatable(executor);
    fn aclDestroyAclOpExecutor(executor: *mut aclOpExecutor) -> AclnnStatus => executor::destroy(executor);
}

/// The functions that change an address of an executor, under their two names.
macro_rules! address_setters {
    ($($name:ident, $older:ident, $kind:ident;)*) => {
        entry! {$(
            fn $name(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
                -> AclnnStatus => executor::set_address(executor, $kind, index, tensor, addr);
            fn $older(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
                -> AclnnStatus => executor::set_address(executor, $kind, index, tensor, addr);
        )*}
    };
}

address_setters! {
    aclSetInputTensorAddr, AclSetInputTensorAddr, HOSTCANN_TENSOR_INPUT;
    aclSetOutputTensorAddr, AclSetOutputTensorAddr, HOSTCANN_TENSOR_OUTPUT;
    aclSetTensorAddr, AclSetTensorAddr, HOSTCANN_TENSOR_ANY;
}

entry! {
    fn aclSetDynamicInputTensorAddr(
        executor: *mut aclOpExecutor,
        irIndex: usize,
        relativeIndex: usize,
        tensors: *mut aclTensorList,
        addr: *mut c_void,
    ) -> AclnnStatus => executor::set_list_address(executor, irIndex, relativeIndex, tensors, addr);
    fn aclSetDynamicTensorAddr(
        executor: *mut aclOpExecutor,
        irIndex: usize,
        relativeIndex: usize,
        tensors: *mut aclTensorList,
        addr: *mut c_void,
    ) -> AclnnStatus => executor::set_list_address(executor, irIndex, relativeIndex, tensors, addr);
}
