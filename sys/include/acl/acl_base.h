/*
 * Base types and codes of CANN's runtime ABI, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 * Usable from C11 and C++17. The Rust bindings are generated from these headers: `cargo xtask bindings`.
 */
#ifndef ACLNN_SYS_ACL_BASE_H
#define ACLNN_SYS_ACL_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "acl/error_codes/rt_error_codes.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(FUNC_VISIBILITY) && defined(__GNUC__)
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ACL_FUNC_VISIBILITY
#endif

#if defined(__GNUC__)
#define ACL_DEPRECATED __attribute__((deprecated))
#define ACL_DEPRECATED_MESSAGE(message) __attribute__((deprecated(message)))
#else
#define ACL_DEPRECATED
#define ACL_DEPRECATED_MESSAGE(message)
#endif

/** What a runtime function returns: 0, or one of the `ACL_ERROR_` codes. */
typedef int aclError;
/** The bits of an IEEE half. */
typedef uint16_t aclFloat16;

/** A queue of work on a device; the null stream is the context's default stream. */
typedef void* aclrtStream;
/** A mark in streams, to wait for or to measure time with. */
typedef void* aclrtEvent;
/** The device state that a thread works in. */
typedef void* aclrtContext;

/* The names are those of CANN; the values of one number space, which aclnnStatus does not share. */
static const int ACL_SUCCESS = 0;    /**< No error. */
static const int ACL_ERROR_NONE = 0; /**< No error; the older name of `ACL_SUCCESS`. */

/* 100000: what the caller did. */
static const int ACL_ERROR_INVALID_PARAM = 100000;                 /**< An argument is not acceptable. */
static const int ACL_ERROR_UNINITIALIZE = 100001;                  /**< `aclInit` has not been called. */
static const int ACL_ERROR_REPEAT_INITIALIZE = 100002;             /**< `aclInit` has been called before. */
static const int ACL_ERROR_INVALID_FILE = 100003;                  /**< A file is missing or unusable. */
static const int ACL_ERROR_WRITE_FILE = 100004;                    /**< Writing a file failed. */
static const int ACL_ERROR_INVALID_FILE_SIZE = 100005;             /**< A file has the wrong size. */
static const int ACL_ERROR_PARSE_FILE = 100006;                    /**< A file could not be parsed. */
static const int ACL_ERROR_FILE_MISSING_ATTR = 100007;             /**< A file lacks an attribute. */
static const int ACL_ERROR_FILE_ATTR_INVALID = 100008;             /**< An attribute in a file is not acceptable. */
static const int ACL_ERROR_INVALID_DUMP_CONFIG = 100009;           /**< The dump configuration is wrong. */
static const int ACL_ERROR_INVALID_PROFILING_CONFIG = 100010;      /**< The profiling configuration is wrong. */
static const int ACL_ERROR_INVALID_MODEL_ID = 100011;              /**< No such model. */
static const int ACL_ERROR_DESERIALIZE_MODEL = 100012;             /**< A model could not be deserialised. */
static const int ACL_ERROR_PARSE_MODEL = 100013;                   /**< A model could not be parsed. */
static const int ACL_ERROR_READ_MODEL_FAILURE = 100014;            /**< A model could not be read. */
static const int ACL_ERROR_MODEL_SIZE_INVALID = 100015;            /**< A model has the wrong size. */
static const int ACL_ERROR_MODEL_MISSING_ATTR = 100016;            /**< A model lacks an attribute. */
static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017;         /**< The inputs are not those of the model. */
static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018;        /**< The outputs are not those of the model. */
static const int ACL_ERROR_MODEL_NOT_DYNAMIC = 100019;             /**< The model has no dynamic shapes. */
static const int ACL_ERROR_OP_TYPE_NOT_MATCH = 100020;             /**< The operator's type differs. */
static const int ACL_ERROR_OP_INPUT_NOT_MATCH = 100021;            /**< The inputs are not those of the operator. */
static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022;           /**< The outputs are not those of the operator. */
static const int ACL_ERROR_OP_ATTR_NOT_MATCH = 100023;             /**< The attributes are not the operator's. */
static const int ACL_ERROR_OP_NOT_FOUND = 100024;                  /**< No such operator. */
static const int ACL_ERROR_OP_LOAD_FAILED = 100025;                /**< An operator could not be loaded. */
static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026;         /**< The dtype is not supported. */
static const int ACL_ERROR_FORMAT_NOT_MATCH = 100027;              /**< The format differs. */
static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED = 100028;   /**< No selector of operator binaries. */
static const int ACL_ERROR_KERNEL_NOT_FOUND = 100029;              /**< No such kernel. */
static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030; /**< There is a selector already. */
static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED = 100031;     /**< There is such a kernel already. */
static const int ACL_ERROR_INVALID_QUEUE_ID = 100032;              /**< No such queue. */
static const int ACL_ERROR_REPEAT_SUBSCRIBE = 100033;              /**< Subscribed already. */
static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE = 100034;          /**< The stream is not subscribed. */
static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE = 100035;          /**< The thread is not subscribed. */
static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036;         /**< No callback came in time. */
static const int ACL_ERROR_REPEAT_FINALIZE = 100037;               /**< `aclFinalize` has been called before. */
static const int ACL_ERROR_NOT_STATIC_AIPP = 100038;               /**< The model lacks static image preprocessing. */
static const int ACL_ERROR_COMPILING_STUB_MODE = 100039;           /**< A stub library for linking was loaded. */
static const int ACL_ERROR_GROUP_NOT_SET = 100040;                 /**< No group of cores is set. */
static const int ACL_ERROR_GROUP_NOT_CREATE = 100041;              /**< No group of cores exists. */
static const int ACL_ERROR_PROF_ALREADY_RUN = 100042;              /**< Profiling runs already. */
static const int ACL_ERROR_PROF_NOT_RUN = 100043;                  /**< Profiling does not run. */
static const int ACL_ERROR_DUMP_ALREADY_RUN = 100044;              /**< Dumping runs already. */
static const int ACL_ERROR_DUMP_NOT_RUN = 100045;                  /**< Dumping does not run. */
static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046;         /**< Profiling is subscribed already. */
static const int ACL_ERROR_PROF_API_CONFLICT = 148047;             /**< Two kinds of profiling exclude each other. */
static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048; /**< The operator queue's limit is wrong. */
static const int ACL_ERROR_INVALID_OPP_PATH = 148049;              /**< The operator package's path is wrong. */
static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050;        /**< The operator has no dynamic shapes. */
static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051; /**< Something that depends on it still exists. */
static const int ACL_ERROR_UNSUPPORTED_JPEG = 148052;              /**< This kind of JPEG is not supported. */
static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID = 148053;       /**< No such model bundle. */

