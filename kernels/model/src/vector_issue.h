// A vector instruction between its call and its queue.
#pragma once

#include <algorithm>

#include "execute.h"
#include "lanes.h"

namespace ascendc_model {

const char* name_of(VectorOp op);

inline bool is_reduction(VectorOp op)
{
    return op == VectorOp::ReduceSum || op == VectorOp::ReduceMax || op == VectorOp::ReduceMin;
}

inline bool is_comparison(VectorOp op)
{
    return op == VectorOp::Compare || op == VectorOp::CompareScalar;
}

inline bool is_selection(VectorOp op)
{
    return op == VectorOp::Select || op == VectorOp::SelectScalar;
}

/// Whether it gathers elements or blocks by offsets that are stored in UB.
inline bool is_gather(VectorOp op)
{
    return op == VectorOp::Gather || op == VectorOp::Gatherb;
}

/// A vector instruction that is being checked.
struct VectorIssue {
    Core& at;
    VectorOp op;
    const Operand* operands;
    uint32_t operand_count;
    uint8_t variant;
    Site site;
    Instruction instruction;

    Lanes& lanes() { return instruction.lanes; }

    template <typename... Arguments> bool refuse(Rule rule, uint64_t offset, const char* format, Arguments... arguments)
    {
        at.report(rule, site, {"V", "UB", offset}, format, name_of(op), arguments...);
        return false;
    }

    /// The function that executes the instruction; NULL when dav-2201 has no such form.
    Execute find() const;
    /// Elements of one repeat.
    uint32_t per_repeat() const;
    /// False when there is nothing to do or the extent breaks a rule.
    bool resolve(const Extent& extent);
    bool count_of(int64_t count);
    bool check_repeat(uint64_t repeat);
    void check_held_mask();
    bool is_contiguous() const;
    bool check();
    bool check_alignment(const Operand& operand, uint32_t bytes = kBlockBytes);
    bool check_overlap();
    bool check_destination();
    bool check_shift();
    /// Whether repeats read what earlier repeats wrote, as a few instructions may.
    bool accumulates() const;
    bool check_access(const Operand& operand, bool write, uint32_t begin, uint32_t end);
    /// The same without checking whether the bytes were written before.
    bool check_reach(const Operand& operand, bool write, uint32_t begin, uint32_t end);
    bool check_written(uint32_t begin, uint32_t end);
    bool check_gathered();
    bool check_gathered(uint32_t offset, uint32_t bytes);
    /// Queues what has passed its checks.
    void send(const Cycles& cost, uint64_t repeats, uint64_t bytes);
    void record(bool write, uint32_t begin, uint32_t end, uint32_t number)
    {
        at.shadow.record(Pipe::V, write, begin, end, number);
        if (write) {
            at.shadow.mark_written(begin, end, true);
        }
    }
    /// The bytes of UB that a reduction takes for what its rounds leave.
    uint32_t work_bytes() const;
    template <typename Visit> void for_each_range(uint32_t operand, Visit visit);
};

/// A round leaves a value and its index for each repeat. Without the index that is asked for the
/// next may overwrite them; with it each has a room of its own, and there are at least two.
inline uint32_t VectorIssue::work_bytes() const
{
    const auto room = [&](uint32_t pairs) {
        return (2 * size_of(operands[2].type) * pairs + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    };
    const Lanes& all = instruction.lanes;
    // ReduceMax and ReduceMin compare what is behind the last whole repeat by itself.
    uint32_t pairs = op == VectorOp::ReduceSum ? all.repeats : std::max(1U, all.count / all.per_repeat);
    uint32_t needed = room(pairs);
    bool more = variant != 0;
    while (more) {
        pairs = (2 * pairs + all.per_repeat - 1) / all.per_repeat;
        needed += room(pairs);
        more = pairs > 1;
    }
    return needed;
}

/// Visits the bytes of an operand as ranges, joining neighbours.
template <typename Visit> void VectorIssue::for_each_range(uint32_t operand, Visit visit)
{
    const Lanes& all = lanes();
    const uint32_t size = size_of(operands[operand].type);
    const uint32_t address = operands[operand].tensor.address;
    if (is_comparison(op) && operand == 0) {
        return visit(address, address + all.count / 8);
    }
    if (is_selection(op) && operand == 1) {
        return visit(address, address + (all.count + 7) / 8);
    }
    if (is_reduction(op) && operand == 0) {
        return visit(address, address + size * (variant != 0 ? 2 : 1));
    }
    if (is_reduction(op) && operand == 2) {
        return visit(address, address + work_bytes());
    }
    if (is_gather(op) && operand == 1) {
        return;
    }
    // Eight elements of each repeat, one after another.
    if ((op == VectorOp::Gatherb && operand == 2) || (op == VectorOp::Brcb && operand == 1)) {
        return visit(address, address + 8 * all.repeats * size);
    }
    if (all.contiguous) {
        return visit(address, address + all.count * size);
    }
    uint32_t begin = 0;
    uint32_t end = 0;
    for_each_lane(all, [&](uint32_t repeat, uint32_t lane) {
        const uint32_t next = lane_address(all, operand, repeat, lane, size);
        if (next != end) {
            if (begin != end) {
                visit(begin, end);
            }
            begin = next;
        }
        end = next + size;
    });
    if (begin != end) {
        visit(begin, end);
    }
}

} // namespace ascendc_model
