// Issuing Sort32 and MrgSort.

#include "random.h"
#include "records.h"
#include "vector_issue.h"

namespace ascendc_model {

namespace {

uint64_t repeats_of(uint64_t bytes)
{
    return (bytes + kRepeatBytes - 1) / kRepeatBytes;
}

struct MergeIssue {
    VectorIssue& issue;
    const Merging& given;
    Merged& merged;

    Core& at() { return issue.at; }
    uint32_t list_bytes(uint32_t list) const { return merged.lengths[list] * kRecordBytes; }
    /// The bytes of all records of all repeats.
    uint32_t bytes() const { return merged.repeats * (list_bytes(0) + list_bytes(1) + list_bytes(2) + list_bytes(3)); }
    /// The bytes that are read of a list; the lists of several repeats count as one, from the first
    /// list on.
    uint32_t read_bytes(uint32_t list) const
    {
        return merged.repeats == 1 ? list_bytes(list) : list == 0 ? bytes() : 0;
    }

    bool check_parameters();
    bool check_repeats();
    bool check_operands();
    bool check_order();
};

bool MergeIssue::check_parameters()
{
    const uint32_t place = merged.dst;
    if (given.valid != 3 && given.valid != 7 && given.valid != 15) {
        return issue.refuse(Rule::Parameter, place, "%s: validBit is %u, it may be 3, 7 or 15", given.valid);
    }
    for (uint32_t i = 0; i < merged.list_count; i++) {
        if (given.lengths[i] > kMostRecords) {
            return issue.refuse(
                Rule::Parameter, place, "%s: %u records in a list, at most %u", given.lengths[i], kMostRecords);
        }
        if (given.suspends && given.lengths[i] == 0) {
            return issue.refuse(Rule::Parameter, place, "%s: a list is empty, with ifExhaustedSuspension");
        }
    }
    return issue.check_repeat(given.repeats) && (given.repeats == 1 || check_repeats());
}

bool MergeIssue::check_repeats()
{
    bool fine = given.valid == 15 && !given.suspends;
    for (uint32_t i = 1; i < 4 && fine; i++) {
        fine = given.lengths[i] == given.lengths[0] && merged.lists[i] == merged.lists[i - 1] + list_bytes(0);
    }
    return fine ||
        issue.refuse(Rule::Parameter, merged.dst,
            "%s: more than one repeat needs four lists of one length that follow each other, and no suspension");
}

bool MergeIssue::check_operands()
{
    bool fine = at().usable(given.dst, issue.site, "V") && issue.check_alignment(issue.operands[0]);
    for (uint32_t i = 0; i < merged.list_count; i++) {
        fine = at().usable(given.lists[i], issue.site, "V") &&
            issue.check_alignment(issue.operands[i + 1], kRecordBytes) && fine;
    }
    for (uint32_t i = 0; i < merged.list_count && fine; i++) {
        const uint32_t from = merged.lists[i];
        if (merged.dst < from + read_bytes(i) && from < merged.dst + bytes()) {
            return issue.refuse(
                Rule::Overlap, merged.dst, "%s: the destination at %u overlaps the list at %u", merged.dst, from);
        }
        fine = issue.check_access(issue.operands[i + 1], false, from, from + read_bytes(i));
    }
    return fine && issue.check_reach(issue.operands[0], true, merged.dst, merged.dst + bytes());
}

bool MergeIssue::check_order()
{
    for (uint32_t i = 0; i < merged.list_count * merged.repeats; i++) {
        const uint32_t length = merged.lengths[i % merged.list_count];
        const uint32_t from = merged.repeats > 1 ? merged.lists[0] + i * list_bytes(0) : merged.lists[i];
        for (uint32_t j = 1; j < length; j++) {
            const uint8_t* record = at().ub + from + j * kRecordBytes;
            if (KeyOrder::is_surely_less(merged.type, record - kRecordBytes, record)) {
                return issue.refuse(Rule::SortOrder, from + j * kRecordBytes,
                    "%s: record %u of the list at %u is larger than the one before it", j, from);
            }
        }
    }
    return true;
}

} // namespace

void sort32(const Local& dst, const Local& keys, const Local& indices, Type type, uint64_t repeats, const Site& site)
{
    Core& at = core();
    if (at.dead) {
        return;
    }
    const Operand operands[] = {{dst, type}, {keys, type}, {indices, Type::U32}};
    VectorIssue issue{at, VectorOp::Sort32, operands, 3, 0, site, Instruction()};
    at.settle_scalar();
    const auto count = static_cast<uint32_t>(repeats) * kSortedRecords;
    const uint32_t bytes[] = {count * kRecordBytes, count * size_of(type), count * size_of(Type::U32)};
    if (!at.fast) {
        if (!issue.check_repeat(repeats)) {
            return;
        }
        // Each operand is aligned to the bytes that a repeat takes of it.
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t begin = operands[i].tensor.address;
            const uint32_t each = bytes[i] / static_cast<uint32_t>(repeats);
            if (!at.usable(operands[i].tensor, site, "V") || !issue.check_alignment(operands[i], each)) {
                return;
            }
            if (i != 0 && begin < dst.address + bytes[0] && dst.address < begin + bytes[i]) {
                issue.refuse(Rule::Overlap, dst.address, "%s: the destination at %u overlaps the source at %u",
                    dst.address, begin);
                return;
            }
            if (!issue.check_access(operands[i], i == 0, begin, begin + bytes[i])) {
                return;
            }
        }
        const uint32_t number = at.clocks.issue(Pipe::V, site);
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t begin = operands[i].tensor.address;
            issue.record(i == 0, begin, begin + bytes[i], number);
        }
        issue.instruction.whim = static_cast<uint32_t>(at.schedule.random().next());
    }
    issue.instruction.execute = execute_sort32;
    issue.instruction.sorted = Sorted{dst.address, keys.address, indices.address, static_cast<uint32_t>(repeats), type};
    issue.send(Cycles::times(repeats, &cost::Setting::sort32), repeats, bytes[0]);
}

