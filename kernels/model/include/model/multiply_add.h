// Axpy and MulAddDst, which add a product to the destination. Whether they round it first is not
// documented: in the model the seed decides.
#pragma once

#include "arithmetic.h"

namespace ascendc_model {

template <typename To, typename From>
constexpr bool is_product = (type_of<To> == type_of<From> && one_of<To, half, float>) ||
    (type_of<To> == Type::F32 && type_of<From> == Type::F16);

/// The stride of the sources' repeats in blocks of 32 bytes, where the destination's is 8.
template <typename To, typename From> constexpr uint8_t source_stride = 8 * sizeof(From) / sizeof(To);

template <typename T, typename U>
void axpy(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src, const U& scalar, const Extent& extent,
    const AscendC::UnaryRepeatParams& strides, const Site& site)
{
    static_assert(is_product<T, U>, "Axpy lacks these data types on dav-2201");
    const Operand to = {dst.local(), type_of<T>, strides.dstBlkStride, strides.dstRepStride};
    const Operand operands[] = {to, {src.local(), type_of<U>, strides.srcBlkStride, strides.srcRepStride}, to};
    vector(VectorOp::Axpy, operands, 3, extent, 0, bits_of(scalar), site);
}

template <typename T, typename U>
void multiply_add(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src0,
    const AscendC::LocalTensor<U>& src1, const Extent& extent, const AscendC::BinaryRepeatParams& strides,
    const Site& site)
{
    static_assert(is_product<T, U>, "MulAddDst lacks these data types on dav-2201");
    const Operand to = {dst.local(), type_of<T>, strides.dstBlkStride, strides.dstRepStride};
    const Operand operands[] = {to, {src0.local(), type_of<U>, strides.src0BlkStride, strides.src0RepStride},
        {src1.local(), type_of<U>, strides.src1BlkStride, strides.src1RepStride}, to};
    vector(VectorOp::MulAddDst, operands, 4, extent, 0, 0, site);
}

} // namespace ascendc_model

namespace AscendC {

/// `dst[i] += src[i] * scalarValue`.
template <typename T, typename U>
__aicore__ inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
    const int32_t& count, Site site = Site::here())
{
    ascendc_model::axpy(dst, src, scalarValue, ascendc_model::Extent::elements(count),
        UnaryRepeatParams(1, 1, 8, ascendc_model::source_stride<T, U>), site);
}

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask[],
    const ascendc_model::Given repeatTime, const UnaryRepeatParams& repeatParams, Site site = Site::here())
{
    ascendc_model::axpy(
        dst, src, scalarValue, ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams, site);
}

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask,
    const ascendc_model::Given repeatTime, const UnaryRepeatParams& repeatParams, Site site = Site::here())
{
    ascendc_model::axpy(
        dst, src, scalarValue, ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams, site);
}

/// `dst[i] += src0[i] * src1[i]`.
template <typename T, typename U>
__aicore__ inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
    const int32_t& count, Site site = Site::here())
{
    constexpr uint8_t stride = ascendc_model::source_stride<T, U>;
    ascendc_model::multiply_add(
        dst, src0, src1, ascendc_model::Extent::elements(count), BinaryRepeatParams(1, 1, 1, 8, stride, stride), site);
}

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
    const uint64_t mask[], const ascendc_model::Given repeatTime, const BinaryRepeatParams& repeatParams,
    Site site = Site::here())
{
    ascendc_model::multiply_add(
        dst, src0, src1, ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams, site);
}

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
    uint64_t mask, const ascendc_model::Given repeatTime, const BinaryRepeatParams& repeatParams,
    Site site = Site::here())
{
    ascendc_model::multiply_add(
        dst, src0, src1, ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams, site);
}

} // namespace AscendC
