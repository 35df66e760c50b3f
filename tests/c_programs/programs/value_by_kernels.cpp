// The value operators on a CANN without host-cann's extension, where no function reads a scalar:
// CANN's own aclnnInplaceFillScalar writes it to device memory, and the kernels read it there.
#include <atomic>
#include <thread>

#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_status.h"
#include "tensor.hpp"

namespace {

constexpr int64_t kAdd = 1;

std::atomic<bool> gate{false};

void wait_for_gate(void*)
{
    while (!gate) {
        std::this_thread::yield();
    }
}

// self[index[i]] += number, with a scalar that is destroyed before phase two.
struct Value {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;

    template <typename T>
    Value(const Tensor<T>& self, const Tensor<int64_t>& index, double number, int64_t reduce = kAdd)
    {
        aclScalar* value = aclCreateScalar(&number, ACL_DOUBLE);
        CALL(aclnnInplaceScatterValueGetWorkspaceSize(self.get(), 0, index.get(), value, reduce, &size, &executor));
        CALL(aclDestroyScalar(value));
    }
};

aclnnScatterStatusInfo status(const Session& session)
{
    aclnnScatterStatusInfo info;
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    return info;
}

// No call runs before the stream reaches it, and calls run in order, each with its own value.
void order(const Session& session)
{
    Tensor<float> self({3}, {0, 0, 0});
    Tensor<int64_t> index({3}, {1, 1, 2});
    Value first(self, index, 2.5), second(self, index, 4, 0), third(self, index, -1);
    Memory one(first.size), two(second.size), three(third.size);
    CALL(aclrtLaunchHostFunc(session.stream(), wait_for_gate, nullptr));
    CALL(aclnnInplaceScatterValue(one.address(), first.size, first.executor, session.stream()));
    CALL(aclnnInplaceScatterValue(two.address(), second.size, second.executor, session.stream()));
    CALL(aclnnInplaceScatterValue(three.address(), third.size, third.executor, session.stream()));
    expect("before", self.values(), {0, 0, 0});
    gate = true;
    CALL(aclrtSynchronizeStream(session.stream()));
    expect("self", self.values(), {0, 2, 3});
    HOLDS(status(session).code == 0);
}

// The value is converted to self's dtype, as the contract says.
template <typename T> void converted(const Session& session, double number, T expected)
{
    Tensor<T> self({4}, {1, 2, 3, 4});
    Tensor<int64_t> index({2}, {-1, 0});
    Value value(self, index, number, 0);
    run(aclnnInplaceScatterValue, value.size, value.executor, session.stream());
    expect<T>("self", self.values(), {expected, 2, 3, expected});
}

// More than one block's work, on a strided tensor, and out of place.
void large(const Session& session)
{
    const int64_t rows = 300, columns = 70;
    Tensor<int32_t> self({rows, columns}, std::vector<int32_t>(rows * columns, 7));
    Tensor<int32_t> out({columns, rows}, {1, columns}, 0, {rows, columns}, std::vector<int32_t>(rows * columns, 0));
    Tensor<int32_t> view({columns, rows}, {1, columns}, 0, {rows, columns}, std::vector<int32_t>(rows * columns, 7));
    std::vector<int64_t> places(columns * rows);
    for (size_t i = 0; i < places.size(); i++) {
        places[i] = (i * 7919) % columns;
    }
    Tensor<int64_t> index({columns, rows}, places);
    int32_t number = 3;
    aclScalar* value = aclCreateScalar(&number, ACL_INT32);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnScatterValueGetWorkspaceSize(view.get(), 0, index.get(), value, kAdd, out.get(), &size, &executor));
    run(aclnnScatterValue, size, executor, session.stream());
    CALL(aclDestroyScalar(value));
    std::vector<int32_t> expected(rows * columns, 7);
    for (int64_t i = 0; i < columns * rows; i++) {
        expected[(i % rows) * columns + places[i]] += 3;
    }
    HOLDS(out.values() == expected);
}

void bad_index(const Session& session)
{
    Tensor<int64_t> self({3}, {1, 2, 3}), index({3}, {0, 3, 2});
    Value value(self, index, 10);
    run(aclnnInplaceScatterValue, value.size, value.executor, session.stream());
    const aclnnScatterStatusInfo info = status(session);
    HOLDS(info.code == 161002 && info.rank == 1 && info.position[0] == 1 && info.value == 3 && info.size == 3);
    expect<int64_t>("self", self.values(), {11, 2, 13});
}

// Without updates nothing needs the value.
void empty(const Session& session)
{
    Tensor<float> self({2}, {1, 2}), out({2}, {0, 0});
    Tensor<int64_t> index({0}, {});
    float number = 5;
    aclScalar* value = aclCreateScalar(&number, ACL_FLOAT);
    uint64_t size = 1;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnScatterValueGetWorkspaceSize(self.get(), 0, index.get(), value, 0, out.get(), &size, &executor));
    run(aclnnScatterValue, size, executor, session.stream());
    CALL(aclDestroyScalar(value));
    expect("out", out.values(), {1, 2});
}

// The rules that don't depend on the value are checked by this library.
void rules(const Session&)
{
    Tensor<float> self({2}, {1, 2});
    Tensor<int64_t> index({1}, {0});
    float number = 5;
    aclScalar* value = aclCreateScalar(&number, ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    HOLDS(aclnnInplaceScatterValueGetWorkspaceSize(self.get(), 1, index.get(), value, 0, &size, &executor) == 161002);
    HOLDS(aclnnInplaceScatterValueGetWorkspaceSize(self.get(), 0, index.get(), value, 6, &size, &executor) == 161002);
    HOLDS(aclnnInplaceScatterValueGetWorkspaceSize(self.get(), 0, index.get(), nullptr, 0, &size, &executor) == 161001);
    HOLDS(size == 0 && executor == nullptr);
    // The workspace is required, and its size is checked. Both errors end their executors, which
    // free what they hold.
    const Value without(self, index, 1), small(self, index, 1);
    HOLDS(without.size > 0);
    HOLDS(aclnnInplaceScatterValue(nullptr, without.size, without.executor, nullptr) == 161001);
    Memory workspace(small.size);
    HOLDS(aclnnInplaceScatterValue(workspace.address(), small.size - 1, small.executor, nullptr) == 161002);
    CALL(aclDestroyScalar(value));
}

} // namespace

int main()
{
    Session session;
    order(session);
    converted<double>(session, 0.1, 0.1);
    converted<float>(session, 0.1, 0.1f);
    converted<int64_t>(session, -2.75, -2);
    converted<int32_t>(session, 2.75, 2);
    converted<int16_t>(session, -300, -300);
    converted<int8_t>(session, -128, -128);
    converted<uint8_t>(session, -1, 255);
    large(session);
    bad_index(session);
    empty(session);
    rules(session);
    // Reading the status has freed what the calls held, so nothing is left at the end.
    HOLDS(status(session).code == 0);
    return 0;
}
