// Data movement: DataCopy and DataCopyPad between GM and UB, DataCopy and Copy within UB.
#pragma once

#include "arithmetic.h"

namespace ascendc_model {

/// DataCopy in whole blocks of 32 bytes.
template <typename T>
Transfer blocks(const AscendC::GlobalTensor<T>& gm, const AscendC::LocalTensor<T>& ub, uint32_t count, uint64_t length,
    uint64_t gm_gap, uint32_t ub_gap)
{
    Transfer transfer;
    transfer.gm = gm.global();
    transfer.ub = ub.local();
    transfer.type = type_of<T>;
    transfer.count = count;
    transfer.length = static_cast<uint32_t>(length);
    transfer.gm_gap = gm_gap;
    transfer.ub_gap = ub_gap;
    return transfer;
}

template <typename T>
Transfer padded(const AscendC::GlobalTensor<T>& gm, const AscendC::LocalTensor<T>& ub, uint32_t count, uint32_t length,
    uint64_t gm_gap, uint32_t ub_gap)
{
    Transfer transfer = blocks(gm, ub, count, length, gm_gap, ub_gap);
    transfer.pad = true;
    return transfer;
}

} // namespace ascendc_model

namespace AscendC {

/// Copies `count` elements, which must fill whole blocks of 32 bytes.
template <typename T>
__aicore__ inline void DataCopy(
    const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count, Site site = Site::here())
{
    const uint64_t bytes = uint64_t(count) * sizeof(T);
    ascendc_model::copy_remainder("DataCopy", bytes, site);
    ascendc_model::copy_in(ascendc_model::blocks(src, dst, 1, bytes / 32 * 32, 0, 0), site);
}

template <typename T>
__aicore__ inline void DataCopy(
    const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count, Site site = Site::here())
{
    const uint64_t bytes = uint64_t(count) * sizeof(T);
    ascendc_model::copy_remainder("DataCopy", bytes, site);
    ascendc_model::copy_out(ascendc_model::blocks(dst, src, 1, bytes / 32 * 32, 0, 0), site);
}

template <typename T>
__aicore__ inline void DataCopy(
    const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& repeatParams, Site site = Site::here())
{
    ascendc_model::copy_in(ascendc_model::blocks(src, dst, repeatParams.blockCount, repeatParams.blockLen * 32u,
                               repeatParams.srcStride * 32u, repeatParams.dstStride),
        site);
}

template <typename T>
__aicore__ inline void DataCopy(
    const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams, Site site = Site::here())
{
    ascendc_model::copy_out(ascendc_model::blocks(dst, src, repeatParams.blockCount, repeatParams.blockLen * 32u,
                                repeatParams.dstStride * 32u, repeatParams.srcStride),
        site);
}

template <typename T>
__aicore__ inline void DataCopy(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count, Site site = Site::here())
{
    const uint64_t bytes = uint64_t(count) * sizeof(T);
    ascendc_model::copy_remainder("DataCopy", bytes, site);
    ascendc_model::copy_local(dst.local(), src.local(), 1, static_cast<uint32_t>(bytes / 32), 0, 0, site);
}

template <typename T>
__aicore__ inline void DataCopy(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams, Site site = Site::here())
{
    ascendc_model::copy_local(dst.local(), src.local(), repeatParams.blockCount, repeatParams.blockLen,
        repeatParams.srcStride, repeatParams.dstStride, site);
}

/// Copies blocks of any number of bytes to UB, each padded there to whole blocks of 32 bytes.
template <typename T>
ASCENDC_MODEL_ACCESS void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
    const DataCopyExtParams& dataCopyParams, const DataCopyPadExtParams<T>& padParams, Site site = Site::here())
{
    ascendc_model::Transfer transfer = ascendc_model::padded(src, dst, dataCopyParams.blockCount,
        dataCopyParams.blockLen, dataCopyParams.srcStride, dataCopyParams.dstStride);
    transfer.pad_given = padParams.isPad;
    transfer.left = padParams.leftPadding;
    transfer.right = padParams.rightPadding;
    transfer.pad_value = ascendc_model::bits_of(padParams.paddingValue);
    ascendc_model::copy_in(transfer, site);
}

template <typename T>
ASCENDC_MODEL_ACCESS void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
    const DataCopyParams& dataCopyParams, const DataCopyPadParams& padParams, Site site = Site::here())
{
    ascendc_model::Transfer transfer = ascendc_model::padded(src, dst, dataCopyParams.blockCount,
        dataCopyParams.blockLen, dataCopyParams.srcStride, dataCopyParams.dstStride);
    transfer.pad_given = padParams.isPad;
    transfer.left = padParams.leftPadding;
    transfer.right = padParams.rightPadding;
    transfer.pad_value = padParams.paddingValue;
    ascendc_model::copy_in(transfer, site);
}

/// Copies blocks of any number of bytes to GM; in UB each starts at a multiple of 32 bytes.
template <typename T>
ASCENDC_MODEL_ACCESS void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
    const DataCopyExtParams& dataCopyParams, Site site = Site::here())
{
    ascendc_model::copy_out(ascendc_model::padded(dst, src, dataCopyParams.blockCount, dataCopyParams.blockLen,
                                dataCopyParams.dstStride, dataCopyParams.srcStride),
        site);
}

template <typename T>
ASCENDC_MODEL_ACCESS void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
    const DataCopyParams& dataCopyParams, Site site = Site::here())
{
    ascendc_model::copy_out(ascendc_model::padded(dst, src, dataCopyParams.blockCount, dataCopyParams.blockLen,
                                dataCopyParams.dstStride, dataCopyParams.srcStride),
        site);
}

template <typename T, bool isSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask,
    const ascendc_model::Given repeatTime, const CopyRepeatParams& repeatParams, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
        "Copy lacks this data type on dav-2201");
    const ascendc_model::Operand operands[] = {
        {dst.local(), ascendc_model::type_of<T>, repeatParams.dstStride, repeatParams.dstRepeatSize},
        {src.local(), ascendc_model::type_of<T>, repeatParams.srcStride, repeatParams.srcRepeatSize},
    };
    ascendc_model::vector(ascendc_model::VectorOp::Copy, operands, 2,
        ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), 0, 0, site);
}

template <typename T, bool isSetMask = true>
__aicore__ inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],
    const ascendc_model::Given repeatTime, const CopyRepeatParams& repeatParams, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
        "Copy lacks this data type on dav-2201");
    const ascendc_model::Operand operands[] = {
        {dst.local(), ascendc_model::type_of<T>, repeatParams.dstStride, repeatParams.dstRepeatSize},
        {src.local(), ascendc_model::type_of<T>, repeatParams.srcStride, repeatParams.srcRepeatSize},
    };
    ascendc_model::vector(ascendc_model::VectorOp::Copy, operands, 2,
        ascendc_model::extent_of<isSetMask>(mask, repeatTime.value()), 0, 0, site);
}

} // namespace AscendC
