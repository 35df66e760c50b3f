/*
 * Memory of CANN's runtime, written down anew for aclnn-sys (Apache-2.0 OR MIT). Programs include acl/acl_rt.h.
 */
#ifndef ACLNN_SYS_ACL_RT_MEMORY_H
#define ACLNN_SYS_ACL_RT_MEMORY_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A block of physical memory. */
typedef void* aclrtDrvMemHandle;

/** From where to where a copy goes. */
typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST = 0, /**< Host to host. */
    ACL_MEMCPY_HOST_TO_DEVICE = 1, /**< Host to device. */
    ACL_MEMCPY_DEVICE_TO_HOST = 2, /**< Device to host. */
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3, /**< Device to device. */
    ACL_MEMCPY_DEFAULT = 4, /**< The addresses tell. */
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5, /**< Host to device through a copy; the source may change at once. */
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6, /**< Within a device. */
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7, /**< Between two devices. */
} aclrtMemcpyKind;

/** Of which pages memory is made. */
typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST = 0, /**< Huge pages, else normal ones. */
    ACL_MEM_MALLOC_HUGE_ONLY = 1, /**< Huge pages. */
    ACL_MEM_MALLOC_NORMAL_ONLY = 2, /**< Normal pages. */
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3, /**< Huge pages, else normal ones, that other devices reach. */
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4, /**< Huge pages that other devices reach. */
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5, /**< Normal pages that other devices reach. */
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6, /**< Pages of 1 GiB. */
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7, /**< Pages of 1 GiB that other devices reach. */
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100, /**< Or-ed in: slow memory. */
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000, /**< Or-ed in: fast memory. */
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000, /**< Or-ed in: programs on the device only read it. */
} aclrtMemMallocPolicy;

/** How host memory is made known to a device. */
typedef enum {
    ACL_HOST_REGISTER_MAPPED = 0, /**< Mapped for the device. */
    ACL_HOST_REGISTER_IOMEMORY = 0x04, /**< Of another device. */
    ACL_HOST_REGISTER_READONLY = 0x08, /**< The device only reads it. */
} aclrtHostRegisterType;

#define ACL_HOST_REG_MAPPED 0x2UL        /**< Flag of `aclrtHostRegisterV2`: mapped for the device. */
#define ACL_HOST_REG_IOMEMORY 0x4UL      /**< Flag of `aclrtHostRegisterV2`: of another device. */
#define ACL_HOST_REG_READONLY 0x8UL      /**< Flag of `aclrtHostRegisterV2`: the device only reads it. */
#define ACL_HOST_REG_PINNED 0x10000000UL /**< Flag of `aclrtHostRegisterV2`: it stays where it is. */

/** Which field of `aclrtMallocAttrValue` counts. */
typedef enum {
    ACL_RT_MEM_ATTR_RSV = 0, /**< None. */
    ACL_RT_MEM_ATTR_MODULE_ID = 1, /**< `moduleId`. */
    ACL_RT_MEM_ATTR_DEVICE_ID = 2, /**< `deviceId`. */
    ACL_RT_MEM_ATTR_VA_FLAG = 3, /**< `vaFlag`. */
} aclrtMallocAttrType;

/** The value of an attribute of an allocation. */
typedef union {
    uint16_t moduleId; /**< Whose memory it is in statistics. */
    uint32_t deviceId; /**< Of which device. */
    uint32_t vaFlag;   /**< Whether the address is the same on host and device. */
    uint8_t rsv[8];    /**< Room. */
} aclrtMallocAttrValue;

/** An attribute of an allocation. */
typedef struct {
    aclrtMallocAttrType attr;   /**< Which. */
    aclrtMallocAttrValue value; /**< Its value. */
} aclrtMallocAttribute;

/** The attributes of an allocation. */
typedef struct {
    aclrtMallocAttribute* attrs; /**< The first. */
    size_t numAttrs;             /**< How many. */
} aclrtMallocConfig;

