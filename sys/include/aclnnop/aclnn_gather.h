/*
 * Reads elements of a tensor where an index says, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_GATHER_H
#define ACLNN_SYS_ACLNNOP_ACLNN_GATHER_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of `out[...][i][...] = self[...][index[...][i][...]][...]` along `dim`. `out` has the
 * shape of `index`, which may be shorter than `self` on other axes than `dim`.
 */
ACLNN_API aclnnStatus aclnnGatherGetWorkspaceSize(const aclTensor* self, const int64_t dim, const aclTensor* index,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnGatherGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnGather(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
