//! CANN's older operator calls.

use core::ffi::{c_char, c_int, c_void};

use aclnn_sys::{
    AclError, aclCompileOpt, aclDataBuffer, aclDataType, aclFormat, aclMemType, aclOpCompileFlag,
    aclTensorDesc, aclopAttr, aclopCompileType, aclopEngineType, aclrtStream,
};

use crate::aclop::{attribute, buffer, compile, description};
use crate::entry::entry;

entry! {
    fn aclCreateDataBuffer(data: *mut c_void, size: usize) -> *mut aclDataBuffer => buffer::create(data, size);
    fn aclDestroyDataBuffer(dataBuffer: *const aclDataBuffer) -> AclError => buffer::destroy(dataBuffer);
    fn aclUpdateDataBuffer(dataBuffer: *mut aclDataBuffer, data: *mut c_void, size: usize)
        -> AclError => buffer::update(dataBuffer, data, size);
    fn aclGetDataBufferAddr(dataBuffer: *const aclDataBuffer) -> *mut c_void => buffer::address(dataBuffer);
    fn aclGetDataBufferSizeV2(dataBuffer: *const aclDataBuffer) -> usize => buffer::size(dataBuffer);

    fn aclCreateTensorDesc(dataType: aclDataType, numDims: c_int, dims: *const i64, format: aclFormat)
        -> *mut aclTensorDesc => {
        // SAFETY: by the function's contract the sizes are null or can be read.
        unsafe { description::create(dataType, numDims, dims, format) }
    };
    fn aclDestroyTensorDesc(desc: *const aclTensorDesc) -> () => description::destroy(desc);
    fn aclGetTensorDescType(desc: *const aclTensorDesc) -> aclDataType => description::dtype(desc);
    fn aclGetTensorDescFormat(desc: *const aclTensorDesc) -> aclFormat => description::format(desc);
    fn aclGetTensorDescNumDims(desc: *const aclTensorDesc) -> usize => description::rank(desc);
    fn aclGetTensorDescDim(desc: *const aclTensorDesc, index: usize) -> i64 => description::axis(desc, index);
    fn aclGetTensorDescDimV2(desc: *const aclTensorDesc, index: usize, #[out] dimSize: *mut i64)
        -> AclError => description::put_axis(desc, index, dimSize);
    fn aclGetTensorDescSize(desc: *const aclTensorDesc) -> usize => description::bytes(desc);
    fn aclGetTensorDescName(desc: *mut aclTensorDesc) -> *const c_char => description::name(desc);
    // SAFETY: by the function's contract the name is null or a text.
    fn aclSetTensorDescName(desc: *mut aclTensorDesc, name: *const c_char) -> () => unsafe { description::set_name(desc, name) };
    fn aclSetTensorFormat(desc: *mut aclTensorDesc, _format: aclFormat) -> AclError => description::set_format(desc);
    fn aclSetTensorShape(desc: *mut aclTensorDesc, numDims: c_int, dims: *const i64) -> AclError => {
        // SAFETY: by the function's contract the sizes are null or can be read.
        unsafe { description::set_shape(desc, numDims, dims) }
    };
    fn aclSetTensorConst(desc: *mut aclTensorDesc, dataBuffer: *mut c_void, length: usize)
        -> AclError => description::set_value(desc, dataBuffer, length);
    fn aclSetTensorPlaceMent(desc: *mut aclTensorDesc, memType: aclMemType)
        -> AclError => description::set_place(desc, memType);

    fn aclopCreateAttr() -> *mut aclopAttr => attribute::create();
    fn aclopDestroyAttr(attr: *const aclopAttr) -> () => attribute::destroy(attr);

    // SAFETY: by the function's contract the value is null or a text.
    fn aclSetCompileopt(opt: aclCompileOpt, value: *const c_char) -> AclError => unsafe { compile::set(opt, value) };
    fn aclGetCompileoptSize(opt: aclCompileOpt) -> usize => compile::size(opt);
    fn aclGetCompileopt(opt: aclCompileOpt, value: *mut c_char, length: usize) -> AclError => {
        // SAFETY: by the function's contract the value is null or has room for its length.
        unsafe { compile::get(opt, value, length) }
    };
    fn aclopSetCompileFlag(flag: aclOpCompileFlag) -> AclError => compile::set_flag(flag);
    fn aclopCompileAndExecute(
        opType: *const c_char,
        _numInputs: c_int,
        _inputDesc: *const *const aclTensorDesc,
        _inputs: *const *const aclDataBuffer,
        _numOutputs: c_int,
        _outputDesc: *const *const aclTensorDesc,
        _outputs: *const *mut aclDataBuffer,
        _attr: *const aclopAttr,
        _engineType: aclopEngineType,
        _compileFlag: aclopCompileType,
        _opPath: *const c_char,
        _stream: aclrtStream,
    // SAFETY: by the function's contract the name is null or a text.
    ) -> AclError => Err(unsafe { compile::absent(opType) });
    fn aclopCompileAndExecuteV2(
        opType: *const c_char,
        _numInputs: c_int,
        _inputDesc: *mut *mut aclTensorDesc,
        _inputs: *mut *mut aclDataBuffer,
        _numOutputs: c_int,
        _outputDesc: *mut *mut aclTensorDesc,
        _outputs: *mut *mut aclDataBuffer,
        _attr: *mut aclopAttr,
        _engineType: aclopEngineType,
        _compileFlag: aclopCompileType,
        _opPath: *const c_char,
        _stream: aclrtStream,
    // SAFETY: by the function's contract the name is null or a text.
    ) -> AclError => Err(unsafe { compile::absent(opType) });
}

/// The functions that set one value.
macro_rules! values {
    ($($name:ident: $kind:ty;)*) => {
        entry! {$(
            fn $name(attr: *mut aclopAttr, attrName: *const c_char, _attrValue: $kind) -> AclError => {
                // SAFETY: by the function's contract the name is null or a text.
                unsafe { attribute::set(attr, attrName) }
            };
        )*}
    };
}

values! {
    aclopSetAttrBool: u8;
    aclopSetAttrDataType: aclDataType;
    aclopSetAttrFloat: f32;
    aclopSetAttrInt: i64;
    aclopSetAttrString: *const c_char;
}

/// The functions that set several values.
macro_rules! lists {
    ($($name:ident: $kind:ty;)*) => {
        entry! {$(
            fn $name(attr: *mut aclopAttr, attrName: *const c_char, numValues: c_int, values: $kind) -> AclError => {
                // SAFETY: by the function's contract the name is null or a text.
                unsafe { attribute::set_list(attr, attrName, numValues, values) }
            };
        )*}
    };
}

lists! {
    aclopSetAttrListBool: *const u8;
    aclopSetAttrListDataType: *const aclDataType;
    aclopSetAttrListFloat: *const f32;
    aclopSetAttrListInt: *const i64;
    aclopSetAttrListString: *mut *const c_char;
}

entry! {
    fn aclopSetAttrListListInt(
        attr: *mut aclopAttr,
        attrName: *const c_char,
        numLists: c_int,
        _numValues: *const c_int,
        values: *const *const i64,
    ) -> AclError => {
        // SAFETY: by the function's contract the name is null or a text.
        unsafe { attribute::set_list(attr, attrName, numLists, values) }
    };
}
