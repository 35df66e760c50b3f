/*
 * Codes that CANN's runtime hands through as aclError, written down anew for aclnn-sys (Apache-2.0 OR MIT).
 */
#ifndef ACLNN_SYS_ACL_ERROR_CODES_RT_ERROR_CODES_H
#define ACLNN_SYS_ACL_ERROR_CODES_RT_ERROR_CODES_H

/** No error. */
#define ACL_RT_SUCCESS 0

/* 107000: what the caller did. */
#define ACL_ERROR_RT_PARAM_INVALID 107000 /**< An argument is not acceptable. */
#define ACL_ERROR_RT_INVALID_DEVICEID 107001 /**< No such device. */
#define ACL_ERROR_RT_CONTEXT_NULL 107002 /**< The thread has no context: no device is set. */
#define ACL_ERROR_RT_STREAM_CONTEXT 107003 /**< The stream is of another context. */
#define ACL_ERROR_RT_MODEL_CONTEXT 107004 /**< The model is of another context. */
#define ACL_ERROR_RT_STREAM_MODEL 107005 /**< The stream is not of this model. */
#define ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID 107006 /**< The event has no time. */
#define ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL 107007 /**< The end is before the start. */
#define ACL_ERROR_RT_ADDR_UNALIGNED 107008 /**< An address is not aligned. */
#define ACL_ERROR_RT_FILE_OPEN 107009 /**< A file could not be opened. */
#define ACL_ERROR_RT_FILE_WRITE 107010 /**< A file could not be written. */
#define ACL_ERROR_RT_STREAM_SUBSCRIBE 107011 /**< The stream is subscribed already, or not at all. */
#define ACL_ERROR_RT_THREAD_SUBSCRIBE 107012 /**< The thread is subscribed already, or not at all. */
#define ACL_ERROR_RT_GROUP_NOT_SET 107013 /**< No group of cores is set. */
#define ACL_ERROR_RT_GROUP_NOT_CREATE 107014 /**< No group of cores exists. */
#define ACL_ERROR_RT_STREAM_NO_CB_REG 107015 /**< No callback thread is registered for the stream. */
#define ACL_ERROR_RT_INVALID_MEMORY_TYPE 107016 /**< The memory is of the wrong kind. */
#define ACL_ERROR_RT_INVALID_HANDLE 107017 /**< A handle is not of a living resource. */
#define ACL_ERROR_RT_INVALID_MALLOC_TYPE 107018 /**< No such way to allocate. */
#define ACL_ERROR_RT_WAIT_TIMEOUT 107019 /**< The wait took too long. */
#define ACL_ERROR_RT_TASK_TIMEOUT 107020 /**< The task took too long. */
#define ACL_ERROR_RT_SYSPARAMOPT_NOT_SET 107021 /**< This setting has not been set. */
#define ACL_ERROR_RT_DEVICE_TASK_ABORT 107022 /**< The device's tasks are being aborted. */
#define ACL_ERROR_RT_STREAM_ABORT 107023 /**< The stream is being aborted. */
#define ACL_ERROR_RT_CAPTURE_DEPENDENCY 107024 /**< A captured task depends on something outside the capture. */
#define ACL_ERROR_RT_STREAM_UNJOINED 107025 /**< A stream of the capture has not been joined again. */
#define ACL_ERROR_RT_MODEL_CAPTURED 107026 /**< The model is being captured. */
#define ACL_ERROR_RT_STREAM_CAPTURED 107027 /**< The stream is being captured. */
#define ACL_ERROR_RT_EVENT_CAPTURED 107028 /**< The event is part of a capture. */
#define ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029 /**< The stream is not being captured. */
#define ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT 107030 /**< This is not possible in the thread's capture mode. */
#define ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031 /**< The default stream can't be captured. */
#define ACL_ERROR_STREAM_CAPTURE_CONFLICT 107032 /**< Two captures are in each other's way. */
#define ACL_ERROR_STREAM_TASK_GROUP_STATUS 107033 /**< The task group is in the wrong state. */
#define ACL_ERROR_STREAM_TASK_GROUP_INTR 107034 /**< The task group was interrupted. */
#define ACL_ERROR_RT_TASK_ABORT_STOP 107035 /**< Tasks were stopped by an abort. */
#define ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED 107036 /**< Begin and end of a capture do not match. */
#define ACL_ERROR_RT_MODEL_RUNNING 107037 /**< The model is running. */
#define ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD 107038 /**< Another thread began this capture. */
#define ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039 /**< The caller's array is too short. */
#define ACL_ERROR_RT_MODEL_UPDATE_FAILED 107040 /**< The model could not be updated. */
#define ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC 107041 /**< The capture mode forbids this asynchronous call. */
#define ACL_ERROR_RT_SYMBOL_NOT_FOUND 107042 /**< No such symbol. */
#define ACL_ERROR_RT_INVALID_SYMBOL 107043 /**< The symbol is not acceptable. */
#define ACL_ERROR_RT_INVALID_DEVICE_FUNCTION 107044 /**< The device function is not acceptable. */
#define ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING 107045 /**< A graph inside this one is being captured. */

