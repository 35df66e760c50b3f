//! CANN's older operator calls: their parts are made and destroyed, and no operator is there.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::CStr;
use std::ptr;

use aclnn_sys::*;
use common::{Session, acl, fails, message, ok, wild};

fn described(dtype: aclDataType, shape: &[i64]) -> *mut aclTensorDesc {
    let description =
        acl!(aclCreateTensorDesc(dtype, i32::try_from(shape.len()).unwrap(), shape.as_ptr(), ACL_FORMAT_ND));
    assert!(!description.is_null(), "{}", message());
    description
}

#[test]
fn a_description_says_what_it_was_made_of() {
    let _session = Session::new();
    let description = described(ACL_FLOAT16, &[2, 3, 5]);
    assert_eq!(acl!(aclGetTensorDescType(description)), ACL_FLOAT16);
    assert_eq!(acl!(aclGetTensorDescFormat(description)), ACL_FORMAT_ND);
    assert_eq!(acl!(aclGetTensorDescNumDims(description)), 3);
    assert_eq!(acl!(aclGetTensorDescDim(description, 2)), 5);
    let mut size = 0;
    ok!(aclGetTensorDescDimV2(description, 1, &mut size));
    assert_eq!(size, 3);
    fails!(aclGetTensorDescDimV2(description, 3, &mut size), ACL_ERROR_INVALID_PARAM, "index 3", "3");
    assert_eq!(acl!(aclGetTensorDescSize(description)), 60);
    acl!(aclSetTensorDescName(description, c"self".as_ptr()));
    let name = acl!(aclGetTensorDescName(description));
    // SAFETY: the name is valid until it is changed.
    assert_eq!(unsafe { CStr::from_ptr(name) }, c"self");
    // What is in memory changes nothing of these.
    ok!(aclSetTensorFormat(description, ACL_FORMAT_NCHW));
    ok!(aclSetTensorShape(description, 1, [9].as_ptr()));
    ok!(aclSetTensorPlaceMent(description, ACL_MEMTYPE_HOST));
    assert_eq!(acl!(aclGetTensorDescFormat(description)), ACL_FORMAT_ND);
    assert_eq!(acl!(aclGetTensorDescNumDims(description)), 3);
    acl!(aclDestroyTensorDesc(description));
    assert_eq!(message(), "");
    fails!(aclSetTensorFormat(description, ACL_FORMAT_ND), ACL_ERROR_INVALID_PARAM, "destroyed");
    // A scalar, and a size that isn't known.
    for (shape, bytes) in [(&[][..], 4), (&[4, -1], 0)] {
        let description = described(ACL_FLOAT, shape);
        assert_eq!(acl!(aclGetTensorDescSize(description)), bytes);
        acl!(aclDestroyTensorDesc(description));
    }
    assert!(acl!(aclCreateTensorDesc(ACL_FLOAT, 1, ptr::null(), ACL_FORMAT_ND)).is_null());
    assert!(message().contains("dims is null"));
    assert!(acl!(aclCreateTensorDesc(ACL_FLOAT, -1, ptr::null(), ACL_FORMAT_ND)).is_null());
    assert!(message().contains("numDims -1"));
}

#[test]
fn a_buffer_gives_its_memory_back() {
    let _session = Session::new();
    let mut memory = [0_u8; 2];
    let address = memory.as_mut_ptr().cast();
    let buffer = acl!(aclCreateDataBuffer(address, 2));
    assert_eq!(acl!(aclGetDataBufferAddr(buffer)), address);
    ok!(aclUpdateDataBuffer(buffer, ptr::null_mut(), 0));
    assert!(acl!(aclGetDataBufferAddr(buffer)).is_null());
    assert_eq!(acl!(aclGetDataBufferSizeV2(buffer)), 0);
    ok!(aclDestroyDataBuffer(buffer));
    fails!(aclDestroyDataBuffer(buffer), ACL_ERROR_INVALID_PARAM, "destroyed");
    fails!(aclDestroyDataBuffer(ptr::null()), ACL_ERROR_INVALID_PARAM, "does not exist");
}

