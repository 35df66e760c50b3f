// Cast: the pairs of data types that dav-2201 converts. Whether a pair has a rounding is checked
// when it is issued.
#pragma once

#include "arithmetic.h"

namespace ascendc_model {

template <typename From, typename To, typename F, typename T>
constexpr bool is_pair = type_of<From> == type_of<F> && type_of<To> == type_of<T>;

// int32 to half is absent on purpose: dav-2201 scales it by a register that this subset does not
// have.
template <typename From, typename To>
constexpr bool is_castable = (type_of<From> == Type::F16 && one_of<To, float, int32_t, int16_t, int8_t, uint8_t>) ||
    (type_of<From> == Type::F32 && one_of<To, float, half, bfloat16_t, int64_t, int32_t, int16_t>) ||
    (type_of<From> == Type::BF16 && one_of<To, float, int32_t>) ||
    (type_of<From> == Type::S16 && one_of<To, half, float>) ||
    (type_of<From> == Type::S32 && one_of<To, float, int16_t, int64_t>) ||
    (type_of<From> == Type::S64 && one_of<To, float, int32_t>) || is_pair<From, To, int8_t, half> ||
    is_pair<From, To, uint8_t, half>;

template <typename To, typename From>
void cast(const AscendC::LocalTensor<To>& dst, const AscendC::LocalTensor<From>& src, AscendC::RoundMode mode,
    const Extent& extent, const AscendC::UnaryRepeatParams& strides, const Site& site)
{
    static_assert(is_castable<From, To>, "Cast lacks this pair of data types on dav-2201");
    const Operand operands[] = {
        {dst.local(), type_of<To>, strides.dstBlkStride, strides.dstRepStride},
        {src.local(), type_of<From>, strides.srcBlkStride, strides.srcRepStride},
    };
    vector(VectorOp::Cast, operands, 2, extent, static_cast<uint8_t>(mode), 0, site);
}

} // namespace ascendc_model

namespace AscendC {

template <typename T, typename U>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
    const uint32_t count, Site site = Site::here())
{
    // As the real header: the narrower type steps half a repeat.
    constexpr uint8_t dst_stride = sizeof(T) < sizeof(U) ? 8 * sizeof(T) / sizeof(U) : 8;
    constexpr uint8_t src_stride = sizeof(U) < sizeof(T) ? 8 * sizeof(U) / sizeof(T) : 8;
    ascendc_model::cast(dst, src, roundMode, ascendc_model::Extent::elements(count),
        UnaryRepeatParams(1, 1, dst_stride, src_stride), site);
}

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
    const uint64_t mask[], const ascendc_model::Given repeatTime, const UnaryRepeatParams& repeatParams,
    Site site = Site::here())
{
    ascendc_model::cast(
        dst, src, roundMode, ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams, site);
}

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
    const uint64_t mask, const ascendc_model::Given repeatTime, const UnaryRepeatParams& repeatParams,
    Site site = Site::here())
{
    ascendc_model::cast(
        dst, src, roundMode, ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams, site);
}

} // namespace AscendC
