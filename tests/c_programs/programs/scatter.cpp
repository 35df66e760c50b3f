// aclnnScatter: replacement, where the last update wins, then addition and multiplication.
#include "aclnn_scatter.h"
#include "tensor.hpp"

namespace {
constexpr int64_t kReplace = 0, kAdd = 1, kMultiply = 2;

std::vector<double> scatter(const Session& session, int64_t reduce)
{
    Tensor<double> self({2, 3}, {2, 2, 2, 2, 2, 2}), out({2, 3}, std::vector<double>(6, 0));
    Tensor<double> src({2, 4}, {1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5});
    Tensor<int64_t> index({2, 4}, {0, 2, 0, 2, 1, 1, 1, 0});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnScatterGetWorkspaceSize(self.get(), 1, index.get(), src.get(), reduce, out.get(), &size, &executor));
    run(aclnnScatter, size, executor, session.stream());
    expect("self", self.values(), {2, 2, 2, 2, 2, 2});
    return out.values();
}
} // namespace

int main()
{
    Session session;
    expect("replaced", scatter(session, kReplace), {3.5, 2, 4.5, 8.5, 7.5, 2});
    expect("added", scatter(session, kAdd), {7, 2, 9, 10.5, 21.5, 2});
    expect("multiplied", scatter(session, kMultiply), {10.5, 2, 22.5, 17, 536.25, 2});
    return 0;
}