/** A kind of memory. */
typedef enum aclrtMemAttr {
    ACL_DDR_MEM = 0, /**< DDR of any page. */
    ACL_HBM_MEM = 1, /**< HBM of any page. */
    ACL_DDR_MEM_HUGE = 2, /**< DDR, huge pages. */
    ACL_DDR_MEM_NORMAL = 3, /**< DDR, normal pages. */
    ACL_HBM_MEM_HUGE = 4, /**< HBM, huge pages. */
    ACL_HBM_MEM_NORMAL = 5, /**< HBM, normal pages. */
    ACL_DDR_MEM_P2P_HUGE = 6, /**< DDR that other devices reach, huge pages. */
    ACL_DDR_MEM_P2P_NORMAL = 7, /**< DDR that other devices reach, normal pages. */
    ACL_HBM_MEM_P2P_HUGE = 8, /**< HBM that other devices reach, huge pages. */
    ACL_HBM_MEM_P2P_NORMAL = 9, /**< HBM that other devices reach, normal pages. */
    ACL_HBM_MEM_HUGE1G = 10, /**< HBM, pages of 1 GiB. */
    ACL_HBM_MEM_P2P_HUGE1G = 11, /**< HBM that other devices reach, pages of 1 GiB. */
    ACL_MEM_NORMAL = 12, /**< Any memory, normal pages. */
    ACL_MEM_HUGE = 13, /**< Any memory, huge pages. */
    ACL_MEM_HUGE1G = 14, /**< Any memory, pages of 1 GiB. */
    ACL_MEM_P2P_NORMAL = 15, /**< Any memory that other devices reach, normal pages. */
    ACL_MEM_P2P_HUGE = 16, /**< Any memory that other devices reach, huge pages. */
    ACL_MEM_P2P_HUGE1G = 17, /**< Any memory that other devices reach, pages of 1 GiB. */
} aclrtMemAttr;

/** How much memory of a device a component of CANN holds. */
typedef struct aclrtMemUsageInfo {
    char name[32];        /**< The component, NUL-terminated. */
    uint64_t curMemSize;  /**< Bytes now. */
    uint64_t memPeakSize; /**< Bytes at most until now. */
    size_t reserved[8];   /**< Room. */
} aclrtMemUsageInfo;

/** Where memory lies. */
typedef enum aclrtMemLocationType {
    ACL_MEM_LOCATION_TYPE_HOST = 0, /**< On the host. */
    ACL_MEM_LOCATION_TYPE_DEVICE = 1, /**< On a device. */
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2, /**< On the host, not known to the runtime. */
    ACL_MEM_LOCATION_TYPE_MANAGED = 3, /**< Where it is used. */
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4, /**< On a node of the host. */
} aclrtMemLocationType;

/** Where memory lies, and on which device. */
typedef struct aclrtMemLocation {
    uint32_t id;               /**< The device. */
    aclrtMemLocationType type; /**< Host or device. */
} aclrtMemLocation;

/** What is known of an address. */
typedef struct aclrtPtrAttributes {
    aclrtMemLocation location; /**< Where it lies. */
    uint32_t pageSize;         /**< Bytes of a page. */
    uint32_t rsv[4];           /**< Room. */
} aclrtPtrAttributes;

/** How physical memory is held. */
typedef enum aclrtMemAllocationType {
    ACL_MEM_ALLOCATION_TYPE_PINNED = 0, /**< It stays where it is. */
} aclrtMemAllocationType;

/** What a handle of physical memory is outside the process. */
typedef enum aclrtMemHandleType {
    ACL_MEM_HANDLE_TYPE_NONE = 0, /**< Nothing. */
    ACL_MEM_HANDLE_TYPE_POSIX = 2, /**< A file descriptor. */
} aclrtMemHandleType;

