/*
 * Sets slices of a tensor to a scalar, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_INDEX_FILL_H
#define ACLNN_SYS_ACLNNOP_ACLNN_INDEX_FILL_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of `out = self; out[...][index[i]][...] = value` along `dim`, where `index` has one
 * axis. `out` may be `self`, which is otherwise not written. The scalar may be destroyed afterwards.
 */
ACLNN_API aclnnStatus aclnnIndexFillGetWorkspaceSize(const aclTensor* self, int64_t dim, const aclTensor* index,
    const aclScalar* value, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnIndexFillGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnIndexFill(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/** `aclnnIndexFillGetWorkspaceSize` in place. */
ACLNN_API aclnnStatus aclnnInplaceIndexFillGetWorkspaceSize(aclTensor* selfRef, int64_t dim, const aclTensor* index,
    const aclScalar* value, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnInplaceIndexFillGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnInplaceIndexFill(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
