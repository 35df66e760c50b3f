// half and bfloat16_t on the scalar unit.
//
// half has the four operations and comparisons, each rounded once (float holds every exact result
// well enough that rounding it to half gives the correctly rounded result). bfloat16_t has none: it
// is converted by ToFloat and ToBfloat16.
#pragma once

#include "qualifiers.h"

#include <cstdint>
#include <cstring>

namespace ascendc_model {

/// IEEE binary16 to binary32, exact; a signalling NaN becomes quiet.
float half_to_float(uint16_t bits);
/// binary32 to binary16, to nearest even; overflow gives infinity, NaN stays a quiet NaN.
uint16_t float_to_half(float value);
/// bfloat16 to binary32, exact.
inline float bfloat16_to_float(uint16_t bits)
{
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}
/// binary32 to bfloat16, to nearest even; overflow gives infinity, NaN stays a quiet NaN.
uint16_t float_to_bfloat16(float value);

} // namespace ascendc_model

struct half {
    uint16_t bits;

    half() = default;
    half(float value) : bits(ascendc_model::float_to_half(value)) { }
    operator float() const { return ascendc_model::half_to_float(bits); }

    half& operator+=(half other) { return *this = half(float(*this) + float(other)); }
    half& operator-=(half other) { return *this = half(float(*this) - float(other)); }
    half& operator*=(half other) { return *this = half(float(*this) * float(other)); }
    half& operator/=(half other) { return *this = half(float(*this) / float(other)); }
};

inline half operator+(half a, half b)
{
    return a += b;
}
inline half operator-(half a, half b)
{
    return a -= b;
}
inline half operator*(half a, half b)
{
    return a *= b;
}
inline half operator/(half a, half b)
{
    return a /= b;
}

struct bfloat16_t {
    uint16_t bits;
};

namespace AscendC {

__aicore__ inline float ToFloat(const bfloat16_t& value)
{
    return ascendc_model::bfloat16_to_float(value.bits);
}

__aicore__ inline bfloat16_t ToBfloat16(const float& value)
{
    return bfloat16_t{ascendc_model::float_to_bfloat16(value)};
}

} // namespace AscendC
