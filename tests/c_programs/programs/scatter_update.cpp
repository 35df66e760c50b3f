// aclnnInplaceScatterUpdate: a cache of keys for two sequences, filled and then continued.
#include "aclnnop/aclnn_scatter_status.h"
#include "aclnnop/aclnn_scatter_update.h"
#include "tensor.hpp"

int main() {
    Session session;
    Tensor<float> cache({2, 4, 2}, std::vector<float>(16, 0));
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;

    // The first two keys of both sequences.
    Tensor<int32_t> begin({2}, {0, 0});
    Tensor<float> prompt({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    CALL(aclnnInplaceScatterUpdateGetWorkspaceSize(cache.get(), begin.get(), prompt.get(), 1, &size, &executor));
    run(aclnnInplaceScatterUpdate, size, executor, session.stream());
    expect("prompt", cache.values(), {1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0});

    // One more key of each, at the sequences' lengths.
    Tensor<int64_t> lengths({2}, {2, 3});
    Tensor<float> next({2, 1, 2}, {9, 10, 11, 12});
    CALL(aclnnInplaceScatterUpdateGetWorkspaceSize(cache.get(), lengths.get(), next.get(), -2, &size, &executor));
    run(aclnnInplaceScatterUpdate, size, executor, session.stream());
    expect("next", cache.values(), {1, 2, 3, 4, 9, 10, 0, 0, 5, 6, 7, 8, 0, 0, 11, 12});

    // Two columns: sequence 1 from position 2, then the same from position 1.
    Tensor<int64_t> pairs({2, 2}, {1, 2, 1, 1});
    Tensor<float> again({2, 2, 2}, {20, 21, 22, 23, 30, 31, 32, 33});
    CALL(aclnnInplaceScatterUpdateGetWorkspaceSize(cache.get(), pairs.get(), again.get(), 1, &size, &executor));
    run(aclnnInplaceScatterUpdate, size, executor, session.stream());
    const std::vector<float> after = {1, 2, 3, 4, 9, 10, 0, 0, 5, 6, 30, 31, 32, 33, 22, 23};
    expect("again", cache.values(), after);

    // Two keys don't fit at position 3 of 4: nothing is written, and the stream tells which value
    // it was.
    Tensor<int64_t> beyond({2, 2}, {0, 0, 1, 3});
    CALL(aclnnInplaceScatterUpdateGetWorkspaceSize(cache.get(), beyond.get(), again.get(), 1, &size, &executor));
    CALL(aclnnInplaceScatterUpdate(nullptr, size, executor, session.stream()));
    HOLDS(aclrtSynchronizeStream(session.stream()) != ACL_SUCCESS);
    aclnnScatterStatusInfo info;
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.rank == 2 && info.position[0] == 1 && info.position[1] == 1 && info.value == 3 && info.size == 3);
    expect("beyond", cache.values(), after);
    return 0;
}
