// aclnnGather: elements of each row.
#include "aclnnop/aclnn_gather.h"
#include "tensor.hpp"

int main()
{
    Session session;
    const std::vector<float> values = {1, 2, 3, 4, 5, 6};
    Tensor<float> table({2, 3}, values);
    Tensor<int64_t> index({2, 2}, {2, 0, 1, -3});
    Tensor<float> out({2, 2}, {0, 0, 0, 0});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnGatherGetWorkspaceSize(table.get(), 1, index.get(), out.get(), &size, &executor));
    run(aclnnGather, size, executor, session.stream());
    expect("out", out.values(), {3, 1, 5, 4});
    expect("table", table.values(), values);

    // An index without elements: there is nothing to do.
    Tensor<int32_t> none({0, 3}, {});
    Tensor<float> nothing({0, 3}, {});
    CALL(aclnnGatherGetWorkspaceSize(table.get(), 0, none.get(), nothing.get(), &size, &executor));
    run(aclnnGather, size, executor, session.stream());
    return 0;
}
