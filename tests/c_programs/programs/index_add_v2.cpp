// aclnnIndexAddV2: rows that are added to a table in place.
#include "aclnnop/aclnn_index_add_v2.h"
#include "tensor.hpp"

int main()
{
    Session session;
    Tensor<float> table({3, 2}, {1, 1, 1, 1, 1, 1});
    Tensor<int64_t> rows({3}, {2, 0, 2});
    Tensor<float> source({3, 2}, {2, 4, 6, 8, 10, 12});
    int64_t one = 1;
    aclScalar* alpha = aclCreateScalar(&one, ACL_INT64);
    HOLDS(alpha != nullptr);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    // torch_npu passes the same tensor as self and out, dim 0 and mode 0.
    CALL(aclnnIndexAddV2GetWorkspaceSize(
        table.get(), 0, rows.get(), source.get(), alpha, 0, table.get(), &size, &executor));
    run(aclnnIndexAddV2, size, executor, session.stream());
    expect("table", table.values(), {7, 9, 1, 1, 13, 17});
    CALL(aclDestroyScalar(alpha));
    return 0;
}
