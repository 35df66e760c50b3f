// aclnnScatterValue with a scalar whose dtype isn't self's.
#include "aclnnop/aclnn_scatter.h"
#include "tensor.hpp"

int main()
{
    Session session;
    Tensor<int32_t> self({2, 3}, {1, 2, 3, 4, 5, 6}), out({2, 3}, std::vector<int32_t>(6, 0));
    Tensor<int64_t> index({1, 3}, {1, 0, 1});
    double number = -2.75; // truncated, as PyTorch does
    aclScalar* value = aclCreateScalar(&number, ACL_DOUBLE);
    HOLDS(value != nullptr);

    const std::vector<std::pair<int64_t, std::vector<int32_t>>> cases = {
        {0, {1, -2, 3, -2, 5, -2}},
        {1, {1, 0, 3, 2, 5, 4}},
        {2, {1, -4, 3, -8, 5, -12}},
    };
    for (const auto& [reduce, expected] : cases) {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        CALL(aclnnScatterValueGetWorkspaceSize(self.get(), 0, index.get(), value, reduce, out.get(), &size, &executor));
        run(aclnnScatterValue, size, executor, session.stream());
        expect("out", out.values(), expected);
    }
    expect("self", self.values(), {1, 2, 3, 4, 5, 6});
    CALL(aclDestroyScalar(value));
    return 0;
}
