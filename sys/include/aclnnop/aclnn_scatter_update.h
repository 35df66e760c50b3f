/*
 * Puts blocks into a tensor along an axis, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_UPDATE_H
#define ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_UPDATE_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of `data[i][...][indices[i] + j][...] = updates[i][...][j][...]` along `axis`, which is
 * not 0, in place. If `indices` has the shape `[n, 2]`, it is
 * `data[indices[i][0]][...][indices[i][1] + j][...] = updates[i][...][j][...]`.
 */
ACLNN_API aclnnStatus aclnnInplaceScatterUpdateGetWorkspaceSize(aclTensor* data, const aclTensor* indices,
    const aclTensor* updates, int64_t axis, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnInplaceScatterUpdateGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnInplaceScatterUpdate(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
