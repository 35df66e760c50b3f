/*
 * The gradient of an embedding, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_EMBEDDING_DENSE_BACKWARD_H
#define ACLNN_SYS_ACLNNOP_ACLNN_EMBEDDING_DENSE_BACKWARD_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Phase one of `out = 0; out[indices[i]] += grad[i]`, where `grad` has the shape of `indices` and
 * one more axis, and `out` has `numWeights` rows, of which row `paddingIdx` stays zero. With
 * `scaleGradByFreq` each row is divided by the number of its updates.
 */
ACLNN_API aclnnStatus aclnnEmbeddingDenseBackwardGetWorkspaceSize(const aclTensor* grad, const aclTensor* indices,
    uint64_t numWeights, uint64_t paddingIdx, bool scaleGradByFreq, const aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
/** Phase two of `aclnnEmbeddingDenseBackwardGetWorkspaceSize`: enqueues the work and returns. */
ACLNN_API aclnnStatus aclnnEmbeddingDenseBackward(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
