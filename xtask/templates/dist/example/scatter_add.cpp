// aclnnScatterAdd of five numbers, as a program for CANN calls it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_scatter_add.h"

// Ends the program where a call fails.
static void check(int code, const char* call)
{
    if (code != 0) {
        const char* message = aclGetRecentErrMsg();
        std::fprintf(stderr, "%s: %d: %s\n", call, code, message == nullptr ? "" : message);
        std::exit(1);
    }
}
#define CHECK(call) check(call, #call)

// Memory of the device with these bytes.
static void* on_device(const void* data, size_t bytes)
{
    void* memory = nullptr;
    CHECK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(memory, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    return memory;
}

// A tensor of one row.
static aclTensor* row(void* memory, int64_t size, aclDataType dtype)
{
    const int64_t shape[] = {1, size}, strides[] = {size, 1};
    return aclCreateTensor(shape, 2, dtype, strides, 0, ACL_FORMAT_ND, shape, 2, memory);
}

int main()
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));

    std::vector<float> values = {1, 2, 3, 4, 5};
    const std::vector<float> updates = {8, 8};
    const std::vector<int64_t> places = {2, 4};
    void* self = on_device(values.data(), 5 * sizeof(float));
    void* src = on_device(updates.data(), 2 * sizeof(float));
    void* index = on_device(places.data(), 2 * sizeof(int64_t));
    aclTensor* tensors[] = {row(self, 5, ACL_FLOAT), row(index, 2, ACL_INT64), row(src, 2, ACL_FLOAT)};

    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnScatterAddGetWorkspaceSize(tensors[0], 1, tensors[1], tensors[2], tensors[0], &size, &executor));
    void* workspace = nullptr;
    if (size > 0) {
        CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CHECK(aclnnScatterAdd(workspace, size, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(values.data(), 5 * sizeof(float), self, 5 * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST));
    for (size_t place = 0; place < values.size(); ++place) {
        std::printf("%s%g", place == 0 ? "" : " ", static_cast<double>(values[place]));
    }
    std::printf("\n");

    for (aclTensor* tensor : tensors) {
        CHECK(aclDestroyTensor(tensor));
    }
    if (workspace != nullptr) {
        CHECK(aclrtFree(workspace));
    }
    for (void* memory : {self, src, index}) {
        CHECK(aclrtFree(memory));
    }
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
