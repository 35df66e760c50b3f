/*
 * The aclnnStatus codes by name, written down anew for aclnn-sys (Apache-2.0 OR MIT). As in a toolkit, no other header
 * includes this one: programs may have names of their own for these numbers.
 */
#ifndef ACLNN_SYS_ACLNN_OPDEV_OP_ERRNO_H
#define ACLNN_SYS_ACLNN_OPDEV_OP_ERRNO_H

#define ACLNN_SUCCESS 0 /**< No error. */
#define ACLNN_ERR_PARAM_NULLPTR 161001 /**< A pointer is null that may not be. */
#define ACLNN_ERR_PARAM_INVALID 161002 /**< An argument is not acceptable. */
#define ACLNN_ERR_RUNTIME_ERROR 361001 /**< A call of the runtime failed. */
#define ACLNN_ERR_INNER 561000 /**< An internal error. */
#define ACLNN_ERR_INNER_INFERSHAPE_ERROR 561001 /**< The output's shape could not be derived. */
#define ACLNN_ERR_INNER_TILING_ERROR 561002 /**< The work could not be divided. */
#define ACLNN_ERR_INNER_FIND_KERNEL_ERROR 561003 /**< No kernel fits. */
#define ACLNN_ERR_INNER_CREATE_EXECUTOR 561101 /**< No executor could be made. */
#define ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR 561102 /**< The executor was not handed over. */
#define ACLNN_ERR_INNER_NULLPTR 561103 /**< A step inside gave nothing. */
#define ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE 561104 /**< The attributes' information has the wrong size. */
#define ACLNN_ERR_INNER_KEY_CONFLICT 561105 /**< Two kernels have one key. */
#define ACLNN_ERR_INNER_KEY_CONFILICT 561105 /**< Two kernels have one key; the older spelling. */
#define ACLNN_ERR_INNER_INVALID_IMPL_MODE 561106 /**< No such mode of implementation. */
#define ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND 561107 /**< The operator package's path is not set. */
#define ACLNN_ERR_INNER_LOAD_JSON_FAILED 561108 /**< A description could not be loaded. */
#define ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND 561109 /**< A description lacks a value. */
#define ACLNN_ERR_INNER_JSON_FORMAT_INVALID 561110 /**< A description's format is not acceptable. */
#define ACLNN_ERR_INNER_JSON_DTYPE_INVALID 561111 /**< A description's dtype is not acceptable. */
#define ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND 561112 /**< The kernels' package is not installed. */
#define ACLNN_ERR_INNER_OP_FILE_INVALID 561113 /**< An operator's file is not acceptable. */
#define ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND 561114 /**< The number of attributes differs from the description's. */
#define ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH 561115 /**< An attribute is shorter than the description says. */
#define ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE 561116 /**< A description has too many inputs. */
#define ACLNN_ERR_INNER_INPUT_JSON_IS_NULL 561117 /**< A description has no inputs. */
#define ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID 561118 /**< A fixed workspace is not acceptable. */
#define ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID 561119 /**< A fixed number of blocks is not acceptable. */

#endif