void merge_sorted(const Merging& given, const Site& site)
{
    Core& at = core();
    if (at.dead) {
        return;
    }
    const Operand operands[] = {{given.dst, given.type}, {given.lists[0], given.type}, {given.lists[1], given.type},
        {given.lists[2], given.type}, {given.lists[3], given.type}};
    VectorIssue issue{at, VectorOp::MrgSort, operands, 5, 0, site, Instruction()};
    MergeIssue merge{issue, given, issue.instruction.merged};
    merge.merged =
        Merged{given.dst.address, {}, {}, 0, static_cast<uint8_t>(given.repeats), given.suspends, given.type};
    Merged& merged = merge.merged;
    for (uint32_t i = 0; i < 4 && (given.valid >> i & 1) != 0; i++, merged.list_count++) {
        merged.lists[i] = given.lists[i].address;
        merged.lengths[i] = given.lengths[i];
    }
    at.settle_scalar();
    at.merge_suspended = given.suspends;
    if (!at.fast && (!merge.check_parameters() || !merge.check_operands())) {
        return;
    }
    issue.instruction.whim = at.fast ? 0 : static_cast<uint32_t>(at.schedule.random().next());
    at.schedule.drain(Pipe::V, at);
    uint32_t bytes = merge.bytes();
    if (given.suspends) {
        Random garbage(issue.instruction.whim);
        merge_repeat(merged, 0, at.ub, KeyOrder(given.type, issue.instruction.whim), at.merged, [](uint32_t) { });
        bytes = 0;
        for (uint32_t i = 0; i < 4; i++) {
            bytes += at.merged[i] * kRecordBytes;
            // What the register holds for a list that took no part is not documented.
            at.merged[i] = i < merged.list_count || at.fast ? at.merged[i] : static_cast<uint16_t>(garbage.next());
        }
    }
    if (!at.fast) {
        if (!merge.check_order()) {
            return;
        }
        const uint32_t number = at.clocks.issue(Pipe::V, site);
        for (uint32_t i = 0; i < merged.list_count; i++) {
            issue.record(false, merged.lists[i], merged.lists[i] + merge.read_bytes(i), number);
        }
        issue.record(true, merged.dst, merged.dst + merge.bytes(), number);
        at.shadow.mark_written(merged.dst + bytes, merged.dst + merge.bytes(), false);
    }
    issue.instruction.execute = execute_merge;
    issue.send(Cycles::same(bytes / kRecordBytes * costs.merge_record), repeats_of(bytes), bytes);
}

uint16_t merged_of(uint32_t list, const Site& site)
{
    Core& at = core();
    if (at.dead) {
        return 0;
    }
    if (!at.merge_suspended && !at.fast) {
        at.report(Rule::Parameter, site, {"S", "", 0},
            "the counts of a MrgSort are there after one with ifExhaustedSuspension alone");
        return 0;
    }
    at.settle_scalar();
    at.time.read_register_of(Pipe::V);
    return at.merged[list];
}

} // namespace ascendc_model
