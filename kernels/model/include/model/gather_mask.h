// GatherMask, which packs the chosen elements of a tensor.
#pragma once

#include "tensor.h"

namespace ascendc_model {

template <typename T>
Packing packing_of(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, bool counted, uint32_t mask,
    const AscendC::GatherMaskParams& params)
{
    static_assert(one_of<T, half, bfloat16_t, uint16_t, int16_t, float, uint32_t, int32_t>,
        "GatherMask lacks this data type on dav-2201");
    Packing packing;
    packing.dst = dst.local();
    packing.src = src.local();
    packing.type = type_of<T>;
    packing.counted = counted;
    packing.mask = mask;
    packing.repeats = params.repeatTimes;
    packing.repeat_stride = params.src0RepeatStride;
    packing.block_stride = params.src0BlockStride;
    packing.bits_stride = params.src1RepeatStride;
    return packing;
}

} // namespace ascendc_model

namespace AscendC {

/// Packs the elements whose bit is set in `src1Pattern`, the lowest bit first; the bits of a repeat
/// are adjacent, and the stride of repeats is `src1RepeatStride` blocks of 32 bytes. With
/// `reduceMode` a repeat has `mask` elements, otherwise 256 bytes. `rsvdCnt` is how many were
/// chosen; what follows them in `dst` is undefined.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
    const LocalTensor<U>& src1Pattern, const bool reduceMode, const uint32_t mask,
    const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<U, uint16_t, uint32_t> && sizeof(T) == sizeof(U),
        "the bits of GatherMask are uint16_t for elements of 2 bytes and uint32_t for elements of 4");
    ascendc_model::Packing packing = ascendc_model::packing_of(dst, src0, reduceMode, mask, gatherMaskParams);
    packing.bits = src1Pattern.local();
    rsvdCnt = ascendc_model::gather_mask(packing, site);
}

/// Packs the elements of a pattern: 1 means those with even numbers in each repeat, 2 those with
/// odd ones, 3 to 6 the first to the last of each four, 7 all.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern,
    const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt,
    Site site = Site::here())
{
    ascendc_model::Packing packing = ascendc_model::packing_of(dst, src0, reduceMode, mask, gatherMaskParams);
    // Pattern 0 means the other form, which has no number.
    packing.pattern = src1Pattern != 0 ? src1Pattern : UINT8_MAX;
    rsvdCnt = ascendc_model::gather_mask(packing, site);
}

} // namespace AscendC
