/*
 * Types and flags of CANN's runtime, written down anew for aclnn-sys (Apache-2.0 OR MIT). Programs include acl/acl_rt.h.
 */
#ifndef ACLNN_SYS_ACL_RT_TYPES_H
#define ACLNN_SYS_ACL_RT_TYPES_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What aclrtGetVersion tells is the installed runtime's; these are the headers'. */
#define ACL_MAJOR_VERSION 1  /**< Major version of the ABI that these headers describe. */
#define ACL_MINOR_VERSION 13 /**< Minor version of the ABI that these headers describe. */
#define ACL_PATCH_VERSION 0  /**< Patch version of the ABI that these headers describe. */

#define ACL_EVENT_SYNC 0x00000001U                    /**< Event flag: streams may wait for it. */
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U /**< Event flag: it tells how far the stream is. */
#define ACL_EVENT_TIME_LINE 0x00000008U               /**< Event flag: it has a time. */
#define ACL_EVENT_EXTERNAL 0x00000020U                /**< Event flag: it joins a captured graph with the outside. */

#define ACL_STREAM_FAST_LAUNCH 0x00000001U      /**< Stream flag: launches are faster and resources are held. */
#define ACL_STREAM_FAST_SYNC 0x00000002U        /**< Stream flag: the host polls while it synchronises. */
#define ACL_STREAM_PERSISTENT 0x00000004U       /**< Stream flag: tasks stay until the stream ends. */
#define ACL_STREAM_HUGE 0x00000008U             /**< Stream flag: room for more tasks. */
#define ACL_STREAM_CPU_SCHEDULE 0x00000010U     /**< Stream flag: for queues of AI CPU tasks. */
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U  /**< Stream flag: only the device uses it. */

#define ACL_CONTINUE_ON_FAILURE 0x00000000U /**< Failure mode: later tasks run. */
#define ACL_STOP_ON_FAILURE 0x00000001U     /**< Failure mode: later tasks do not run. */

#define ACL_EVENT_IPC 0x00000040U     /**< Event flag: other processes may use it. */
#define ACL_IPC_EVENT_HANDLE_SIZE 64U /**< Bytes of `aclrtIpcEventHandle`. */

#define ACL_PKG_VERSION_MAX_SIZE 128      /**< Bytes of a version. */
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64 /**< Bytes of a part of a version. */

/** A captured graph. */
typedef void* aclmdlRI;
/** A group of captured tasks. */
typedef void* aclrtTaskGrp;

/** What a stream calls on a callback thread of the host. */
typedef void (*aclrtCallback)(void* userData);

/** What a stream calls on the host, in its order. */
typedef void (*aclrtHostFunc)(void* args);

/** An event as other processes know it. */
typedef struct aclrtIpcEventHandle {
    char reserved[ACL_IPC_EVENT_HANDLE_SIZE]; /**< Its bytes. */
} aclrtIpcEventHandle;

/** What is known of a task that failed. */
typedef struct rtExceptionInfo aclrtExceptionInfo;

/** What the runtime calls when a task has failed. */
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo* exceptionInfo);

/** Where the program runs. */
typedef enum aclrtRunMode {
    ACL_DEVICE = 0, /**< On the device. */
    ACL_HOST = 1, /**< On the host. */
} aclrtRunMode;

/** The answer of `aclrtQueryEvent`. */
typedef enum aclrtEventStatus {
    ACL_EVENT_STATUS_COMPLETE = 0, /**< It has come. */
    ACL_EVENT_STATUS_NOT_READY = 1, /**< It has not come. */
    ACL_EVENT_STATUS_RESERVED = 2, /**< Not used. */
} aclrtEventStatus;

/** The answer of `aclrtQueryEventStatus`; the numbers are not those of `aclrtEventStatus`. */
typedef enum aclrtEventRecordedStatus {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0, /**< It has not come. */
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1, /**< It has come, or was never recorded. */
} aclrtEventRecordedStatus;

/** The answer of `aclrtQueryEventWaitStatus`. */
typedef enum aclrtEventWaitStatus {
    ACL_EVENT_WAIT_STATUS_COMPLETE = 0, /**< Every wait is over. */
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1, /**< Something waits. */
    ACL_EVENT_WAIT_STATUS_RESERVED = 0xFFFF, /**< Not used. */
} aclrtEventWaitStatus;

/** The answer of `aclrtStreamQuery`. */
typedef enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE = 0, /**< Its work is done. */
    ACL_STREAM_STATUS_NOT_READY = 1, /**< It has work left. */
    ACL_STREAM_STATUS_RESERVED = 0xFFFF, /**< Not used. */
} aclrtStreamStatus;

/** Whether a stream waits for its callback. */
typedef enum aclrtCallbackBlockType {
    ACL_CALLBACK_NO_BLOCK = 0, /**< It goes on. */
    ACL_CALLBACK_BLOCK = 1, /**< It waits. */
} aclrtCallbackBlockType;

