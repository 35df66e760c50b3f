// The rules of vector instructions.

#include "vector_issue.h"

#include <utility>
#include <vector>

namespace ascendc_model {

namespace {

/// The offsets that dav-3510's Gather takes to elements of two bytes, by its page.
constexpr uint32_t kNarrowOffsets = 1 << 17;

} // namespace

bool VectorIssue::check_repeat(uint64_t repeat)
{
    if (at.fast || (repeat >= 1 && repeat <= kMostRepeats)) {
        return true;
    }
    return refuse(Rule::Parameter, operands[0].tensor.address,
        "%s: 1 to %u repeats expected, got %llu; the 8 bits of repeatTime make 0 of 256", kMostRepeats,
        static_cast<unsigned long long>(repeat));
}

/// An instruction that uses the mask register needs a mask that the kernel set, not one that
/// another instruction left there.
void VectorIssue::check_held_mask()
{
    const bool is_full = at.mask[0] == UINT64_MAX && at.mask[1] == UINT64_MAX;
    if (!at.fast && at.mask_owner == Core::MaskOwner::Instruction && !is_full) {
        refuse(Rule::MaskLeftSet, operands[0].tensor.address,
            "%s takes the mask that the instruction at %s:%u left; SetVectorMask or ResetMask expected before it",
            at.mask_site.file, at.mask_site.line);
    }
}

bool VectorIssue::check_alignment(const Operand& operand, uint32_t bytes)
{
    if (operand.tensor.address % bytes == 0) {
        return true;
    }
    return refuse(Rule::Alignment, operand.tensor.address, "%s: the operand at %u is not aligned to %u bytes",
        operand.tensor.address, bytes);
}

bool VectorIssue::check_reach(const Operand& operand, bool write, uint32_t begin, uint32_t end)
{
    if (!at.inside(operand.tensor, begin, end, site, "V")) {
        return false;
    }
    const Hazard hazard = at.shadow.check(Pipe::V, write, begin, end, at.clocks);
    if (hazard.found) {
        at.report_hazard(Pipe::V, write, hazard, site);
    }
    return true;
}

bool VectorIssue::check_written(uint32_t begin, uint32_t end)
{
    const uint32_t unwritten = at.shadow.find_unwritten(begin, end);
    return unwritten == end ||
        refuse(Rule::UninitialisedRead, unwritten, "%s reads bytes %u to %u; byte %u was never written", begin, end,
            unwritten);
}

bool VectorIssue::check_access(const Operand& operand, bool write, uint32_t begin, uint32_t end)
{
    if (!check_reach(operand, write, begin, end)) {
        return false;
    }
    if (!write) {
        check_written(begin, end);
    }
    return true;
}

/// The only way in which a repeat may read what another wrote, according to the page of the common
/// rules: Add, Sub, Mul, Max and Min of half, int32 and float, whose destination is their second
/// source, and of which the destination or the second source has a repeat stride of 0.
bool VectorIssue::accumulates() const
{
    const bool listed =
        op == VectorOp::Add || op == VectorOp::Sub || op == VectorOp::Mul || op == VectorOp::Max || op == VectorOp::Min;
    if (!listed || operands[0].type == Type::S16) {
        return false;
    }
    const Operand& dst = operands[0];
    const Operand& src = operands[2];
    return src.tensor.address == dst.tensor.address && src.block_stride == dst.block_stride && dst.block_stride != 0 &&
        (src.repeat_stride == 0 || dst.repeat_stride == 0);
}

bool VectorIssue::check_shift()
{
    const uint64_t width = 8 * size_of(operands[0].type);
    return (op != VectorOp::ShiftLeft && op != VectorOp::ShiftRight) || instruction.scalar <= width ||
        refuse(Rule::Parameter, operands[0].tensor.address, "%s by %lld bits, 0 to %llu expected",
            static_cast<long long>(instruction.scalar), static_cast<unsigned long long>(width));
}

/// The repeats and blocks of one instruction must write disjoint bytes: strides are in blocks of 32
/// bytes.
bool VectorIssue::check_destination()
{
    if (lanes().contiguous || (accumulates() && operands[0].repeat_stride == 0)) {
        return true;
    }
    std::vector<std::pair<uint32_t, uint32_t>> written;
    for_each_range(0, [&](uint32_t begin, uint32_t end) { written.emplace_back(begin, end); });
    std::sort(written.begin(), written.end());
    for (size_t i = 1; i < written.size(); i++) {
        if (written[i].first < written[i - 1].second) {
            return refuse(Rule::Overlap, written[i].first,
                "%s writes byte %u twice: its blocks are %u and its repeats %u blocks of 32 bytes apart",
                written[i].first, operands[0].block_stride, operands[0].repeat_stride);
        }
    }
    return true;
}

/// Source and destination of an iteration must be the same or disjoint, and an iteration must not
/// read what an earlier one wrote.
bool VectorIssue::check_overlap()
{
    const Operand& dst = operands[0];
    const uint32_t dst_size = size_of(dst.type);
    bool fine = true;
    for (uint32_t i = 1; i < operand_count && fine; i++) {
        const Operand& src = operands[i];
        const bool same_walk = src.tensor.address == dst.tensor.address && size_of(src.type) == dst_size &&
            src.block_stride == dst.block_stride && src.repeat_stride == dst.repeat_stride && !is_comparison(op) &&
            !is_reduction(op) && !is_gather(op) && op != VectorOp::Brcb && !(is_selection(op) && i == 1);
        if (same_walk || (i == 2 && accumulates())) {
            continue;
        }
        uint32_t read_begin = UINT32_MAX;
        uint32_t read_end = 0;
        for_each_range(i, [&](uint32_t begin, uint32_t end) {
            read_begin = std::min(read_begin, begin);
            read_end = std::max(read_end, end);
        });
        for_each_range(0, [&](uint32_t begin, uint32_t end) {
            if (!fine || begin >= read_end || end <= read_begin) {
                return;
            }
            // The hulls overlap: compare the ranges themselves.
            for_each_range(i, [&](uint32_t from, uint32_t to) { fine = fine && !(from < end && begin < to); });
        });
        if (!fine) {
            refuse(Rule::Overlap, dst.tensor.address, "%s: the destination at %u overlaps the source at %u",
                dst.tensor.address, src.tensor.address);
        }
    }
    return fine;
}

/// Checks one offset of a Gather or a Gatherb: the bytes that it addresses must all be inside the
/// tensor, and outside the destination.
bool VectorIssue::check_gathered(uint32_t offset, uint32_t bytes)
{
    const Operand& src = operands[1];
    const uint64_t begin = uint64_t{src.tensor.address} + instruction.scalar + offset;
    if (begin % bytes != 0 || begin + bytes > uint64_t{src.tensor.address} + src.tensor.bytes) {
        return refuse(Rule::GatherOffset, begin, "%s: offset %u in a tensor of %u bytes with elements of %u", offset,
            src.tensor.bytes, bytes);
    }
    // UB is larger than A2's on dav-3510 alone, whose Gather keeps 16 bits of an element's number.
    if (bytes == sizeof(uint16_t) && offset >= kNarrowOffsets && at.state->launch->options.ub > kUbUsable) {
        return refuse(Rule::GatherOffset, begin, "%s: offset %u; to elements of 2 bytes dav-3510 takes those below %u",
            offset, kNarrowOffsets);
    }
    const auto from = static_cast<uint32_t>(begin);
    bool apart = true;
    for_each_range(0, [&](uint32_t to, uint32_t end) { apart = apart && (end <= from || from + bytes <= to); });
    if (!apart) {
        return refuse(
            Rule::Overlap, from, "%s: offset %u leads into the destination at %u", offset, operands[0].tensor.address);
    }
    return check_access(src, false, from, from + bytes);
}

/// Checks all offsets, which are known once the instructions that compute them have run.
bool VectorIssue::check_gathered()
{
    at.schedule.drain(Pipe::V, at);
    bool fine = true;
    if (op == VectorOp::Gatherb) {
        for (uint32_t i = 0; i < 8 * lanes().repeats && fine; i++) {
            fine = check_gathered(load<uint32_t>(at.ub + lanes().address[2] + i * sizeof(uint32_t)), kBlockBytes);
        }
        return fine;
    }
    const uint32_t size = size_of(operands[1].type);
    for_each_lane(lanes(), [&](uint32_t repeat, uint32_t lane) {
        const uint32_t at_offset = lane_address(lanes(), 2, repeat, lane, sizeof(uint32_t));
        fine = fine && check_gathered(load<uint32_t>(at.ub + at_offset), size);
    });
    return fine;
}

bool VectorIssue::check()
{
    bool fine = true;
    for (uint32_t i = 0; i < operand_count; i++) {
        fine = at.usable(operands[i].tensor, site, "V") && check_alignment(operands[i]) && fine;
    }
    if (!fine) {
        return false;
    }
    if (is_comparison(op) && lanes().count % lanes().per_repeat != 0) {
        return refuse(Rule::CopySize, operands[0].tensor.address,
            "%s: %u elements are no multiple of the %u in 256 bytes; the rest would be left out", lanes().count,
            lanes().per_repeat);
    }
    const bool tensor_mode = op == VectorOp::Select;
    const auto expected =
        tensor_mode ? AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE : AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE;
    if (is_selection(op) && variant != static_cast<uint8_t>(expected)) {
        return refuse(
            Rule::Parameter, operands[0].tensor.address, "%s: the mode %u does not fit the operands", variant);
    }
    if (op == VectorOp::Brcb && operands[0].block_stride == 0) {
        return refuse(Rule::Parameter, operands[0].tensor.address, "%s: dstBlkStride is 0, which is undefined");
    }
    if (!check_shift() || !check_destination() || !check_overlap()) {
        return false;
    }
    if (op == VectorOp::VecIndex) {
        // On dav-2201 the scalar unit writes the first block, and sets a flag for the vector unit.
        // On dav-3510 the vector unit writes all, and has its own instructions in order. So of what
        // the flag orders these are all that counts.
        const uint32_t address = operands[0].tensor.address;
        if (!at.inside(operands[0].tensor, address, address + kBlockBytes, site, "V")) {
            return false;
        }
        const Hazard hazard = at.shadow.check(Pipe::S, true, address, address + kBlockBytes, at.clocks);
        if (hazard.found) {
            at.report_hazard(Pipe::S, true, hazard, site);
        }
        Clock own;
        own.seen[index_of(Pipe::V)] = at.clocks.known(Pipe::S, Pipe::V);
        at.clocks.wait(Pipe::V, own);
    }
    for (uint32_t i = 0; i < operand_count; i++) {
        const bool work = is_reduction(op) && i == 2;
        for_each_range(i, [&](uint32_t begin, uint32_t end) {
            fine = fine && check_access(operands[i], i == 0 || work, begin, end);
        });
    }
    return fine && (!is_gather(op) || check_gathered());
}

} // namespace ascendc_model
