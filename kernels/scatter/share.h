// How several blocks divide the updates among them: each owns a range of targets with about as many
// updates as the other ranges, estimated from a sample that every block sorts in the same way.
#pragma once

#include "updates.h"

/// A range of targets that a block owns; and, if several blocks share a target because it has many
/// updates, a part of its columns.
struct Share {
    uint64_t first;
    uint64_t last;
    uint64_t hot;
    /// The block's part of the columns of `hot`: number `member` of `members`; `members` is 0 where
    /// there is no such target.
    uint32_t member;
    uint32_t members;
};

/// The targets where shares begin, by a sorted sample.
class Bounds {
public:
    /// `records`: `sample` targets in descending order, as f32, which padding may follow; the
    /// targets of all updates if `hasAll`.
    __aicore__ inline Bounds(
        const Sorter::Records& records, uint32_t sample, bool hasAll, uint32_t shares, uint64_t targets)
        : records_(records), sample_(sample), hasAll_(hasAll), shares_(shares), targets_(targets)
    {
    }

    /// The first target of a share; for the share behind the last, the number of targets. The first
    /// share begins at 0, or, if the sample has the targets of all updates, at the lowest target
    /// that occurs. If many of a few updates go to that target, the first share then divides its
    /// columns with other shares.
    __aicore__ inline uint64_t Of(uint32_t share) const
    {
        if (share == shares_) {
            return targets_;
        }
        if (share == 0 && !hasAll_) {
            return 0;
        }
        const uint32_t rank = static_cast<uint32_t>(static_cast<uint64_t>(share) * sample_ / shares_);
        const float target = records_.ReinterpretCast<float>().GetValue(2 * (sample_ - 1 - rank));
        // A bad entry is outside of the targets.
        if (target < 0.0f) {
            return 0;
        }
        const uint64_t whole = static_cast<uint64_t>(static_cast<int64_t>(target));
        return whole < targets_ ? whole : targets_;
    }

    /// A share. A target at which several shares begin is hot: they divide its columns, and the
    /// last of them also owns the targets that follow it.
    __aicore__ inline Share At(uint32_t share) const
    {
        const uint64_t first = Of(share);
        const uint64_t next = Of(share + 1);
        const bool isHot = next == first || (share != 0 && Of(share - 1) == first);
        if (!isHot || first == targets_) {
            return Share{first, next, 0, 0, 0};
        }
        uint32_t end = share + 1;
        while (end < shares_ && Of(end) == first) {
            end++;
        }
        uint32_t begin = share;
        while (begin > 0 && Of(begin - 1) == first) {
            begin--;
        }
        const bool isLast = share + 1 == end;
        return Share{first + 1, isLast ? Of(end) : first + 1, first, share - begin, end - begin};
    }

private:
    const Sorter::Records& records_;
    uint32_t sample_;
    bool hasAll_;
    uint32_t shares_;
    uint64_t targets_;
};

/// A sample in descending order: from the lists that `scatter_index` has sorted, or from targets.
__aicore__ inline Sorter::Records SortedSample(Sorter& sorter, const GmBytes& sample, const ScatterRowsTiling& tiling)
{
    if (tiling.sample_list != 0) {
        Move(sorter.Lists().ReinterpretCast<uint8_t>(), sample,
            Burst{1, tiling.sample * static_cast<uint32_t>(sizeof(uint64_t)), 0, 0});
        Order<AscendC::HardEvent::MTE2_V>();
        return sorter.MergeAll(tiling.sample_list, tiling.sample);
    }
    Move(sorter.Keys().ReinterpretCast<uint8_t>(), sample,
        Burst{1, tiling.sample * static_cast<uint32_t>(sizeof(float)), 0, 0});
    AscendC::Duplicate(sorter.Words(), 0u, static_cast<int32_t>(tiling.sample));
    Order<AscendC::HardEvent::MTE2_V>();
    AscendC::PipeBarrier<PIPE_V>();
    return sorter.Sort(tiling.sample);
}

/// Share number `share` of a coordinate of `outer`.
__aicore__ inline Share ShareOf(
    Sorter& sorter, const GmBytes& list, const ScatterRowsTiling& tiling, uint64_t outer, uint32_t share)
{
    if (tiling.shares == 1) {
        return Share{0, tiling.targets, 0, 0, 0};
    }
    const auto records = SortedSample(sorter, list[tiling.sample_at + outer * tiling.sample_step], tiling);
    Order<AscendC::HardEvent::V_S>();
    const bool hasAll = tiling.sampled == tiling.updates;
    return Bounds(records, tiling.sampled, hasAll, tiling.shares, tiling.targets).At(share);
}