/** Which physical memory is wanted. */
typedef struct aclrtPhysicalMemProp {
    aclrtMemHandleType handleType;         /**< What it is outside the process. */
    aclrtMemAllocationType allocationType; /**< How it is held. */
    aclrtMemAttr memAttr;                  /**< Which memory and pages. */
    aclrtMemLocation location;             /**< Where it lies. */
    uint64_t reserve;                      /**< Zero. */
} aclrtPhysicalMemProp;

/** Which granularity is asked for. */
typedef enum aclrtMemGranularityOptions {
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0, /**< The smallest. */
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1, /**< The best. */
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xFFFF, /**< Not known. */
} aclrtMemGranularityOptions;

/** What is done with a cache. */
typedef enum aclrtCmoType {
    ACL_RT_CMO_TYPE_PREFETCH = 0, /**< Filled ahead. */
    ACL_RT_CMO_TYPE_WRITEBACK = 1, /**< Written back. */
    ACL_RT_CMO_TYPE_INVALID = 2, /**< Invalidated. */
    ACL_RT_CMO_TYPE_FLUSH = 3, /**< Written back and invalidated. */
} aclrtCmoType;

/* Memory of a device. */
/** Allocates memory of the current device, with 32 bytes more than asked for. */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy);
/** Allocates memory of the current device, rounded up to 32 bytes. */
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy);
/** Frees memory of a device. */
ACL_FUNC_VISIBILITY aclError aclrtFree(void* devPtr);
/** Frees memory of a device after the device's work is done. */
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void* devPtr);
/** Tells how much memory there is and is free. */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total);
/** Tells how much memory the components of CANN hold, those with the most first. */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(
    int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum, size_t* outputNum);
/** Tells where an address lies. */
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes);
/** Fills or empties a cache, in a stream. */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType cmoType, aclrtStream stream);

/* Memory of the host. */
/** Allocates pinned memory of the host. */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void** hostPtr, size_t size);
/** Allocates pinned memory of the host with attributes. */
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg);
/** Frees pinned memory of the host. */
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void* hostPtr);
/** Makes host memory known to a device. */
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr);
/** Makes host memory known to a device, with flags. */
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag);
/** Ends `aclrtHostRegister` and `aclrtHostRegisterV2`. */
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void* ptr);

/* Copies and fills. destMax and maxCount are the room at the destination. */
/** Copies and waits. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(
    void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind);
/** Copies in a stream. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(
    void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind, aclrtStream stream);
/** Copies in a stream; refuses host memory that is not pinned. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithCondition(
    void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind, aclrtStream stream);
/** Copies a rectangle and waits. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(
    void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind);
/** Copies a rectangle in a stream. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
    size_t height, aclrtMemcpyKind kind, aclrtStream stream);
/** Fills bytes and waits. */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count);
/** Fills bytes in a stream. */
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(
    void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream);

/* Addresses and physical memory apart. */
/** Reserves addresses. */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(
    void** virPtr, size_t size, size_t alignment, void* expectPtr, uint64_t flags);
/** Gives reserved addresses back. */
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void* virPtr);
/** Allocates physical memory. */
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(
    aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop, uint64_t flags);
/** Frees physical memory. */
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);
/** Maps physical memory to reserved addresses. */
ACL_FUNC_VISIBILITY aclError aclrtMapMem(
    void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags);
/** Ends `aclrtMapMem`. */
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void* virPtr);
/** Tells of what sizes physical memory is made. */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationGranularity(
    aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option, size_t* granularity);
/** Makes physical memory known to other processes. */
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandle(
    aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags, uint64_t* shareableHandle);
/** Takes physical memory of another process. */
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandle(
    uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle* handle);
/** Says which processes may take it. */
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum);

/* Memory of another process. */
/** Makes memory known to other processes under a key. */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len, uint64_t flags);
/** Takes memory of another process by its key. */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags);
/** Says which processes may take it. */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num);
/** Ends the sharing. */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemClose(const char* key);

#ifdef __cplusplus
}
#endif

#endif
