/*
 * The compiler of CANN's older operator calls, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACL_OP_COMPILER_H
#define ACLNN_SYS_ACL_OP_COMPILER_H

#include "acl/acl_base.h"
#include "acl/acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Whether an operator must be known. */
typedef enum {
    ACL_COMPILE_SYS = 0,          /**< It is CANN's. */
    ACL_COMPILE_UNREGISTERED = 1, /**< It may be one that is not registered. */
} aclopCompileType;

/** A setting of the compiler. */
typedef enum {
    ACL_PRECISION_MODE = 0,          /**< In which precision operators compute. */
    ACL_AICORE_NUM = 1,              /**< How many AI cores are used. */
    ACL_AUTO_TUNE_MODE = 2,          /**< How operators are tuned. */
    ACL_OP_SELECT_IMPL_MODE = 3,     /**< Whether precise or fast operators are chosen. */
    ACL_OPTYPELIST_FOR_IMPLMODE = 4, /**< For which operators. */
    ACL_OP_DEBUG_LEVEL = 5,          /**< What is kept for debugging. */
    ACL_DEBUG_DIR = 6,               /**< Where. */
    ACL_OP_COMPILER_CACHE_MODE = 7,  /**< Whether what was compiled is kept. */
    ACL_OP_COMPILER_CACHE_DIR = 8,   /**< Where. */
    ACL_OP_PERFORMANCE_MODE = 9,     /**< What is optimised. */
    ACL_OP_JIT_COMPILE = 10,         /**< Whether operators are compiled when they are first used. */
    ACL_OP_DETERMINISTIC = 11,       /**< Whether results are the same in every run. */
    ACL_CUSTOMIZE_DTYPES = 12,       /**< Dtypes of single operators. */
    ACL_OP_PRECISION_MODE = 13,      /**< Precision of single operators. */
    ACL_ALLOW_HF32 = 14,             /**< Whether f32 may be computed in fewer bits. */
    ACL_PRECISION_MODE_V2 = 15,      /**< In which precision operators compute; the newer form. */
    ACL_OP_DEBUG_OPTION = 16,        /**< What is checked while operators run. */
} aclCompileOpt;

/** For which shapes operators are compiled. */
typedef enum {
    ACL_OP_COMPILE_DEFAULT = 0, /**< For those of the call. */
    ACL_OP_COMPILE_FUZZ = 1,    /**< For a range around them. */
} aclOpCompileFlag;

/** How a graph is written. */
typedef struct aclGraphDumpOption aclGraphDumpOption;

/** Changes a setting. */
ACL_FUNC_VISIBILITY aclError aclSetCompileopt(aclCompileOpt opt, const char* value);
/** Bytes of a setting with its NUL; 0 where there is none. */
ACL_FUNC_VISIBILITY size_t aclGetCompileoptSize(aclCompileOpt opt);
/** Writes a setting. */
ACL_FUNC_VISIBILITY aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length);
/** Chooses the shapes. */
ACL_FUNC_VISIBILITY aclError aclopSetCompileFlag(aclOpCompileFlag flag);
/** Compiles an operator, and runs it. */
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecute(const char* opType, int numInputs,
    const aclTensorDesc* const inputDesc[], const aclDataBuffer* const inputs[], int numOutputs,
    const aclTensorDesc* const outputDesc[], aclDataBuffer* const outputs[], const aclopAttr* attr,
    aclopEngineType engineType, aclopCompileType compileFlag, const char* opPath, aclrtStream stream);
/** Compiles an operator, runs it, and tells the shapes of its outputs. */
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
    aclDataBuffer* inputs[], int numOutputs, aclTensorDesc* outputDesc[], aclDataBuffer* outputs[], aclopAttr* attr,
    aclopEngineType engineType, aclopCompileType compileFlag, const char* opPath, aclrtStream stream);
/** Writes an operator as a graph. */
ACL_FUNC_VISIBILITY aclError aclGenGraphAndDumpForOp(const char* opType, int numInputs,
    const aclTensorDesc* const inputDesc[], const aclDataBuffer* const inputs[], int numOutputs,
    const aclTensorDesc* const outputDesc[], aclDataBuffer* const outputs[], const aclopAttr* attr,
    aclopEngineType engineType, const char* graphDumpPath, const aclGraphDumpOption* graphDumpOpt);

#ifdef __cplusplus
}
#endif

#endif
