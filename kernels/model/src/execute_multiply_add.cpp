// Axpy and MulAddDst: a product is added to the destination, rounded before the sum or not, as the
// seed decides.

#include "execute.h"
#include "lanes.h"

#include <cmath>

namespace ascendc_model {

namespace {

constexpr uint32_t kFused = 1;

float sum(float a, float b, float to, uint32_t whim)
{
    return (whim & kFused) != 0 ? std::fma(a, b, to) : a * b + to;
}

/// The product of two halves is exact in float, and its sum with a third in double.
half sum(half a, half b, half to, uint32_t whim)
{
    const float product = float(a) * float(b);
    return (whim & kFused) != 0 ? half(static_cast<float>(double(product) + float(to))) : half(product) + to;
}

/// Exact except for the sum.
float sum(half a, half b, float to, uint32_t)
{
    return float(a) * float(b) + to;
}

template <typename To, typename From> void run(const Instruction& instruction, Core& core, bool by_scalar)
{
    const Lanes& lanes = instruction.lanes;
    const From scalar = scalar_of<From>(instruction);
    for_each_lane(lanes, [&](uint32_t repeat, uint32_t lane) {
        uint8_t* to = core.ub + lane_address(lanes, 0, repeat, lane, sizeof(To));
        const From a = load<From>(core.ub + lane_address(lanes, 1, repeat, lane, sizeof(From)));
        const From b = by_scalar ? scalar : load<From>(core.ub + lane_address(lanes, 2, repeat, lane, sizeof(From)));
        store<To>(to, sum(a, b, load<To>(to), instruction.whim));
    });
}

template <typename To, typename From> void run_axpy(const Instruction& instruction, Core& core)
{
    run<To, From>(instruction, core, true);
}

template <typename To, typename From> void run_multiply_add(const Instruction& instruction, Core& core)
{
    run<To, From>(instruction, core, false);
}

template <typename To, typename From> Execute by_op(VectorOp op)
{
    return op == VectorOp::Axpy ? run_axpy<To, From> : run_multiply_add<To, From>;
}

} // namespace

Execute find_multiply_add(VectorOp op, Type to, Type from)
{
    if (to == Type::F16) {
        return by_op<half, half>(op);
    }
    return from == Type::F16 ? by_op<float, half>(op) : by_op<float, float>(op);
}

} // namespace ascendc_model
