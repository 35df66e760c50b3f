//! Values and names, taken from CANN's documentation and not from the headers.

mod common;

use aclnn_sys::{AclError, AclnnStatus, aclDataType, aclFormat, *};

#[test]
fn dtypes() {
    let expected = [
        (ACL_DT_UNDEFINED, -1, "ACL_DT_UNDEFINED"),
        (ACL_FLOAT, 0, "ACL_FLOAT"),
        (ACL_FLOAT16, 1, "ACL_FLOAT16"),
        (ACL_INT8, 2, "ACL_INT8"),
        (ACL_INT32, 3, "ACL_INT32"),
        (ACL_UINT8, 4, "ACL_UINT8"),
        (ACL_INT16, 6, "ACL_INT16"),
        (ACL_UINT16, 7, "ACL_UINT16"),
        (ACL_UINT32, 8, "ACL_UINT32"),
        (ACL_INT64, 9, "ACL_INT64"),
        (ACL_UINT64, 10, "ACL_UINT64"),
        (ACL_DOUBLE, 11, "ACL_DOUBLE"),
        (ACL_BOOL, 12, "ACL_BOOL"),
        (ACL_STRING, 13, "ACL_STRING"),
        (ACL_COMPLEX64, 16, "ACL_COMPLEX64"),
        (ACL_COMPLEX128, 17, "ACL_COMPLEX128"),
        (ACL_BF16, 27, "ACL_BF16"),
        (ACL_INT4, 29, "ACL_INT4"),
        (ACL_UINT1, 30, "ACL_UINT1"),
        (ACL_COMPLEX32, 33, "ACL_COMPLEX32"),
        (ACL_HIFLOAT8, 34, "ACL_HIFLOAT8"),
        (ACL_FLOAT8_E5M2, 35, "ACL_FLOAT8_E5M2"),
        (ACL_FLOAT8_E4M3FN, 36, "ACL_FLOAT8_E4M3FN"),
        (ACL_FLOAT8_E8M0, 37, "ACL_FLOAT8_E8M0"),
        (ACL_FLOAT6_E3M2, 38, "ACL_FLOAT6_E3M2"),
        (ACL_FLOAT6_E2M3, 39, "ACL_FLOAT6_E2M3"),
        (ACL_FLOAT4_E2M1, 40, "ACL_FLOAT4_E2M1"),
        (ACL_FLOAT4_E1M2, 41, "ACL_FLOAT4_E1M2"),
    ];
    for (dtype, value, name) in expected {
        assert_eq!((dtype.0, dtype.name()), (value, Some(name)));
    }
    let named: Vec<i32> = (-100..200).filter(|value| aclDataType(*value).name().is_some()).collect();
    assert_eq!(named, expected.map(|(_, value, _)| value));
    assert_eq!(
        (ACL_BF16.to_string(), aclDataType(5).to_string()),
        ("ACL_BF16 (27)".into(), "aclDataType 5".into())
    );
}

#[test]
fn formats() {
    let expected = [
        (ACL_FORMAT_UNDEFINED, -1, "ACL_FORMAT_UNDEFINED"),
        (ACL_FORMAT_NCHW, 0, "ACL_FORMAT_NCHW"),
        (ACL_FORMAT_NHWC, 1, "ACL_FORMAT_NHWC"),
        (ACL_FORMAT_ND, 2, "ACL_FORMAT_ND"),
        (ACL_FORMAT_NC1HWC0, 3, "ACL_FORMAT_NC1HWC0"),
        (ACL_FORMAT_FRACTAL_Z, 4, "ACL_FORMAT_FRACTAL_Z"),
        (ACL_FORMAT_NC1HWC0_C04, 12, "ACL_FORMAT_NC1HWC0_C04"),
        (ACL_FORMAT_HWCN, 16, "ACL_FORMAT_HWCN"),
        (ACL_FORMAT_NDHWC, 27, "ACL_FORMAT_NDHWC"),
        (ACL_FORMAT_FRACTAL_NZ, 29, "ACL_FORMAT_FRACTAL_NZ"),
        (ACL_FORMAT_NCDHW, 30, "ACL_FORMAT_NCDHW"),
        (ACL_FORMAT_NDC1HWC0, 32, "ACL_FORMAT_NDC1HWC0"),
        (ACL_FRACTAL_Z_3D, 33, "ACL_FRACTAL_Z_3D"),
        (ACL_FORMAT_NC, 35, "ACL_FORMAT_NC"),
        (ACL_FORMAT_NCL, 47, "ACL_FORMAT_NCL"),
        (ACL_FORMAT_FRACTAL_NZ_C0_16, 50, "ACL_FORMAT_FRACTAL_NZ_C0_16"),
        (ACL_FORMAT_FRACTAL_NZ_C0_32, 51, "ACL_FORMAT_FRACTAL_NZ_C0_32"),
        (ACL_FORMAT_FRACTAL_NZ_C0_2, 52, "ACL_FORMAT_FRACTAL_NZ_C0_2"),
        (ACL_FORMAT_FRACTAL_NZ_C0_4, 53, "ACL_FORMAT_FRACTAL_NZ_C0_4"),
        (ACL_FORMAT_FRACTAL_NZ_C0_8, 54, "ACL_FORMAT_FRACTAL_NZ_C0_8"),
    ];
    for (format, value, name) in expected {
        assert_eq!((format.0, format.name()), (value, Some(name)));
    }
    let named: Vec<i32> = (-100..200).filter(|value| aclFormat(*value).name().is_some()).collect();
    assert_eq!(named, expected.map(|(_, value, _)| value));
}

