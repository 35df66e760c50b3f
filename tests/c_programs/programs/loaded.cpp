// Loads CANN as Python's ctypes does: every library by its path, with RTLD_LOCAL, and every
// function by its name. The argument is the folder of the libraries; no CANN library is linked.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_scatter_add.h"

// Loads a function and names it with a trailing underscore.
#define FUNCTION(library, name) const auto name##_ = reinterpret_cast<decltype(&name)>(find(library, #name))

#define MUST(condition)                                        \
    do {                                                       \
        if (!(condition)) {                                    \
            fprintf(stderr, "%s does not hold\n", #condition); \
            return 1;                                          \
        }                                                      \
    } while (0)

namespace {
void* load(const std::string& path)
{
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        fprintf(stderr, "%s\n", dlerror());
        std::exit(1);
    }
    return library;
}

void* find(void* library, const char* name)
{
    void* found = dlsym(library, name);
    if (found == nullptr) {
        fprintf(stderr, "%s\n", dlerror());
        std::exit(1);
    }
    return found;
}
} // namespace

int main(int argc, char** argv)
{
    MUST(argc == 2);
    const std::string folder = argv[1];
    void* runtime = load(folder + "/libascendcl.so");
    void* tensors = load(folder + "/libnnopbase.so");
    void* operators = load(folder + "/libopapi.so");
    FUNCTION(runtime, aclInit);
    FUNCTION(runtime, aclFinalize);
    FUNCTION(runtime, aclrtSetDevice);
    FUNCTION(runtime, aclrtResetDevice);
    FUNCTION(runtime, aclrtMalloc);
    FUNCTION(runtime, aclrtFree);
    FUNCTION(runtime, aclrtMemcpy);
    FUNCTION(runtime, aclrtSynchronizeStream);
    FUNCTION(tensors, aclCreateTensor);
    FUNCTION(tensors, aclDestroyTensor);
    FUNCTION(operators, aclnnScatterAddGetWorkspaceSize);
    FUNCTION(operators, aclnnScatterAdd);
    // Both names lead to the same library, so there is only one CANN.
    MUST(find(runtime, "aclCreateTensor") == reinterpret_cast<void*>(aclCreateTensor_));

    MUST(aclInit_(nullptr) == 0);
    MUST(aclrtSetDevice_(0) == 0);
    struct {
        float self[3] = {1, 2, 3}, src[2] = {10, 20};
        int64_t index[2] = {2, 2};
    } host;
    void* device = nullptr;
    MUST(aclrtMalloc_(&device, sizeof host, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    MUST(aclrtMemcpy_(device, sizeof host, &host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    const auto tensor = [&](const void* member, int64_t elements, aclDataType dtype) {
        const auto offset = static_cast<const char*>(member) - reinterpret_cast<const char*>(&host);
        return aclCreateTensor_(
            &elements, 1, dtype, nullptr, 0, ACL_FORMAT_ND, &elements, 1, static_cast<char*>(device) + offset);
    };
    aclTensor *self = tensor(host.self, 3, ACL_FLOAT), *src = tensor(host.src, 2, ACL_FLOAT);
    aclTensor* index = tensor(host.index, 2, ACL_INT64);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    MUST(aclnnScatterAddGetWorkspaceSize_(self, 0, index, src, self, &size, &executor) == 0);
    MUST(aclnnScatterAdd_(nullptr, size, executor, nullptr) == 0);
    MUST(aclrtSynchronizeStream_(nullptr) == 0);
    MUST(aclrtMemcpy_(&host, sizeof host, device, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    MUST(host.self[0] == 1 && host.self[1] == 2 && host.self[2] == 33);
    for (aclTensor* each : {self, src, index}) {
        MUST(aclDestroyTensor_(each) == 0);
    }
    MUST(aclrtFree_(device) == 0);
    MUST(aclrtResetDevice_(0) == 0);
    MUST(aclFinalize_() == 0);
    for (void* library : {operators, tensors, runtime}) {
        dlclose(library);
    }
    return 0;
}
