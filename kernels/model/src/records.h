// Records of 8 bytes, the order of their keys, and the merging of lists of them.
#pragma once

#include "lanes.h"

namespace ascendc_model {

constexpr uint32_t kRecordBytes = 8;
/// The most records of one list of MrgSort (its page).
constexpr uint32_t kMostRecords = 4095;
/// The records of one repeat of Sort32.
constexpr uint32_t kSortedRecords = 32;

/// The order of keys. No document says where NaN is, whether -0 is below 0, or whether subnormals
/// differ from zero: `whim`, which comes from the seed, decides.
class KeyOrder {
public:
    KeyOrder(Type type, uint32_t whim) : half_(type == Type::F16), whim_(whim) { }

    /// Larger for a larger key.
    int64_t rank(const uint8_t* key) const
    {
        const uint32_t bits = half_ ? load<uint16_t>(key) : load<uint32_t>(key);
        const uint32_t sign = half_ ? 0x8000 : 0x80000000;
        const uint32_t infinity = half_ ? 0x7c00 : 0x7f800000;
        const uint32_t normal = half_ ? 0x0400 : 0x00800000;
        int64_t magnitude = bits & (sign - 1);
        const bool negative = (bits & sign) != 0;
        if (magnitude > infinity && (whim_ & kNanBySign) == 0) {
            return (whim_ & kNanFirst) != 0 ? INT64_MAX : INT64_MIN;
        }
        if (magnitude < normal && (whim_ & kFlush) != 0) {
            magnitude = 0;
        }
        return negative ? -magnitude - ((whim_ & kZeroes) != 0 ? 1 : 0) : magnitude;
    }

    /// Whether a key is less than another in every order that the documents allow.
    static bool is_surely_less(Type type, const uint8_t* a, const uint8_t* b)
    {
        const int64_t x = KeyOrder(type, kFlush).rank(a);
        const int64_t y = KeyOrder(type, kFlush).rank(b);
        return x != INT64_MIN && x < y;
    }

private:
    static constexpr uint32_t kNanBySign = 2;
    static constexpr uint32_t kNanFirst = 4;
    static constexpr uint32_t kFlush = 8;
    static constexpr uint32_t kZeroes = 16;

    bool half_;
    uint32_t whim_;
};

/// Merges the lists of one repeat: calls `visit(address)` for each record, in order, and returns
/// how many it took from each list.
template <typename Visit>
void merge_repeat(
    const Merged& merged, uint32_t repeat, const uint8_t* ub, const KeyOrder& order, uint16_t (&taken)[4], Visit visit)
{
    std::fill_n(taken, 4, uint16_t{0});
    const uint32_t skipped = repeat * merged.list_count * merged.lengths[0] * kRecordBytes;
    const auto head = [&](uint32_t list) { return merged.lists[list] + skipped + taken[list] * kRecordBytes; };
    for (;;) {
        uint32_t best = merged.list_count;
        for (uint32_t list = 0; list < merged.list_count; list++) {
            const bool left = taken[list] < merged.lengths[list];
            // Of equal keys, that of the earlier list comes first.
            if (left && (best == merged.list_count || order.rank(ub + head(list)) > order.rank(ub + head(best)))) {
                best = list;
            }
        }
        if (best == merged.list_count) {
            return;
        }
        visit(head(best));
        if (++taken[best] == merged.lengths[best] && merged.suspends) {
            return;
        }
    }
}

} // namespace ascendc_model
