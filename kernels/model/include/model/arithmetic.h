// Elementwise vector instructions with operands of one data type.
#pragma once

#include "tensor.h"

namespace ascendc_model {

template <bool isSetMask> Extent extent_of(const uint64_t mask[], uint64_t repeat)
{
    return isSetMask ? Extent::bits(mask, repeat) : Extent::held(repeat);
}

template <bool isSetMask> Extent extent_of(uint64_t lanes, uint64_t repeat)
{
    return isSetMask ? Extent::lanes(lanes, repeat) : Extent::held(repeat);
}

template <typename T>
void unary(VectorOp op, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, const Extent& extent,
    const AscendC::UnaryRepeatParams& strides, uint64_t scalar, const Site& site)
{
    const Operand operands[] = {
        {dst.local(), type_of<T>, strides.dstBlkStride, strides.dstRepStride},
        {src.local(), type_of<T>, strides.srcBlkStride, strides.srcRepStride},
    };
    vector(op, operands, 2, extent, 0, scalar, site);
}

template <typename T>
void binary(VectorOp op, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
    const AscendC::LocalTensor<T>& src1, const Extent& extent, const AscendC::BinaryRepeatParams& strides,
    const Site& site)
{
    const Operand operands[] = {
        {dst.local(), type_of<T>, strides.dstBlkStride, strides.dstRepStride},
        {src0.local(), type_of<T>, strides.src0BlkStride, strides.src0RepStride},
        {src1.local(), type_of<T>, strides.src1BlkStride, strides.src1RepStride},
    };
    vector(op, operands, 3, extent, 0, 0, site);
}

} // namespace ascendc_model

