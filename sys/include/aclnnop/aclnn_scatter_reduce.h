/*
 * scatter_reduce along one axis, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_REDUCE_H
#define ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_REDUCE_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of scatter_reduce into `out`, a copy of `self` whose values take part if `includeSelf`.
 * `reduce`: 0 none, 1 add, 2 multiply, 3 maximum, 4 minimum, 5 mean.
 */
ACLNN_API aclnnStatus aclnnScatterReduceGetWorkspaceSize(const aclTensor* self, int64_t dim, const aclTensor* index,
    const aclTensor* src, int64_t reduce, bool includeSelf, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
/** Phase two of `aclnnScatterReduceGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnScatterReduce(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, const aclrtStream stream);

/**
 * Phase one of scatter_reduce into `selfRef`, whose values take part if `includeSelf`.
 * `reduce`: 0 none, 1 add, 2 multiply, 3 maximum, 4 minimum, 5 mean.
 */
ACLNN_API aclnnStatus aclnnInplaceScatterReduceGetWorkspaceSize(aclTensor* selfRef, int64_t dim, const aclTensor* index,
    const aclTensor* src, int64_t reduce, bool includeSelf, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnInplaceScatterReduceGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnInplaceScatterReduce(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
