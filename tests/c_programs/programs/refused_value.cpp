// A value operator whose scalar can't be read, on a CANN without host-cann's extension: the phases
// return the codes in the arguments, and self is unchanged.
#include <cstdlib>

#include "aclnnop/aclnn_scatter.h"
#include "tensor.hpp"

int main(int count, char** arguments)
{
    HOLDS(count == 3);
    const int first = std::atoi(arguments[1]), second = std::atoi(arguments[2]);
    Session session;
    Tensor<float> self({3}, {1, 2, 3});
    Tensor<int64_t> index({2}, {0, 1});
    double number = 5;
    aclScalar* value = aclCreateScalar(&number, ACL_DOUBLE);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    HOLDS(aclnnInplaceScatterValueGetWorkspaceSize(self.get(), 0, index.get(), value, 0, &size, &executor) == first);
    if (first == 0) {
        Memory workspace(size);
        HOLDS(aclnnInplaceScatterValue(workspace.address(), size, executor, session.stream()) == second);
        CALL(aclrtSynchronizeStream(session.stream()));
    } else {
        HOLDS(size == 0 && executor == nullptr);
    }
    CALL(aclDestroyScalar(value));
    expect("self", self.values(), {1, 2, 3});
    return 0;
}
