// aclnnIndexAdd: rows that are added to a table, halved.
#include "aclnnop/aclnn_index_add.h"
#include "tensor.hpp"

int main()
{
    Session session;
    const std::vector<float> before = {1, 1, 1, 1, 1, 1};
    Tensor<float> table({3, 2}, before);
    Tensor<float> out({3, 2}, std::vector<float>(6, -1));
    Tensor<int64_t> rows({3}, {2, 0, 2});
    Tensor<float> source({3, 2}, {2, 4, 6, 8, 10, 12});
    float half = 0.5F;
    aclScalar* alpha = aclCreateScalar(&half, ACL_FLOAT);
    HOLDS(alpha != nullptr);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnIndexAddGetWorkspaceSize(table.get(), 0, rows.get(), source.get(), alpha, out.get(), &size, &executor));
    run(aclnnIndexAdd, size, executor, session.stream());
    expect("out", out.values(), {4, 5, 1, 1, 7, 9});
    expect("table", table.values(), before);
    CALL(aclDestroyScalar(alpha));
    return 0;
}
