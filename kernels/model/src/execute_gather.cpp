// Gather, CreateVecIndex and the reductions to one element.

#include "execute.h"
#include "lanes.h"

#include <cmath>

namespace ascendc_model {

namespace {

/// Offsets were checked when the instruction was issued; in fast mode they are not checked.
template <typename Word> void run_gather(const Instruction& instruction, Core& core)
{
    const Lanes& lanes = instruction.lanes;
    const uint32_t base = lanes.address[1] + static_cast<uint32_t>(instruction.scalar);
    for_each_lane(lanes, [&](uint32_t repeat, uint32_t lane) {
        const auto offset = load<uint32_t>(core.ub + lane_address(lanes, 2, repeat, lane, sizeof(uint32_t)));
        store<Word>(core.ub + lane_address(lanes, 0, repeat, lane, sizeof(Word)), load<Word>(core.ub + base + offset));
    });
}

template <typename T> void run_vec_index(const Instruction& instruction, Core& core)
{
    const Lanes& lanes = instruction.lanes;
    const T first = scalar_of<T>(instruction);
    for (uint32_t i = 0; i < lanes.count; i++) {
        T value;
        if constexpr (std::is_integral_v<T>) {
            value = static_cast<T>(static_cast<uint32_t>(first) + i);
        } else {
            value = static_cast<T>(static_cast<float>(first) + static_cast<float>(i));
        }
        store<T>(core.ub + lanes.address[0] + i * uint32_t(sizeof(T)), value);
    }
}

/// Adds pairwise by halves, or from either end, as the seed decides.
template <typename T> T sum(const uint8_t* data, uint32_t count, uint32_t whim)
{
    if (count == 1) {
        return load<T>(data);
    }
    if ((whim & 1) != 0) {
        const uint32_t left = count / 2;
        return sum<T>(data, left, whim) + sum<T>(data + left * sizeof(T), count - left, whim);
    }
    T total = load<T>(data);
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t next = (whim & 2) != 0 ? i : count - i;
        total = total + load<T>(data + next * sizeof(T));
    }
    return total;
}

template <typename T> void run_sum(const Instruction& instruction, Core& core)
{
    const Lanes& lanes = instruction.lanes;
    store<T>(core.ub + lanes.address[0], sum<T>(core.ub + lanes.address[1], lanes.count, instruction.whim));
}

template <typename T, bool Larger> void run_extreme(const Instruction& instruction, Core& core)
{
    const Lanes& lanes = instruction.lanes;
    const uint8_t* data = core.ub + lanes.address[1];
    const bool nan_wins = (instruction.whim & 1) != 0;
    T best = load<T>(data);
    uint32_t at = 0;
    for (uint32_t i = 1; i < lanes.count; i++) {
        const T value = load<T>(data + i * sizeof(T));
        const bool better = Larger ? float(best) < float(value) : float(value) < float(best);
        const bool replaces = std::isnan(float(value)) ? nan_wins && !std::isnan(float(best))
            : std::isnan(float(best))                  ? !nan_wins
                                                       : better;
        if (replaces) {
            best = value;
            at = i;
        }
    }
    store<T>(core.ub + lanes.address[0], best);
    if (instruction.variant != 0) {
        std::memcpy(core.ub + lanes.address[0] + sizeof(T), &at, sizeof(T));
    }
}

} // namespace

Execute find_gather(Type type)
{
    return size_of(type) == 2 ? run_gather<uint16_t> : size_of(type) == 4 ? run_gather<uint32_t> : nullptr;
}

Execute find_vec_index(Type type)
{
    switch (type) {
    case Type::S16: return run_vec_index<int16_t>;
    case Type::S32: return run_vec_index<int32_t>;
    case Type::F16: return run_vec_index<half>;
    case Type::F32: return run_vec_index<float>;
    default: return nullptr;
    }
}

Execute find_reduce(VectorOp op, Type type)
{
    const bool wide = type == Type::F32;
    switch (op) {
    case VectorOp::ReduceSum: return wide ? run_sum<float> : run_sum<half>;
    case VectorOp::ReduceMax: return wide ? run_extreme<float, true> : run_extreme<half, true>;
    case VectorOp::ReduceMin: return wide ? run_extreme<float, false> : run_extreme<half, false>;
    default: return nullptr;
    }
}

} // namespace ascendc_model