/* 200000: what is lacking. */
static const int ACL_ERROR_BAD_ALLOC = 200000;                /**< Out of memory. */
static const int ACL_ERROR_API_NOT_SUPPORT = 200001;          /**< This function is not supported here. */
static const int ACL_ERROR_INVALID_DEVICE = 200002;           /**< No such device, or not this thread's. */
static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003; /**< An address is not aligned. */
static const int ACL_ERROR_RESOURCE_NOT_MATCH = 200004;       /**< Two resources do not belong together. */
static const int ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005;  /**< A handle is not of a living resource. */
static const int ACL_ERROR_FEATURE_UNSUPPORTED = 200006;      /**< This feature is not supported here. */
static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007; /**< This part can't be profiled. */
static const int ACL_ERROR_STORAGE_OVER_LIMIT = 300000;       /**< A storage limit is exceeded. */

/* 500000: what went wrong inside. */
static const int ACL_ERROR_INTERNAL_ERROR = 500000;    /**< An internal error. */
static const int ACL_ERROR_FAILURE = 500001;           /**< A failure of no particular kind. */
static const int ACL_ERROR_GE_FAILURE = 500002;        /**< The graph engine failed. */
static const int ACL_ERROR_RT_FAILURE = 500003;        /**< The runtime failed. */
static const int ACL_ERROR_DRV_FAILURE = 500004;       /**< The driver failed. */
static const int ACL_ERROR_PROFILING_FAILURE = 500005; /**< Profiling failed. */

/** The type of an element. */
typedef enum {
    ACL_DT_UNDEFINED = -1,   /**< No dtype. */
    ACL_FLOAT = 0,           /**< IEEE single, 4 bytes. */
    ACL_FLOAT16 = 1,         /**< IEEE half, 2 bytes. */
    ACL_INT8 = 2,            /**< Signed, 1 byte. */
    ACL_INT32 = 3,           /**< Signed, 4 bytes. */
    ACL_UINT8 = 4,           /**< Unsigned, 1 byte. */
    ACL_INT16 = 6,           /**< Signed, 2 bytes. */
    ACL_UINT16 = 7,          /**< Unsigned, 2 bytes. */
    ACL_UINT32 = 8,          /**< Unsigned, 4 bytes. */
    ACL_INT64 = 9,           /**< Signed, 8 bytes. */
    ACL_UINT64 = 10,         /**< Unsigned, 8 bytes. */
    ACL_DOUBLE = 11,         /**< IEEE double, 8 bytes. */
    ACL_BOOL = 12,           /**< Truth value, 1 byte. */
    ACL_STRING = 13,         /**< Text. */
    ACL_COMPLEX64 = 16,      /**< Two singles. */
    ACL_COMPLEX128 = 17,     /**< Two doubles. */
    ACL_BF16 = 27,           /**< bfloat16, 2 bytes. */
    ACL_INT4 = 29,           /**< Signed, 4 bits. */
    ACL_UINT1 = 30,          /**< One bit. */
    ACL_COMPLEX32 = 33,      /**< Two halves. */
    ACL_HIFLOAT8 = 34,       /**< HiFloat8, 1 byte. */
    ACL_FLOAT8_E5M2 = 35,    /**< 8 bits: 5 of exponent, 2 of mantissa. */
    ACL_FLOAT8_E4M3FN = 36,  /**< 8 bits: 4 of exponent, 3 of mantissa, finite. */
    ACL_FLOAT8_E8M0 = 37,    /**< 8 bits of exponent. */
    ACL_FLOAT6_E3M2 = 38,    /**< 6 bits: 3 of exponent, 2 of mantissa. */
    ACL_FLOAT6_E2M3 = 39,    /**< 6 bits: 2 of exponent, 3 of mantissa. */
    ACL_FLOAT4_E2M1 = 40,    /**< 4 bits: 2 of exponent, 1 of mantissa. */
    ACL_FLOAT4_E1M2 = 41,    /**< 4 bits: 1 of exponent, 2 of mantissa. */
} aclDataType;

