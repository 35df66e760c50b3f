/*
 * Dumps, and models, of CANN's runtime, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACL_MDL_H
#define ACLNN_SYS_ACL_MDL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Inputs or outputs of a model. */
typedef struct aclmdlDataset aclmdlDataset;
/** What is known of a model. */
typedef struct aclmdlDesc aclmdlDesc;
/** Settings of a run of a model. */
typedef struct aclmdlExecConfigHandle aclmdlExecConfigHandle;

#define ACL_MAX_DIM_CNT 128         /**< The most axes of `aclmdlIODims`. */
#define ACL_MAX_TENSOR_NAME_LEN 128 /**< Bytes of a name in `aclmdlIODims`. */
#define ACL_MAX_BATCH_NUM 128       /**< The most batch sizes of `aclmdlBatch`. */
#define ACL_MAX_HW_NUM 128          /**< The most image sizes of `aclmdlHW`. */

/** A shape with its tensor's name. */
typedef struct aclmdlIODims {
    char name[ACL_MAX_TENSOR_NAME_LEN]; /**< The tensor's name. */
    size_t dimCount;                    /**< The number of axes. */
    int64_t dims[ACL_MAX_DIM_CNT];      /**< Their sizes. */
} aclmdlIODims;

/** Batch sizes. */
typedef struct aclmdlBatch {
    size_t batchCount;                 /**< How many there are. */
    uint64_t batch[ACL_MAX_BATCH_NUM]; /**< Each of them. */
} aclmdlBatch;

/** Image sizes. */
typedef struct aclmdlHW {
    size_t hwCount;                 /**< How many there are. */
    uint64_t hw[ACL_MAX_HW_NUM][2]; /**< Each height with its width. */
} aclmdlHW;

/** A setting of a run of a model. */
typedef enum {
    ACL_MDL_STREAM_SYNC_TIMEOUT = 0, /**< The longest wait for a stream, in milliseconds. */
    ACL_MDL_EVENT_SYNC_TIMEOUT = 1,  /**< The longest wait for an event, in milliseconds. */
    ACL_MDL_WORK_ADDR_PTR = 2,       /**< The address of the working memory. */
    ACL_MDL_WORK_SIZET = 3,          /**< Its bytes. */
} aclmdlExecConfigAttr;

/** Sets dumping up. */
ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);
/** Begins dumping as a configuration file says. */
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char* dumpCfgPath);
/** Ends dumping. */
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

/** Makes a description of a model. */
ACL_FUNC_VISIBILITY aclmdlDesc* aclmdlCreateDesc(void);
/** Destroys a description. */
ACL_FUNC_VISIBILITY aclError aclmdlDestroyDesc(aclmdlDesc* modelDesc);
/** Describes a loaded model. */
ACL_FUNC_VISIBILITY aclError aclmdlGetDesc(aclmdlDesc* modelDesc, uint32_t modelId);
/** How many inputs a model has. */
ACL_FUNC_VISIBILITY size_t aclmdlGetNumInputs(aclmdlDesc* modelDesc);
/** How many outputs a model has. */
ACL_FUNC_VISIBILITY size_t aclmdlGetNumOutputs(aclmdlDesc* modelDesc);
/** Bytes of an input. */
ACL_FUNC_VISIBILITY size_t aclmdlGetInputSizeByIndex(aclmdlDesc* modelDesc, size_t index);
/** Bytes of an output. */
ACL_FUNC_VISIBILITY size_t aclmdlGetOutputSizeByIndex(aclmdlDesc* modelDesc, size_t index);
/** The name of an input. */
ACL_FUNC_VISIBILITY const char* aclmdlGetInputNameByIndex(const aclmdlDesc* modelDesc, size_t index);
/** The name of an output. */
ACL_FUNC_VISIBILITY const char* aclmdlGetOutputNameByIndex(const aclmdlDesc* modelDesc, size_t index);
/** The format of an input. */
ACL_FUNC_VISIBILITY aclFormat aclmdlGetInputFormat(const aclmdlDesc* modelDesc, size_t index);
/** The format of an output. */
ACL_FUNC_VISIBILITY aclFormat aclmdlGetOutputFormat(const aclmdlDesc* modelDesc, size_t index);
/** The dtype of an input. */
ACL_FUNC_VISIBILITY aclDataType aclmdlGetInputDataType(const aclmdlDesc* modelDesc, size_t index);
/** The dtype of an output. */
ACL_FUNC_VISIBILITY aclDataType aclmdlGetOutputDataType(const aclmdlDesc* modelDesc, size_t index);
/** Tells which input has a name. */
ACL_FUNC_VISIBILITY aclError aclmdlGetInputIndexByName(const aclmdlDesc* modelDesc, const char* name, size_t* index);
/** Tells the shape of an input. */
ACL_FUNC_VISIBILITY aclError aclmdlGetInputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims);
/** Tells the shape of an input after image preprocessing. */
ACL_FUNC_VISIBILITY aclError aclmdlGetInputDimsV2(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims);
/** Tells the shape of an output. */
ACL_FUNC_VISIBILITY aclError aclmdlGetOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims);
/** Tells the shape of an output for the inputs that are set. */
ACL_FUNC_VISIBILITY aclError aclmdlGetCurOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims);
/** Tells the batch sizes that a model takes. */
ACL_FUNC_VISIBILITY aclError aclmdlGetDynamicBatch(const aclmdlDesc* modelDesc, aclmdlBatch* batch);
/** Tells the image sizes that a model takes. */
ACL_FUNC_VISIBILITY aclError aclmdlGetDynamicHW(const aclmdlDesc* modelDesc, size_t index, aclmdlHW* hw);
/** Tells how many shapes an input may have. */
ACL_FUNC_VISIBILITY aclError aclmdlGetInputDynamicGearCount(
    const aclmdlDesc* modelDesc, size_t index, size_t* gearCount);
