// Comparisons, whose result is one bit per element, and Select by such bits. By count only: with
// masks, dav-2201 ignores the mask of a comparison, and 950 does not.
#pragma once

#include "tensor.h"

namespace AscendC {

/// `count` elements must fill whole repeats of 256 bytes.
template <typename T, typename U>
__aicore__ inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
    CMPMODE cmpMode, uint32_t count, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, float, int32_t> && ascendc_model::one_of<U, int8_t, uint8_t>,
        "Compare lacks these data types on dav-2201");
    const ascendc_model::Operand operands[] = {
        {dst.local(), ascendc_model::Type::U8},
        {src0.local(), ascendc_model::type_of<T>},
        {src1.local(), ascendc_model::type_of<T>},
    };
    ascendc_model::vector(ascendc_model::VectorOp::Compare, operands, 3, ascendc_model::Extent::elements(count),
        static_cast<uint8_t>(cmpMode), 0, site);
}

/// `count` elements must fill whole repeats of 256 bytes.
template <typename T, typename U>
__aicore__ inline void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,
    CMPMODE cmpMode, uint32_t count, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, float, int32_t> && ascendc_model::one_of<U, int8_t, uint8_t>,
        "CompareScalar lacks these data types on dav-2201");
    const ascendc_model::Operand operands[] = {
        {dst.local(), ascendc_model::Type::U8},
        {src0.local(), ascendc_model::type_of<T>},
    };
    ascendc_model::vector(ascendc_model::VectorOp::CompareScalar, operands, 2, ascendc_model::Extent::elements(count),
        static_cast<uint8_t>(cmpMode), ascendc_model::bits_of(src1Scalar), site);
}

/// `dst[i] = bit i of selMask ? src0[i] : src1[i]`, for SELMODE::VSEL_TENSOR_TENSOR_MODE.
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
    const LocalTensor<T>& src1, SELMODE selMode, uint32_t count, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, float>, "Select lacks this data type on dav-2201");
    const ascendc_model::Operand operands[] = {
        {dst.local(), ascendc_model::type_of<T>},
        {selMask.local(), ascendc_model::Type::U8},
        {src0.local(), ascendc_model::type_of<T>},
        {src1.local(), ascendc_model::type_of<T>},
    };
    ascendc_model::vector(ascendc_model::VectorOp::Select, operands, 4, ascendc_model::Extent::elements(count),
        static_cast<uint8_t>(selMode), 0, site);
}

/// `dst[i] = bit i of selMask ? src0[i] : src1`, for SELMODE::VSEL_TENSOR_SCALAR_MODE.
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
    T src1, SELMODE selMode, uint32_t count, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, float>, "Select lacks this data type on dav-2201");
    const ascendc_model::Operand operands[] = {
        {dst.local(), ascendc_model::type_of<T>},
        {selMask.local(), ascendc_model::Type::U8},
        {src0.local(), ascendc_model::type_of<T>},
    };
    ascendc_model::vector(ascendc_model::VectorOp::SelectScalar, operands, 3, ascendc_model::Extent::elements(count),
        static_cast<uint8_t>(selMode), ascendc_model::bits_of(src1), site);
}

} // namespace AscendC
