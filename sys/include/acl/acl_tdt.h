/*
 * Channels that bring tensors from a device to the host and back, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACL_TDT_H
#define ACLNN_SYS_ACL_TDT_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What an item of a channel is. */
typedef enum acltdtTensorType {
    ACL_TENSOR_DATA_UNDEFINED = -1,      /**< Nothing. */
    ACL_TENSOR_DATA_TENSOR = 0,          /**< A tensor. */
    ACL_TENSOR_DATA_END_OF_SEQUENCE = 1, /**< The end of the tensors. */
    ACL_TENSOR_DATA_ABNORMAL = 2,        /**< The end, after a failure. */
    ACL_TENSOR_DATA_SLICE_TENSOR = 3,    /**< A slice of a tensor. */
    ACL_TENSOR_DATA_END_TENSOR = 4,      /**< The last slice of a tensor. */
} acltdtTensorType;

/** A tensor on its way. */
typedef struct acltdtDataItem acltdtDataItem;
/** Tensors that are sent at once. */
typedef struct acltdtDataset acltdtDataset;
/** A queue of tensors between a device and the host. */
typedef struct acltdtChannelHandle acltdtChannelHandle;

/** Makes a channel. */
ACL_FUNC_VISIBILITY acltdtChannelHandle* acltdtCreateChannel(uint32_t deviceId, const char* name);
/** Makes a channel that holds at most `capacity` datasets; null where it can't. */
ACL_FUNC_VISIBILITY acltdtChannelHandle* acltdtCreateChannelWithCapacity(
    uint32_t deviceId, const char* name, size_t capacity);
/** Ends what waits for a channel. */
ACL_FUNC_VISIBILITY aclError acltdtStopChannel(acltdtChannelHandle* handle);
/** Destroys a channel. */
ACL_FUNC_VISIBILITY aclError acltdtDestroyChannel(acltdtChannelHandle* handle);
/** Empties a channel. */
ACL_FUNC_VISIBILITY aclError acltdtCleanChannel(acltdtChannelHandle* handle);
/** Sends a dataset, within the given milliseconds; -1 for no limit. */
ACL_FUNC_VISIBILITY aclError acltdtSendTensor(
    const acltdtChannelHandle* handle, const acltdtDataset* dataset, int32_t timeout);
/** Receives a dataset; `ACL_ERROR_RT_QUEUE_EMPTY` if none comes within the given milliseconds, -1 for no limit. */
ACL_FUNC_VISIBILITY aclError acltdtReceiveTensor(
    const acltdtChannelHandle* handle, acltdtDataset* dataset, int32_t timeout);
/** Tells how many datasets a channel holds. */
ACL_FUNC_VISIBILITY aclError acltdtQueryChannelSize(const acltdtChannelHandle* handle, size_t* size);

/** Makes a dataset without tensors. */
ACL_FUNC_VISIBILITY acltdtDataset* acltdtCreateDataset(void);
/** Destroys a dataset, and not its tensors. */
ACL_FUNC_VISIBILITY aclError acltdtDestroyDataset(acltdtDataset* dataset);
/** Adds a tensor. */
ACL_FUNC_VISIBILITY aclError acltdtAddDataItem(acltdtDataset* dataset, acltdtDataItem* dataItem);
/** A tensor of a dataset. */
ACL_FUNC_VISIBILITY acltdtDataItem* acltdtGetDataItem(const acltdtDataset* dataset, size_t index);
/** How many tensors a dataset has. */
ACL_FUNC_VISIBILITY size_t acltdtGetDatasetSize(const acltdtDataset* dataset);
/** The name of a dataset. */
ACL_FUNC_VISIBILITY const char* acltdtGetDatasetName(const acltdtDataset* dataset);

/** Makes an item of a tensor's data. */
ACL_FUNC_VISIBILITY acltdtDataItem* acltdtCreateDataItem(
    acltdtTensorType tdtType, const int64_t* dims, size_t dimNum, aclDataType dataType, void* data, size_t size);
/** Destroys an item. */
ACL_FUNC_VISIBILITY aclError acltdtDestroyDataItem(acltdtDataItem* dataItem);
/** What an item is. */
ACL_FUNC_VISIBILITY acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem* dataItem);
/** The dtype of an item. */
ACL_FUNC_VISIBILITY aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem* dataItem);
/** The address of an item's data. */
ACL_FUNC_VISIBILITY void* acltdtGetDataAddrFromItem(const acltdtDataItem* dataItem);
/** Bytes of an item's data. */
ACL_FUNC_VISIBILITY size_t acltdtGetDataSizeFromItem(const acltdtDataItem* dataItem);
/** How many axes an item has. */
ACL_FUNC_VISIBILITY size_t acltdtGetDimNumFromItem(const acltdtDataItem* dataItem);
/** Tells the sizes of an item's axes. */
ACL_FUNC_VISIBILITY aclError acltdtGetDimsFromItem(const acltdtDataItem* dataItem, int64_t* dims, size_t dimNum);
/** Tells how many slices a tensor has, and which of them an item is. */
ACL_FUNC_VISIBILITY aclError acltdtGetSliceInfoFromItem(
    const acltdtDataItem* dataItem, size_t* sliceNum, size_t* sliceId);

#ifdef __cplusplus
}
#endif

#endif
