// IEEE 754 arithmetic, rounded to nearest even, on 64-bit integers: for f64, which the scalar unit
// is not known to compute, and for quotients that are to be rounded once to a narrower format than
// that of the dividend.
//
// No instruction of any floating-point unit is used, so the results are the same wherever this
// runs.
#pragma once

#include "kernel_operator.h"

namespace soft {

template <int32_t exponentBits, int32_t fractionBits>
struct Format {
    static constexpr int32_t kFraction = fractionBits;
    static constexpr int32_t kBias = (1 << (exponentBits - 1)) - 1;
    static constexpr int32_t kSpecial = (1 << exponentBits) - 1;
    static constexpr uint64_t kSign = 1ULL << (exponentBits + fractionBits);
    static constexpr uint64_t kInfinity = static_cast<uint64_t>(kSpecial) << fractionBits;
    static constexpr uint64_t kNan = kInfinity | 1ULL << (fractionBits - 1);
};

using Binary64 = Format<11, 52>;
using Binary32 = Format<8, 23>;
using Binary16 = Format<5, 10>;
using BFloat16 = Format<8, 7>;

template <class F>
__aicore__ inline bool IsNan(uint64_t bits)
{
    return (bits & ~F::kSign) > F::kInfinity;
}

template <class F>
__aicore__ inline bool IsInfinite(uint64_t bits)
{
    return (bits & ~F::kSign) == F::kInfinity;
}

template <class F>
__aicore__ inline bool IsZero(uint64_t bits)
{
    return (bits & ~F::kSign) == 0;
}

__aicore__ inline int32_t LeadingZeros(uint64_t value)
{
    int32_t zeros = 0;
    for (int32_t step = 32; step > 0; step /= 2) {
        if (value >> (64 - step) == 0) {
            value <<= step;
            zeros += step;
        }
    }
    return zeros;
}

/// mantissa · 2^(exponent - 63) with bit 63 of the mantissa set. Bit 0 may be a sticky bit, which
/// stands for all bits lost below it; it is far enough below the bits that any format keeps.
struct Number {
    uint64_t negative;
    int32_t exponent;
    uint64_t mantissa;
};

/// A finite number that is not zero.
template <class F>
__aicore__ inline Number Unpack(uint64_t bits)
{
    const uint64_t fraction = bits & ((1ULL << F::kFraction) - 1);
    const int32_t field = static_cast<int32_t>((bits & ~F::kSign) >> F::kFraction);
    if (field == 0) {
        const int32_t zeros = LeadingZeros(fraction);
        return Number{bits & F::kSign, 63 - zeros + 1 - F::kBias - F::kFraction, fraction << zeros};
    }
    return Number{bits & F::kSign, field - F::kBias, (fraction | 1ULL << F::kFraction) << (63 - F::kFraction)};
}

/// The nearest number of the format, to even on a tie.
template <class F>
__aicore__ inline uint64_t Round(bool negative, int32_t exponent, uint64_t mantissa)
{
    const uint64_t sign = negative ? F::kSign : 0;
    int32_t field = exponent + F::kBias;
    if (field >= F::kSpecial) {
        return sign | F::kInfinity;
    }
    int32_t drop = 63 - F::kFraction;
    if (field < 1) { // subnormal
        drop += 1 - field;
        field = 1;
        if (drop > 64) {
            return sign;
        }
    }
    const uint64_t kept = drop == 64 ? 0 : mantissa >> drop;
    const uint64_t rest = drop == 64 ? mantissa : mantissa << (64 - drop);
    const uint64_t half = 1ULL << 63;
    const bool up = rest > half || (rest == half && (kept & 1) != 0);
    // The leading one of `kept` adds one to the exponent, and a carry out of it another; so a
    // result that is too large becomes infinity without a test.
    return sign | ((static_cast<uint64_t>(field - 1) << F::kFraction) + kept + (up ? 1 : 0));
}

__aicore__ inline uint64_t ShiftRightJam(uint64_t value, int32_t by)
{
    if (by == 0) {
        return value;
    }
    return by < 64 ? value >> by | ((value << (64 - by)) != 0 ? 1 : 0) : (value != 0 ? 1 : 0);
}

/// a + b.
template <class F>
__aicore__ inline uint64_t Add(uint64_t a, uint64_t b)
{
    if (IsNan<F>(a) || IsNan<F>(b) || (IsInfinite<F>(a) && IsInfinite<F>(b) && a != b)) {
        return F::kNan;
    }
    if (IsZero<F>(a) && IsZero<F>(b)) {
        return a & b; // -0 only where both are
    }
    if (IsInfinite<F>(a) || IsZero<F>(b)) {
        return a;
    }
    if (IsInfinite<F>(b) || IsZero<F>(a)) {
        return b;
    }
    Number x = Unpack<F>(a);
    Number y = Unpack<F>(b);
    if (x.exponent < y.exponent || (x.exponent == y.exponent && x.mantissa < y.mantissa)) {
        const Number swap = x;
        x = y;
        y = swap;
    }
    // One bit of room for the carry: both have at least 10 zeros below.
    const uint64_t larger = x.mantissa >> 1;
    const uint64_t smaller = ShiftRightJam(y.mantissa >> 1, x.exponent - y.exponent);
    const uint64_t sum = x.negative == y.negative ? larger + smaller : larger - smaller;
    if (sum == 0) {
        return 0;
    }
    const int32_t zeros = LeadingZeros(sum);
    return Round<F>(x.negative != 0, x.exponent + 1 - zeros, sum << zeros);
}

/// The 128-bit product.
__aicore__ inline void Multiply(uint64_t a, uint64_t b, uint64_t& high, uint64_t& low)
{
    const uint64_t mask = 0xffffffffULL;
    const uint64_t lowLow = (a & mask) * (b & mask);
    const uint64_t lowHigh = (a & mask) * (b >> 32);
    const uint64_t highLow = (a >> 32) * (b & mask);
    const uint64_t middle = (lowLow >> 32) + (lowHigh & mask) + (highLow & mask);
    high = (a >> 32) * (b >> 32) + (lowHigh >> 32) + (highLow >> 32) + (middle >> 32);
    low = middle << 32 | (lowLow & mask);
}

/// a · b.
template <class F>
__aicore__ inline uint64_t Mul(uint64_t a, uint64_t b)
{
    const uint64_t sign = (a ^ b) & F::kSign;
    if (IsNan<F>(a) || IsNan<F>(b)) {
        return F::kNan;
    }
    if (IsInfinite<F>(a) || IsInfinite<F>(b)) {
        return IsZero<F>(a) || IsZero<F>(b) ? F::kNan : sign | F::kInfinity;
    }
    if (IsZero<F>(a) || IsZero<F>(b)) {
        return sign;
    }
    const Number x = Unpack<F>(a);
    const Number y = Unpack<F>(b);
    uint64_t high = 0;
    uint64_t low = 0;
    Multiply(x.mantissa, y.mantissa, high, low);
    int32_t exponent = x.exponent + y.exponent + 1;
    if (high >> 63 == 0) {
        high = high << 1 | low >> 63;
        low <<= 1;
        exponent--;
    }
    return Round<F>(sign != 0, exponent, high | (low != 0 ? 1 : 0));
}

/// Whether a number is one that `Unpack` can't take: a NaN, an infinity or a zero.
template <class F>
__aicore__ inline bool IsSpecial(uint64_t bits)
{
    return (bits & ~F::kSign) >= F::kInfinity || IsZero<F>(bits);
}

/// Such a number in the format To.
template <class From, class To>
__aicore__ inline uint64_t ConvertSpecial(uint64_t a)
{
    if (IsNan<From>(a)) {
        return To::kNan;
    }
    const uint64_t sign = (a & From::kSign) != 0 ? To::kSign : 0;
    return IsZero<From>(a) ? sign : sign | To::kInfinity;
}

/// a / count, in the format To; count is not zero.
template <class From, class To>
__aicore__ inline uint64_t DivideByCount(uint64_t a, uint32_t count)
{
    if (IsSpecial<From>(a)) {
        return ConvertSpecial<From, To>(a);
    }
    const Number x = Unpack<From>(a);
    // 96 bits of quotient, by two divisions; at least 63 of them count.
    const uint64_t high = x.mantissa / count;
    const uint64_t carried = x.mantissa % count << 32;
    const uint64_t low = carried / count;
    const bool inexact = carried % count != 0;
    const int32_t zeros = LeadingZeros(high); // at most 32
    const uint64_t mantissa = high << zeros | low >> (32 - zeros);
    const bool lost = inexact || (low & ((1ULL << (32 - zeros)) - 1)) != 0;
    return Round<To>(x.negative != 0, x.exponent - zeros, mantissa | (lost ? 1 : 0));
}

/// A number in a format with at least its range and precision.
template <class From, class To>
__aicore__ inline uint64_t Widen(uint64_t a)
{
    if (IsSpecial<From>(a)) {
        return ConvertSpecial<From, To>(a);
    }
    const Number x = Unpack<From>(a);
    return Round<To>(x.negative != 0, x.exponent, x.mantissa);
}

/// Whether a < b; false where one is a NaN.
template <class F>
__aicore__ inline bool Less(uint64_t a, uint64_t b)
{
    if (IsNan<F>(a) || IsNan<F>(b) || (IsZero<F>(a) && IsZero<F>(b))) {
        return false;
    }
    if (((a ^ b) & F::kSign) != 0) {
        return (a & F::kSign) != 0;
    }
    return (a & F::kSign) != 0 ? a > b : a < b;
}

} // namespace soft
