// Walking the elements of a vector instruction.
#pragma once

#include "core.h"

#include <cstring>

namespace ascendc_model {

template <typename T> T load(const uint8_t* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <typename T> void store(uint8_t* to, T value)
{
    std::memcpy(to, &value, sizeof value);
}

/// The address in UB of an operand's lane of a repeat.
inline uint32_t lane_address(const Lanes& lanes, uint32_t operand, uint32_t repeat, uint32_t lane, uint32_t size)
{
    const uint32_t byte = lane * size;
    const uint32_t block = byte / kBlockBytes;
    return lanes.address[operand] + byte % kBlockBytes +
        kBlockBytes * (repeat * lanes.repeat_stride[operand] + block * lanes.block_stride[operand]);
}

/// Calls `visit(repeat, lane)` for each element that the instruction works on, in order.
template <typename Visit> void for_each_lane(const Lanes& lanes, Visit visit)
{
    uint32_t left = lanes.count;
    for (uint32_t repeat = 0; repeat < lanes.repeats; repeat++) {
        const uint32_t here = left < lanes.per_repeat ? left : lanes.per_repeat;
        for (uint32_t lane = 0; lane < here; lane++) {
            if (lanes.enabled(lane)) {
                visit(repeat, lane);
            }
        }
        left -= here;
    }
}

// The loops below are written so that a compiler vectorises the contiguous case, which is nearly
// every instruction. Elements are taken in order, as the hardware's results require when source and
// destination are the same.

template <typename To, typename From, typename Function>
void map_unary(const Lanes& lanes, uint8_t* ub, Function function)
{
    if (lanes.contiguous) {
        auto* to = reinterpret_cast<To*>(ub + lanes.address[0]);
        const auto* from = reinterpret_cast<const From*>(ub + lanes.address[1]);
        for (uint32_t i = 0; i < lanes.count; i++) {
            to[i] = function(from[i]);
        }
        return;
    }
    for_each_lane(lanes, [&](uint32_t repeat, uint32_t lane) {
        const From a = load<From>(ub + lane_address(lanes, 1, repeat, lane, sizeof(From)));
        store<To>(ub + lane_address(lanes, 0, repeat, lane, sizeof(To)), function(a));
    });
}

template <typename T, typename Function> void map_binary(const Lanes& lanes, uint8_t* ub, Function function)
{
    if (lanes.contiguous) {
        auto* to = reinterpret_cast<T*>(ub + lanes.address[0]);
        const auto* a = reinterpret_cast<const T*>(ub + lanes.address[1]);
        const auto* b = reinterpret_cast<const T*>(ub + lanes.address[2]);
        for (uint32_t i = 0; i < lanes.count; i++) {
            to[i] = function(a[i], b[i]);
        }
        return;
    }
    for_each_lane(lanes, [&](uint32_t repeat, uint32_t lane) {
        const T a = load<T>(ub + lane_address(lanes, 1, repeat, lane, sizeof(T)));
        const T b = load<T>(ub + lane_address(lanes, 2, repeat, lane, sizeof(T)));
        store<T>(ub + lane_address(lanes, 0, repeat, lane, sizeof(T)), function(a, b));
    });
}

template <typename T> T scalar_of(const Instruction& instruction)
{
    T value;
    std::memcpy(&value, &instruction.scalar, sizeof value);
    return value;
}

} // namespace ascendc_model
