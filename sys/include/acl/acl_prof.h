/*
 * CANN's profiler, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACL_PROF_H
#define ACLNN_SYS_ACL_PROF_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What of AI cores is measured. */
typedef enum {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,   /**< Arithmetic. */
    ACL_AICORE_PIPE_UTILIZATION = 1,         /**< Pipes. */
    ACL_AICORE_MEMORY_BANDWIDTH = 2,         /**< Memory. */
    ACL_AICORE_L0B_AND_WIDTH = 3,            /**< Memory of the cube unit. */
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,  /**< Conflicts. */
    ACL_AICORE_MEMORY_UB = 5,                /**< Memory of the vector unit. */
    ACL_AICORE_L2_CACHE = 6,                 /**< Second level cache. */
    ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7, /**< Pipes, by work done. */
    ACL_AICORE_MEMORY_ACCESS = 8,            /**< Accesses of memory. */
    ACL_AICORE_NONE = 0xFF,                  /**< Nothing. */
} aclprofAicoreMetrics;

/** An end of a step. */
typedef enum {
    ACL_STEP_START = 0, /**< Its begin. */
    ACL_STEP_END = 1,   /**< Its end. */
} aclprofStepTag;

/** A setting of the profiler. */
typedef enum {
    ACL_PROF_ARGS_MIN = 0,                  /**< No setting. */
    ACL_PROF_STORAGE_LIMIT = 1,             /**< The most that is written. */
    ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,     /**< How often memory is sampled. */
    ACL_PROF_LLC_MODE = 4,                  /**< What of the last level cache is measured. */
    ACL_PROF_SYS_IO_FREQ = 5,               /**< How often network cards are sampled. */
    ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,  /**< How often links are sampled. */
    ACL_PROF_DVPP_FREQ = 7,                 /**< How often image units are sampled. */
    ACL_PROF_HOST_SYS = 8,                  /**< What of the host is measured. */
    ACL_PROF_HOST_SYS_USAGE = 9,            /**< What use of the host is measured. */
    ACL_PROF_HOST_SYS_USAGE_FREQ = 10,      /**< How often the host is sampled. */
    ACL_PROF_LOW_POWER_FREQ = 11,           /**< How often power is sampled. */
    ACL_PROF_SYS_MEM_SERVICEFLOW = 12,      /**< Which flow of memory is measured. */
    ACL_PROF_SYS_CPU_FREQ = 13,             /**< How often processors are sampled. */
    ACL_PROF_OPTYPE = 14,                   /**< Which operators are measured. */
    ACL_PROF_NTS_METRICS = 15,              /**< What of schedulers is measured. */
    ACL_PROF_PATH = 16,                     /**< Where results are written. */
    ACL_PROF_ARGS_MAX = 17,                 /**< One more than the last. */
} aclprofConfigType;

/** What a profile is of. */
typedef struct aclprofConfig aclprofConfig;
/** Events of AI cores to count. */
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
/** A step. */
typedef struct aclprofStepInfo aclprofStepInfo;

/** Sets the profiler up, which writes into a folder. */
ACL_FUNC_VISIBILITY aclError aclprofInit(const char* profilerResultPath, size_t length);
/** Ends the profiler. */
ACL_FUNC_VISIBILITY aclError aclprofFinalize(void);
/** Makes what a profile is of. */
ACL_FUNC_VISIBILITY aclprofConfig* aclprofCreateConfig(uint32_t* deviceIdList, uint32_t deviceNums,
    aclprofAicoreMetrics aicoreMetrics, const aclprofAicoreEvents* aicoreEvents, uint64_t dataTypeConfig);
/** Destroys what a profile is of. */
ACL_FUNC_VISIBILITY aclError aclprofDestroyConfig(const aclprofConfig* profilerConfig);
/** Changes a setting. */
ACL_FUNC_VISIBILITY aclError aclprofSetConfig(aclprofConfigType configType, const char* config, size_t configLength);
/** Begins a profile. */
ACL_FUNC_VISIBILITY aclError aclprofStart(const aclprofConfig* profilerConfig);
/** Ends a profile. */
ACL_FUNC_VISIBILITY aclError aclprofStop(const aclprofConfig* profilerConfig);
/** Makes a step. */
ACL_FUNC_VISIBILITY aclprofStepInfo* aclprofCreateStepInfo(void);
/** Destroys a step. */
ACL_FUNC_VISIBILITY void aclprofDestroyStepInfo(aclprofStepInfo* stepinfo);
/** Marks an end of a step in a stream. */
ACL_FUNC_VISIBILITY aclError aclprofGetStepTimestamp(aclprofStepInfo* stepInfo, aclprofStepTag tag, aclrtStream stream);
/** Lists what can be profiled. */
ACL_FUNC_VISIBILITY aclError aclprofGetSupportedFeatures(size_t* featuresSize, void** featuresData);
/** Lists what can be profiled; the newer form. */
ACL_FUNC_VISIBILITY aclError aclprofGetSupportedFeaturesV2(size_t* featuresSize, void** featuresData);

#ifdef __cplusplus
}
#endif

#endif
