/*
 * Replaces rows or points of a tensor, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_ND_H
#define ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_ND_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of `out = data; out[indices] = updates`, where `updates.shape` is
 * `indices.shape[:-1] + data.shape[k:]` with `k = indices.shape[-1]`; `out` may be `data`.
 */
ACLNN_API aclnnStatus aclnnScatterNdGetWorkspaceSize(const aclTensor* data, const aclTensor* indices,
    const aclTensor* updates, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnScatterNdGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnScatterNd(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
