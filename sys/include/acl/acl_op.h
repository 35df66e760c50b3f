/*
 * Attributes and kinds of CANN's older operator calls, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACL_OP_H
#define ACLNN_SYS_ACL_OP_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Attributes of an operator. */
typedef struct aclopAttr aclopAttr;

/** What computes an operator. */
typedef enum {
    ACL_ENGINE_SYS = 0,    /**< CANN decides. */
    ACL_ENGINE_AICORE = 1, /**< AI cores. */
    ACL_ENGINE_VECTOR = 2, /**< Vector cores. */
} aclopEngineType;

/** Names the folder of operators that were compiled before. */
ACL_FUNC_VISIBILITY aclError aclopSetModelDir(const char* modelDir);
/** Makes attributes, of which there are none yet. */
ACL_FUNC_VISIBILITY aclopAttr* aclopCreateAttr(void);
/** Destroys attributes. */
ACL_FUNC_VISIBILITY void aclopDestroyAttr(const aclopAttr* attr);
/** Sets a truth value. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t attrValue);
/** Sets an integer. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t attrValue);
/** Sets a float. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float attrValue);
/** Sets a text. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue);
/** Sets a dtype. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType attrValue);
/** Sets truth values. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListBool(
    aclopAttr* attr, const char* attrName, int numValues, const uint8_t* values);
/** Sets integers. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListInt(
    aclopAttr* attr, const char* attrName, int numValues, const int64_t* values);
/** Sets floats. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListFloat(
    aclopAttr* attr, const char* attrName, int numValues, const float* values);
/** Sets texts. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListString(
    aclopAttr* attr, const char* attrName, int numValues, const char** values);
/** Sets dtypes. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListDataType(
    aclopAttr* attr, const char* attrName, int numValues, const aclDataType values[]);
/** Sets lists of integers. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListListInt(
    aclopAttr* attr, const char* attrName, int numLists, const int* numValues, const int64_t* const values[]);

#ifdef __cplusplus
}
#endif

#endif
