// Issuing TransDataTo5HD.

#include "vector_issue.h"

#include <utility>
#include <vector>

namespace ascendc_model {

namespace {

using Range = std::pair<uint32_t, uint32_t>;

struct TransposeIssue {
    VectorIssue& issue;
    const Transposing& given;

    bool is_half() const { return size_of(given.type) == 1; }
    /// The bytes of block i of one side that a repeat reads or writes.
    Range range(bool write, uint32_t i, uint32_t repeat) const
    {
        const uint32_t stride = write ? given.dst_stride : given.src_stride;
        const bool is_high = is_half() && (write ? given.dst_high : given.src_high);
        const uint32_t block = (write ? given.dst : given.src)[i].address + repeat * stride * kBlockBytes;
        const uint32_t begin = block + (is_high ? kBlockBytes / 2 : 0);
        return Range(begin, begin + (is_half() ? kBlockBytes / 2 : kBlockBytes));
    }
    template <typename Visit> void for_each_range(Visit visit) const
    {
        for (uint32_t repeat = 0; repeat < given.repeats; repeat++) {
            for (uint32_t i = 0; i < kTransposedBlocks; i++) {
                visit(true, i, range(true, i, repeat));
                visit(false, i, range(false, i, repeat));
            }
        }
    }

    bool check_strides();
    bool check_blocks();
    bool check_overlap();
    bool check_access();
};

/// A single repeat begins where a second one would (the page of TransDataTo5HD).
bool TransposeIssue::check_strides()
{
    return given.repeats != 1 || (given.dst_stride == 0 && given.src_stride == 0) ||
        issue.refuse(Rule::Parameter, given.dst[0].address,
            "%s: one repeat begins a stride behind the given places; dstRepStride and srcRepStride are %u and %u, 0 "
            "expected",
            given.dst_stride, given.src_stride);
}

bool TransposeIssue::check_blocks()
{
    bool fine = true;
    for (uint32_t i = 0; i < kTransposedBlocks; i++) {
        for (const Local& block : {given.dst[i], given.src[i]}) {
            fine = issue.at.usable(block, issue.site, "V") && issue.check_alignment({block, given.type}) && fine;
        }
    }
    return fine;
}

/// No document allows it in place.
bool TransposeIssue::check_overlap()
{
    std::vector<Range> written;
    for_each_range([&](bool write, uint32_t, Range range) {
        if (write) {
            written.push_back(range);
        }
    });
    std::sort(written.begin(), written.end());
    for (size_t i = 1; i < written.size(); i++) {
        if (written[i].first < written[i - 1].second) {
            return issue.refuse(Rule::Overlap, written[i].first, "%s writes byte %u twice", written[i].first);
        }
    }
    bool fine = true;
    for_each_range([&](bool write, uint32_t, Range range) {
        if (write || !fine) {
            return;
        }
        const auto next = std::upper_bound(written.begin(), written.end(), range.first,
            [](uint32_t begin, const Range& one) { return begin < one.second; });
        if (next != written.end() && next->first < range.second) {
            fine = issue.refuse(Rule::Overlap, next->first, "%s: the destination at %u overlaps the source at %u",
                next->first, range.first);
        }
    });
    return fine;
}

bool TransposeIssue::check_access()
{
    bool fine = true;
    for_each_range([&](bool write, uint32_t i, Range range) {
        const Operand operand = {(write ? given.dst : given.src)[i], given.type};
        fine = fine && issue.check_access(operand, write, range.first, range.second);
    });
    return fine;
}

} // namespace

Local local_at(uint64_t address)
{
    Local local;
    local.address = static_cast<uint32_t>(std::min<uint64_t>(address, UINT32_MAX));
    const Buffers& buffers = core().buffers;
    for (uint32_t i = 0; i < buffers.count; i++) {
        const Buffer& buffer = buffers.all[i];
        if (address >= buffer.address && address < uint64_t{buffer.address} + buffer.bytes) {
            local.buffer = i;
            local.generation = buffer.generation;
            local.bytes = buffer.address + buffer.bytes - local.address;
        }
    }
    return local;
}

void transpose_blocks(const Transposing& given, const Site& site)
{
    Core& at = core();
    if (at.dead || given.repeats == 0) {
        return;
    }
    const Operand operands[] = {{given.dst[0], given.type}, {given.src[0], given.type}};
    VectorIssue issue{at, VectorOp::TransDataTo5HD, operands, 2, 0, site, Instruction()};
    TransposeIssue transpose{issue, given};
    at.settle_scalar();
    if (!at.fast) {
        if (!transpose.check_strides() || !transpose.check_blocks() || !transpose.check_overlap() ||
            !transpose.check_access()) {
            return;
        }
        const uint32_t number = at.clocks.issue(Pipe::V, site);
        transpose.for_each_range(
            [&](bool write, uint32_t, Range range) { issue.record(write, range.first, range.second, number); });
    }
    Transposed& transposed = issue.instruction.transposed;
    const uint8_t half = transpose.is_half() ? kBlockBytes / 2 : 0;
    transposed =
        Transposed{{}, {}, given.dst_stride, given.src_stride, given.repeats, static_cast<uint8_t>(size_of(given.type)),
            given.dst_high ? half : uint8_t{0}, given.src_high ? half : uint8_t{0}};
    for (uint32_t i = 0; i < kTransposedBlocks; i++) {
        transposed.dst[i] = static_cast<uint16_t>(given.dst[i].address / kBlockBytes);
        transposed.src[i] = static_cast<uint16_t>(given.src[i].address / kBlockBytes);
    }
    issue.instruction.execute = execute_transpose;
    // 2 cycles per repeat (PTO), as for a Cast.
    const uint64_t bytes = uint64_t{given.repeats} * kTransposedBlocks * kBlockBytes;
    issue.send(Cycles::same(given.repeats * costs.vector_repeat_slow), given.repeats, bytes);
}

} // namespace ascendc_model
