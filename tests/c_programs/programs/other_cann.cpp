// The operators on a CANN without host-cann's extension, by kernels that are launched on streams,
// as on a device.
#include <cstring>

#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_scatter_status.h"
#include "tensor.hpp"

namespace {

constexpr aclnnStatus kNull = 161001;
constexpr aclnnStatus kInvalid = 161002;
constexpr aclnnStatus kNoKernel = 561003;

struct Add {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;

    Add(const Tensor<float>& self, const Tensor<int64_t>& index, const Tensor<float>& src)
    {
        CALL(aclnnScatterAddGetWorkspaceSize(self.get(), 0, index.get(), src.get(), self.get(), &size, &executor));
        // The kernels write to the workspace whether an index was bad.
        HOLDS(size > 0 && executor != nullptr);
    }
};

// An index out of range is skipped and reported by aclnnScatterStreamStatus, because a kernel can't
// make its stream fail.
void bad_index(const Session& session)
{
    Tensor<float> self({2, 3}, {1, 2, 3, 4, 5, 6}), src({2, 3}, {1, 1, 1, 1, 1, 1});
    Tensor<int64_t> index({2, 3}, {0, 1, -2, 1, 0, 7});
    Add add(self, index, src);
    run(aclnnScatterAdd, add.size, add.executor, session.stream());
    aclnnScatterStatusInfo info;
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.code == kInvalid && info.rank == 2 && info.position[0] == 1 && info.position[1] == 2);
    HOLDS(info.value == 7 && info.size == 2 && std::strcmp(info.opName, "aclnnScatterAdd") == 0);
    // Reading the status has cleared it.
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.code == 0 && info.rank == 0 && info.value == 0);
    expect("self", self.values(), {2, 3, 4, 5, 6, 6});
}

// Calls on a stream run in order.
void order(const Session& session)
{
    Tensor<float> self({4}, {0, 0, 0, 0}), src({4}, {1, 2, 3, 4});
    Tensor<int64_t> index({4}, {3, 3, 3, 3});
    Add first(self, index, src), second(self, index, src);
    Memory workspace(first.size), more(second.size);
    CALL(aclnnScatterAdd(workspace.address(), first.size, first.executor, session.stream()));
    CALL(aclnnScatterAdd(more.address(), second.size, second.executor, session.stream()));
    CALL(aclrtSynchronizeStream(session.stream()));
    expect("self", self.values(), {0, 0, 0, 20});
}

// CANN's functions refuse an executor that isn't CANN's own, which can still be run.
void executors(const Session& session)
{
    Tensor<float> self({4}, {0, 0, 0, 0}), src({4}, {1, 2, 3, 4});
    Tensor<int64_t> index({4}, {0, 1, 2, 3});
    Add add(self, index, src);
    REFUSED(aclSetAclOpExecutorRepeatable(add.executor), 561000);
    run(aclnnScatterAdd, add.size, add.executor, session.stream());
    expect("self", self.values(), {1, 2, 3, 4});

    Add without(self, index, src);
    HOLDS(aclnnScatterAdd(nullptr, without.size, without.executor, session.stream()) == kNull);
    Add small(self, index, src);
    Memory workspace(small.size);
    HOLDS(aclnnScatterAdd(workspace.address(), small.size - 1, small.executor, session.stream()) == kInvalid);
    CALL(aclrtSynchronizeStream(session.stream()));
    expect("self", self.values(), {1, 2, 3, 4});
}

// CANN has no function that reads a scalar, and this CANN has no operator that writes it to device
// memory or computes with it.
void values(const Session&)
{
    Tensor<float> self({4}, {0, 0, 0, 0});
    Tensor<int64_t> index({4}, {0, 1, 2, 3});
    float one = 1;
    aclScalar* value = aclCreateScalar(&one, ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    HOLDS(
        aclnnInplaceScatterValueGetWorkspaceSize(self.get(), 0, index.get(), value, 0, &size, &executor) == kNoKernel);
    CALL(aclDestroyScalar(value));
}

} // namespace

// Memory that isn't on the device: the kernel does nothing, and its stream fails.
void memory(const Session& session)
{
    Tensor<float> self({4}, {0, 0, 0, 0}), src({4}, {1, 2, 3, 4});
    Tensor<int64_t> index({4}, {0, 1, 2, 3});
    float forgotten[4] = {1, 2, 3, 4};
    const int64_t sizes[] = {4}, strides[] = {1};
    aclTensor* host = aclCreateTensor(sizes, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, sizes, 1, forgotten);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnScatterAddGetWorkspaceSize(self.get(), 0, index.get(), host, self.get(), &size, &executor));
    Memory workspace(size);
    CALL(aclnnScatterAdd(workspace.address(), size, executor, session.stream()));
    REFUSED(aclrtSynchronizeStream(session.stream()), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    expect("self", self.values(), {0, 0, 0, 0});
    CALL(aclDestroyTensor(host));
}

int main()
{
    Session session;
    bad_index(session);
    order(session);
    executors(session);
    values(session);
    // Comes last, because the state after a stream's failure is not defined.
    memory(session);
    return 0;
}
