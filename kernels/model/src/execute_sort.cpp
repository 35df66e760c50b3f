// Sort32 and MrgSort.

#include "execute.h"
#include "random.h"
#include "records.h"

#include <algorithm>

namespace ascendc_model {

/// A half key leaves 2 bytes of its record undefined.
void execute_sort32(const Instruction& instruction, Core& core)
{
    struct Entry {
        int64_t rank;
        uint32_t place;
    };
    const Sorted& sorted = instruction.sorted;
    const uint32_t size = size_of(sorted.type);
    const KeyOrder order(sorted.type, instruction.whim);
    Random garbage(instruction.whim);
    for (uint32_t repeat = 0; repeat < sorted.repeats; repeat++) {
        const uint8_t* keys = core.ub + sorted.keys + repeat * kSortedRecords * size;
        const uint8_t* indices = core.ub + sorted.indices + repeat * kSortedRecords * sizeof(uint32_t);
        uint8_t* to = core.ub + sorted.dst + repeat * kSortedRecords * kRecordBytes;
        Entry entries[kSortedRecords];
        for (uint32_t i = 0; i < kSortedRecords; i++) {
            entries[i] = Entry{order.rank(keys + i * size), i};
        }
        std::stable_sort(
            entries, entries + kSortedRecords, [](const Entry& a, const Entry& b) { return a.rank > b.rank; });
        for (const Entry& entry : entries) {
            store(to, static_cast<uint32_t>(garbage.next()));
            std::memcpy(to, keys + entry.place * size, size);
            std::memcpy(to + sizeof(uint32_t), indices + entry.place * sizeof(uint32_t), sizeof(uint32_t));
            to += kRecordBytes;
        }
    }
}

/// After a MrgSort that ended early, the rest of the place for its records is undefined.
void execute_merge(const Instruction& instruction, Core& core)
{
    const Merged& merged = instruction.merged;
    const KeyOrder order(merged.type, instruction.whim);
    uint32_t to = merged.dst;
    uint32_t end = to;
    for (uint32_t repeat = 0; repeat < merged.repeats; repeat++) {
        for (uint16_t length : merged.lengths) {
            end += length * kRecordBytes;
        }
        uint16_t taken[4];
        merge_repeat(merged, repeat, core.ub, order, taken, [&](uint32_t from) {
            std::memcpy(core.ub + to, core.ub + from, kRecordBytes);
            to += kRecordBytes;
        });
    }
    if ((instruction.whim & 1) != 0) {
        Random garbage(instruction.whim);
        for (; to < end; to++) {
            core.ub[to] = static_cast<uint8_t>(garbage.next());
        }
    }
}

} // namespace ascendc_model