/* 207000: what is lacking. */
#define ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000 /**< This feature is not supported here. */
#define ACL_ERROR_RT_MEMORY_ALLOCATION 207001 /**< Out of memory. */
#define ACL_ERROR_RT_MEMORY_FREE 207002 /**< Memory could not be freed. */
#define ACL_ERROR_RT_AICORE_OVER_FLOW 207003 /**< A number overflowed on an AI core. */
#define ACL_ERROR_RT_NO_DEVICE 207004 /**< There is no device. */
#define ACL_ERROR_RT_RESOURCE_ALLOC_FAIL 207005 /**< A resource could not be had. */
#define ACL_ERROR_RT_NO_PERMISSION 207006 /**< Not permitted. */
#define ACL_ERROR_RT_NO_EVENT_RESOURCE 207007 /**< No more events. */
#define ACL_ERROR_RT_NO_STREAM_RESOURCE 207008 /**< No more streams. */
#define ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009 /**< No more notifies. */
#define ACL_ERROR_RT_NO_MODEL_RESOURCE 207010 /**< No more models. */
#define ACL_ERROR_RT_NO_CDQ_RESOURCE 207011 /**< No more queues. */
#define ACL_ERROR_RT_OVER_LIMIT 207012 /**< A limit is exceeded. */
#define ACL_ERROR_RT_QUEUE_EMPTY 207013 /**< The queue is empty. */
#define ACL_ERROR_RT_QUEUE_FULL 207014 /**< The queue is full. */
#define ACL_ERROR_RT_REPEATED_INIT 207015 /**< Initialised already. */
#define ACL_ERROR_RT_AIVEC_OVER_FLOW 207016 /**< A number overflowed on a vector core. */
#define ACL_ERROR_RT_OVER_FLOW 207017 /**< A number overflowed. */
#define ACL_ERROR_RT_DEVICE_OOM 207018 /**< The device is out of memory. */
#define ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP 207019 /**< This operator can't be updated. */
#define ACL_ERROR_RT_TIMEOUT 207020 /**< It took too long. */
#define ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED 207021 /**< This kind of link is not supported. */

