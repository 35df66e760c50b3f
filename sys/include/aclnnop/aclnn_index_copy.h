/*
 * Replaces slices of a tensor, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_INDEX_COPY_H
#define ACLNN_SYS_ACLNNOP_ACLNN_INDEX_COPY_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of `out = self; out[...][index[i]][...] = source[...][i][...]` along `dim`, where
 * `index` has one axis, as long as `source` along `dim`. `outRef` may be `selfRef`, which is
 * otherwise not written.
 */
ACLNN_API aclnnStatus aclnnIndexCopyGetWorkspaceSize(aclTensor* selfRef, int64_t dim, const aclTensor* index,
    const aclTensor* source, aclTensor* outRef, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnIndexCopyGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnIndexCopy(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/** `aclnnIndexCopyGetWorkspaceSize` in place. */
ACLNN_API aclnnStatus aclnnInplaceIndexCopyGetWorkspaceSize(aclTensor* selfRef, int64_t dim, const aclTensor* index,
    const aclTensor* source, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnInplaceIndexCopyGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnInplaceIndexCopy(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
