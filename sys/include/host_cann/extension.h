/*
 * What host-cann offers to a library of operators beside CANN's ABI. Apache-2.0 OR MIT.
 *
 * A library of operators looks up the symbol `hostcann_extension`, a `hostcannGetExtension`. A CANN that is not host-cann
 * does not have it, and nothing else tells the two apart.
 */
#ifndef ACLNN_SYS_HOST_CANN_EXTENSION_H
#define ACLNN_SYS_HOST_CANN_EXTENSION_H

#include <stdbool.h>

#include "acl/acl_base.h"
#include "acl/acl_rt_types.h"
#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Changes when a field of `hostcannExtension` changes or goes; fields are only added behind. */
#define HOSTCANN_EXTENSION_VERSION 2

#define HOSTCANN_TENSOR_ANY 0    /**< `aclSetTensorAddr`: inputs are counted first, then outputs. */
#define HOSTCANN_TENSOR_INPUT 1  /**< `aclSetInputTensorAddr`. */
#define HOSTCANN_TENSOR_OUTPUT 2 /**< `aclSetOutputTensorAddr`. */
#define HOSTCANN_TENSOR_LIST 256 /**< `aclSetDynamicInputTensorAddr`: plus the number of the list among the inputs. */

/** `aclrtMalloc` and its kin, or `aclrtMallocHost`: `ACL_ERROR_RT_MEMORY_ALLOCATION`. */
#define HOSTCANN_FAULT_ALLOCATION 0
/** A copy, which copies nothing: `ACL_ERROR_RT_DRV_INTERNAL_ERROR`. */
#define HOSTCANN_FAULT_COPY 1
/**
 * A host function of `aclrtLaunchHostFunc` or the extension, which is not called: its stream fails
 * with `ACL_ERROR_RT_AICORE_EXCEPTION`.
 */
#define HOSTCANN_FAULT_TASK 2
/** The thread that a stream gets with its first work: `ACL_ERROR_RT_RESOURCE_ALLOC_FAIL`. */
#define HOSTCANN_FAULT_THREAD 3
/** `aclrtResetDeviceForce` of the thread's device, before an allocation, a copy or a host function. */
#define HOSTCANN_FAULT_RESET 4

/** `aclSetAclOpExecutorRepeatable` for an executor of the library. */
typedef aclnnStatus (*hostcannSetRepeatable)(aclOpExecutor* executor);
/**
 * The functions that set a tensor's address, for an executor of the library; `kind` is a
 * `HOSTCANN_TENSOR_…`, and `index` counts the tensors of that kind. A library refuses a kind that it
 * doesn't know.
 */
typedef aclnnStatus (*hostcannSetAddress)(
    aclOpExecutor* executor, uint32_t kind, size_t index, aclTensor* tensor, void* addr);
/** `aclDestroyAclOpExecutor` for an executor of the library, which unregisters it. */
typedef aclnnStatus (*hostcannDestroy)(aclOpExecutor* executor);

/** What a library does with its executors. Called without a lock of host-cann's, from any thread. */
typedef struct hostcannExecutorCalls {
    hostcannSetRepeatable setRepeatable; /**< Lets an executor run again and again. */
    hostcannSetAddress setAddress;       /**< Changes an address. */
    hostcannDestroy destroy;             /**< Ends an executor. */
} hostcannExecutorCalls;

/** Lets the executor calls of CANN's ABI serve `executor`, a handle that the library chose; `calls` stays valid. */
typedef aclnnStatus (*hostcannRegisterExecutor)(aclOpExecutor* executor, const hostcannExecutorCalls* calls);
/** Ends `hostcannRegisterExecutor`. */
typedef aclnnStatus (*hostcannUnregisterExecutor)(aclOpExecutor* executor);
/** From inside a host function: makes the stream's next synchronisation return `code`; the message is copied. */
typedef aclError (*hostcannFailStream)(aclrtStream stream, aclError code, const char* message);
/** Tells a scalar's dtype, and writes its value to `value`, which has `size` bytes (16 hold any). */
typedef aclnnStatus (*hostcannReadScalar)(const aclScalar* scalar, aclDataType* dataType, void* value, size_t size);
/** Tells the tensor at `index` of a list, which may be null. */
typedef aclnnStatus (*hostcannReadTensorList)(
    const aclTensorList* tensorList, uint64_t index, const aclTensor** tensor);
