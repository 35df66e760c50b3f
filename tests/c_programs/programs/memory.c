/* Device and host memory in C: copies of every kind, fills, 2D copies, and the amount of memory. */
#include <string.h>

#include "acl/acl.h"
#include "check.h"

enum { BYTES = 1000, ROWS = 4, WIDTH = 5, PITCH = 32 };

static void copies(aclrtStream stream)
{
    unsigned char from[BYTES], to[BYTES];
    for (int i = 0; i < BYTES; ++i) {
        from[i] = (unsigned char)(i * 7);
    }
    void *first = NULL, *second = NULL, *pinned = NULL;
    CALL(aclrtMalloc(&first, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMallocAlign32(&second, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
    CALL(aclrtMallocHost(&pinned, BYTES));
    HOLDS((uintptr_t)first % 32 == 0 && (uintptr_t)second % 32 == 0);

    CALL(aclrtMemcpy(first, BYTES, from, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    CALL(aclrtMemcpy(second, BYTES, first, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
    CALL(aclrtMemcpy(to, BYTES, second, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    HOLDS(memcmp(from, to, BYTES) == 0);

    /* The same operations on a stream, which runs them in order. */
    memcpy(pinned, from, BYTES);
    CALL(aclrtMemsetAsync(first, BYTES, 0x5A, BYTES, stream));
    CALL(aclrtMemcpyAsync(second, BYTES, pinned, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CALL(aclrtMemcpyAsync(second, BYTES, first, BYTES / 2, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CALL(aclrtMemcpyAsync(pinned, BYTES, second, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CALL(aclrtSynchronizeStream(stream));
    for (int i = 0; i < BYTES; ++i) {
        HOLDS(((unsigned char*)pinned)[i] == (i < BYTES / 2 ? 0x5A : from[i]));
    }
    CALL(aclrtMemset(second, BYTES, 0, BYTES));
    CALL(aclrtMemcpy(to, BYTES, second, BYTES, ACL_MEMCPY_DEFAULT));
    for (int i = 0; i < BYTES; ++i) {
        HOLDS(to[i] == 0);
    }
    CALL(aclrtFree(first));
    CALL(aclrtFree(second));
    CALL(aclrtFreeHost(pinned));
}

static void rectangles(void)
{
    char from[ROWS * WIDTH], to[ROWS * WIDTH];
    for (int i = 0; i < ROWS * WIDTH; ++i) {
        from[i] = (char)i;
    }
    void* memory = NULL;
    CALL(aclrtMalloc(&memory, ROWS * PITCH, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMemcpy2d(memory, PITCH, from, WIDTH, WIDTH, ROWS, ACL_MEMCPY_HOST_TO_DEVICE));
    CALL(aclrtMemcpy2d(to, WIDTH, memory, PITCH, WIDTH, ROWS, ACL_MEMCPY_DEVICE_TO_HOST));
    HOLDS(memcmp(from, to, sizeof from) == 0);
    CALL(aclrtMemcpy(to, sizeof to, (char*)memory + 2 * PITCH, WIDTH, ACL_MEMCPY_DEVICE_TO_HOST));
    HOLDS(memcmp(from + 2 * WIDTH, to, WIDTH) == 0);
    CALL(aclrtFree(memory));
}

static void amounts(void)
{
    size_t before = 0, between = 0, after = 0, total = 0;
    void* memory = NULL;
    CALL(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    HOLDS(before > 0 && before <= total);
    CALL(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtGetMemInfo(ACL_HBM_MEM, &between, &total));
    CALL(aclrtFree(memory));
    CALL(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    HOLDS(before - between >= 1 << 20 && after == before);
    /* More memory than the device has. */
    memory = NULL;
    REFUSED(aclrtMalloc(&memory, total + 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    HOLDS(memory == NULL);
}

static void attributes(void)
{
    void* memory = NULL;
    aclrtPtrAttributes told;
    CALL(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtPointerGetAttributes(memory, &told));
    HOLDS(told.location.type == ACL_MEM_LOCATION_TYPE_DEVICE && told.location.id == 1);
    CALL(aclrtFree(memory));
}

int main(void)
{
    CALL(aclInit(NULL));
    CALL(aclrtSetDevice(1));
    int32_t device = -1;
    CALL(aclrtGetDevice(&device));
    HOLDS(device == 1);
    aclrtStream stream = NULL;
    CALL(aclrtCreateStream(&stream));
    copies(stream);
    rectangles();
    amounts();
    attributes();
    CALL(aclrtDestroyStream(stream));
    CALL(aclrtResetDevice(1));
    CALL(aclFinalize());
    return 0;
}
