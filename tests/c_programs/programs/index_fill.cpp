// aclnnIndexFill and aclnnInplaceIndexFill: columns of a matrix, then rows in place.
#include "aclnnop/aclnn_index_fill.h"
#include "tensor.hpp"

int main()
{
    Session session;
    const std::vector<int32_t> before = {1, 2, 3, 4, 5, 6};
    Tensor<int32_t> matrix({2, 3}, before), out({2, 3}, std::vector<int32_t>(6, -1));
    Tensor<int64_t> columns({3}, {2, 0, 2});
    double number = -2.75; // truncated, as PyTorch does
    aclScalar* value = aclCreateScalar(&number, ACL_DOUBLE);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnIndexFillGetWorkspaceSize(matrix.get(), 1, columns.get(), value, out.get(), &size, &executor));
    run(aclnnIndexFill, size, executor, session.stream());
    expect("columns", out.values(), {-2, 2, -2, -2, 5, -2});
    expect("matrix", matrix.values(), before);

    // An index without elements: out is self.
    Tensor<int32_t> none({0}, {});
    CALL(aclnnIndexFillGetWorkspaceSize(matrix.get(), 1, none.get(), value, out.get(), &size, &executor));
    run(aclnnIndexFill, size, executor, session.stream());
    expect("nothing", out.values(), before);

    // In place, along the last axis but one. The scalar may go after phase one.
    Tensor<int32_t> rows({1}, {-1});
    CALL(aclnnInplaceIndexFillGetWorkspaceSize(matrix.get(), -2, rows.get(), value, &size, &executor));
    CALL(aclDestroyScalar(value));
    run(aclnnInplaceIndexFill, size, executor, session.stream());
    expect("rows", matrix.values(), {1, 2, 3, -2, -2, -2});
    return 0;
}
