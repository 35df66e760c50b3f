// aclnnGather: an element of each row, and what is refused.
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_scatter_status.h"
#include "tensor.hpp"

int main() {
    Session session;
    const std::vector<float> values = {1, 2, 3, 4, 5, 6};
    Tensor<float> table({2, 3}, values);
    Tensor<int64_t> index({2, 2}, {2, 0, 1, -3});
    Tensor<float> out({2, 2}, {0, 0, 0, 0});
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    CALL(aclnnGatherGetWorkspaceSize(table.get(), 1, index.get(), out.get(), &size, &executor));
    run(aclnnGather, size, executor, session.stream());
    expect("out", out.values(), {3, 1, 5, 4});
    expect("table", table.values(), values);

    // An index without elements: there is nothing to do.
    Tensor<int32_t> none({0, 3}, {});
    Tensor<float> nothing({0, 3}, {});
    CALL(aclnnGatherGetWorkspaceSize(table.get(), 0, none.get(), nothing.get(), &size, &executor));
    run(aclnnGather, size, executor, session.stream());

    // out has the shape of index, and is another tensor than self.
    REFUSED(aclnnGatherGetWorkspaceSize(table.get(), 1, index.get(), table.get(), &size, &executor), 161002);
    Tensor<int64_t> all({2, 3}, {0, 1, 2, 0, 1, 2});
    REFUSED(aclnnGatherGetWorkspaceSize(table.get(), 1, all.get(), table.get(), &size, &executor), 161002);

    // Column 3 is not there: the error names its place in index, and nothing is written.
    index.set({0, 3, 0, 0});
    CALL(aclnnGatherGetWorkspaceSize(table.get(), 1, index.get(), out.get(), &size, &executor));
    CALL(aclnnGather(nullptr, size, executor, session.stream()));
    HOLDS(aclrtSynchronizeStream(session.stream()) != ACL_SUCCESS);
    aclnnScatterStatusInfo info;
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.rank == 2 && info.position[0] == 0 && info.position[1] == 1 && info.value == 3 && info.size == 3);
    expect("out", out.values(), {3, 1, 5, 4});
    return 0;
}
