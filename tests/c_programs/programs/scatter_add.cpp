// aclnnScatterAdd: out of place, in place, and with a negative dim and repeated indices.
#include "aclnnop/aclnn_scatter_add.h"
#include "tensor.hpp"

int main()
{
    Session session;
    const std::vector<float> zeros(15, 0);
    const std::vector<float> ones_to_ten = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    Tensor<float> self({3, 5}, zeros), out({3, 5}, std::vector<float>(15, -1)), src({2, 5}, ones_to_ten);
    Tensor<int64_t> index({2, 5}, {0, 1, 2, 0, 0, 0, 1, 2, 0, 2});

    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnScatterAddGetWorkspaceSize(self.get(), 0, index.get(), src.get(), out.get(), &size, &executor));
    run(aclnnScatterAdd, size, executor, session.stream());
    const std::vector<float> sums = {7, 0, 0, 13, 5, 0, 9, 0, 0, 0, 0, 0, 11, 0, 10};
    expect("out", out.values(), sums);
    expect("self", self.values(), zeros);

    // In place, out is self; a second call adds to the first's result.
    std::vector<float> twice = sums;
    for (float& value : twice) {
        value *= 2;
    }
    for (int round = 0; round < 2; ++round) {
        CALL(aclnnScatterAddGetWorkspaceSize(self.get(), -2, index.get(), src.get(), self.get(), &size, &executor));
        run(aclnnScatterAdd, size, executor, session.stream());
    }
    expect("in place", self.values(), twice);

    // A row of int32 where all updates go to one element, with int32 indices, of which the last is
    // negative.
    Tensor<int32_t> row({4}, {100, 100, 100, 100}), updates({5}, {1, 10, 100, 1000, 10000});
    Tensor<int32_t> places({5}, {2, 2, 2, 2, -2});
    CALL(aclnnScatterAddGetWorkspaceSize(row.get(), -1, places.get(), updates.get(), row.get(), &size, &executor));
    run(aclnnScatterAdd, size, executor, session.stream());
    expect("row", row.values(), {100, 100, 11211, 100});
    return 0;
}
