// Gather, which reads UB at byte offsets that are stored in UB, and CreateVecIndex, which writes
// consecutive numbers.
#pragma once

#include "arithmetic.h"

namespace ascendc_model {

template <typename T>
void gather(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
    const AscendC::LocalTensor<uint32_t>& offset, uint32_t base, const Extent& extent, uint16_t repeat_stride,
    const Site& site)
{
    static_assert(one_of<T, half, bfloat16_t, uint16_t, int16_t, float, uint32_t, int32_t>,
        "Gather lacks this data type on dav-2201");
    const Operand operands[] = {
        {dst.local(), type_of<T>, 1, repeat_stride},
        {src.local(), type_of<T>},
        {offset.local(), Type::U32, 1, static_cast<uint16_t>(8 * sizeof(uint32_t) / sizeof(T))},
    };
    vector(VectorOp::Gather, operands, 3, extent, 0, base, site);
}

} // namespace ascendc_model

namespace AscendC {

/// `dst[i]` is the element `srcOffset[i] + srcBaseAddr` bytes into src.
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
    const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr, const uint32_t count, Site site = Site::here())
{
    ascendc_model::gather(dst, src, srcOffset, srcBaseAddr, ascendc_model::Extent::elements(count), 8, site);
}

template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
    const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr, const uint64_t mask,
    const ascendc_model::Given repeatTime, const ascendc_model::Given dstRepStride, Site site = Site::here())
{
    ascendc_model::gather(dst, src, srcOffset, srcBaseAddr, ascendc_model::Extent::lanes(mask, repeatTime.value()),
        dstRepStride.as<uint16_t>("dstRepStride", site), site);
}

template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
    const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr, const uint64_t mask[],
    const ascendc_model::Given repeatTime, const ascendc_model::Given dstRepStride, Site site = Site::here())
{
    ascendc_model::gather(dst, src, srcOffset, srcBaseAddr, ascendc_model::Extent::bits(mask, repeatTime.value()),
        dstRepStride.as<uint16_t>("dstRepStride", site), site);
}

/// `dst[i] = firstValue + i`. On dav-2201 the real function writes the first 32 bytes by the scalar
/// unit and the rest by the vector unit, with a flag between them; on dav-3510 the vector unit
/// writes all. So both have to be ordered behind what used the first block, which is written whole,
/// and nothing else that the scalar unit has written is ordered before the vector unit.
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count, Site site = Site::here())
{
    static_assert(
        ascendc_model::one_of<T, int16_t, int32_t, half, float>, "CreateVecIndex lacks this data type on dav-2201");
    const ascendc_model::Operand operand = {dst.local(), ascendc_model::type_of<T>};
    ascendc_model::vector(ascendc_model::VectorOp::VecIndex, &operand, 1, ascendc_model::Extent::elements(count), 0,
        ascendc_model::bits_of(firstValue), site);
}

} // namespace AscendC