/** Tells the number at `index` of an array of integers. */
typedef aclnnStatus (*hostcannReadIntArray)(const aclIntArray* array, uint64_t index, int64_t* value);
/** Notes an operator's failure for the thread's `aclGetRecentErrMsg`; the message is copied. */
typedef void (*hostcannNoteError)(const char* message);

/**
 * `aclrtLaunchHostFunc` for a library whose `args` own something. The stream has them from this call on, whatever it returns:
 * either `fn` is called with them, once, or `dropped` is, once, where `fn` never will be: this call failed, or the stream
 * was aborted, destroyed by force or stopped by a failure. `dropped` is called by any thread, maybe after events that were
 * recorded behind this have come, and may call anything but `aclInit` and `aclFinalize`; null is nothing to call. `args` are freed by the one that is called.
 */
typedef aclError (*hostcannLaunchHostFunc)(aclrtStream stream, aclrtHostFunc fn, aclrtHostFunc dropped, void* args);

/** Bytes that the work of an operator may touch. */
typedef struct hostcannRange {
    const char* argument; /**< The operator's argument that they belong to, for words. */
    const void* address;  /**< The first of them. */
    size_t bytes;         /**< How many; where there are none the address is not looked at. */
    bool isWritten;       /**< Whether they may be written, and not only read. */
    void* memory;         /**< Set by `hostcannHoldMemory`: where the host function touches the first of them. */
} hostcannRange;

/**
 * Holds the work of an operator to memory as a device does. It is called from inside a host function of `stream` (null means the
 * one that calls), before anything is touched: each range must lie in one living allocation of the stream's device. That is
 * memory of `aclrtMalloc` and its siblings, memory that `aclrtMapMem` has mapped, or host memory that `aclrtHostRegister` has
 * mapped for devices.
 *
 * 0: all do, and what is freed or unmapped meanwhile stays where it is until the host function returns. Each range's `memory` says
 * where it lies: at its address, unless `HOST_CANN_HOST_ACCESS=0` keeps the host from a device's memory.
 * `ACL_ERROR_RT_VECTOR_CORE_EXCEPTION`: one does not. The stream has failed with this code, and with words that name the first
 * such range; they are in the calling thread's `aclGetRecentErrMsg`, too. Any other code: the call itself was wrong.
 * The host function must touch nothing unless 0 is returned.
 */
typedef aclError (*hostcannHoldMemory)(
    aclrtStream stream, const char* operatorName, hostcannRange* ranges, size_t count);

/**
 * For tests: from now on, the `nth` action of this kind (a `HOSTCANN_FAULT_…`) that the calling thread asks for fails, once, and
 * its message says that it was asked for. 0 is none. A thread has one fault at a time: this takes the place of the last one, and
 * sets `struck`, unless that is null, to whether that one has happened.
 */
typedef aclError (*hostcannInjectFault)(uint32_t kind, uint64_t nth, bool* struck);

/** The extension. */
typedef struct hostcannExtension {
    uint32_t version;                              /**< `HOSTCANN_EXTENSION_VERSION` of the library that fills it. */
    uint32_t size;                                 /**< Bytes of this struct, as that library knows it. */
    hostcannRegisterExecutor registerExecutor;     /**< Takes an executor in. */
    hostcannUnregisterExecutor unregisterExecutor; /**< Lets an executor go. */
    hostcannFailStream failStream;                 /**< Fails a stream. */
    hostcannReadScalar readScalar;                 /**< Reads a scalar. */
    hostcannNoteError noteError;                   /**< Keeps a message. */
    hostcannLaunchHostFunc launchHostFunc;         /**< Launches a host function whose arguments are its own. */
    hostcannHoldMemory holdMemory;                 /**< Checks memory, and keeps it. */
    hostcannReadTensorList readTensorList;         /**< Reads a list of tensors. */
    hostcannReadIntArray readIntArray;             /**< Reads an array of integers. */
    hostcannInjectFault injectFault;               /**< Lets an action fail. */
} hostcannExtension;

/**
 * The symbol `hostcann_extension`: the extension, valid to the end of the process, or null.
 *
 * The symbol `hostcann_hold_memory` is a `hostcannHoldMemory`, also where the extension is null: for a library that
 * stands in for a device's own, whose work reaches a device's memory by itself.
 */
typedef const hostcannExtension* (*hostcannGetExtension)(void);

#ifdef __cplusplus
}
#endif

#endif
