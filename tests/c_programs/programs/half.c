/* aclnnScatterAdd in C, on f16: sums are rounded once, and elements without updates are unchanged. */
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "check.h"

enum { SELF = 4, UPDATES = 3 };

static aclTensor* tensor(aclDataType dtype, const void* values, int64_t elements, size_t size, void** memory)
{
    CALL(aclrtMalloc(memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMemcpy(*memory, size, values, size, ACL_MEMCPY_HOST_TO_DEVICE));
    const int64_t stride = 1;
    aclTensor* made = aclCreateTensor(&elements, 1, dtype, &stride, 0, ACL_FORMAT_ND, &elements, 1, *memory);
    HOLDS(made != NULL);
    return made;
}

int main(void)
{
    CALL(aclInit(NULL));
    CALL(aclrtSetDevice(0));
    aclrtStream stream = NULL;
    CALL(aclrtCreateStream(&stream));

    aclFloat16 self_values[SELF], src_values[UPDATES], out_values[SELF];
    for (int i = 0; i < SELF; ++i) {
        self_values[i] = aclFloatToFloat16(1.0F);
    }
    /* 1 + 2048 + 0.75 + 0.75 is 2050 if rounded once, and 2048 if rounded at every step. */
    src_values[0] = aclFloatToFloat16(2048.0F);
    src_values[1] = src_values[2] = aclFloatToFloat16(0.75F);
    const int32_t index_values[UPDATES] = {1, 1, 1};

    void* memory[3];
    aclTensor* self = tensor(ACL_FLOAT16, self_values, SELF, sizeof self_values, &memory[0]);
    aclTensor* src = tensor(ACL_FLOAT16, src_values, UPDATES, sizeof src_values, &memory[1]);
    aclTensor* index = tensor(ACL_INT32, index_values, UPDATES, sizeof index_values, &memory[2]);

    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
    CALL(aclnnScatterAddGetWorkspaceSize(self, 0, index, src, self, &size, &executor));
    void* workspace = NULL;
    if (size > 0) {
        CALL(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CALL(aclnnScatterAdd(workspace, size, executor, stream));
    CALL(aclrtSynchronizeStream(stream));
    CALL(aclrtMemcpy(out_values, sizeof out_values, memory[0], sizeof out_values, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < SELF; ++i) {
        const float value = aclFloat16ToFloat(out_values[i]);
        printf("%g\n", (double)value);
        HOLDS(value == (i == 1 ? 2050.0F : 1.0F));
    }

    /* The shape is returned in an array from C++'s new[], which C can only release by free. */
    int64_t* shape = NULL;
    uint64_t rank = 0;
    CALL(aclGetViewShape(self, &shape, &rank));
    HOLDS(rank == 1 && shape[0] == SELF);
    free(shape);

    if (workspace != NULL) {
        CALL(aclrtFree(workspace));
    }
    CALL(aclDestroyTensor(self));
    CALL(aclDestroyTensor(src));
    CALL(aclDestroyTensor(index));
    for (int i = 0; i < 3; ++i) {
        CALL(aclrtFree(memory[i]));
    }
    CALL(aclrtDestroyStream(stream));
    CALL(aclrtResetDevice(0));
    CALL(aclFinalize());
    return 0;
}