/** Tells the shapes that an input may have. */
ACL_FUNC_VISIBILITY aclError aclmdlGetInputDynamicDims(
    const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims, size_t gearCount);
/** Chooses a batch size. */
ACL_FUNC_VISIBILITY aclError aclmdlSetDynamicBatchSize(
    uint32_t modelId, aclmdlDataset* dataset, size_t index, uint64_t batchSize);
/** Chooses an image size. */
ACL_FUNC_VISIBILITY aclError aclmdlSetDynamicHWSize(
    uint32_t modelId, aclmdlDataset* dataset, size_t index, uint64_t height, uint64_t width);
/** Chooses a shape. */
ACL_FUNC_VISIBILITY aclError aclmdlSetInputDynamicDims(
    uint32_t modelId, aclmdlDataset* dataset, size_t index, const aclmdlIODims* dims);
/** Makes an empty list of a model's inputs or outputs. */
ACL_FUNC_VISIBILITY aclmdlDataset* aclmdlCreateDataset(void);
/** Destroys a list. */
ACL_FUNC_VISIBILITY aclError aclmdlDestroyDataset(const aclmdlDataset* dataset);
/** Adds memory to a list. */
ACL_FUNC_VISIBILITY aclError aclmdlAddDatasetBuffer(aclmdlDataset* dataset, aclDataBuffer* dataBuffer);
/** How long a list is. */
ACL_FUNC_VISIBILITY size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset* dataset);
/** Memory of a list. */
ACL_FUNC_VISIBILITY aclDataBuffer* aclmdlGetDatasetBuffer(const aclmdlDataset* dataset, size_t index);
/** Describes a tensor of a list. */
ACL_FUNC_VISIBILITY aclError aclmdlSetDatasetTensorDesc(
    aclmdlDataset* dataset, aclTensorDesc* tensorDesc, size_t index);
/** How a tensor of a list is described. */
ACL_FUNC_VISIBILITY aclTensorDesc* aclmdlGetDatasetTensorDesc(const aclmdlDataset* dataset, size_t index);
/** Tells the bytes that a model needs. */
ACL_FUNC_VISIBILITY aclError aclmdlQuerySizeFromMem(
    const void* model, size_t modelSize, size_t* workSize, size_t* weightSize);
/** Loads a model. */
ACL_FUNC_VISIBILITY aclError aclmdlLoadFromMem(const void* model, size_t modelSize, uint32_t* modelId);
/** Loads a model into the program's memory. */
ACL_FUNC_VISIBILITY aclError aclmdlLoadFromMemWithMem(const void* model, size_t modelSize, uint32_t* modelId,
    void* workPtr, size_t workSize, void* weightPtr, size_t weightSize);
/** Unloads a model. */
ACL_FUNC_VISIBILITY aclError aclmdlUnload(uint32_t modelId);
/** Loads several models that share weights. */
ACL_FUNC_VISIBILITY aclError aclmdlBundleLoadFromMem(const void* model, size_t modelSize, uint32_t* bundleId);
/** Tells the number of one of several models. */
ACL_FUNC_VISIBILITY aclError aclmdlBundleGetModelId(uint32_t bundleId, size_t index, uint32_t* modelId);
/** Unloads several models. */
ACL_FUNC_VISIBILITY aclError aclmdlBundleUnload(uint32_t bundleId);
/** Makes settings of a run, of which there are none yet. */
ACL_FUNC_VISIBILITY aclmdlExecConfigHandle* aclmdlCreateExecConfigHandle(void);
/** Destroys settings. */
ACL_FUNC_VISIBILITY aclError aclmdlDestroyExecConfigHandle(const aclmdlExecConfigHandle* handle);
/** Changes a setting. */
ACL_FUNC_VISIBILITY aclError aclmdlSetExecConfigOpt(
    aclmdlExecConfigHandle* handle, aclmdlExecConfigAttr attr, const void* attrValue, size_t valueSize);
/** Runs a model, and waits for it. */
ACL_FUNC_VISIBILITY aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output);
/** Runs a model with settings, and waits for it. */
ACL_FUNC_VISIBILITY aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output,
    aclrtStream stream, const aclmdlExecConfigHandle* handle);

#ifdef __cplusplus
}
#endif

#endif
