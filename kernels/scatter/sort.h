// Sorts up to some thousand records in UB in descending order: a record is an f32 key and a word of
// 32 bits.
#pragma once

#include "box.h"

class Sorter {
public:
    /// Records of 8 bytes: the key in the low half, the word in the high one.
    using Records = AscendC::LocalTensor<uint64_t>;

    /// Allocates room for `capacity` records, a multiple of 32. Sort32 needs its operands at
    /// multiples of 256 bytes, so these buffers must be the first in UB.
    __aicore__ inline void Init(AscendC::TPipe& pipe, uint32_t capacity)
    {
        capacity_ = capacity;
        const uint32_t bytes = Aligned(capacity * sizeof(float));
        pipe.InitBuffer(keys_, bytes);
        pipe.InitBuffer(words_, bytes);
        pipe.InitBuffer(records_, 2 * Aligned(capacity * sizeof(uint64_t)));
    }

    __aicore__ inline AscendC::LocalTensor<float> Keys() { return keys_.Get<float>(); }
    __aicore__ inline AscendC::LocalTensor<uint32_t> Words() { return words_.Get<uint32_t>(); }

    /// Sorts the first `count` records, together with their padding to a multiple of 32. No barrier
    /// in front, and none behind the last instruction.
    __aicore__ inline Records Sort(uint32_t count)
    {
        const uint32_t all = (count + kSorted - 1) / kSorted * kSorted;
        AscendC::Sort32(Half(0), Keys(), Words(), static_cast<int32_t>(all / kSorted));
        return MergeAll(kSorted, all);
    }

    /// Where `MergeAll` expects lists.
    __aicore__ inline Records Lists() { return Half(0).ReinterpretCast<uint64_t>(); }

    /// Merges sorted lists of `length` records each, a multiple of 4, which are `count` in all. It
    /// has a barrier in front unless there is one list, and none behind the last instruction.
    __aicore__ inline Records MergeAll(uint32_t length, uint32_t count)
    {
        uint32_t half = 0;
        for (; length < count; length *= kLists) {
            AscendC::PipeBarrier<PIPE_V>();
            Merge(Half(1 - half), Half(half), length, count);
            half = 1 - half;
        }
        return Half(half).ReinterpretCast<uint64_t>();
    }

private:
    using Floats = AscendC::LocalTensor<float>;

    static constexpr uint32_t kSorted = 32;
    static constexpr uint32_t kLists = 4;
    static constexpr uint32_t kAlignment = 256;
    /// Floats in a record.
    static constexpr uint32_t kRecord = 2;

    static __aicore__ inline uint32_t Aligned(uint32_t bytes)
    {
        return (bytes + kAlignment - 1) / kAlignment * kAlignment;
    }

    __aicore__ inline Floats Half(uint32_t half)
    {
        const uint32_t bytes = Aligned(capacity_ * sizeof(uint64_t));
        return records_.GetWithOffset<float>(bytes / sizeof(float), half * bytes);
    }

    /// Merges sorted lists of `length` records, of which the last may be shorter, four at a time.
    static __aicore__ inline void Merge(const Floats& to, const Floats& from, uint32_t length, uint32_t all)
    {
        const uint32_t whole = all / (kLists * length);
        if (whole != 0) {
            MergeLists(to, from, length, length, kLists, whole);
        }
        const uint32_t done = whole * kLists * length;
        const uint32_t rest = all - done;
        const uint32_t lists = (rest + length - 1) / length;
        if (lists == 1) {
            AscendC::DataCopy(to[kRecord * done], from[kRecord * done], kRecord * rest);
        } else if (lists != 0) {
            MergeLists(to[kRecord * done], from[kRecord * done], length, rest - (lists - 1) * length, lists, 1);
        }
    }

    static __aicore__ inline void MergeLists(
        const Floats& to, const Floats& from, uint32_t length, uint32_t last, uint32_t lists, uint32_t repeats)
    {
        uint16_t lengths[kLists];
        for (uint32_t list = 0; list < kLists; list++) {
            lengths[list] = static_cast<uint16_t>(list + 1 < lists ? length : list + 1 == lists ? last : 0);
        }
        const uint32_t step = kRecord * length;
        // Lists that take no part are never looked at.
        const AscendC::MrgSortSrcList<float> sources(
            from, from[step], from[lists > 2 ? 2 * step : 0], from[lists > 3 ? 3 * step : 0]);
        const uint16_t valid = static_cast<uint16_t>((1u << lists) - 1);
        AscendC::MrgSort(to, sources, AscendC::MrgSort4Info(lengths, false, valid, static_cast<uint16_t>(repeats)));
    }

    uint32_t capacity_ = 0;
    AscendC::TBuf<AscendC::TPosition::VECCALC> keys_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> words_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> records_;
};
