// Instructions on blocks of 32 bytes: Brcb fills one with each element, Gatherb collects them by
// byte offsets.
#pragma once

#include "tensor.h"

namespace ascendc_model {

/// The mask as it is after the ResetMask that is part of both.
inline Extent all_lanes(uint64_t repeat)
{
    constexpr uint64_t all[] = {UINT64_MAX, UINT64_MAX};
    return Extent::bits(all, repeat);
}

} // namespace ascendc_model

namespace AscendC {

/// Each repeat broadcasts 8 adjacent elements of `src0` to 8 blocks.
template <typename T>
__aicore__ inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
    const ascendc_model::Given repeatTimes, const BrcbRepeatParams& repeatParams, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float>,
        "Brcb lacks this data type on dav-2201");
    const ascendc_model::Operand operands[] = {
        {dst.local(), ascendc_model::type_of<T>, repeatParams.dstBlkStride, repeatParams.dstRepStride},
        {src0.local(), ascendc_model::type_of<T>},
    };
    ascendc_model::vector(
        ascendc_model::VectorOp::Brcb, operands, 2, ascendc_model::all_lanes(repeatTimes.value()), 0, 0, site);
}

/// Each repeat collects the 8 blocks that are `offset` bytes into `src0`. A stride of 0 between
/// blocks of `dst` is 1.
template <typename T>
__aicore__ inline void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
    const LocalTensor<uint32_t>& offset, const ascendc_model::Given repeatTimes, const GatherRepeatParams& repeatParams,
    Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, uint16_t, uint32_t>, "Gatherb lacks this data type on dav-2201");
    const uint16_t block_stride = repeatParams.dstBlkStride == 0 ? 1 : repeatParams.dstBlkStride;
    const ascendc_model::Operand operands[] = {
        {dst.local(), ascendc_model::type_of<T>, block_stride, repeatParams.dstRepStride},
        {src0.local(), ascendc_model::type_of<T>},
        {offset.local(), ascendc_model::Type::U32, 1, 8 * sizeof(uint32_t) / sizeof(T)},
    };
    ascendc_model::vector(
        ascendc_model::VectorOp::Gatherb, operands, 3, ascendc_model::all_lanes(repeatTimes.value()), 0, 0, site);
}

} // namespace AscendC
