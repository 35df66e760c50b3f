/*
 * Tensors, scalars, arrays, lists and executors of CANN's operator ABI, written down anew for aclnn-sys
 * (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACLNN_ACL_META_H
#define ACLNN_SYS_ACLNN_ACL_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <cstdint>
#include <cstdlib>
#else
#include <stdlib.h>
#endif

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What phase one of an operator makes and phase two runs. */
typedef struct aclOpExecutor aclOpExecutor;
/** A tensor: dtype, shape, strides, offset, and the address of its storage. */
typedef struct aclTensor aclTensor;
/** One number with a dtype. */
typedef struct aclScalar aclScalar;
/** Integers. */
typedef struct aclIntArray aclIntArray;
/** Floats. */
typedef struct aclFloatArray aclFloatArray;
/** Truth values. */
typedef struct aclBoolArray aclBoolArray;
/** Tensors, which belong to the list. */
typedef struct aclTensorList aclTensorList;
/** Scalars, which belong to the list. */
typedef struct aclScalarList aclScalarList;

/** What an operator's functions return: 0, or a code of a number space of its own. */
typedef int32_t aclnnStatus;

#ifdef __cplusplus
constexpr aclnnStatus OK = 0;
#endif

/** Makes a tensor; null strides mean contiguous. Nothing is validated; null if a shape's pointer is missing. */
ACL_FUNC_VISIBILITY aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
    const int64_t* stride, int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
    void* tensorData);
/** Makes a scalar of a value in host memory. */
ACL_FUNC_VISIBILITY aclScalar* aclCreateScalar(void* value, aclDataType dataType);
/** Makes an array of integers; the values are copied. */
ACL_FUNC_VISIBILITY aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size);
/** Makes an array of floats; the values are copied. */
ACL_FUNC_VISIBILITY aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size);
/** Makes an array of truth values; the values are copied. */
ACL_FUNC_VISIBILITY aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size);
/** Makes a list that takes the tensors over. */
ACL_FUNC_VISIBILITY aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size);
/** Makes a list that takes the scalars over. */
ACL_FUNC_VISIBILITY aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size);

/** Destroys a tensor, not its memory; null is allowed. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensor(const aclTensor* tensor);
/** Destroys a scalar; null is allowed. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalar(const aclScalar* scalar);
/** Destroys an array; null is allowed. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyIntArray(const aclIntArray* array);
/** Destroys an array; null is allowed. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyFloatArray(const aclFloatArray* array);
/** Destroys an array; null is allowed. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyBoolArray(const aclBoolArray* array);
/** Destroys a list with its tensors; null is allowed. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensorList(const aclTensorList* array);
/** Destroys a list with its scalars; null is allowed. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalarList(const aclScalarList* array);

/** Tells the shape, in an array made by C++ `new[]` that the caller deletes. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum);
/** Tells the storage's shape, in an array made by C++ `new[]` that the caller deletes. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetStorageShape(
    const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum);
/** Tells the strides in elements, in an array made by C++ `new[]` that the caller deletes. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewStrides(
    const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum);
/** Tells the offset in elements. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset);
/** Tells the view's format. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format);
/** Tells the dtype. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType);
/** Tells how many integers there are. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size);
/** Tells how many floats there are. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size);
/** Tells how many truth values there are. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size);
/** Tells how many tensors there are. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size);
/** Tells how many scalars there are. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size);

/** Makes an existing tensor anew. */
ACL_FUNC_VISIBILITY aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
    aclDataType dataType, const int64_t* stride, int64_t offset, aclFormat format, const int64_t* storageDims,
    uint64_t storageDimsNum, void* tensorDataAddr);
/** Changes a tensor's address. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr);
/** Tells the storage's address; the offset is not applied. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr);

/** Lets phase two run an executor again and again; the caller destroys it. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor);
/** Destroys a repeatable executor. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor);
/** Changes the address of an input. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetInputTensorAddr(
    aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr);
/** Changes the address of an output. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetOutputTensorAddr(
    aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr);
/** Changes the address of a tensor, inputs counted before outputs. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetTensorAddr(
    aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr);
/** Changes the address of one tensor of an input list. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicInputTensorAddr(
    aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex, aclTensorList* tensors, void* addr);
/** Changes the address of one tensor of a list. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicTensorAddr(
    aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex, aclTensorList* tensors, void* addr);
/** The older name of `aclSetInputTensorAddr`. */
ACL_FUNC_VISIBILITY aclnnStatus AclSetInputTensorAddr(
    aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr);
/** The older name of `aclSetOutputTensorAddr`. */
ACL_FUNC_VISIBILITY aclnnStatus AclSetOutputTensorAddr(
    aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr);
/** The older name of `aclSetTensorAddr`. */
ACL_FUNC_VISIBILITY aclnnStatus AclSetTensorAddr(
    aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr);

#ifdef __cplusplus
}
#endif

#endif
