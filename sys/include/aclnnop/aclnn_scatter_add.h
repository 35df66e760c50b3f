/*
 * scatter_add along one axis, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_ADD_H
#define ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_ADD_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Phase one of `out = self; out[..][index[i]][..] += src[i]` along `dim`; `out` may be `self`. */
ACLNN_API aclnnStatus aclnnScatterAddGetWorkspaceSize(const aclTensor* self, int64_t dim, const aclTensor* index,
    const aclTensor* src, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
/** Phase two of `aclnnScatterAddGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnScatterAdd(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
