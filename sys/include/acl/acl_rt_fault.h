/*
 * Faults of a device and their repair, written down anew for aclnn-sys (Apache-2.0 OR MIT). Programs include acl/acl_rt.h.
 */
#ifndef ACLNN_SYS_ACL_RT_FAULT_H
#define ACLNN_SYS_ACL_RT_FAULT_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How many places of faulty memory `aclrtMemUceInfoArray` holds. */
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20

/** A place of faulty memory. */
typedef struct aclrtMemUceInfo {
    void* addr;          /**< Where it begins. */
    size_t len;          /**< Its bytes. */
    size_t reserved[14]; /**< Room. */
} aclrtMemUceInfo;

/** Places of faulty memory. */
typedef struct {
    size_t arraySize;                                             /**< How many. */
    aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM]; /**< They themselves. */
} aclrtMemUceInfoArray;

/** What is faulty. */
typedef enum {
    ACL_RT_NO_ERROR = 0,          /**< Nothing. */
    ACL_RT_ERROR_MEMORY = 1,      /**< Memory. */
    ACL_RT_ERROR_L2 = 2,          /**< The second level cache. */
    ACL_RT_ERROR_AICORE = 3,      /**< An AI core. */
    ACL_RT_ERROR_LINK = 4,        /**< A link. */
    ACL_RT_ERROR_L3_PORT = 5,     /**< A port. */
    ACL_RT_ERROR_OTHERS = 0xFFFF, /**< Something else. */
} aclrtErrorType;

/** Why an AI core failed. */
typedef enum aclrtAicoreErrorType {
    ACL_RT_AICORE_ERROR_UNKNOWN = 0,  /**< Not known. */
    ACL_RT_AICORE_ERROR_SW = 1,       /**< Its program. */
    ACL_RT_AICORE_ERROR_HW_LOCAL = 2, /**< The core itself. */
} aclrtAicoreErrorType;

/** More about a fault, by its kind. */
typedef union aclrtErrorInfoDetail {
    aclrtMemUceInfoArray uceInfo;         /**< Of memory. */
    aclrtAicoreErrorType aicoreErrType; /**< Of an AI core. */
} aclrtErrorInfoDetail;

/** A fault. */
typedef struct aclrtErrorInfo {
    uint8_t tryRepair;           /**< Whether a repair may help. */
    uint8_t hasDetail;           /**< Whether `detail` counts. */
    uint8_t reserved[2];         /**< Room. */
    aclrtErrorType errorType;    /**< What is faulty. */
    aclrtErrorInfoDetail detail; /**< More about it. */
} aclrtErrorInfo;

/** Tells a device's fault. */
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo);
/** Repairs a device's fault. */
ACL_FUNC_VISIBILITY aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo);
/** Tells a device's faulty memory. */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUceInfo(
    int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize, size_t* retSize);
/** Repairs a device's faulty memory. */
ACL_FUNC_VISIBILITY aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize);

#ifdef __cplusplus
}
#endif

#endif
