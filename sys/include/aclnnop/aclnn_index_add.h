/*
 * Adds slices to a tensor, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_INDEX_ADD_H
#define ACLNN_SYS_ACLNNOP_ACLNN_INDEX_ADD_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of `out = self; out[...][index[i]][...] += alpha * source[...][i][...]` along `dim`,
 * where `index` has one axis, as long as `source` along `dim`. `out` may be `self`.
 */
ACLNN_API aclnnStatus aclnnIndexAddGetWorkspaceSize(const aclTensor* self, const int64_t dim, const aclTensor* index,
    const aclTensor* source, const aclScalar* alpha, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnIndexAddGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnIndexAdd(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
