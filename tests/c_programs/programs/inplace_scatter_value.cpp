// aclnnInplaceScatterValue with a scalar that is destroyed before phase two.
#include "aclnnop/aclnn_scatter.h"
#include "tensor.hpp"

int main()
{
    Session session;
    Tensor<float> mask({2, 2, 3}, std::vector<float>(12, 0));
    Tensor<int32_t> index({2, 2, 1}, {0, 2, 1, -1});
    float one = 1;
    aclScalar* value = aclCreateScalar(&one, ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnInplaceScatterValueGetWorkspaceSize(mask.get(), 2, index.get(), value, 0, &size, &executor));
    CALL(aclDestroyScalar(value));
    run(aclnnInplaceScatterValue, size, executor, session.stream());
    expect("mask", mask.values(), {1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1});
    return 0;
}
