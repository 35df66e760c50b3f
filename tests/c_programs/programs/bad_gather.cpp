// aclnnGather with an out of another shape than index, or that is self; and with an index out of
// range: nothing is written, and aclnnScatterStreamStatus says which value it was.
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_scatter_status.h"
#include "tensor.hpp"

int main()
{
    Session session;
    Tensor<float> table({2, 3}, {1, 2, 3, 4, 5, 6});
    Tensor<int64_t> index({2, 2}, {0, 3, 0, 0});
    Tensor<float> out({2, 2}, {9, 9, 9, 9});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    // out has the shape of index, and is another tensor than self.
    REFUSED(aclnnGatherGetWorkspaceSize(table.get(), 1, index.get(), table.get(), &size, &executor), 161002);
    Tensor<int64_t> all({2, 3}, {0, 1, 2, 0, 1, 2});
    REFUSED(aclnnGatherGetWorkspaceSize(table.get(), 1, all.get(), table.get(), &size, &executor), 161002);

    CALL(aclnnGatherGetWorkspaceSize(table.get(), 1, index.get(), out.get(), &size, &executor));
    CALL(aclnnGather(nullptr, size, executor, session.stream()));
    HOLDS(aclrtSynchronizeStream(session.stream()) != ACL_SUCCESS);
    aclnnScatterStatusInfo info;
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.rank == 2 && info.position[0] == 0 && info.position[1] == 1 && info.value == 3 && info.size == 3);
    expect("out", out.values(), {9, 9, 9, 9});
    return 0;
}