/** What a device does with infinities and NaNs. */
typedef enum aclrtFloatOverflowMode {
    ACL_RT_OVERFLOW_MODE_SATURATION = 0, /**< Replaces them. */
    ACL_RT_OVERFLOW_MODE_INFNAN = 1, /**< Keeps them. */
    ACL_RT_OVERFLOW_MODE_UNDEF = 2, /**< Not known. */
} aclrtFloatOverflowMode;

/** Which field of `aclrtStreamAttrValue` counts. */
typedef enum {
    ACL_STREAM_ATTR_FAILURE_MODE = 1, /**< `failureMode`. */
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2, /**< `overflowSwitch`. */
    ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3, /**< `userCustomTag`. */
    ACL_STREAM_ATTR_CACHE_OP_INFO = 4, /**< `cacheOpInfoSwitch`. */
    ACL_STREAM_ATTR_PRIORITY = 5, /**< `streamPriority`. */
} aclrtStreamAttr;

/** The value of an attribute of a stream. */
typedef union {
    uint64_t failureMode;       /**< Whether later tasks run after a failure. */
    uint32_t overflowSwitch;    /**< Whether overflows are looked for. */
    uint32_t userCustomTag;     /**< A number of the caller's. */
    uint32_t cacheOpInfoSwitch; /**< Whether operators are described while a graph is captured. */
    uint32_t streamPriority;    /**< 0 is the highest. */
    uint32_t reserve[4];        /**< Room. */
} aclrtStreamAttrValue;

/** More about how busy a device is. */
typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

/** How busy a device is, in percent. */
typedef struct aclrtUtilizationInfo {
    int32_t cubeUtilization;                       /**< The matrix units. */
    int32_t vectorUtilization;                     /**< The vector units. */
    int32_t aicpuUtilization;                      /**< The AI CPUs. */
    int32_t memoryUtilization;                     /**< The memory. */
    aclrtUtilizationExtendInfo* utilizationExtend; /**< Null. */
} aclrtUtilizationInfo;

/** Whose last error is asked for. */
typedef enum aclrtLastErrLevel {
    ACL_RT_THREAD_LEVEL = 0, /**< The thread's. */
} aclrtLastErrLevel;

/** A resource of a device that can be limited. */
typedef enum {
    ACL_RT_DEV_RES_CUBE_CORE = 0, /**< Matrix cores. */
    ACL_RT_DEV_RES_VECTOR_CORE = 1, /**< Vector cores. */
} aclrtDevResLimitType;

/** A property of a device, of `aclrtGetDeviceInfo`. */
typedef enum {
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1, /**< AI CPUs. */
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101, /**< AI cores. */
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102, /**< Matrix cores. */
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201, /**< Vector cores. */
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204, /**< Bytes of local memory of a vector core. */
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301, /**< Bytes of memory. */
    ACL_DEV_ATTR_L2_CACHE_SIZE = 302, /**< Bytes of second level cache. */
    ACL_DEV_ATTR_IS_VIRTUAL = 501, /**< Whether it is a part of a device. */
    ACL_DEV_ATTR_NPU_ARCH = 601, /**< The architecture. */
} aclrtDevAttr;

/** What may be called while a graph is captured. */
typedef enum {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0, /**< Only what is safe, in every thread. */
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1, /**< Only what is safe, in this thread. */
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2, /**< Anything. */
} aclmdlRICaptureMode;

/** How a capture stands. */
typedef enum {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0, /**< There is none. */
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1, /**< It is going on. */
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2, /**< It is no longer of use. */
} aclmdlRICaptureStatus;

/** A part of an install. */
typedef enum aclCANNPackageName {
    ACL_PKG_NAME_CANN = 0, /**< All of it. */
    ACL_PKG_NAME_RUNTIME = 1, /**< The runtime. */
    ACL_PKG_NAME_COMPILER = 2, /**< The compiler. */
    ACL_PKG_NAME_HCCL = 3, /**< Collective communication. */
    ACL_PKG_NAME_TOOLKIT = 4, /**< The toolkit. */
    ACL_PKG_NAME_OPP = 5, /**< The operators. */
    ACL_PKG_NAME_OPP_KERNEL = 6, /**< The operators' kernels. */
    ACL_PKG_NAME_DRIVER = 7, /**< The driver. */
} aclCANNPackageName;

/** The version of a part of an install; every text is NUL-terminated. */
typedef struct aclCANNPackageVersion {
    char version[ACL_PKG_VERSION_MAX_SIZE];              /**< All of it. */
    char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];   /**< Its first part. */
    char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];   /**< Its second part. */
    char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE]; /**< Its release. */
    char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];   /**< Its patch. */
    char reserved[ACL_PKG_VERSION_MAX_SIZE];             /**< Room. */
} aclCANNPackageVersion;

#ifdef __cplusplus
}
#endif

#endif
