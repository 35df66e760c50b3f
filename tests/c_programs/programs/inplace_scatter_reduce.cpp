// aclnnInplaceScatterReduce: the maximum of each group, in the narrowest dtype and along the outer
// axis.
#include "aclnn_scatter_reduce.h"
#include "tensor.hpp"

int main()
{
    Session session;
    constexpr int64_t kMax = 3, kMean = 5;
    Tensor<int8_t> groups({3, 2}, {-100, -100, -100, -100, -100, -100});
    Tensor<int8_t> src({4, 2}, {5, -6, 127, -128, 7, 8, -9, 10});
    Tensor<int32_t> index({4, 2}, {0, 0, 2, 2, 0, 2, 2, 0});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnInplaceScatterReduceGetWorkspaceSize(
        groups.get(), 0, index.get(), src.get(), kMax, true, &size, &executor));
    run(aclnnInplaceScatterReduce, size, executor, session.stream());
    expect("largest", groups.values(), {7, 10, -100, -100, 127, 8});

    // The mean of integers is rounded down.
    Tensor<int64_t> means({2}, {50, 50}), numbers({3}, {-1, -2, 4});
    Tensor<int64_t> places({3}, {0, 0, 1});
    CALL(aclnnInplaceScatterReduceGetWorkspaceSize(
        means.get(), 0, places.get(), numbers.get(), kMean, false, &size, &executor));
    run(aclnnInplaceScatterReduce, size, executor, session.stream());
    expect("means", means.values(), {-2, 4});
    return 0;
}
