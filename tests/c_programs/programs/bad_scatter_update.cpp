// aclnnInplaceScatterUpdate with a window that does not fit: nothing is written, and the stream
// tells which value it was.
#include "aclnnop/aclnn_scatter_status.h"
#include "aclnnop/aclnn_scatter_update.h"
#include "tensor.hpp"

int main()
{
    Session session;
    const std::vector<float> before = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    Tensor<float> cache({2, 4, 2}, before);
    Tensor<float> keys({2, 2, 2}, std::vector<float>(8, 0));
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;

    // Two keys don't fit at position 3 of 4.
    Tensor<int64_t> beyond({2, 2}, {0, 0, 1, 3});
    CALL(aclnnInplaceScatterUpdateGetWorkspaceSize(cache.get(), beyond.get(), keys.get(), 1, &size, &executor));
    CALL(aclnnInplaceScatterUpdate(nullptr, size, executor, session.stream()));
    HOLDS(aclrtSynchronizeStream(session.stream()) != ACL_SUCCESS);
    aclnnScatterStatusInfo info;
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.rank == 2 && info.position[0] == 1 && info.position[1] == 1 && info.value == 3 && info.size == 3);
    expect("beyond", cache.values(), before);
    return 0;
}
