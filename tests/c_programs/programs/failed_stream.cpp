// A call after whose launches a function of the stream fails: phase two reports it, whether or not
// the index is valid, and neither the status nor the end of the program waits for what never comes.
#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_status.h"
#include "tensor.hpp"

int main()
{
    Session session;
    Tensor<float> self({4}, {1, 2, 3, 4});
    Tensor<int64_t> index({3}, {0, 1, 9});
    float number = 1;
    for (int round = 0; round < 2; round++) {
        aclScalar* value = aclCreateScalar(&number, ACL_FLOAT);
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        CALL(aclnnInplaceScatterValueGetWorkspaceSize(self.get(), 0, index.get(), value, 0, &size, &executor));
        CALL(aclDestroyScalar(value));
        Memory workspace(size);
        HOLDS(aclnnInplaceScatterValue(workspace.address(), size, executor, session.stream()) == 361001);
        // The launches were made nevertheless, and need the workspace.
        CALL(aclrtSynchronizeStream(session.stream()));
        aclnnScatterStatusInfo info;
        CALL(aclnnScatterStreamStatus(session.stream(), &info));
        HOLDS(info.code == 0);
    }
    expect("self", self.values(), {1, 1, 3, 4});
    return 0;
}
