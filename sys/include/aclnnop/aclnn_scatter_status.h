/*
 * What aclnn-scatter adds to CANN: which index was out of range. Apache-2.0 OR MIT.
 */
#ifndef ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_STATUS_H
#define ACLNN_SYS_ACLNNOP_ACLNN_SCATTER_STATUS_H

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Coordinates in `aclnnScatterStatusInfo`. */
#define ACLNN_SCATTER_MAX_RANK 8
/** Bytes of the operator's name in `aclnnScatterStatusInfo`, the closing NUL among them. */
#define ACLNN_SCATTER_OP_NAME_SIZE 64

/** The first index out of range that a stream has met. */
typedef struct aclnnScatterStatusInfo {
    aclnnStatus code;                          /**< 0 when there was none; the other fields are zero then. */
    uint32_t rank;                             /**< How many coordinates of `position` count. */
    int64_t position[ACLNN_SCATTER_MAX_RANK];  /**< Where in index the value stands. */
    int64_t value;                             /**< The value. */
    int64_t size;                              /**< The size of the indexed axis: valid are `-size` to `size - 1`. */
    char opName[ACLNN_SCATTER_OP_NAME_SIZE];   /**< The operator, such as `aclnnScatterAdd`, NUL-terminated. */
} aclnnScatterStatusInfo;

/**
 * Tells and clears the first error of a stream, which the caller has synchronised.
 * Returns 0 also when it tells of an error; 161001 for a null `info`.
 */
ACLNN_API aclnnStatus aclnnScatterStreamStatus(aclrtStream stream, aclnnScatterStatusInfo* info);

#ifdef __cplusplus
}
#endif

#endif