/* 507000: what went wrong inside, or on the device. */
#define ACL_ERROR_RT_INTERNAL_ERROR 507000 /**< An internal error. */
#define ACL_ERROR_RT_TS_ERROR 507001 /**< The task scheduler failed. */
#define ACL_ERROR_RT_STREAM_TASK_FULL 507002 /**< The stream has no room for a task. */
#define ACL_ERROR_RT_STREAM_TASK_EMPTY 507003 /**< The stream has no task. */
#define ACL_ERROR_RT_STREAM_NOT_COMPLETE 507004 /**< The stream has work left. */
#define ACL_ERROR_RT_END_OF_SEQUENCE 507005 /**< The sequence is at its end. */
#define ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006 /**< The event has not come. */
#define ACL_ERROR_RT_CONTEXT_RELEASE_ERROR 507007 /**< The context could not be released. */
#define ACL_ERROR_RT_SOC_VERSION 507008 /**< The chip is not known. */
#define ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT 507009 /**< This kind of task is not supported. */
#define ACL_ERROR_RT_LOST_HEARTBEAT 507010 /**< The device does not answer. */
#define ACL_ERROR_RT_MODEL_EXECUTE 507011 /**< The model failed. */
#define ACL_ERROR_RT_REPORT_TIMEOUT 507012 /**< No report came in time. */
#define ACL_ERROR_RT_SYS_DMA 507013 /**< A system copy failed. */
#define ACL_ERROR_RT_AICORE_TIMEOUT 507014 /**< An AI core took too long. */
#define ACL_ERROR_RT_AICORE_EXCEPTION 507015 /**< An AI core failed; an access outside memory is the usual cause. */
#define ACL_ERROR_RT_AICORE_TRAP_EXCEPTION 507016 /**< An AI core trapped. */
#define ACL_ERROR_RT_AICPU_TIMEOUT 507017 /**< An AI CPU took too long. */
#define ACL_ERROR_RT_AICPU_EXCEPTION 507018 /**< An AI CPU failed; an index out of range is a usual cause. */
#define ACL_ERROR_RT_AICPU_DATADUMP_RSP_ERR 507019 /**< An AI CPU did not dump its data. */
#define ACL_ERROR_RT_AICPU_MODEL_RSP_ERR 507020 /**< An AI CPU did not answer for a model. */
#define ACL_ERROR_RT_PROFILING_ERROR 507021 /**< Profiling failed. */
#define ACL_ERROR_RT_IPC_ERROR 507022 /**< Communication between processes failed. */
#define ACL_ERROR_RT_MODEL_ABORT_NORMAL 507023 /**< The model ended early, as asked. */
#define ACL_ERROR_RT_KERNEL_UNREGISTERING 507024 /**< The kernel is being removed. */
#define ACL_ERROR_RT_RINGBUFFER_NOT_INIT 507025 /**< The ring buffer does not exist. */
#define ACL_ERROR_RT_RINGBUFFER_NO_DATA 507026 /**< The ring buffer is empty. */
#define ACL_ERROR_RT_KERNEL_LOOKUP 507027 /**< No such kernel. */
#define ACL_ERROR_RT_KERNEL_DUPLICATE 507028 /**< There is such a kernel already. */
#define ACL_ERROR_RT_DEBUG_REGISTER_FAIL 507029 /**< Debugging could not be switched on. */
#define ACL_ERROR_RT_DEBUG_UNREGISTER_FAIL 507030 /**< Debugging could not be switched off. */
#define ACL_ERROR_RT_LABEL_CONTEXT 507031 /**< The label is of another context. */
#define ACL_ERROR_RT_PROGRAM_USE_OUT 507032 /**< No room for programs is left. */
#define ACL_ERROR_RT_DEV_SETUP_ERROR 507033 /**< The device could not be set up. */
#define ACL_ERROR_RT_VECTOR_CORE_TIMEOUT 507034 /**< A vector core took too long. */
#define ACL_ERROR_RT_VECTOR_CORE_EXCEPTION 507035 /**< A vector core failed, as by an access outside memory. */
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION 507036 /**< A vector core trapped. */
#define ACL_ERROR_RT_CDQ_BATCH_ABNORMAL 507037 /**< A batch of the queue failed. */
#define ACL_ERROR_RT_DIE_MODE_CHANGE_ERROR 507038 /**< The die mode could not be changed. */
#define ACL_ERROR_RT_DIE_SET_ERROR 507039 /**< The die could not be set. */
#define ACL_ERROR_RT_INVALID_DIEID 507040 /**< No such die. */
#define ACL_ERROR_RT_DIE_MODE_NOT_SET 507041 /**< No die mode is set. */
#define ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW 507042 /**< An AI core read outside its memory. */
#define ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW 507043 /**< An AI core wrote outside its memory. */
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW 507044 /**< A vector core read outside its memory. */
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW 507045 /**< A vector core wrote outside its memory. */
#define ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046 /**< The stream was not done in time. */
#define ACL_ERROR_RT_EVENT_SYNC_TIMEOUT 507047 /**< The event did not come in time. */
#define ACL_ERROR_RT_FFTS_PLUS_TIMEOUT 507048 /**< A group of sub-tasks took too long. */
#define ACL_ERROR_RT_FFTS_PLUS_EXCEPTION 507049 /**< A group of sub-tasks failed. */
#define ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION 507050 /**< A group of sub-tasks trapped. */
#define ACL_ERROR_RT_SEND_MSG 507051 /**< A message could not be sent. */
#define ACL_ERROR_RT_COPY_DATA 507052 /**< Data could not be copied. */
#define ACL_ERROR_RT_DEVICE_MEM_ERROR 507053 /**< The device's memory is faulty. */
#define ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR 507054 /**< The device's memory has bits that can't be corrected. */
#define ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR 507055 /**< The device's memory may be faulty. */
#define ACL_ERROR_RT_LINK_ERROR 507056 /**< A link is faulty. */
#define ACL_ERROR_RT_SUSPECT_REMOTE_ERROR 507057 /**< The other end of a link may be faulty. */
#define ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899 /**< The driver failed. */
#define ACL_ERROR_RT_AICPU_INTERNAL_ERROR 507900 /**< An AI CPU's system failed. */
#define ACL_ERROR_RT_SOCKET_CLOSE 507901 /**< The connection to the device is closed. */
#define ACL_ERROR_RT_AICPU_INFO_LOAD_RSP_ERR 507902 /**< An AI CPU did not load its information. */
#define ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903 /**< The capture is no longer of use. */
#define ACL_ERROR_RT_COMM_OP_RETRY_FAIL 507904 /**< A communication operator failed again. */
#define ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT 507905 /**< The process was not locked in time. */
#define ACL_ERROR_SNAPSHOT_LOCK_FAILED 507906 /**< The process could not be locked. */
#define ACL_ERROR_SNAPSHOT_UNLOCK_FAILED 507907 /**< The process could not be unlocked. */
#define ACL_ERROR_SNAPSHOT_BACKUP_FAILED 507908 /**< The process could not be saved. */
#define ACL_ERROR_SNAPSHOT_RESTORE_FAILED 507909 /**< The process could not be restored. */
#define ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED 507910 /**< This host memory is registered already. */
#define ACL_ERROR_HOST_MEMORY_NOT_REGISTERED 507911 /**< This host memory is not registered. */
#define ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912 /**< A callback of a snapshot failed. */
#define ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED 507913 /**< A callback of a snapshot could not be registered. */
#define ACL_ERROR_RT_L3_PORT_ERROR 507914 /**< A port is faulty. */
#define ACL_ERROR_RT_CCU_TIMEOUT 507915 /**< A collective communication unit took too long. */
#define ACL_ERROR_RT_CCU_EXCEPTION 507916 /**< A collective communication unit failed. */

#endif
