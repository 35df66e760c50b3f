// Copies rows of a tensor between GM and UB by as few instructions as their positions allow: one
// copy moves rows with a constant stride, in ascending order. So it can move any two rows of which
// the second is further on in GM.
#pragma once

#include "box.h"

/// Rows in UB: the bytes of one, and their stride in bytes, a multiple of 32.
struct RowShape {
    uint32_t bytes;
    uint32_t step;
};

class RowCopies {
public:
    __aicore__ inline void Init(GM_ADDR tensor) { gm_.SetGlobalBuffer(tensor); }

    /// From now on rows have this shape; row 0 is at `at`, and their stride is `step` bytes.
    __aicore__ inline void Begin(int64_t at, int64_t step, const RowShape& shape)
    {
        at_ = at;
        step_ = step;
        shape_ = shape;
        nearest_ = 0;
        distances_ = 0;
        if (step > 0) {
            const uint64_t apart = static_cast<uint64_t>(step);
            const uint64_t farthest = (kMostGap + shape.bytes) / apart;
            const uint64_t nearest = (shape.bytes + apart - 1) / apart;
            const uint64_t most = farthest < kMostDistance ? farthest : kMostDistance;
            nearest_ = static_cast<uint32_t>(nearest);
            distances_ = most < nearest ? 0 : static_cast<uint32_t>(most - nearest + 1);
        }
    }

    /// Copies the rows with these numbers to or from adjacent rows in UB, the first of which is
    /// `row`.
    template <bool isIn, uint32_t count>
    SCATTER_HOT void Move(const Bytes& rows, uint32_t row, const uint32_t (&numbers)[count]) const
    {
        if constexpr (count > 2) {
            const uint32_t distance = numbers[1] - numbers[0];
            uint32_t differs = 0;
            SCATTER_UNROLL
            for (uint32_t i = 2; i < count; i++) {
                differs |= (numbers[i] - numbers[i - 1]) ^ distance;
            }
            if (differs == 0 && AreInReach(distance)) {
                MoveSome<isIn>(rows, row, numbers[0], count, Gap(distance));
                return;
            }
        }
        if constexpr (count > kChunk) {
            SCATTER_UNROLL
            for (uint32_t i = 0; i < count; i += kChunk) {
                MovePairs<isIn, kChunk>(rows, row + i, numbers + i);
            }
        } else {
            MovePairs<isIn, count>(rows, row, numbers);
        }
    }

private:
    /// The rows for which one branch decides whether all are moved in pairs.
    static constexpr uint32_t kChunk = 8;
    /// The most bytes from the end of a block of a copy to the beginning of the next.
    static constexpr uint64_t kMostGap = 0xffffffff;
    /// The most by which the numbers of rows can differ: they have 31 bits.
    static constexpr uint64_t kMostDistance = 0x7fffffff;

    /// Whether two rows whose numbers differ by `distance` can be blocks of one copy. Where numbers
    /// descend, the distance has wrapped, and is larger than any that is possible.
    SCATTER_HOT bool AreInReach(uint32_t distance) const { return distance - nearest_ < distances_; }

    /// From the end of a row to the beginning of the next.
    SCATTER_HOT uint32_t Gap(uint32_t distance) const
    {
        return static_cast<uint32_t>(static_cast<uint64_t>(distance) * static_cast<uint64_t>(step_) - shape_.bytes);
    }

    /// Moves rows two by two where that is possible, and otherwise one by one.
    template <bool isIn, uint32_t count>
    SCATTER_HOT void MovePairs(const Bytes& rows, uint32_t row, const uint32_t* numbers) const
    {
        uint32_t pairs = 1;
        SCATTER_UNROLL
        for (uint32_t i = 0; i + 1 < count; i += 2) {
            pairs &= static_cast<uint32_t>(AreInReach(numbers[i + 1] - numbers[i]));
        }
        if (count % 2 == 0 && pairs != 0) {
            SCATTER_UNROLL
            for (uint32_t i = 0; i < count; i += 2) {
                MoveSome<isIn>(rows, row + i, numbers[i], 2, Gap(numbers[i + 1] - numbers[i]));
            }
            return;
        }
        SCATTER_UNROLL
        for (uint32_t i = 0; i < count; i += 2) {
            const bool isPair = count > 2 && AreInReach(numbers[i + 1] - numbers[i]);
            MoveSome<isIn>(rows, row + i, numbers[i], isPair ? 2 : 1, isPair ? Gap(numbers[i + 1] - numbers[i]) : 0);
            if (count > 1 && !isPair) {
                MoveSome<isIn>(rows, row + i + 1, numbers[i + 1], 1, 0);
            }
        }
    }

    /// Moves `count` rows with equal gaps between them by one instruction.
    template <bool isIn>
    SCATTER_HOT void MoveSome(const Bytes& rows, uint32_t row, uint32_t number, uint32_t count, uint32_t gap) const
    {
        const Burst burst{count, shape_.bytes, gap, 0};
        const auto at = static_cast<uint64_t>(at_ + static_cast<int64_t>(number) * step_);
        if constexpr (isIn) {
            ::Move(rows[row * shape_.step], gm_[at], burst);
        } else {
            ::Move(gm_[at], rows[row * shape_.step], burst);
        }
    }

    GmBytes gm_;
    int64_t at_ = 0;
    int64_t step_ = 0;
    RowShape shape_{0, 0};
    /// The least distance between the numbers of two rows that one copy can move.
    uint32_t nearest_ = 0;
    /// How many distances, from `nearest_` on, one copy can have between two rows.
    uint32_t distances_ = 0;
};
