// aclnnIndexPutImpl with an index out of range: nothing is written, and aclnnScatterStreamStatus
// says which value it was, by its place in the shape of all index tensors.
#include "aclnnop/aclnn_index_put_impl.h"
#include "aclnnop/aclnn_scatter_status.h"
#include "tensor_list.hpp"

int main()
{
    Session session;
    const std::vector<float> before = {0, 1, 2, 3, 4, 5};
    Tensor<float> matrix({2, 3}, before);
    Tensor<int64_t> bad({2}, {0, 2});
    Tensor<float> one({1}, {7});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    aclTensorList* indices = list_of({tensor_of({2}, ACL_INT64, bad.address())});
    CALL(aclnnIndexPutImplGetWorkspaceSize(matrix.get(), indices, one.get(), false, false, &size, &executor));
    CALL(aclnnIndexPutImpl(nullptr, size, executor, session.stream()));
    HOLDS(aclrtSynchronizeStream(session.stream()) != ACL_SUCCESS);
    aclnnScatterStatusInfo info;
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.rank == 1 && info.position[0] == 1 && info.value == 2 && info.size == 2);
    expect("matrix", matrix.values(), before);
    CALL(aclDestroyTensorList(indices));
    return 0;
}