/** How the axes of a tensor lie in memory. */
typedef enum {
    ACL_FORMAT_UNDEFINED = -1,        /**< No format. */
    ACL_FORMAT_NCHW = 0,              /**< Batch, channel, height, width. */
    ACL_FORMAT_NHWC = 1,              /**< Batch, height, width, channel. */
    ACL_FORMAT_ND = 2,                /**< Axes without a meaning; what the scatter operators take. */
    ACL_FORMAT_NC1HWC0 = 3,           /**< Channels in blocks of one width. */
    ACL_FORMAT_FRACTAL_Z = 4,         /**< Weights in fractals. */
    ACL_FORMAT_NC1HWC0_C04 = 12,      /**< Channels in blocks of four. */
    ACL_FORMAT_HWCN = 16,             /**< Height, width, channel, batch. */
    ACL_FORMAT_NDHWC = 27,            /**< Batch, depth, height, width, channel. */
    ACL_FORMAT_FRACTAL_NZ = 29,       /**< Matrices in fractals. */
    ACL_FORMAT_NCDHW = 30,            /**< Batch, channel, depth, height, width. */
    ACL_FORMAT_NDC1HWC0 = 32,         /**< With depth, channels in blocks. */
    ACL_FRACTAL_Z_3D = 33,            /**< Weights of three dimensions in fractals. */
    ACL_FORMAT_NC = 35,               /**< Batch, channel. */
    ACL_FORMAT_NCL = 47,              /**< Batch, channel, length. */
    ACL_FORMAT_FRACTAL_NZ_C0_16 = 50, /**< Matrices in fractals, blocks of 16. */
    ACL_FORMAT_FRACTAL_NZ_C0_32 = 51, /**< Matrices in fractals, blocks of 32. */
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,  /**< Matrices in fractals, blocks of 2. */
    ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,  /**< Matrices in fractals, blocks of 4. */
    ACL_FORMAT_FRACTAL_NZ_C0_8 = 54,  /**< Matrices in fractals, blocks of 8. */
} aclFormat;

/** A setting of the runtime, of `aclrtSetSysParamOpt` and its like. */
typedef enum {
    ACL_OPT_DETERMINISTIC = 0,             /**< Repeatable results: 0 off, 1 on, 2 strong, 3 of every batch. */
    ACL_OPT_ENABLE_DEBUG_KERNEL = 1,       /**< Kernels that check their accesses. */
    ACL_OPT_STRONG_CONSISTENCY = 2,        /**< Older form of `ACL_OPT_DETERMINISTIC` with 2. */
    ACL_OPT_ENABLE_KERNEL_EARLY_START = 3, /**< Kernels may start before their predecessor's end. */
} aclSysParamOpt;

/** A property of the installed CANN. */
typedef enum {
    ACL_CANN_ATTR_UNDEFINED = -1,  /**< No property. */
    ACL_CANN_ATTR_INF_NAN = 0,     /**< Infinities and NaNs are kept. */
    ACL_CANN_ATTR_BF16 = 1,        /**< bfloat16 is supported. */
    ACL_CANN_ATTR_JIT_COMPILE = 2, /**< Operators are compiled when they are first used. */
} aclCannAttr;

/** A property of a device. */
typedef enum {
    ACL_DEVICE_INFO_UNDEFINED = -1,      /**< No property. */
    ACL_DEVICE_INFO_AI_CORE_NUM = 0,     /**< AI cores. */
    ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1, /**< Vector cores. */
    ACL_DEVICE_INFO_L2_SIZE = 2,         /**< Bytes of second level cache. */
} aclDeviceInfo;

/** Widens a half. */
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);
/** Rounds to a half. */
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);
/** Bytes of one element; 0 for a dtype that has no whole number of bytes. */
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);
/** The name of the chip, such as `Ascend910B2`, or null; the text belongs to the runtime. */
ACL_FUNC_VISIBILITY const char* aclrtGetSocName(void);
/** Lists the properties that this CANN can tell. */
ACL_FUNC_VISIBILITY aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num);
/** Tells a property of this CANN. */
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value);
/** Tells a property of a device. */
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value);

#ifdef __cplusplus
}
#endif

#include "acl/acl_base_mdl.h"

#endif
