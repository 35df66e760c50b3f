// TransDataTo5HD, which transposes 16 blocks of 32 bytes.
#pragma once

#include "tensor.h"

namespace AscendC {

/// Blocks on each side of a TransDataTo5HD.
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = ascendc_model::kTransposedBlocks;

struct TransDataTo5HDParams {
    __aicore__ TransDataTo5HDParams() { }
    __aicore__ TransDataTo5HDParams(const bool dstHighHalfIn, const bool srcHighHalfIn,
        const ascendc_model::Given repeatTimesIn, const ascendc_model::Given dstRepStrideIn,
        const ascendc_model::Given srcRepStrideIn, const ascendc_model::Site& site = ascendc_model::Site::here())
        : dstHighHalf(dstHighHalfIn),
          srcHighHalf(srcHighHalfIn),
          repeatTimes(repeatTimesIn.as<uint8_t>("repeatTimes", site)),
          dstRepStride(dstRepStrideIn.as<uint16_t>("dstRepStride", site)),
          srcRepStride(srcRepStrideIn.as<uint16_t>("srcRepStride", site))
    {
    }

    /// For types of 8 bits: which half of each block is written, and which is read.
    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    /// The stride of repeats, in blocks of 32 bytes.
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;
};

} // namespace AscendC

namespace ascendc_model {

/// `dst_of` and `src_of` return the tensor that begins with block i of each side.
template <typename T, typename Dst, typename Src>
void transpose(Dst dst_of, Src src_of, const AscendC::TransDataTo5HDParams& params, const Site& site)
{
    static_assert(one_of<T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>,
        "TransDataTo5HD lacks this data type on dav-2201");
    Transposing transposing;
    for (uint32_t i = 0; i < kTransposedBlocks; i++) {
        transposing.dst[i] = dst_of(i);
        transposing.src[i] = src_of(i);
    }
    transposing.type = type_of<T>;
    transposing.dst_high = params.dstHighHalf;
    transposing.src_high = params.srcHighHalf;
    transposing.repeats = params.repeatTimes;
    transposing.dst_stride = params.dstRepStride;
    transposing.src_stride = params.srcRepStride;
    transpose_blocks(transposing, site);
}

} // namespace ascendc_model

namespace AscendC {

/// Row i of the result is column i of the 16 blocks of `srcList`. For types of 16 bits a row is a
/// block of `dstList`; for 32 bits it is two blocks; and for 8 bits half a block, since the columns
/// of one half of each block are taken.
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
    const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams& nchwconvParams,
    Site site = Site::here())
{
    ascendc_model::transpose<T>([&](uint32_t i) { return dstList[i].local(); },
        [&](uint32_t i) { return srcList[i].local(); }, nchwconvParams, site);
}

/// The same with addresses in UB, as `LocalTensor::GetPhyAddr` returns them.
template <typename T>
__aicore__ inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
    uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams& nchwconvParams, Site site = Site::here())
{
    ascendc_model::transpose<T>([&](uint32_t i) { return ascendc_model::local_at(dstList[i]); },
        [&](uint32_t i) { return ascendc_model::local_at(srcList[i]); }, nchwconvParams, site);
}

/// The same with addresses that are stored in UB, where the scalar unit wrote them.
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
    const TransDataTo5HDParams& nchwconvParams, Site site = Site::here())
{
    ascendc_model::transpose<T>([&](uint32_t i) { return ascendc_model::local_at(dst.GetValue(i, site)); },
        [&](uint32_t i) { return ascendc_model::local_at(src.GetValue(i, site)); }, nchwconvParams, site);
}

} // namespace AscendC
