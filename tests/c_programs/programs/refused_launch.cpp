// If the kernels of a call can't be launched, phase two fails: out is unchanged, and the stream
// still works.
#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_scatter_status.h"
#include "tensor.hpp"

int main()
{
    Session session;
    Tensor<float> self({4}, {1, 2, 3, 4}), src({4}, {1, 1, 1, 1});
    Tensor<int64_t> index({4}, {0, 1, 2, 9});
    for (int round = 0; round < 2; round++) {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        CALL(aclnnScatterAddGetWorkspaceSize(self.get(), 0, index.get(), src.get(), self.get(), &size, &executor));
        Memory workspace(size);
        HOLDS(aclnnScatterAdd(workspace.address(), size, executor, session.stream()) == 361001);
        CALL(aclrtSynchronizeStream(session.stream()));
    }
    expect("self", self.values(), {1, 2, 3, 4});
    aclnnScatterStatusInfo info;
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.code == 0);
    return 0;
}
