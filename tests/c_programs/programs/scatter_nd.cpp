// aclnnScatterNd and aclnnScatterNdUpdate: a cache of keys, of which some rows are replaced.
#include "aclnnop/aclnn_scatter_nd.h"
#include "aclnnop/aclnn_scatter_nd_update.h"
#include "tensor.hpp"

int main()
{
    Session session;
    // Rows 3 and 0 of [4, 2]; the cache itself stays as it is.
    const std::vector<float> before = {1, 1, 2, 2, 3, 3, 4, 4};
    Tensor<float> cache({4, 2}, before);
    Tensor<float> filled({4, 2}, std::vector<float>(8, -1));
    Tensor<int64_t> places({2, 1}, {3, 0});
    Tensor<float> keys({2, 2}, {5, 6, 7, 8});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnScatterNdGetWorkspaceSize(cache.get(), places.get(), keys.get(), filled.get(), &size, &executor));
    run(aclnnScatterNd, size, executor, session.stream());
    expect("filled", filled.values(), {7, 8, 2, 2, 3, 3, 5, 6});
    expect("cache", cache.values(), before);

    // No update, and coordinates of no axes, which count as none: out becomes data.
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{0, 1}, {2, 0}}) {
        Tensor<float> copied({4, 2}, std::vector<float>(8, -1));
        Tensor<int64_t> none(shape, {});
        Tensor<float> updates(shape[0] == 0 ? std::vector<int64_t>{0, 2} : std::vector<int64_t>{2, 4, 2},
            std::vector<float>(shape[0] * 8, 9));
        CALL(aclnnScatterNdGetWorkspaceSize(cache.get(), none.get(), updates.get(), copied.get(), &size, &executor));
        run(aclnnScatterNd, size, executor, session.stream());
        expect("copied", copied.values(), before);
    }

    // In place, single elements by two coordinates. Of two updates of [1, 0] the last one stays.
    Tensor<int32_t> points({3, 2}, {1, 0, -1, 1, 1, 0});
    Tensor<float> values({3}, {10, 20, 30});
    CALL(aclnnScatterNdUpdateGetWorkspaceSize(cache.get(), points.get(), values.get(), &size, &executor));
    run(aclnnScatterNdUpdate, size, executor, session.stream());
    expect("points", cache.values(), {1, 1, 30, 2, 3, 3, 4, 20});
    return 0;
}
