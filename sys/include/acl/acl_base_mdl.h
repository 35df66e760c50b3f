/*
 * Buffers and descriptions of CANN's older operator calls, written down anew for aclnn-sys (Apache-2.0 OR MIT). Programs
 * include acl/acl_base.h.
 */
#ifndef ACLNN_SYS_ACL_BASE_MDL_H
#define ACLNN_SYS_ACL_BASE_MDL_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Memory with its size. */
typedef struct aclDataBuffer aclDataBuffer;
/** A tensor's dtype, shape and format, without its data. */
typedef struct aclTensorDesc aclTensorDesc;

/** Where a described tensor lies. */
typedef enum {
    ACL_MEMTYPE_DEVICE = 0,                   /**< On the device. */
    ACL_MEMTYPE_HOST = 1,                     /**< On the host. */
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2, /**< On the host, and its value does not matter to the compiler. */
} aclMemType;

/** Makes a buffer of memory that stays the caller's. */
ACL_FUNC_VISIBILITY aclDataBuffer* aclCreateDataBuffer(void* data, size_t size);
/** Destroys a buffer, not its memory. */
ACL_FUNC_VISIBILITY aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer);
/** Changes a buffer's memory. */
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size);
/** A buffer's address. */
ACL_FUNC_VISIBILITY void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer);
/** A buffer's bytes. */
ACL_FUNC_VISIBILITY size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer);
/** Makes a description. */
ACL_FUNC_VISIBILITY aclTensorDesc* aclCreateTensorDesc(
    aclDataType dataType, int numDims, const int64_t* dims, aclFormat format);
/** Destroys a description. */
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc* desc);
/** The dtype. */
ACL_FUNC_VISIBILITY aclDataType aclGetTensorDescType(const aclTensorDesc* desc);
/** The format. */
ACL_FUNC_VISIBILITY aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc);
/** The number of axes. */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc* desc);
/** The size of an axis; the older form. */
ACL_FUNC_VISIBILITY int64_t aclGetTensorDescDim(const aclTensorDesc* desc, size_t index);
/** Tells the size of an axis. */
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize);
/** Bytes of the tensor; 0 where its shape is not known. */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescSize(const aclTensorDesc* desc);
/** The name. */
ACL_FUNC_VISIBILITY const char* aclGetTensorDescName(aclTensorDesc* desc);
/** Changes the name. */
ACL_FUNC_VISIBILITY void aclSetTensorDescName(aclTensorDesc* desc, const char* name);
/** Changes the format in memory. */
ACL_FUNC_VISIBILITY aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format);
/** Changes the shape in memory. */
ACL_FUNC_VISIBILITY aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims);
/** Makes the tensor a constant, with this value. */
ACL_FUNC_VISIBILITY aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer, size_t length);
/** Says where the tensor lies. */
ACL_FUNC_VISIBILITY aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType);

#ifdef __cplusplus
}
#endif

#endif
