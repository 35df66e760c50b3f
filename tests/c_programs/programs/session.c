/* Makes, changes and compares tensors as a session of torch_npu or MindSpore does: every function is looked up by its name
 * through the handle of libopapi.so, those of tensors and the runtime, too. The argument is the folder of the libraries. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

#define MUST(condition)                                        \
    do {                                                       \
        if (!(condition)) {                                    \
            fprintf(stderr, "%s does not hold\n", #condition); \
            exit(1);                                           \
        }                                                      \
    } while (0)

/* Looks a function up; a pointer to an object has to take the detour by memcpy in C. */
#define FIND(place, name)                       \
    do {                                        \
        void* found = dlsym(library, name);     \
        if (found == NULL) {                    \
            fprintf(stderr, "%s\n", dlerror()); \
            exit(1);                            \
        }                                       \
        memcpy(&(place), &found, sizeof found); \
    } while (0)

#define LOOK_UP(name)          \
    __typeof__(&name) name##_; \
    FIND(name##_, #name)

typedef aclnnStatus (*phase_two)(void*, uint64_t, aclOpExecutor*, aclrtStream);

int main(int argc, char** argv)
{
    MUST(argc == 2);
    char path[4096];
    snprintf(path, sizeof path, "%s/libopapi.so", argv[1]);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    LOOK_UP(aclInit);
    LOOK_UP(aclFinalize);
    LOOK_UP(aclrtSetDevice);
    LOOK_UP(aclrtResetDevice);
    LOOK_UP(aclrtMalloc);
    LOOK_UP(aclrtFree);
    LOOK_UP(aclrtMemcpy);
    LOOK_UP(aclrtSynchronizeStream);
    LOOK_UP(aclGetRecentErrMsg);
    LOOK_UP(aclCreateTensor);
    LOOK_UP(aclDestroyTensor);
    LOOK_UP(aclCreateScalar);
    LOOK_UP(aclDestroyScalar);
    LOOK_UP(aclCreateIntArray);
    LOOK_UP(aclDestroyIntArray);
    aclnnStatus (*ones)(aclTensor*, uint64_t*, aclOpExecutor**);
    aclnnStatus (*add)(aclTensor*, const aclTensor*, const aclScalar*, uint64_t*, aclOpExecutor**);
    aclnnStatus (*sum)(const aclTensor*, const aclIntArray*, bool, aclDataType, aclTensor*, uint64_t*, aclOpExecutor**);
    aclnnStatus (*equal)(const aclTensor*, const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
    phase_two run_ones, run_add, run_sum, run_equal;
    FIND(ones, "aclnnInplaceOneGetWorkspaceSize");
    FIND(run_ones, "aclnnInplaceOne");
    FIND(add, "aclnnInplaceAddGetWorkspaceSize");
    FIND(run_add, "aclnnInplaceAdd");
    FIND(sum, "aclnnReduceSumGetWorkspaceSize");
    FIND(run_sum, "aclnnReduceSum");
    FIND(equal, "aclnnEqualGetWorkspaceSize");
    FIND(run_equal, "aclnnEqual");

    MUST(aclInit_(NULL) == 0);
    MUST(aclrtSetDevice_(0) == 0);
    struct {
        float weight[6], gradient[6], sums[2];
        bool is_equal;
    } host = {.gradient = {1, 2, 3, 4, 5, 6}};
    char* device = NULL;
    MUST(aclrtMalloc_((void**)&device, sizeof host, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    MUST(aclrtMemcpy_(device, sizeof host, &host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    const int64_t shape[2] = {2, 3}, two = 2, one = 1;
#define AT(member) (device + ((char*)&host.member - (char*)&host))
#define TENSOR(member, sizes, rank, dtype) \
    aclCreateTensor_(sizes, rank, dtype, NULL, 0, ACL_FORMAT_ND, sizes, rank, AT(member))
    aclTensor *weight = TENSOR(weight, shape, 2, ACL_FLOAT), *gradient = TENSOR(gradient, shape, 2, ACL_FLOAT);
    aclTensor *sums = TENSOR(sums, &two, 1, ACL_FLOAT), *is_equal = TENSOR(is_equal, &one, 1, ACL_BOOL);
    float minus_half = -0.5F;
    aclScalar* alpha = aclCreateScalar_(&minus_half, ACL_FLOAT);
    const int64_t last = -1;
    aclIntArray* dims = aclCreateIntArray_(&last, 1);

    /* A step of gradient descent, and a look at what it has made. */
    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
    MUST(ones(weight, &size, &executor) == 0 && run_ones(NULL, size, executor, NULL) == 0);
    MUST(add(weight, gradient, alpha, &size, &executor) == 0 && run_add(NULL, size, executor, NULL) == 0);
    MUST(sum(weight, dims, false, ACL_FLOAT, sums, &size, &executor) == 0 && run_sum(NULL, size, executor, NULL) == 0);
    MUST(equal(weight, gradient, is_equal, &size, &executor) == 0 && run_equal(NULL, size, executor, NULL) == 0);
    /* What is refused says why. */
    MUST(add(weight, sums, alpha, &size, &executor) == 161002);
    const char* words = "aclnnInplaceAddGetWorkspaceSize: ";
    const char* told = aclGetRecentErrMsg_();
    MUST(told != NULL && strstr(told, words) != NULL && strstr(told, "other: a shape that can be broadcast") != NULL);
    MUST(aclrtSynchronizeStream_(NULL) == 0);
    MUST(aclrtMemcpy_(&host, sizeof host, device, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    MUST(host.weight[0] == 0.5F && host.weight[5] == -2.0F);
    MUST(host.sums[0] == 0.0F && host.sums[1] == -4.5F);
    MUST(!host.is_equal);

    MUST(aclDestroyTensor_(weight) == 0 && aclDestroyTensor_(gradient) == 0);
    MUST(aclDestroyTensor_(sums) == 0 && aclDestroyTensor_(is_equal) == 0);
    MUST(aclDestroyScalar_(alpha) == 0 && aclDestroyIntArray_(dims) == 0);
    MUST(aclrtFree_(device) == 0);
    MUST(aclrtResetDevice_(0) == 0);
    MUST(aclFinalize_() == 0);
    dlclose(library);
    return 0;
}
