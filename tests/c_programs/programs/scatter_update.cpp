// aclnnInplaceScatterUpdate: a cache of keys for two sequences, filled and then continued.
#include <algorithm>
#include <numeric>

#include "aclnnop/aclnn_scatter_update.h"
#include "tensor.hpp"

int main()
{
    Session session;
    Tensor<float> cache({2, 4, 2}, std::vector<float>(16, 0));
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;

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
    expect("again", cache.values(), {1, 2, 3, 4, 9, 10, 0, 0, 5, 6, 30, 31, 32, 33, 22, 23});

    // Windows of 64 bytes and more, which kernels copy as rows, in two heads of each sequence.
    std::vector<float> keys(2 * 2 * 3 * 16), expected(2 * 2 * 8 * 16);
    std::iota(keys.begin(), keys.end(), 1000);
    std::iota(expected.begin(), expected.end(), 0);
    Tensor<float> heads({2, 2, 8, 16}, expected), window({2, 2, 3, 16}, keys);
    Tensor<int64_t> places({2}, {5, 1});
    CALL(aclnnInplaceScatterUpdateGetWorkspaceSize(heads.get(), places.get(), window.get(), 2, &size, &executor));
    run(aclnnInplaceScatterUpdate, size, executor, session.stream());
    for (size_t row = 0; row < 2 * 2 * 3; row++) {
        const size_t head = row / 3, place = (head < 2 ? 5 : 1) + row % 3;
        std::copy_n(&keys[row * 16], 16, &expected[(head * 8 + place) * 16]);
    }
    expect("heads", heads.values(), expected);
    return 0;
}
