/*
 * Replaces rows or points of a tensor in place, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_ND_UPDATE_H
#define ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_ND_UPDATE_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of `varRef[indices] = updates`, where `updates.shape` is
 * `indices.shape[:-1] + varRef.shape[k:]` with `k = indices.shape[-1]`.
 */
ACLNN_API aclnnStatus aclnnScatterNdUpdateGetWorkspaceSize(aclTensor* varRef, const aclTensor* indices,
    const aclTensor* updates, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnScatterNdUpdateGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnScatterNdUpdate(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
