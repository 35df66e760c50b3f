/*
 * scatter along one axis, of a tensor or of one value, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_H
#define ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of scatter of `src` into `out`, a copy of `self`.
 * `reduce`: 0 none, 1 add, 2 multiply, 3 maximum, 4 minimum, 5 mean.
 */
ACLNN_API aclnnStatus aclnnScatterGetWorkspaceSize(const aclTensor* self, int64_t dim, const aclTensor* index,
    const aclTensor* src, int64_t reduce, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnScatterGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnScatter(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, const aclrtStream stream);

/**
 * Phase one of scatter of one value into `out`, a copy of `self`.
 * `reduce`: 0 none, 1 add, 2 multiply, 3 maximum, 4 minimum, 5 mean.
 */
ACLNN_API aclnnStatus aclnnScatterValueGetWorkspaceSize(const aclTensor* self, int64_t dim, const aclTensor* index,
    const aclScalar* value, int64_t reduce, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnScatterValueGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnScatterValue(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, const aclrtStream stream);

/**
 * Phase one of scatter of `src` into `selfRef`.
 * `reduce`: 0 none, 1 add, 2 multiply, 3 maximum, 4 minimum, 5 mean.
 */
ACLNN_API aclnnStatus aclnnInplaceScatterGetWorkspaceSize(aclTensor* selfRef, int64_t dim, const aclTensor* index,
    const aclTensor* src, int64_t reduce, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnInplaceScatterGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnInplaceScatter(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/**
 * Phase one of scatter of one value into `selfRef`.
 * `reduce`: 0 none, 1 add, 2 multiply, 3 maximum, 4 minimum, 5 mean.
 */
ACLNN_API aclnnStatus aclnnInplaceScatterValueGetWorkspaceSize(aclTensor* selfRef, int64_t dim, const aclTensor* index,
    const aclScalar* value, int64_t reduce, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnInplaceScatterValueGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnInplaceScatterValue(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
