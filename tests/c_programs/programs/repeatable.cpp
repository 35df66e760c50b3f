// Repeatable executors: several phase twos after a single phase one, with changed addresses, in
// order and on two streams.
#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_tf_scatter_add.h"
#include "tensor.hpp"

namespace {
constexpr int kRounds = 50;

// Sets the inputs by aclSetInputTensorAddr and the output by aclSetOutputTensorAddr.
void changed_addresses(const Session& session)
{
    Tensor<float> self({4}, {1, 2, 3, 4}), out({4}, {0, 0, 0, 0}), src({3}, {10, 20, 30});
    Tensor<int64_t> index({3}, {0, 3, 0});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnScatterAddGetWorkspaceSize(self.get(), 0, index.get(), src.get(), out.get(), &size, &executor));
    CALL(aclSetAclOpExecutorRepeatable(executor));
    run(aclnnScatterAdd, size, executor, session.stream());
    run(aclnnScatterAdd, size, executor, session.stream());
    expect("the same twice", out.values(), {41, 2, 3, 24});

    Tensor<float> other_self({4}, {0, 0, 0, 0}), other_out({4}, {9, 9, 9, 9}), other_src({3}, {1, 2, 3});
    Tensor<int64_t> other_index({3}, {1, 1, 2});
    CALL(aclSetInputTensorAddr(executor, 0, self.get(), other_self.address()));
    CALL(aclSetInputTensorAddr(executor, 1, index.get(), other_index.address()));
    CALL(aclSetInputTensorAddr(executor, 2, src.get(), other_src.address()));
    CALL(aclSetOutputTensorAddr(executor, 0, out.get(), other_out.address()));
    run(aclnnScatterAdd, size, executor, session.stream());
    expect("other addresses", other_out.values(), {0, 3, 3, 0});
    expect("the old out", out.values(), {41, 2, 3, 24});
    expect("the old self", self.values(), {1, 2, 3, 4});

    // aclSetTensorAddr numbers inputs and outputs together. Self and out get the same address, so
    // this is in place.
    CALL(aclSetTensorAddr(executor, 0, self.get(), other_out.address()));
    CALL(aclSetTensorAddr(executor, 3, out.get(), other_out.address()));
    for (int round = 0; round < kRounds; ++round) {
        CALL(aclnnScatterAdd(nullptr, 0, executor, session.stream()));
    }
    CALL(aclrtSynchronizeStream(session.stream()));
    expect("in place", other_out.values(), {0, 3 + 3.0F * kRounds, 3 + 3.0F * kRounds, 0});
    CALL(aclDestroyAclOpExecutor(executor));
}

// A launch uses the addresses at the time of phase two, and doesn't need its executor any more.
void addresses_of_a_launch()
{
    aclrtStream streams[2];
    for (aclrtStream& stream : streams) {
        CALL(aclrtCreateStream(&stream));
    }
    std::vector<std::unique_ptr<Tensor<int32_t>>> vars;
    for (int i = 0; i < kRounds; ++i) {
        vars.push_back(std::make_unique<Tensor<int32_t>>(Shape{2, 1}, std::vector<int32_t>{i, 0}));
    }
    Tensor<int32_t> updates({1, 1}, {1000});
    Tensor<int64_t> indices({1, 1}, {0});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnTfScatterAddGetWorkspaceSize(vars[0]->get(), indices.get(), updates.get(), &size, &executor));
    CALL(aclSetAclOpExecutorRepeatable(executor));
    for (int i = 0; i < kRounds; ++i) {
        CALL(aclSetInputTensorAddr(executor, 0, vars[0]->get(), vars[static_cast<size_t>(i)]->address()));
        CALL(aclnnTfScatterAdd(nullptr, 0, executor, streams[i % 2]));
    }
    CALL(aclDestroyAclOpExecutor(executor));
    for (aclrtStream stream : streams) {
        CALL(aclrtSynchronizeStream(stream));
        CALL(aclrtDestroyStream(stream));
    }
    for (int i = 0; i < kRounds; ++i) {
        const std::vector<int32_t> values = vars[static_cast<size_t>(i)]->values();
        HOLDS(values[0] == 1000 + i && values[1] == 0);
    }
}

// The address of a tensor can be changed too; phase one takes the current one.
void address_of_a_tensor(const Session& session)
{
    Tensor<int16_t> self({2}, {1, 1}), other({2}, {5, 5}), src({1}, {7});
    Tensor<int32_t> index({1}, {1});
    void* address = nullptr;
    CALL(aclSetRawTensorAddr(self.get(), other.address()));
    CALL(aclGetRawTensorAddr(self.get(), &address));
    HOLDS(address == other.address());
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnScatterAddGetWorkspaceSize(self.get(), 0, index.get(), src.get(), self.get(), &size, &executor));
    run(aclnnScatterAdd, size, executor, session.stream());
    expect("other", other.values(), {5, 12});
    expect("self", self.values(), {1, 1});
}
} // namespace

int main()
{
    Session session;
    changed_addresses(session);
    addresses_of_a_launch();
    address_of_a_tensor(session);
    return 0;
}
