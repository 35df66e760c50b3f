// aclnnIndexPutImpl: points of a matrix, and whole rows by one index, added and replaced.
#include "aclnnop/aclnn_index_put_impl.h"
#include "tensor_list.hpp"

int main()
{
    Session session;
    Tensor<float> matrix({2, 3}, {0, 1, 2, 3, 4, 5});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;

    // Two rows by two columns: [2, 1] and [2] are broadcast to [2, 2], as values are from [2].
    Tensor<int64_t> rows({2, 1}, {1, 0});
    Tensor<int32_t> columns({2}, {0, -1});
    Tensor<float> values({2}, {10, 20});
    aclTensorList* indices =
        list_of({tensor_of({2, 1}, ACL_INT64, rows.address()), tensor_of({2}, ACL_INT32, columns.address())});
    CALL(aclnnIndexPutImplGetWorkspaceSize(matrix.get(), indices, values.get(), true, false, &size, &executor));
    run(aclnnIndexPutImpl, size, executor, session.stream());
    expect("added", matrix.values(), {10, 1, 22, 13, 4, 25});
    CALL(aclDestroyTensorList(indices));

    // The last column alone: a tensor without elements, as torch_npu passes it, leaves axis 0
    // whole.
    Tensor<int64_t> last({1}, {2});
    Tensor<float> column({2, 1}, {-1, -2});
    indices = list_of({tensor_of({0}, ACL_FLOAT, nullptr), tensor_of({1}, ACL_INT64, last.address())});
    CALL(aclnnIndexPutImplGetWorkspaceSize(matrix.get(), indices, column.get(), false, false, &size, &executor));
    run(aclnnIndexPutImpl, size, executor, session.stream());
    expect("column", matrix.values(), {10, 1, -1, 13, 4, -2});
    CALL(aclDestroyTensorList(indices));
    return 0;
}
