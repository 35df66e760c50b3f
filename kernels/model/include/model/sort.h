// Sorting: Sort32 makes sorted lists of 32 records, MrgSort merges up to four lists into one.
//
// A record is 8 bytes: the key, float or half, in the low ones, and an index of 4 bytes in the high
// ones. All orders are descending, and sorting is stable.
#pragma once

#include "gather_mask.h"

namespace AscendC {

template <typename T> struct MrgSortSrcList {
    __aicore__ MrgSortSrcList() { }
    __aicore__ MrgSortSrcList(const LocalTensor<T>& src1In, const LocalTensor<T>& src2In, const LocalTensor<T>& src3In,
        const LocalTensor<T>& src4In)
        : src1(src1In), src2(src2In), src3(src3In), src4(src4In)
    {
    }

    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;
};

/// Each repeat sorts 32 keys of `src0`, with their indices in `src1`, independently of the other
/// repeats.
template <typename T>
__aicore__ inline void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
    const int32_t repeatTime, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, float>, "Sort32 lacks this data type on dav-2201");
    ascendc_model::sort32(dst.local(), src0.local(), src1.local(), ascendc_model::type_of<T>,
        static_cast<uint64_t>(static_cast<int64_t>(repeatTime)), site);
}

/// Merges the first 2, 3 or 4 lists, for `validBit` 3, 7 or 15. More than one repeat needs four
/// adjacent lists of the same length. With `ifExhaustedSuspension` it ends as soon as one list
/// does.
template <typename T>
__aicore__ inline void MrgSort(
    const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, float>, "MrgSort lacks this data type on dav-2201");
    ascendc_model::Merging merging;
    merging.dst = dst.local();
    const LocalTensor<T>* lists[] = {&src.src1, &src.src2, &src.src3, &src.src4};
    for (uint32_t i = 0; i < 4; i++) {
        merging.lists[i] = lists[i]->local();
        merging.lengths[i] = params.elementLengths[i];
    }
    merging.type = ascendc_model::type_of<T>;
    merging.suspends = params.ifExhaustedSuspension;
    merging.valid = params.validBit;
    merging.repeats = params.repeatTimes;
    ascendc_model::merge_sorted(merging, site);
}

/// How many records a MrgSort with `ifExhaustedSuspension` took from each list; undefined for lists
/// that took no part.
__aicore__ inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
    uint16_t& mrgSortList4, Site site = Site::here())
{
    mrgSortList1 = ascendc_model::merged_of(0, site);
    mrgSortList2 = ascendc_model::merged_of(1, site);
    mrgSortList3 = ascendc_model::merged_of(2, site);
    mrgSortList4 = ascendc_model::merged_of(3, site);
}

/// The same with separate parameters. `sortedNum` is only written with `isExhaustedSuspension`.
template <typename T, bool isExhaustedSuspension = false>
__aicore__ inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList,
    const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTimes,
    Site site = Site::here())
{
    MrgSort(dst, sortList, MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, repeatTimes, site), site);
    for (uint32_t i = 0; i < 4 && isExhaustedSuspension; i++) {
        sortedNum[i] = ascendc_model::merged_of(i, site);
    }
}

/// Separates the keys and the indices of sorted records. A repeat takes the keys of 256 bytes of
/// records, 32; and the indices of as many records with float keys, but of twice as many with half
/// keys (the headers of 8.1.RC1), for which `sorted` and `dstIndex` must have room.
template <typename T>
__aicore__ inline void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex,
    const LocalTensor<T>& sorted, const int32_t repeatTime, Site site = Site::here())
{
    static_assert(ascendc_model::one_of<T, half, float>, "Extract lacks this data type on dav-2201");
    constexpr bool is_half = ascendc_model::one_of<T, half>;
    uint64_t count = 0;
    GatherMask(
        dstValue, sorted, uint8_t(is_half ? 3 : 1), false, 0, GatherMaskParams(1, repeatTime, 8, 0, site), count, site);
    ascendc_model::pipe_barrier(PIPE_V, site);
    const GatherMaskParams of_indices(1, is_half ? 2 * repeatTime : repeatTime, 8, 0, site);
    GatherMask(dstIndex, sorted.template ReinterpretCast<uint32_t>(), uint8_t(2), false, 0, of_indices, count, site);
}

/// How many elements of type T some records take.
template <typename T> __aicore__ inline uint32_t GetSortLen(const uint32_t elemCount)
{
    static_assert(ascendc_model::one_of<T, half, float>, "records have keys of half or float");
    return elemCount * static_cast<uint32_t>(8 / sizeof(T));
}
template <typename T> __aicore__ inline uint32_t GetSortOffset(const uint32_t elemOffset)
{
    return GetSortLen<T>(elemOffset);
}

} // namespace AscendC
