/* A pointer to device memory, which the host may pass to CANN but not dereference. The first
 * argument says what to do with it. */
#include <string.h>

#include "check.h"

enum { BYTES = 64 };

static volatile unsigned char got;

static void follow(void* device)
{
    got = *(volatile unsigned char*)device;
}

int main(int count, char** arguments)
{
    const char* what = count > 1 ? arguments[1] : "";
    unsigned char bytes[BYTES];
    void* device = NULL;
    memset(bytes, 7, sizeof bytes);
    CALL(aclInit(NULL));
    CALL(aclrtSetDevice(0));
    CALL(aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMemcpy(device, BYTES, bytes, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    if (strcmp(what, "read") == 0) {
        follow(device);
    } else if (strcmp(what, "write") == 0) {
        memset(device, 1, BYTES);
    } else if (strcmp(what, "host function") == 0) {
        CALL(aclrtLaunchHostFunc(NULL, follow, device));
        CALL(aclrtSynchronizeStream(NULL));
    } else {
        HOLDS(strcmp(what, "copy") == 0);
        CALL(aclrtMemset(device, BYTES, 9, 1));
        CALL(aclrtMemcpy(bytes, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        HOLDS(bytes[0] == 9 && bytes[1] == 7 && bytes[BYTES - 1] == 7);
    }
    CALL(aclrtFree(device));
    CALL(aclrtResetDevice(0));
    CALL(aclFinalize());
    return 0;
}
