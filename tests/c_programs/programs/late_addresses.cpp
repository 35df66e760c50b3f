// As in inference engines: executors are made once, from shapes, and get addresses at each step.
#include <string>

#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "tensor.hpp"

namespace {
constexpr int kSteps = 3;

// A tensor with a shape but no memory.
template <typename T> aclTensor* shape_of(const Shape& shape)
{
    aclTensor* tensor = aclCreateTensor(
        shape.data(), shape.size(), DtypeOf<T>::value, nullptr, 0, ACL_FORMAT_ND, shape.data(), shape.size(), nullptr);
    HOLDS(tensor != nullptr);
    return tensor;
}

// An operator of a graph: its tensors, and its executor.
struct Node {
    std::vector<aclTensor*> inputs;
    aclTensor* output;
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;

    void addresses(const std::vector<void*>& in, void* out) const
    {
        for (size_t i = 0; i < in.size(); ++i) {
            CALL(aclSetInputTensorAddr(executor, i, inputs[i], in[i]));
        }
        CALL(aclSetOutputTensorAddr(executor, 0, output, out));
    }

    void destroy()
    {
        CALL(aclDestroyAclOpExecutor(executor));
        for (aclTensor* tensor : inputs) {
            CALL(aclDestroyTensor(tensor));
        }
    }
};

// Expects that phase two fails with this code, and returns the message.
std::string refused(PhaseTwo phase_two, const Node& node, aclrtStream stream, int code)
{
    const int returned = phase_two(nullptr, 0, node.executor, stream);
    const char* words = aclGetRecentErrMsg();
    if (returned != code || words == nullptr) {
        FAIL("%d expected, got %d: %s", code, returned, words ? words : "(no message)");
    }
    std::cout << words << '\n';
    return words;
}

void into_another_tensor(const Session& session)
{
    Node add;
    add.inputs = {shape_of<float>({4}), shape_of<int64_t>({3}), shape_of<float>({3})};
    add.output = shape_of<float>({4});
    CALL(aclnnScatterAddGetWorkspaceSize(
        add.inputs[0], 0, add.inputs[1], add.inputs[2], add.output, &add.workspace_size, &add.executor));
    CALL(aclSetAclOpExecutorRepeatable(add.executor));

    // Launched before the addresses are set.
    const std::string words = refused(aclnnScatterAdd, add, session.stream(), 161001);
    HOLDS(words.find("self: an address expected, got null") != std::string::npos);

    for (int step = 0; step < kSteps; ++step) {
        const float base = static_cast<float>(step);
        Tensor<float> self({4}, {base, base, base, base}), src({3}, {1, 2, 3}), out({4}, {9, 9, 9, 9});
        Tensor<int64_t> index({3}, {0, 3, 0});
        add.addresses({self.address(), index.address(), src.address()}, out.address());
        run(aclnnScatterAdd, add.workspace_size, add.executor, session.stream());
        expect("out", out.values(), {base + 4, base, base, base + 2});
        expect("self", self.values(), {base, base, base, base});
        // The memory is freed at the end of the step, so its addresses are cleared: a step that
        // forgets to set one gets an error.
        add.addresses({nullptr, nullptr, nullptr}, nullptr);
    }
    REFUSED(aclnnScatterAdd(nullptr, 0, add.executor, session.stream()), 161001);
    CALL(aclDestroyTensor(add.output));
    add.destroy();
}

void in_place(const Session& session)
{
    Node put;
    put.inputs = {shape_of<int32_t>({2, 2}), shape_of<int32_t>({1, 2}), shape_of<int32_t>({1, 2})};
    put.output = put.inputs[0];
    CALL(aclnnInplaceScatterGetWorkspaceSize(
        put.inputs[0], 0, put.inputs[1], put.inputs[2], 0, &put.workspace_size, &put.executor));
    CALL(aclSetAclOpExecutorRepeatable(put.executor));
    const std::string words = refused(aclnnInplaceScatter, put, session.stream(), 161001);
    HOLDS(words.find("selfRef: an address expected, got null") != std::string::npos);
    for (int step = 0; step < kSteps; ++step) {
        Tensor<int32_t> self({2, 2}, {1, 2, 3, 4}), index({1, 2}, {1, 0}), src({1, 2}, {10 + step, 20 + step});
        put.addresses({self.address(), index.address(), src.address()}, self.address());
        run(aclnnInplaceScatter, put.workspace_size, put.executor, session.stream());
        expect("self", self.values(), {1, 20 + step, 10 + step, 4});
    }
    put.destroy();
}
} // namespace

int main()
{
    Session session;
    into_another_tensor(session);
    in_place(session);
    return 0;
}
