// aclnnInplaceIndexCopy with an index out of range: nothing is written, and
// aclnnScatterStreamStatus says which value it was, by its place in index.
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_scatter_status.h"
#include "tensor.hpp"

int main()
{
    Session session;
    const std::vector<float> before = {1, 2, 3, 4, 5, 6};
    Tensor<float> matrix({2, 3}, before);
    Tensor<int32_t> rows({3}, {0, 1, 2});
    Tensor<float> source({3, 3}, {1, 1, 1, 2, 2, 2, 3, 3, 3});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnInplaceIndexCopyGetWorkspaceSize(matrix.get(), 0, rows.get(), source.get(), &size, &executor));
    CALL(aclnnInplaceIndexCopy(nullptr, size, executor, session.stream()));
    HOLDS(aclrtSynchronizeStream(session.stream()) != ACL_SUCCESS);
    aclnnScatterStatusInfo info;
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.rank == 1 && info.position[0] == 2 && info.value == 2 && info.size == 2);
    expect("matrix", matrix.values(), before);
    return 0;
}