#[test]
fn codes_of_operators() {
    let expected = [
        (0, "ACLNN_SUCCESS"),
        (161_001, "ACLNN_ERR_PARAM_NULLPTR"),
        (161_002, "ACLNN_ERR_PARAM_INVALID"),
        (361_001, "ACLNN_ERR_RUNTIME_ERROR"),
        (561_000, "ACLNN_ERR_INNER"),
        (561_001, "ACLNN_ERR_INNER_INFERSHAPE_ERROR"),
        (561_002, "ACLNN_ERR_INNER_TILING_ERROR"),
        (561_003, "ACLNN_ERR_INNER_FIND_KERNEL_ERROR"),
        (561_101, "ACLNN_ERR_INNER_CREATE_EXECUTOR"),
        (561_102, "ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR"),
        (561_103, "ACLNN_ERR_INNER_NULLPTR"),
        (561_104, "ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE"),
        (561_105, "ACLNN_ERR_INNER_KEY_CONFLICT"),
        (561_106, "ACLNN_ERR_INNER_INVALID_IMPL_MODE"),
        (561_107, "ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND"),
        (561_108, "ACLNN_ERR_INNER_LOAD_JSON_FAILED"),
        (561_109, "ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND"),
        (561_110, "ACLNN_ERR_INNER_JSON_FORMAT_INVALID"),
        (561_111, "ACLNN_ERR_INNER_JSON_DTYPE_INVALID"),
        (561_112, "ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND"),
        (561_113, "ACLNN_ERR_INNER_OP_FILE_INVALID"),
        (561_114, "ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND"),
        (561_115, "ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH"),
        (561_116, "ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE"),
        (561_117, "ACLNN_ERR_INNER_INPUT_JSON_IS_NULL"),
        (561_118, "ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID"),
        (561_119, "ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID"),
    ];
    let all = common::constants();
    for (value, name) in expected {
        assert_eq!(AclnnStatus(value).name(), Some(name));
        assert_eq!(all[name], i128::from(value));
    }
    assert_eq!(ACLNN_ERR_INNER_KEY_CONFILICT, ACLNN_ERR_INNER_KEY_CONFLICT);
    let named = (0..700_000).filter(|value| AclnnStatus(*value).name().is_some()).count();
    assert_eq!(named, expected.len());
}

