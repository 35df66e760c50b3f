// Every misuse of the operators that the contract lists, and the code that it returns.
#include <array>
#include <functional>

#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_scatter_reduce.h"
#include "aclnnop/aclnn_scatter_status.h"
#include "aclnnop/aclnn_tf_scatter_add.h"
#include "tensor.hpp"

namespace {
constexpr int kNull = 161001, kInvalid = 161002, kStorage = 561103;

// A tensor to be made. A call has self and out of [3, 4], index of [2, 3] and src of [2, 4], each
// with its own storage; tests change them before the call.
struct Spec {
    Shape shape, strides{};
    int64_t offset = 0;
    aclDataType dtype = ACL_FLOAT;
    void* address = nullptr;
    bool is_null = false;
    Shape storage{64};
    bool has_address = true;

    aclTensor* make() const
    {
        if (is_null) {
            return nullptr;
        }
        aclTensor* made = aclCreateTensor(shape.data(), shape.size(), dtype, strides.empty() ? nullptr : strides.data(),
            offset, ACL_FORMAT_ND, storage.data(), storage.size(), address);
        HOLDS(made != nullptr);
        return made;
    }
};

struct Call {
    Spec self{{3, 4}}, index{{2, 3}, {}, 0, ACL_INT64}, src{{2, 4}}, out{{3, 4}};
    int64_t dim = 0, reduce = 1;
    bool has_size = true, has_executor = true, has_value = true;
    double value = 1;
    aclDataType value_dtype = ACL_DOUBLE;
    bool keeps = false;
    aclOpExecutor* executor = nullptr;
};

using Pair = std::function<aclnnStatus(
    const std::array<aclTensor*, 4>&, const aclScalar*, const Call&, uint64_t*, aclOpExecutor**)>;

const std::vector<std::pair<const char*, Pair>> kPairs = {
    {"aclnnScatterAdd",
        [](const auto& t, auto, const Call& call, auto size, auto executor) {
            return aclnnScatterAddGetWorkspaceSize(t[0], call.dim, t[1], t[2], t[3], size, executor);
        }},
    {"aclnnScatter",
        [](const auto& t, auto, const Call& call, auto size, auto executor) {
            return aclnnScatterGetWorkspaceSize(t[0], call.dim, t[1], t[2], call.reduce, t[3], size, executor);
        }},
    {"aclnnInplaceScatter",
        [](const auto& t, auto, const Call& call, auto size, auto executor) {
            return aclnnInplaceScatterGetWorkspaceSize(t[0], call.dim, t[1], t[2], call.reduce, size, executor);
        }},
    {"aclnnScatterValue",
        [](const auto& t, auto value, const Call& call, auto size, auto executor) {
            return aclnnScatterValueGetWorkspaceSize(t[0], call.dim, t[1], value, call.reduce, t[3], size, executor);
        }},
    {"aclnnInplaceScatterValue",
        [](const auto& t, auto value, const Call& call, auto size, auto executor) {
            return aclnnInplaceScatterValueGetWorkspaceSize(t[0], call.dim, t[1], value, call.reduce, size, executor);
        }},
    {"aclnnScatterReduce",
        [](const auto& t, auto, const Call& call, auto size, auto executor) {
            return aclnnScatterReduceGetWorkspaceSize(
                t[0], call.dim, t[1], t[2], call.reduce, true, t[3], size, executor);
        }},
    {"aclnnInplaceScatterReduce",
        [](const auto& t, auto, const Call& call, auto size, auto executor) {
            return aclnnInplaceScatterReduceGetWorkspaceSize(
                t[0], call.dim, t[1], t[2], call.reduce, true, size, executor);
        }},
};

struct Memories {
    Memory self{256}, index{512}, src{256}, out{256};
};

// Calls phase one of a pair with the tensors of `call`.
aclnnStatus phase_one(const Pair& pair, const Memories& memories, Call& call)
{
    const auto at = [](Spec& spec, const Memory& memory) {
        if (spec.address == nullptr && spec.has_address) {
            spec.address = memory.address();
        }
        return spec.make();
    };
    const std::array<aclTensor*, 4> tensors = {at(call.self, memories.self), at(call.index, memories.index),
        at(call.src, memories.src), at(call.out, memories.out)};
    aclScalar* value = call.has_value ? aclCreateScalar(&call.value, call.value_dtype) : nullptr;
    uint64_t size = 0;
    const aclnnStatus status =
        pair(tensors, value, call, call.has_size ? &size : nullptr, call.has_executor ? &call.executor : nullptr);
    if (status == 0 && !call.keeps) {
        CALL(aclSetAclOpExecutorRepeatable(call.executor));
        CALL(aclDestroyAclOpExecutor(call.executor));
    }
    for (aclTensor* tensor : tensors) {
        CALL(aclDestroyTensor(tensor));
    }
    CALL(aclDestroyScalar(value));
    return status;
}

// The argument that a pair must have for a misuse to apply to it.
enum Needs { kAlways, kReduce, kSrc, kOut, kValue };

bool has(const std::string& pair, Needs needs)
{
    const bool in_place = pair.find("Inplace") != std::string::npos;
    const bool has_value = pair.find("Value") != std::string::npos;
    switch (needs) {
    case kReduce: return pair != "aclnnScatterAdd";
    case kSrc: return !has_value;
    case kOut: return !in_place;
    case kValue: return has_value;
    default: return true;
    }
}

struct Mistake {
    const char* name;
    int code;
    Needs needs;
    void (*make)(Call&);
};

const Mistake kMistakes[] = {
    {"workspaceSize null", kNull, kAlways, [](Call& call) { call.has_size = false; }},
    {"executor null", kNull, kAlways, [](Call& call) { call.has_executor = false; }},
    {"self null", kNull, kAlways, [](Call& call) { call.self.is_null = true; }},
    {"index null", kNull, kAlways, [](Call& call) { call.index.is_null = true; }},
    {"src null", kNull, kSrc, [](Call& call) { call.src.is_null = true; }},
    {"value null", kNull, kValue, [](Call& call) { call.has_value = false; }},
    {"out null", kNull, kOut, [](Call& call) { call.out.is_null = true; }},
    {"reduce 6", kInvalid, kReduce, [](Call& call) { call.reduce = 6; }},
    {"reduce -1", kInvalid, kReduce, [](Call& call) { call.reduce = -1; }},
    {"self uint16", kInvalid, kAlways, [](Call& call) { call.self.dtype = ACL_UINT16; }},
    {"src double", kInvalid, kSrc, [](Call& call) { call.src.dtype = ACL_DOUBLE; }},
    {"out half", kInvalid, kOut, [](Call& call) { call.out.dtype = ACL_FLOAT16; }},
    {"value too large", kInvalid, kValue, [](Call& call) { call.value = 1e300; }},
    {"index float", kInvalid, kAlways, [](Call& call) { call.index.dtype = ACL_FLOAT; }},
    {"self negative stride", kStorage, kAlways, [](Call& call) { call.self.strides = {-4, 1}; }},
    {"self beyond storage", kStorage, kAlways, [](Call& call) { call.self.offset = 53; }},
    {"index beyond storage", kStorage, kAlways, [](Call& call) { call.index.strides = {63, 1}; }},
    {"src overflowing strides", kStorage, kSrc, [](Call& call) { call.src.strides = {INT64_MAX, INT64_MAX}; }},
    {"src negative size", kStorage, kSrc, [](Call& call) { call.src.shape = {2, -4}; }},
    {"out beyond storage", kStorage, kOut, [](Call& call) { call.out.storage = {11}; }},
    {"self rank 9", kInvalid, kAlways, [](Call& call) { call.self.shape = Shape(9, 1); }},
    {"out other shape", kInvalid, kOut, [](Call& call) { call.out.shape = {4, 3}; }},
    {"out scalar", kInvalid, kOut, [](Call& call) { call.out.shape = {}; }},
    {"index other rank", kInvalid, kAlways, [](Call& call) { call.index.shape = {3}; }},
    {"src other rank", kInvalid, kSrc, [](Call& call) { call.src.shape = {2, 4, 1}; }},
    {"index longer than src", kInvalid, kSrc, [](Call& call) { call.src.shape = {1, 4}; }},
    {"index wider than self", kInvalid, kAlways,
        [](Call& call) {
            call.index.shape = {2, 5};
            call.src.shape = {2, 5};
        }},
    {"dim 2", kInvalid, kAlways, [](Call& call) { call.dim = 2; }},
    {"dim -3", kInvalid, kAlways, [](Call& call) { call.dim = -3; }},
    {"out expanded", kInvalid, kOut, [](Call& call) { call.out.strides = {0, 1}; }},
    {"out partly self", kInvalid, kOut,
        [](Call& call) {
            call.out.address = call.self.address;
            call.out.offset = 4;
        }},
    {"out is src", kInvalid, kOut, [](Call& call) { call.out.address = call.src.address; }},
};

void phase_one_mistakes(const Memories& memories)
{
    for (const auto& [name, pair] : kPairs) {
        Call good;
        CALL(phase_one(pair, memories, good));
        for (const Mistake& mistake : kMistakes) {
            if (!has(name, mistake.needs) || (std::string(mistake.name) == "out is src" && !has(name, kSrc))) {
                continue;
            }
            Call call;
            call.self.address = memories.self.address();
            call.src.address = memories.src.address();
            mistake.make(call);
            printf("%s, %s: ", name, mistake.name);
            REFUSED(phase_one(pair, memories, call), mistake.code);
        }
    }
}

void executor_mistakes(const Memories& memories, aclrtStream stream)
{
    Call call;
    call.keeps = true;
    const Pair& add = kPairs[0].second;
    REFUSED(aclnnScatterAdd(nullptr, 0, nullptr, stream), kNull);
    REFUSED(aclnnScatterAdd(nullptr, 0, reinterpret_cast<aclOpExecutor*>(0xABCDE0), stream), kInvalid);
    // Phase two must belong to phase one's pair; otherwise the executor stays valid.
    CALL(phase_one(add, memories, call));
    REFUSED(aclnnScatter(nullptr, 0, call.executor, stream), kInvalid);
    CALL(aclnnScatterAdd(nullptr, 0, call.executor, stream));
    REFUSED(aclnnScatterAdd(nullptr, 0, call.executor, stream), kInvalid);
    REFUSED(aclSetAclOpExecutorRepeatable(call.executor), 561000);
    REFUSED(aclDestroyAclOpExecutor(call.executor), 561000);
    // A missing workspace ends the executor, as in CANN.
    CALL(phase_one(add, memories, call));
    REFUSED(aclnnScatterAdd(nullptr, 64, call.executor, stream), kNull);
    REFUSED(aclnnScatterAdd(nullptr, 0, call.executor, stream), kInvalid);
    // A missing address ends the executor too.
    Call later;
    later.keeps = true;
    later.src.has_address = false;
    CALL(phase_one(add, memories, later));
    REFUSED(aclnnScatterAdd(nullptr, 0, later.executor, stream), kNull);
    REFUSED(aclnnScatterAdd(nullptr, 0, later.executor, stream), kInvalid);
    // A destroyed executor can't be run.
    CALL(phase_one(add, memories, call));
    CALL(aclSetAclOpExecutorRepeatable(call.executor));
    aclTensor* tensor = call.self.make();
    REFUSED(aclSetInputTensorAddr(call.executor, 3, tensor, call.self.address), kInvalid);
    REFUSED(aclSetOutputTensorAddr(call.executor, 1, tensor, call.self.address), kInvalid);
    CALL(aclDestroyTensor(tensor));
    CALL(aclDestroyAclOpExecutor(call.executor));
    REFUSED(aclnnScatterAdd(nullptr, 0, call.executor, stream), kInvalid);
    REFUSED(aclnnScatterStreamStatus(stream, nullptr), kNull);
    CALL(aclrtSynchronizeStream(stream));
}

void nd_mistakes()
{
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    Tensor<float> var({3, 4}, std::vector<float>(12, 1)), updates({2, 4}, std::vector<float>(8, 1));
    Tensor<double> doubles({2, 4}, std::vector<double>(8, 1));
    Tensor<int64_t> rows({2, 1}, {0, 1}), deep({2, 3}, {0, 0, 0, 0, 0, 0});
    Tensor<float> scalar({}, {1});
    const auto phase_one = [&](const aclTensor* indices, const aclTensor* values) {
        return aclnnTfScatterAddGetWorkspaceSize(var.get(), indices, values, &size, &executor);
    };
    REFUSED(aclnnTfScatterAddGetWorkspaceSize(nullptr, rows.get(), updates.get(), &size, &executor), kNull);
    REFUSED(aclnnTfScatterAddGetWorkspaceSize(var.get(), rows.get(), updates.get(), nullptr, &executor), kNull);
    REFUSED(aclnnTfScatterAddGetWorkspaceSize(var.get(), rows.get(), updates.get(), &size, nullptr), kNull);
    REFUSED(phase_one(nullptr, updates.get()), kNull);
    REFUSED(phase_one(rows.get(), nullptr), kNull);
    REFUSED(phase_one(rows.get(), doubles.get()), kInvalid);
    REFUSED(phase_one(updates.get(), updates.get()), kInvalid); // indices of floats
    REFUSED(phase_one(deep.get(), updates.get()), kInvalid);    // three axes of two
    REFUSED(phase_one(rows.get(), scalar.get()), kInvalid);
    REFUSED(phase_one(rows.get(), var.get()), kInvalid);
}
} // namespace

int main()
{
    Session session;
    Memories memories;
    for (const Memory* memory : {&memories.self, &memories.index, &memories.src, &memories.out}) {
        CALL(aclrtMemset(memory->address(), memory->bytes(), 0, memory->bytes()));
    }
    phase_one_mistakes(memories);
    executor_mistakes(memories, session.stream());
    nd_mistakes();
    return 0;
}