#[test]
fn attributes_take_values_of_every_kind() {
    let _session = Session::new();
    let attributes = acl!(aclopCreateAttr());
    let name = c"axis".as_ptr();
    ok!(aclopSetAttrBool(attributes, name, 1));
    ok!(aclopSetAttrInt(attributes, name, -1));
    ok!(aclopSetAttrFloat(attributes, name, 0.5));
    ok!(aclopSetAttrString(attributes, name, c"add".as_ptr()));
    ok!(aclopSetAttrDataType(attributes, name, ACL_FLOAT));
    ok!(aclopSetAttrListInt(attributes, name, 2, [1, 2].as_ptr()));
    ok!(aclopSetAttrListFloat(attributes, name, 0, ptr::null()));
    fails!(aclopSetAttrListInt(attributes, name, 1, ptr::null()), ACL_ERROR_INVALID_PARAM, "null");
    fails!(aclopSetAttrListBool(attributes, name, -1, [1].as_ptr()), ACL_ERROR_INVALID_PARAM, "-1");
    fails!(aclopSetAttrInt(attributes, ptr::null(), 1), ACL_ERROR_INVALID_PARAM, "attrName is null");
    acl!(aclopDestroyAttr(attributes));
    fails!(aclopSetAttrInt(attributes, name, 1), ACL_ERROR_INVALID_PARAM, "destroyed");
    fails!(aclopSetAttrInt(wild(), name, 1), ACL_ERROR_INVALID_PARAM, "attr");
}

#[test]
fn no_operator_is_there_and_its_name_is_said() {
    let _session = Session::new();
    let none = ptr::null_mut();
    fails!(
        aclopCompileAndExecute(
            c"ScatterElements".as_ptr(),
            0,
            ptr::null(),
            ptr::null(),
            0,
            ptr::null(),
            ptr::null(),
            ptr::null(),
            ACL_ENGINE_SYS,
            ACL_COMPILE_SYS,
            ptr::null(),
            none
        ),
        ACL_ERROR_OP_NOT_FOUND,
        "host-cann does not have the operator ScatterElements"
    );
}

#[test]
fn settings_of_the_compiler_are_taken_and_told_as_cann_tells_them() {
    let _session = Session::new();
    let mut value = [1_i8; 16];
    let address = value.as_mut_ptr().cast();
    ok!(aclSetCompileopt(ACL_OP_JIT_COMPILE, c"enable".as_ptr()));
    assert_eq!(acl!(aclGetCompileoptSize(ACL_OP_JIT_COMPILE)), 8);
    fails!(aclGetCompileopt(ACL_OP_JIT_COMPILE, address, 7), ACL_ERROR_INVALID_PARAM, "7", "8 bytes");
    ok!(aclGetCompileopt(ACL_OP_JIT_COMPILE, address, 8));
    // SAFETY: the text was written with its NUL.
    assert_eq!(unsafe { CStr::from_ptr(address) }, c"disable");
    assert_eq!(acl!(aclGetCompileoptSize(ACL_OP_DEBUG_OPTION)), 0);
    ok!(aclSetCompileopt(ACL_OP_DEBUG_OPTION, c"oom".as_ptr()));
    assert_eq!(acl!(aclGetCompileoptSize(ACL_OP_DEBUG_OPTION)), 4);
    ok!(aclGetCompileopt(ACL_OP_DEBUG_OPTION, address, 16));
    // SAFETY: the text was written with its NUL.
    assert_eq!(unsafe { CStr::from_ptr(address) }, c"oom");
    fails!(aclGetCompileopt(ACL_PRECISION_MODE, address, 16), ACL_ERROR_API_NOT_SUPPORT, "opt 0");
    fails!(aclSetCompileopt(aclCompileOpt(99), c"".as_ptr()), ACL_ERROR_INVALID_PARAM, "opt 99");
    fails!(aclSetCompileopt(ACL_OP_JIT_COMPILE, ptr::null()), ACL_ERROR_INVALID_PARAM, "value is null");
    ok!(aclopSetCompileFlag(ACL_OP_COMPILE_FUZZ));
    fails!(aclopSetCompileFlag(aclOpCompileFlag(7)), ACL_ERROR_INVALID_PARAM, "flag 7");
}

#[test]
fn a_device_has_no_units_of_an_npu() {
    let _session = Session::new();
    for kind in [ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM, ACL_DEVICE_INFO_L2_SIZE] {
        let mut count = 9;
        ok!(aclGetDeviceCapability(0, kind, &mut count));
        assert_eq!(count, 0);
    }
    let mut count = 0;
    fails!(aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &mut count), ACL_ERROR_INVALID_PARAM, "-1");
}
