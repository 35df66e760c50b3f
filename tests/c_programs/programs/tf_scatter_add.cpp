// aclnnTfScatterAdd: elements of a matrix (the nd form), and whole rows (the row form).
#include "aclnnop/aclnn_tf_scatter_add.h"
#include "tensor.hpp"

namespace {
template <typename T, typename I>
void scatter_nd_add(const Session& session, const Tensor<T>& var, const Tensor<I>& indices, const Tensor<T>& updates)
{
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnTfScatterAddGetWorkspaceSize(var.get(), indices.get(), updates.get(), &size, &executor));
    run(aclnnTfScatterAdd, size, executor, session.stream());
}
} // namespace

int main()
{
    Session session;
    // indices [3, 2] name elements of var [3, 3]; updates [3].
    Tensor<float> points({3, 3}, std::vector<float>(9, 0));
    scatter_nd_add(session, points, Tensor<int32_t>({3, 2}, {0, 0, 1, 2, 0, 0}), Tensor<float>({3}, {1.5, 2.5, 3.5}));
    expect("points", points.values(), {5, 0, 0, 0, 0, 2.5, 0, 0, 0});

    // indices [4, 1] name rows; updates [4, 2].
    Tensor<int32_t> rows({3, 2}, {0, 0, 0, 0, 0, 0});
    scatter_nd_add(
        session, rows, Tensor<int64_t>({4, 1}, {2, 0, 2, -2}), Tensor<int32_t>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
    expect("rows", rows.values(), {3, 4, 7, 8, 6, 8});

    // The row form: the shape of updates is that of indices, [2, 2], followed by that of a row of
    // var, [3].
    Tensor<float> table({4, 3}, std::vector<float>(12, 1));
    std::vector<float> updates(12);
    for (size_t i = 0; i < updates.size(); ++i) {
        updates[i] = static_cast<float>(i);
    }
    scatter_nd_add(session, table, Tensor<int64_t>({2, 2}, {3, 0, 3, 1}), Tensor<float>({2, 2, 3}, updates));
    expect("table", table.values(), {4, 5, 6, 10, 11, 12, 1, 1, 1, 7, 9, 11});
    return 0;
}