namespace AscendC {

// Each family is written once: by count, by mask bits, by leading lanes. The lists of data types
// are dav-2201's; And and Or take 32-bit types only by count there.

#define ASCENDC_MODEL_BINARY(NAME, BY_COUNT, BY_MASK)                                                                 \
    template <typename T>                                                                                             \
    __aicore__ inline void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,    \
        const int32_t& count, Site site = Site::here())                                                               \
    {                                                                                                                 \
        static_assert(BY_COUNT, #NAME " lacks this data type on dav-2201");                                           \
        ascendc_model::binary(ascendc_model::VectorOp::NAME, dst, src0, src1, ascendc_model::Extent::elements(count), \
            BinaryRepeatParams(), site);                                                                              \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true>                                                                      \
    __aicore__ inline void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,    \
        uint64_t mask[], const ascendc_model::Given repeatTime, const BinaryRepeatParams& repeatParams,               \
        Site site = Site::here())                                                                                     \
    {                                                                                                                 \
        static_assert(BY_MASK, #NAME " lacks this data type on dav-2201");                                            \
        ascendc_model::binary(ascendc_model::VectorOp::NAME, dst, src0, src1,                                         \
            ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams, site);                       \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true>                                                                      \
    __aicore__ inline void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,    \
        uint64_t mask, const ascendc_model::Given repeatTime, const BinaryRepeatParams& repeatParams,                 \
        Site site = Site::here())                                                                                     \
    {                                                                                                                 \
        static_assert(BY_MASK, #NAME " lacks this data type on dav-2201");                                            \
        ascendc_model::binary(ascendc_model::VectorOp::NAME, dst, src0, src1,                                         \
            ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams, site);                       \
    }

#define ASCENDC_MODEL_SCALAR(NAME, ALLOWED)                                                                   \
    template <typename T, bool isSetMask = true>                                                              \
    __aicore__ inline void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,   \
        const int32_t& count, Site site = Site::here())                                                       \
    {                                                                                                         \
        static_assert(ALLOWED, #NAME " lacks this data type on dav-2201");                                    \
        ascendc_model::unary(ascendc_model::VectorOp::NAME, dst, src, ascendc_model::Extent::elements(count), \
            UnaryRepeatParams(), ascendc_model::bits_of(scalarValue), site);                                  \
    }                                                                                                         \
    template <typename T, bool isSetMask = true>                                                              \
    __aicore__ inline void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,   \
        uint64_t mask[], const ascendc_model::Given repeatTime, const UnaryRepeatParams& repeatParams,        \
        Site site = Site::here())                                                                             \
    {                                                                                                         \
        static_assert(ALLOWED, #NAME " lacks this data type on dav-2201");                                    \
        ascendc_model::unary(ascendc_model::VectorOp::NAME, dst, src,                                         \
            ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams,                      \
            ascendc_model::bits_of(scalarValue), site);                                                       \
    }                                                                                                         \
    template <typename T, bool isSetMask = true>                                                              \
    __aicore__ inline void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,   \
        uint64_t mask, const ascendc_model::Given repeatTime, const UnaryRepeatParams& repeatParams,          \
        Site site = Site::here())                                                                             \
    {                                                                                                         \
        static_assert(ALLOWED, #NAME " lacks this data type on dav-2201");                                    \
        ascendc_model::unary(ascendc_model::VectorOp::NAME, dst, src,                                         \
            ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams,                      \
            ascendc_model::bits_of(scalarValue), site);                                                       \
    }

#define ASCENDC_MODEL_UNARY(NAME, BY_COUNT, BY_MASK)                                                            \
    template <typename T>                                                                                       \
    __aicore__ inline void NAME(                                                                                \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count, Site site = Site::here())   \
    {                                                                                                           \
        static_assert(BY_COUNT, #NAME " lacks this data type on dav-2201");                                     \
        ascendc_model::unary(ascendc_model::VectorOp::NAME, dst, src, ascendc_model::Extent::elements(count),   \
            UnaryRepeatParams(), 0, site);                                                                      \
    }                                                                                                           \
    template <typename T, bool isSetMask = true>                                                                \
    __aicore__ inline void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[],          \
        const ascendc_model::Given repeatTime, const UnaryRepeatParams& repeatParams, Site site = Site::here()) \
    {                                                                                                           \
        static_assert(BY_MASK, #NAME " lacks this data type on dav-2201");                                      \
        ascendc_model::unary(ascendc_model::VectorOp::NAME, dst, src,                                           \
            ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams, 0, site);              \
    }                                                                                                           \
    template <typename T, bool isSetMask = true>                                                                \
    __aicore__ inline void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask,            \
        const ascendc_model::Given repeatTime, const UnaryRepeatParams& repeatParams, Site site = Site::here()) \
    {                                                                                                           \
        static_assert(BY_MASK, #NAME " lacks this data type on dav-2201");                                      \
        ascendc_model::unary(ascendc_model::VectorOp::NAME, dst, src,                                           \
            ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), repeatParams, 0, site);              \
    }

// clang-format off
#define ASCENDC_MODEL_NUMBERS (ascendc_model::one_of<T, half, float, int16_t, int32_t>)
#define ASCENDC_MODEL_FLOATS  (ascendc_model::one_of<T, half, float>)
#define ASCENDC_MODEL_BITS16  (ascendc_model::one_of<T, int16_t, uint16_t>)
#define ASCENDC_MODEL_BITS    (ascendc_model::one_of<T, int16_t, uint16_t, int32_t, uint32_t>)

ASCENDC_MODEL_BINARY(Add, ASCENDC_MODEL_NUMBERS, ASCENDC_MODEL_NUMBERS)
ASCENDC_MODEL_BINARY(Sub, ASCENDC_MODEL_NUMBERS, ASCENDC_MODEL_NUMBERS)
ASCENDC_MODEL_BINARY(Mul, ASCENDC_MODEL_NUMBERS, ASCENDC_MODEL_NUMBERS)
ASCENDC_MODEL_BINARY(Max, ASCENDC_MODEL_NUMBERS, ASCENDC_MODEL_NUMBERS)
ASCENDC_MODEL_BINARY(Min, ASCENDC_MODEL_NUMBERS, ASCENDC_MODEL_NUMBERS)
ASCENDC_MODEL_BINARY(Div, ASCENDC_MODEL_FLOATS, ASCENDC_MODEL_FLOATS)
ASCENDC_MODEL_BINARY(And, ASCENDC_MODEL_BITS, ASCENDC_MODEL_BITS16)
ASCENDC_MODEL_BINARY(Or, ASCENDC_MODEL_BITS, ASCENDC_MODEL_BITS16)

ASCENDC_MODEL_SCALAR(Adds, ASCENDC_MODEL_NUMBERS)
ASCENDC_MODEL_SCALAR(Muls, ASCENDC_MODEL_NUMBERS)
ASCENDC_MODEL_SCALAR(Maxs, ASCENDC_MODEL_NUMBERS)
ASCENDC_MODEL_SCALAR(Mins, ASCENDC_MODEL_NUMBERS)
ASCENDC_MODEL_SCALAR(ShiftLeft, ASCENDC_MODEL_BITS)
ASCENDC_MODEL_SCALAR(ShiftRight, ASCENDC_MODEL_BITS)

ASCENDC_MODEL_UNARY(Abs, ASCENDC_MODEL_FLOATS, ASCENDC_MODEL_FLOATS)
ASCENDC_MODEL_UNARY(Not, ASCENDC_MODEL_BITS16, ASCENDC_MODEL_BITS16)
// clang-format on

#undef ASCENDC_MODEL_BINARY
#undef ASCENDC_MODEL_SCALAR
#undef ASCENDC_MODEL_UNARY
#undef ASCENDC_MODEL_NUMBERS
#undef ASCENDC_MODEL_FLOATS
#undef ASCENDC_MODEL_BITS16
#undef ASCENDC_MODEL_BITS

template <typename T>
__aicore__ inline void Duplicate(
    const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float>,
        "Duplicate lacks this data type on dav-2201");
    const ascendc_model::Operand operand = {dst.local(), ascendc_model::type_of<T>};
    ascendc_model::vector(ascendc_model::VectorOp::Duplicate, &operand, 1, ascendc_model::Extent::elements(count), 0,
        ascendc_model::bits_of(scalarValue), site);
}

template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask,
    const ascendc_model::Given repeatTime, const ascendc_model::Given dstBlockStride,
    const ascendc_model::Given dstRepeatStride, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float>,
        "Duplicate lacks this data type on dav-2201");
    const ascendc_model::Operand operand = {dst.local(), ascendc_model::type_of<T>,
        dstBlockStride.as<uint16_t>("dstBlockStride", site), dstRepeatStride.as<uint8_t>("dstRepeatStride", site)};
    ascendc_model::vector(ascendc_model::VectorOp::Duplicate, &operand, 1,
        ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), 0, ascendc_model::bits_of(scalarValue), site);
}

template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[],
    const ascendc_model::Given repeatTime, const ascendc_model::Given dstBlockStride,
    const ascendc_model::Given dstRepeatStride, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float>,
        "Duplicate lacks this data type on dav-2201");
    const ascendc_model::Operand operand = {dst.local(), ascendc_model::type_of<T>,
        dstBlockStride.as<uint16_t>("dstBlockStride", site), dstRepeatStride.as<uint8_t>("dstRepeatStride", site)};
    ascendc_model::vector(ascendc_model::VectorOp::Duplicate, &operand, 1,
        ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), 0, ascendc_model::bits_of(scalarValue), site);
}

} // namespace AscendC
