// aclnnScatterReduce: every reduction, with and without self's values.
#include "aclnnop/aclnn_scatter_reduce.h"
#include "tensor.hpp"

int main()
{
    Session session;
    Tensor<float> self({5}, {1, 2, 3, 4, 5}), out({5}, std::vector<float>(5, 0));
    Tensor<float> src({6}, {6, -1, 4, 8, 2, 3});
    Tensor<int64_t> index({6}, {0, 1, 0, 1, 4, 1});
    struct Case {
        int64_t reduce;
        bool include_self;
        std::vector<float> expected;
    };
    const std::vector<Case> cases = {
        {0, true, {4, 3, 3, 4, 2}},
        {1, true, {11, 12, 3, 4, 7}},
        {1, false, {10, 10, 3, 4, 2}},
        {2, true, {24, -48, 3, 4, 10}},
        {2, false, {24, -24, 3, 4, 2}},
        {3, true, {6, 8, 3, 4, 5}},
        {3, false, {6, 8, 3, 4, 2}},
        {4, true, {1, -1, 3, 4, 2}},
        {4, false, {4, -1, 3, 4, 2}},
        {5, true, {11.0F / 3, 3, 3, 4, 3.5}},
        {5, false, {5, 10.0F / 3, 3, 4, 2}},
    };
    for (const Case& each : cases) {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        CALL(aclnnScatterReduceGetWorkspaceSize(
            self.get(), 0, index.get(), src.get(), each.reduce, each.include_self, out.get(), &size, &executor));
        run(aclnnScatterReduce, size, executor, session.stream());
        expect("out", out.values(), each.expected);
    }
    expect("self", self.values(), {1, 2, 3, 4, 5});
    return 0;
}
