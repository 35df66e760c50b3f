// aclnnIndexCopy and aclnnInplaceIndexCopy: columns of a matrix, then rows in place.
#include "aclnnop/aclnn_index_copy.h"
#include "tensor.hpp"

int main()
{
    Session session;
    const std::vector<float> before = {1, 2, 3, 4, 5, 6};
    Tensor<float> matrix({2, 3}, before);
    Tensor<float> out({2, 3}, std::vector<float>(6, -1));
    Tensor<int64_t> columns({2}, {2, 0});
    Tensor<float> source({2, 2}, {10, 20, 30, 40});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnIndexCopyGetWorkspaceSize(matrix.get(), 1, columns.get(), source.get(), out.get(), &size, &executor));
    run(aclnnIndexCopy, size, executor, session.stream());
    expect("columns", out.values(), {20, 2, 10, 40, 5, 30});
    expect("matrix", matrix.values(), before);

    // An index without elements: out is self.
    Tensor<int32_t> none({0}, {});
    Tensor<float> nothing({2, 0}, {});
    CALL(aclnnIndexCopyGetWorkspaceSize(matrix.get(), 1, none.get(), nothing.get(), out.get(), &size, &executor));
    run(aclnnIndexCopy, size, executor, session.stream());
    expect("nothing", out.values(), before);

    // In place, along the last axis but one. Of two slices for row 1 the last one stays.
    Tensor<int32_t> rows({3}, {1, 0, -1});
    Tensor<float> three({3, 3}, {1, 1, 1, 2, 2, 2, 3, 3, 3});
    CALL(aclnnInplaceIndexCopyGetWorkspaceSize(matrix.get(), -2, rows.get(), three.get(), &size, &executor));
    run(aclnnInplaceIndexCopy, size, executor, session.stream());
    expect("rows", matrix.values(), {2, 2, 2, 3, 3, 3});
    return 0;
}
