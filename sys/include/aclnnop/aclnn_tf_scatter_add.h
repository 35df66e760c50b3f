/*
 * scatter_nd_add: rows or points of a tensor, in place, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_TF_SCATTER_ADD_H
#define ACLNN_SYS_ACLNNOP_ACLNN_TF_SCATTER_ADD_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Phase one of `varRef[indices] += updates`, `updates` of the row form or of the nd form. */
ACLNN_API aclnnStatus aclnnTfScatterAddGetWorkspaceSize(aclTensor* varRef, const aclTensor* indices,
    const aclTensor* updates, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnTfScatterAddGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnTfScatterAdd(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
