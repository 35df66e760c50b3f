/*
 * Puts values where several index tensors say, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_INDEX_PUT_IMPL_H
#define ACLNN_SYS_ACLNNOP_ACLNN_INDEX_PUT_IMPL_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of `selfRef[indices[0][i...], indices[1][i...], ...] = values[i...]`, in place, or `+=` to accumulate. There
 * is a tensor for each leading axis of `selfRef`; one without elements stands for an axis without index, which is taken
 * whole, as are those behind the last. The tensors are broadcast together, and `values` to what they name. `unsafe` is
 * ignored.
 */
ACLNN_API aclnnStatus aclnnIndexPutImplGetWorkspaceSize(aclTensor* selfRef, const aclTensorList* indices,
    const aclTensor* values, const bool accumulate, const bool unsafe, uint64_t* workspaceSize,
    aclOpExecutor** executor);
/** Phase two of `aclnnIndexPutImplGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnIndexPutImpl(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
