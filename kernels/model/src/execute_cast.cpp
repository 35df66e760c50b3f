// Cast: which rounding each pair of data types has on dav-2201, and what it gives.
//
// Out of range, floats become infinity, as in the INF/NAN mode that the contract assumes; integers
// saturate, and NaN becomes 0. CANN's documents say that integers saturate for float sources; int64
// to int32 and int32 to int16 are not documented, and here keep the low bits or saturate, as the
// seed decides.

#include "execute.h"
#include "lanes.h"

#include <cmath>
#include <limits>

namespace ascendc_model {

namespace {

using AscendC::RoundMode;

template <RoundMode Mode> double rounded(double value)
{
    switch (Mode) {
    case RoundMode::CAST_FLOOR: return std::floor(value);
    case RoundMode::CAST_CEIL: return std::ceil(value);
    case RoundMode::CAST_ROUND: return std::round(value);
    case RoundMode::CAST_TRUNC: return std::trunc(value);
    default: return std::nearbyint(value);
    }
}

template <typename To> To saturated(double value)
{
    if (std::isnan(value)) {
        return 0;
    }
    // 2^63 is a double, the largest int64 is not: compare with the power of two.
    const double limit = std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (value >= limit) {
        return std::numeric_limits<To>::max();
    }
    if (value < static_cast<double>(std::numeric_limits<To>::min())) {
        return std::numeric_limits<To>::min();
    }
    return static_cast<To>(value);
}

/// Rounds a finite number to a format of `precision` significant bits whose subnormals end at
/// 2^`lowest`; exact in double as long as that has more bits than both.
template <RoundMode Mode> double to_format(double value, int precision, int lowest)
{
    if (value == 0 || !std::isfinite(value)) {
        return value;
    }
    int exponent;
    std::frexp(value, &exponent);
    const int unit = std::max(exponent - precision, lowest);
    const double scaled = std::ldexp(value, -unit);
    if (Mode == RoundMode::CAST_ODD) {
        const double down = std::trunc(scaled);
        const bool odd = std::fmod(down, 2.0) != 0;
        return std::ldexp(down == scaled || odd ? down : down + std::copysign(1.0, scaled), unit);
    }
    return std::ldexp(rounded<Mode>(scaled), unit);
}

template <RoundMode Mode> half to_half(float value)
{
    constexpr bool nearest = Mode == RoundMode::CAST_RINT || Mode == RoundMode::CAST_NONE;
    return nearest || std::isnan(value) ? half(value) : half(static_cast<float>(to_format<Mode>(value, 11, -24)));
}

template <RoundMode Mode> bfloat16_t to_bfloat16(float value)
{
    if (Mode == RoundMode::CAST_RINT || std::isnan(value)) {
        return bfloat16_t{float_to_bfloat16(value)};
    }
    return bfloat16_t{float_to_bfloat16(static_cast<float>(to_format<Mode>(value, 8, -133)))};
}

/// An integer to float. Double holds int32 exactly; int64 is rounded from its two halves.
template <RoundMode Mode> float to_float(int64_t value)
{
    const bool nearest = Mode == RoundMode::CAST_RINT || Mode == RoundMode::CAST_NONE;
    if (nearest) {
        return static_cast<float>(value);
    }
    const bool negative = value < 0;
    uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    int shift = 0;
    while (magnitude >> shift >= uint64_t{1} << 24) {
        shift++;
    }
    const uint64_t lost = magnitude & ((uint64_t{1} << shift) - 1);
    uint64_t kept = magnitude >> shift;
    const bool away = Mode == RoundMode::CAST_ROUND ? shift > 0 && lost >> (shift - 1) != 0
        : Mode == RoundMode::CAST_CEIL              ? !negative && lost != 0
        : Mode == RoundMode::CAST_FLOOR             ? negative && lost != 0
                                                    : false;
    kept += away;
    const float result = std::ldexp(static_cast<float>(kept), shift);
    return negative ? -result : result;
}

template <typename To, typename From> To narrowed(From value, uint32_t whim)
{
    constexpr From high = std::numeric_limits<To>::max();
    constexpr From low = std::numeric_limits<To>::min();
    if ((whim & 1) != 0 && value > high) {
        return std::numeric_limits<To>::max();
    }
    if ((whim & 1) != 0 && value < low) {
        return std::numeric_limits<To>::min();
    }
    return static_cast<To>(static_cast<std::make_unsigned_t<From>>(value));
}

inline float widened(half value)
{
    return value;
}
inline float widened(bfloat16_t value)
{
    return bfloat16_to_float(value.bits);
}
inline float widened(float value)
{
    return value;
}

template <typename To, typename From, RoundMode Mode> To converted(From value, uint32_t whim)
{
    constexpr bool from_integer = std::is_integral_v<From>;
    if constexpr (std::is_integral_v<To>) {
        if constexpr (from_integer && sizeof(To) >= sizeof(From)) {
            return static_cast<To>(value);
        } else if constexpr (from_integer) {
            return narrowed<To>(value, whim);
        } else {
            return saturated<To>(rounded<Mode>(widened(value)));
        }
    } else if constexpr (std::is_same_v<To, half>) {
        if constexpr (from_integer) {
            return to_half<Mode>(static_cast<float>(value));
        } else {
            return to_half<Mode>(widened(value));
        }
    } else if constexpr (std::is_same_v<To, bfloat16_t>) {
        return to_bfloat16<Mode>(widened(value));
    } else if constexpr (from_integer) {
        return to_float<Mode>(value);
    } else if constexpr (std::is_same_v<From, float>) {
        return static_cast<float>(rounded<Mode>(value));
    } else {
        return widened(value);
    }
}

template <typename To, typename From, RoundMode Mode> void run(const Instruction& instruction, Core& core)
{
    const uint32_t whim = instruction.whim;
    map_unary<To, From>(
        instruction.lanes, core.ub, [whim](From value) { return converted<To, From, Mode>(value, whim); });
}

/// The five roundings that most pairs have, and whether CAST_NONE is one of theirs.
template <typename To, typename From> Execute five(RoundMode mode, bool none)
{
    switch (mode) {
    case RoundMode::CAST_RINT: return run<To, From, RoundMode::CAST_RINT>;
    case RoundMode::CAST_FLOOR: return run<To, From, RoundMode::CAST_FLOOR>;
    case RoundMode::CAST_CEIL: return run<To, From, RoundMode::CAST_CEIL>;
    case RoundMode::CAST_ROUND: return run<To, From, RoundMode::CAST_ROUND>;
    case RoundMode::CAST_TRUNC: return run<To, From, RoundMode::CAST_TRUNC>;
    case RoundMode::CAST_NONE: return none ? run<To, From, RoundMode::CAST_NONE> : nullptr;
    default: return nullptr;
    }
}

template <typename To, typename From> Execute exact(RoundMode mode)
{
    return mode == RoundMode::CAST_NONE ? run<To, From, RoundMode::CAST_NONE> : nullptr;
}

Execute from_half(Type to, RoundMode mode)
{
    switch (to) {
    case Type::F32: return exact<float, half>(mode);
    case Type::S32: return five<int32_t, half>(mode, false);
    case Type::S16: return five<int16_t, half>(mode, false);
    case Type::S8: return five<int8_t, half>(mode, true);
    case Type::U8: return five<uint8_t, half>(mode, true);
    default: return nullptr;
    }
}

Execute from_float(Type to, RoundMode mode)
{
    switch (to) {
    case Type::F16:
        return mode == RoundMode::CAST_ODD ? run<half, float, RoundMode::CAST_ODD> : five<half, float>(mode, true);
    case Type::F32: return five<float, float>(mode, false);
    case Type::BF16: return five<bfloat16_t, float>(mode, false);
    case Type::S64: return five<int64_t, float>(mode, false);
    case Type::S32: return five<int32_t, float>(mode, false);
    case Type::S16: return five<int16_t, float>(mode, false);
    default: return nullptr;
    }
}

Execute from_integer(Type to, Type from, RoundMode mode)
{
    switch (from) {
    case Type::S8: return to == Type::F16 ? exact<half, int8_t>(mode) : nullptr;
    case Type::U8: return to == Type::F16 ? exact<half, uint8_t>(mode) : nullptr;
    case Type::S16:
        return to == Type::F16 ? five<half, int16_t>(mode, true)
            : to == Type::F32  ? exact<float, int16_t>(mode)
                               : nullptr;
    case Type::S32:
        return to == Type::F32 ? five<float, int32_t>(mode, true)
            : to == Type::S16  ? exact<int16_t, int32_t>(mode)
            : to == Type::S64  ? exact<int64_t, int32_t>(mode)
                               : nullptr;
    case Type::S64:
        return to == Type::F32 ? five<float, int64_t>(mode, false)
            : to == Type::S32  ? exact<int32_t, int64_t>(mode)
                               : nullptr;
    default: return nullptr;
    }
}

} // namespace

Execute find_cast(Type to, Type from, RoundMode mode)
{
    switch (from) {
    case Type::F16: return from_half(to, mode);
    case Type::F32: return from_float(to, mode);
    case Type::BF16:
        return to == Type::F32 ? exact<float, bfloat16_t>(mode)
            : to == Type::S32  ? five<int32_t, bfloat16_t>(mode, false)
                               : nullptr;
    default: return from_integer(to, from, mode);
    }
}

} // namespace ascendc_model
