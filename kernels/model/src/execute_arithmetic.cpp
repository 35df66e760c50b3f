// Elementwise arithmetic: integers wrap, floats are IEEE with subnormals, half is rounded once per
// instruction.

#include "execute.h"
#include "lanes.h"

#include <cmath>
#include <type_traits>

namespace ascendc_model {

namespace {

/// Integer arithmetic in the unsigned type, wide enough that the product of 16-bit values does not
/// overflow an int.
template <typename T, typename Function> T wrapping(T a, T b, Function function)
{
    using Wide = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
    return static_cast<T>(function(static_cast<Wide>(a), static_cast<Wide>(b)));
}

struct AddOf {
    template <typename T> static T apply(T a, T b, uint32_t)
    {
        if constexpr (std::is_integral_v<T>) {
            return wrapping(a, b, [](auto x, auto y) { return x + y; });
        } else {
            return a + b;
        }
    }
};

struct SubOf {
    template <typename T> static T apply(T a, T b, uint32_t)
    {
        if constexpr (std::is_integral_v<T>) {
            return wrapping(a, b, [](auto x, auto y) { return x - y; });
        } else {
            return a - b;
        }
    }
};

struct MulOf {
    template <typename T> static T apply(T a, T b, uint32_t)
    {
        if constexpr (std::is_integral_v<T>) {
            return wrapping(a, b, [](auto x, auto y) { return x * y; });
        } else {
            return a * b;
        }
    }
};

struct DivOf {
    template <typename T> static T apply(T a, T b, uint32_t) { return a / b; }
};

// The results of Max and Min for a NaN and for zeros of different signs are not documented: `whim`,
// which comes from the seed, decides.
constexpr uint32_t kNanWins = 1;
constexpr uint32_t kSecondZero = 2;

template <bool Larger> struct ExtremeOf {
    template <typename T> static T apply(T a, T b, uint32_t whim)
    {
        if constexpr (!std::is_integral_v<T>) {
            const bool nan = std::isnan(float(a)) || std::isnan(float(b));
            if (nan) {
                return std::isnan(float(a)) == ((whim & kNanWins) != 0) ? a : b;
            }
            if (float(a) == float(b)) {
                return (whim & kSecondZero) != 0 ? b : a;
            }
        }
        return (Larger ? a < b : b < a) ? b : a;
    }
};

struct AndOf {
    template <typename T> static T apply(T a, T b, uint32_t) { return static_cast<T>(a & b); }
};

struct OrOf {
    template <typename T> static T apply(T a, T b, uint32_t) { return static_cast<T>(a | b); }
};

struct NotOf {
    template <typename T> static T apply(T a) { return static_cast<T>(~a); }
};

struct AbsOf {
    template <typename T> static T apply(T a)
    {
        if constexpr (std::is_same_v<T, half>) {
            a.bits &= 0x7fff;
            return a;
        } else {
            return std::fabs(a);
        }
    }
};

template <typename T> constexpr uint32_t bits_in = 8 * sizeof(T);

/// Shifting a signed number left keeps its sign bit and drops the bits after it.
struct ShiftLeftOf {
    template <typename T> static T apply(T a, T by, uint32_t)
    {
        using Bits = std::make_unsigned_t<T>;
        const auto distance = static_cast<Bits>(by);
        const Bits moved = distance >= bits_in<T> ? Bits(0) : static_cast<Bits>(static_cast<Bits>(a) << distance);
        const Bits sign = std::is_signed_v<T> ? static_cast<Bits>(Bits(1) << (bits_in<T> - 1)) : Bits(0);
        return static_cast<T>((moved & ~sign) | (static_cast<Bits>(a) & sign));
    }
};

struct ShiftRightOf {
    template <typename T> static T apply(T a, T by, uint32_t)
    {
        const auto distance = static_cast<std::make_unsigned_t<T>>(by);
        return static_cast<T>(a >> (distance >= bits_in<T> ? bits_in<T> - 1 : distance)) *
            T(std::is_signed_v<T> || distance < bits_in<T>);
    }
};

template <typename T, typename Op> void run_binary(const Instruction& instruction, Core& core)
{
    const uint32_t whim = instruction.whim;
    map_binary<T>(instruction.lanes, core.ub, [whim](T a, T b) { return Op::template apply<T>(a, b, whim); });
}

template <typename T, typename Op> void run_scalar(const Instruction& instruction, Core& core)
{
    const T b = scalar_of<T>(instruction);
    const uint32_t whim = instruction.whim;
    map_unary<T, T>(instruction.lanes, core.ub, [b, whim](T a) { return Op::template apply<T>(a, b, whim); });
}

template <typename T, typename Op> void run_unary(const Instruction& instruction, Core& core)
{
    map_unary<T, T>(instruction.lanes, core.ub, [](T a) { return Op::template apply<T>(a); });
}

/// Copies bits without interpreting them.
template <typename Word> void run_copy(const Instruction& instruction, Core& core)
{
    map_unary<Word, Word>(instruction.lanes, core.ub, [](Word a) { return a; });
}

template <typename Word> void run_duplicate(const Instruction& instruction, Core& core)
{
    const Lanes& lanes = instruction.lanes;
    const Word value = scalar_of<Word>(instruction);
    for_each_lane(lanes, [&](uint32_t repeat, uint32_t lane) {
        store<Word>(core.ub + lane_address(lanes, 0, repeat, lane, sizeof(Word)), value);
    });
}

template <typename Op> Execute binary_numbers(Type type)
{
    switch (type) {
    case Type::F16: return run_binary<half, Op>;
    case Type::F32: return run_binary<float, Op>;
    case Type::S16: return run_binary<int16_t, Op>;
    case Type::S32: return run_binary<int32_t, Op>;
    default: return nullptr;
    }
}

template <typename Op> Execute scalar_numbers(Type type)
{
    switch (type) {
    case Type::F16: return run_scalar<half, Op>;
    case Type::F32: return run_scalar<float, Op>;
    case Type::S16: return run_scalar<int16_t, Op>;
    case Type::S32: return run_scalar<int32_t, Op>;
    default: return nullptr;
    }
}

template <typename Op> Execute binary_bits(Type type)
{
    switch (type) {
    case Type::S16:
    case Type::U16: return run_binary<uint16_t, Op>;
    case Type::S32:
    case Type::U32: return run_binary<uint32_t, Op>;
    default: return nullptr;
    }
}

template <typename Op> Execute shift(Type type)
{
    switch (type) {
    case Type::S16: return run_scalar<int16_t, Op>;
    case Type::U16: return run_scalar<uint16_t, Op>;
    case Type::S32: return run_scalar<int32_t, Op>;
    case Type::U32: return run_scalar<uint32_t, Op>;
    default: return nullptr;
    }
}

Execute by_width(Type type, Execute two, Execute four)
{
    return size_of(type) == 2 ? two : size_of(type) == 4 ? four : nullptr;
}

} // namespace

Execute find_arithmetic(VectorOp op, Type type)
{
    switch (op) {
    case VectorOp::Add: return binary_numbers<AddOf>(type);
    case VectorOp::Sub: return binary_numbers<SubOf>(type);
    case VectorOp::Mul: return binary_numbers<MulOf>(type);
    case VectorOp::Max: return binary_numbers<ExtremeOf<true>>(type);
    case VectorOp::Min: return binary_numbers<ExtremeOf<false>>(type);
    case VectorOp::Adds: return scalar_numbers<AddOf>(type);
    case VectorOp::Muls: return scalar_numbers<MulOf>(type);
    case VectorOp::Maxs: return scalar_numbers<ExtremeOf<true>>(type);
    case VectorOp::Mins: return scalar_numbers<ExtremeOf<false>>(type);
    case VectorOp::And: return binary_bits<AndOf>(type);
    case VectorOp::Or: return binary_bits<OrOf>(type);
    case VectorOp::Not: return by_width(type, run_unary<uint16_t, NotOf>, nullptr);
    case VectorOp::ShiftLeft: return shift<ShiftLeftOf>(type);
    case VectorOp::ShiftRight: return shift<ShiftRightOf>(type);
    case VectorOp::Copy: return by_width(type, run_copy<uint16_t>, run_copy<uint32_t>);
    case VectorOp::Duplicate: return by_width(type, run_duplicate<uint16_t>, run_duplicate<uint32_t>);
    case VectorOp::Div:
        return type == Type::F16 ? run_binary<half, DivOf> : type == Type::F32 ? run_binary<float, DivOf> : nullptr;
    case VectorOp::Abs:
        return type == Type::F16 ? run_unary<half, AbsOf> : type == Type::F32 ? run_unary<float, AbsOf> : nullptr;
    default: return nullptr;
    }
}

} // namespace ascendc_model