/// The numbers of CANN's documentation of aclError, in runs without gaps, with the names at the
/// ends of each.
#[test]
fn codes_of_the_runtime() {
    let runs = [
        (0, 0, "ACL_SUCCESS", "ACL_SUCCESS"),
        (100_000, 100_045, "ACL_ERROR_INVALID_PARAM", "ACL_ERROR_DUMP_NOT_RUN"),
        (107_000, 107_045, "ACL_ERROR_RT_PARAM_INVALID", "ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING"),
        (148_046, 148_053, "ACL_ERROR_PROF_REPEAT_SUBSCRIBE", "ACL_ERROR_INVALID_BUNDLE_MODEL_ID"),
        (200_000, 200_007, "ACL_ERROR_BAD_ALLOC", "ACL_ERROR_PROF_MODULES_UNSUPPORTED"),
        (207_000, 207_021, "ACL_ERROR_RT_FEATURE_NOT_SUPPORT", "ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED"),
        (300_000, 300_000, "ACL_ERROR_STORAGE_OVER_LIMIT", "ACL_ERROR_STORAGE_OVER_LIMIT"),
        (500_000, 500_005, "ACL_ERROR_INTERNAL_ERROR", "ACL_ERROR_PROFILING_FAILURE"),
        (507_000, 507_057, "ACL_ERROR_RT_INTERNAL_ERROR", "ACL_ERROR_RT_SUSPECT_REMOTE_ERROR"),
        (507_899, 507_916, "ACL_ERROR_RT_DRV_INTERNAL_ERROR", "ACL_ERROR_RT_CCU_EXCEPTION"),
    ];
    let all = common::constants();
    for (first, last, start, end) in runs {
        assert_eq!((all[start], all[end]), (first.into(), last.into()));
        assert_eq!((AclError(first).name(), AclError(last).name()), (Some(start), Some(end)));
    }
    let named: Vec<i32> = (-10..700_000).filter(|value| AclError(*value).name().is_some()).collect();
    let expected: Vec<i32> = runs.iter().flat_map(|(first, last, ..)| *first..=*last).collect();
    assert_eq!(named, expected);
    // One of each kind between the ends, and those that clients meet.
    for (value, name) in [
        (100_001, "ACL_ERROR_UNINITIALIZE"),
        (100_002, "ACL_ERROR_REPEAT_INITIALIZE"),
        (100_009, "ACL_ERROR_INVALID_DUMP_CONFIG"),
        (100_020, "ACL_ERROR_OP_TYPE_NOT_MATCH"),
        (100_024, "ACL_ERROR_OP_NOT_FOUND"),
        (100_026, "ACL_ERROR_UNSUPPORTED_DATA_TYPE"),
        (100_027, "ACL_ERROR_FORMAT_NOT_MATCH"),
        (100_032, "ACL_ERROR_INVALID_QUEUE_ID"),
        (100_036, "ACL_ERROR_WAIT_CALLBACK_TIMEOUT"),
        (100_037, "ACL_ERROR_REPEAT_FINALIZE"),
        (100_039, "ACL_ERROR_COMPILING_STUB_MODE"),
        (148_049, "ACL_ERROR_INVALID_OPP_PATH"),
        (148_051, "ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED"),
        (200_001, "ACL_ERROR_API_NOT_SUPPORT"),
        (200_002, "ACL_ERROR_INVALID_DEVICE"),
        (200_003, "ACL_ERROR_MEMORY_ADDRESS_UNALIGNED"),
        (200_005, "ACL_ERROR_INVALID_RESOURCE_HANDLE"),
        (200_006, "ACL_ERROR_FEATURE_UNSUPPORTED"),
        (500_001, "ACL_ERROR_FAILURE"),
        (500_003, "ACL_ERROR_RT_FAILURE"),
        (107_002, "ACL_ERROR_RT_CONTEXT_NULL"),
        (107_003, "ACL_ERROR_RT_STREAM_CONTEXT"),
        (207_001, "ACL_ERROR_RT_MEMORY_ALLOCATION"),
        (207_018, "ACL_ERROR_RT_DEVICE_OOM"),
        (507_015, "ACL_ERROR_RT_AICORE_EXCEPTION"),
        (507_018, "ACL_ERROR_RT_AICPU_EXCEPTION"),
        (507_035, "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION"),
        (507_046, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT"),
    ] {
        assert_eq!(AclError(value).name(), Some(name));
        assert_eq!(all[name], i128::from(value));
    }
    assert_eq!(ACL_ERROR_NONE, ACL_SUCCESS);
    assert_eq!(ACL_ERROR_API_NOT_SUPPORT.to_string(), "ACL_ERROR_API_NOT_SUPPORT (200001)");
    assert_eq!(AclError(42).to_string(), "AclError 42");
    assert_eq!((i32::from(AclError::from(7)), AclError::SUCCESS.is_success()), (7, true));
}

#[test]
fn numbers_that_programs_pass() {
    for (found, expected) in [
        (ACL_MEMCPY_HOST_TO_HOST.0, 0),
        (ACL_MEMCPY_HOST_TO_DEVICE.0, 1),
        (ACL_MEMCPY_DEVICE_TO_HOST.0, 2),
        (ACL_MEMCPY_DEVICE_TO_DEVICE.0, 3),
        (ACL_MEMCPY_DEFAULT.0, 4),
        (ACL_MEM_MALLOC_HUGE_FIRST.0, 0),
        (ACL_MEM_MALLOC_HUGE_ONLY.0, 1),
        (ACL_MEM_MALLOC_NORMAL_ONLY.0, 2),
        (ACL_MEM_TYPE_HIGH_BAND_WIDTH.0, 4096),
        (ACL_OPT_DETERMINISTIC.0, 0),
        (ACL_OPT_ENABLE_DEBUG_KERNEL.0, 1),
        (ACL_OPT_STRONG_CONSISTENCY.0, 2),
        (ACL_OPT_ENABLE_KERNEL_EARLY_START.0, 3),
        (ACL_HBM_MEM.0, 1),
        (ACL_EVENT_RECORDED_STATUS_COMPLETE.0, 1),
        (ACL_EVENT_STATUS_COMPLETE.0, 0),
        (ACL_STREAM_STATUS_NOT_READY.0, 1),
        (ACL_HOST.0, 1),
        (ACL_EVENT_SYNC, 1),
        (ACL_EVENT_CAPTURE_STREAM_PROGRESS, 2),
        (ACL_EVENT_TIME_LINE, 8),
        (ACL_STREAM_FAST_LAUNCH, 1),
        (ACL_STREAM_FAST_SYNC, 2),
        (ACLNN_SCATTER_MAX_RANK, 8),
    ] {
        assert_eq!(found, expected);
    }
    assert_eq!(ACL_MEMCPY_DEVICE_TO_HOST.name(), Some("ACL_MEMCPY_DEVICE_TO_HOST"));
    assert_eq!(ACL_MEM_MALLOC_HUGE_FIRST.to_string(), "ACL_MEM_MALLOC_HUGE_FIRST (0)");
}
