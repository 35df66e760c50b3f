/* Every misuse of the runtime and of tensors that the documentation lists, and the code that it returns. */
#include <string.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "check.h"

/* A handle that was never created. */
static void* const wild = (void*)(uintptr_t)0xABCDE0;

static void no_runtime(void)
{
    void* memory = NULL;
    aclrtStream stream = NULL;
    uint64_t left = 0;
    REFUSED(aclrtResetDevice(0), ACL_ERROR_UNINITIALIZE);
    REFUSED(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_UNINITIALIZE);
    REFUSED(aclrtCreateStream(&stream), ACL_ERROR_UNINITIALIZE);
    REFUSED(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    REFUSED(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
    REFUSED(aclInit("no/such/file.json"), ACL_ERROR_INVALID_FILE);
}

static void no_device(void)
{
    void* memory = NULL;
    aclrtStream stream = NULL;
    aclrtContext context = NULL;
    int32_t device = 0;
    REFUSED(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    REFUSED(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    REFUSED(aclrtMallocHost(&memory, 64), ACL_ERROR_RT_CONTEXT_NULL);
    REFUSED(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    REFUSED(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
    REFUSED(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    REFUSED(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID);
    REFUSED(aclrtCreateContext(&context, 99), ACL_ERROR_RT_INVALID_DEVICEID);
    REFUSED(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    REFUSED(aclrtSetCurrentContext(wild), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtDestroyContext(wild), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM);
}

static void allocations(void)
{
    size_t free_bytes = 0, total = 0;
    void *memory = NULL, *pinned = NULL;
    CALL(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    REFUSED(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    REFUSED(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    REFUSED(aclrtMalloc(&memory, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    REFUSED(aclrtMalloc(&memory, total, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    HOLDS(memory == NULL);
    CALL(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMallocHost(&pinned, 64));
    REFUSED(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    REFUSED(aclrtFree(wild), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtFree((char*)memory + 32), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtFree(pinned), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtFreeHost(memory), ACL_ERROR_RT_PARAM_INVALID);
    CALL(aclrtFree(memory));
    CALL(aclrtFreeHost(pinned));
    REFUSED(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtFreeHost(pinned), ACL_ERROR_RT_PARAM_INVALID);
}

static void copies(void)
{
    char host[256] = {0};
    void *memory = NULL, *freed = NULL;
    CALL(aclrtMallocAlign32(&memory, 128, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMalloc(&freed, 128, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtFree(freed));
    REFUSED(aclrtMemcpy(NULL, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    REFUSED(aclrtMemcpy(memory, 64, NULL, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    REFUSED(aclrtMemcpy(memory, 64, host, 64, (aclrtMemcpyKind)77), ACL_ERROR_INVALID_PARAM);
    REFUSED(aclrtMemcpy(memory, 63, host, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtMemcpy(memory, 256, host, 129, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtMemcpy(memory, 64, host, 64, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtMemcpy(freed, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtMemset(memory, 129, 0, 129), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtMemset(memory, 10, 0, 11), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtMemset(freed, 64, 0, 64), ACL_ERROR_RT_PARAM_INVALID);
    CALL(aclrtFree(memory));
}

static void nothing(void* unused)
{
    (void)unused;
}

static void streams(aclrtStream other_context)
{
    aclrtStream stream = NULL;
    CALL(aclrtCreateStream(&stream));
    REFUSED(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM);
    REFUSED(aclrtLaunchHostFunc(stream, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    REFUSED(aclrtSynchronizeStreamWithTimeout(stream, -2), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM);
    CALL(aclrtDestroyStream(stream));
    REFUSED(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    REFUSED(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    REFUSED(aclrtLaunchHostFunc(stream, nothing, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    REFUSED(aclrtSynchronizeStream(wild), ACL_ERROR_RT_INVALID_HANDLE);
    REFUSED(aclrtSynchronizeStream(other_context), ACL_ERROR_RT_STREAM_CONTEXT);
    REFUSED(aclrtDestroyStream(other_context), ACL_ERROR_RT_STREAM_CONTEXT);
}

static void events(void)
{
    aclrtEvent event = NULL, never = NULL;
    float milliseconds = 0;
    CALL(aclrtCreateEvent(&event));
    CALL(aclrtCreateEvent(&never));
    REFUSED(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM);
    REFUSED(aclrtCreateEventWithFlag(&event, 0), ACL_ERROR_RT_PARAM_INVALID);
    REFUSED(aclrtEventElapsedTime(&milliseconds, event, never), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    CALL(aclrtDestroyEvent(never));
    CALL(aclrtDestroyEvent(event));
    REFUSED(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    REFUSED(aclrtRecordEvent(event, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    REFUSED(aclrtSynchronizeEvent(wild), ACL_ERROR_RT_INVALID_HANDLE);
    REFUSED(aclrtDestroyEvent(NULL), ACL_ERROR_INVALID_PARAM);
}

static void tensors(void)
{
    const int64_t shape = 2;
    int64_t* dims = NULL;
    uint64_t rank = 0;
    aclDataType dtype = ACL_DT_UNDEFINED;
    HOLDS(aclCreateTensor(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &shape, 1, NULL) == NULL);
    HOLDS(aclCreateScalar(NULL, ACL_FLOAT) == NULL);
    aclTensor* tensor = aclCreateTensor(&shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &shape, 1, NULL);
    HOLDS(tensor != NULL);
    REFUSED(aclGetViewShape(NULL, &dims, &rank), 161001);
    REFUSED(aclGetViewShape(tensor, NULL, &rank), 161001);
    REFUSED(aclGetDataType(tensor, NULL), 161001);
    CALL(aclDestroyTensor(tensor));
    CALL(aclDestroyTensor(NULL));
    REFUSED(aclDestroyTensor(tensor), 161002);
    REFUSED(aclGetDataType(tensor, &dtype), 161002);
    REFUSED(aclGetViewShape((const aclTensor*)wild, &dims, &rank), 161002);
    REFUSED(aclSetAclOpExecutorRepeatable(NULL), 561103);
    REFUSED(aclDestroyAclOpExecutor(NULL), 561103);
    REFUSED(aclDestroyAclOpExecutor((aclOpExecutor*)wild), 561000);
}

/* Functions that are not implemented return an error and never succeed. */
static void unimplemented(void)
{
    aclmdlRI graph = NULL;
    REFUSED(aclmdlRICaptureBegin(NULL, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_ERROR_API_NOT_SUPPORT);
    REFUSED(aclmdlRICaptureEnd(NULL, &graph), ACL_ERROR_API_NOT_SUPPORT);
    int32_t number = -1;
    REFUSED(aclrtGetLogicDevIdByUserDevId(0, &number), ACL_ERROR_API_NOT_SUPPORT);
    REFUSED(aclrtDeviceGetBareTgid(&number), ACL_ERROR_API_NOT_SUPPORT);
    REFUSED(aclrtHostRegisterV2(&number, sizeof number, ACL_HOST_REG_MAPPED), ACL_ERROR_API_NOT_SUPPORT);
    aclrtMemUsageInfo usage;
    size_t components = 7;
    REFUSED(aclrtGetMemUsageInfo(0, &usage, 1, &components), ACL_ERROR_API_NOT_SUPPORT);
    HOLDS(number == -1 && components == 7);
}

int main(void)
{
    no_runtime();
    CALL(aclInit(NULL));
    REFUSED(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    no_device();
    CALL(aclrtSetDevice(1));
    aclrtStream other = NULL;
    CALL(aclrtCreateStream(&other));
    CALL(aclrtSetDevice(0));
    allocations();
    copies();
    streams(other);
    events();
    tensors();
    unimplemented();
    CALL(aclrtSetDevice(1));
    CALL(aclrtDestroyStream(other));
    CALL(aclrtResetDevice(1));
    CALL(aclrtSetDevice(1));
    CALL(aclrtResetDevice(1));
    CALL(aclrtSetDevice(0));
    CALL(aclrtResetDevice(0));
    CALL(aclrtResetDevice(0));
    CALL(aclFinalize());
    REFUSED(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    REFUSED(aclrtResetDevice(0), ACL_ERROR_UNINITIALIZE);
    return 0;
}
