// Issuing a GatherMask: its parameters decide what it reads, and the bits what it writes.

#include "packed.h"
#include "vector_issue.h"

namespace ascendc_model {

namespace {

constexpr uint32_t kDst = 0;
constexpr uint32_t kSrc = 1;
constexpr uint32_t kBits = 2;

struct PackingIssue {
    VectorIssue& issue;
    Packed& packed;

    Core& at() { return issue.at; }
    uint32_t elements() const { return packed.repeats * packed.each; }
    bool has_bits() const { return packed.pattern == 0; }
    bool in_place() const { return packed.dst == packed.src; }

    /// Visits the bytes that are read of the source, joining neighbours.
    template <typename Visit> void for_each_source(Visit visit) const
    {
        const uint32_t step = kBlockBytes / packed.size;
        uint32_t begin = 0;
        uint32_t end = 0;
        for (uint32_t r = 0; r < packed.repeats; r++) {
            for (uint32_t e = 0; e < packed.each; e += step) {
                const uint32_t from = element_address(packed, r, e);
                if (from != end) {
                    if (begin != end) {
                        visit(begin, end);
                    }
                    begin = from;
                }
                end = from + std::min(step, packed.each - e) * packed.size;
            }
        }
        visit(begin, end);
    }

    template <typename Visit> void for_each_bits(Visit visit) const
    {
        for (uint32_t r = 0; has_bits() && r < packed.repeats; r++) {
            const uint32_t from = packed.bits + kBlockBytes * r * packed.bits_stride;
            visit(from, from + (packed.each + 7) / 8);
        }
    }

    bool check_parameters(const Packing& given);
    bool check_sources();
    bool check_overlap();
    bool check_chosen();
    void set_end();
    void record(uint32_t number);
};

bool PackingIssue::check_parameters(const Packing& given)
{
    const uint32_t place = packed.dst;
    if (given.pattern > 7) {
        return issue.refuse(Rule::Parameter, place, "%s: a pattern that does not exist; there are 1 to 7");
    }
    if (given.counted && (given.mask == 0 || given.mask > kUbBytes)) {
        return issue.refuse(Rule::Parameter, place, "%s: %u elements in each repeat", given.mask);
    }
    if (!issue.check_repeat(given.repeats)) {
        return false;
    }
    bool fine = true;
    for (uint32_t i = 0; i < issue.operand_count; i++) {
        const Operand& operand = issue.operands[i];
        fine = at().usable(operand.tensor, issue.site, "V") && issue.check_alignment(operand) && fine;
    }
    return fine;
}

bool PackingIssue::check_sources()
{
    bool fine = true;
    for_each_source([&](uint32_t begin, uint32_t end) {
        fine = fine && issue.check_reach(issue.operands[kSrc], false, begin, end);
    });
    for_each_bits([&](uint32_t begin, uint32_t end) {
        fine = fine && issue.check_access(issue.operands[kBits], false, begin, end);
    });
    return fine;
}

/// In place, no repeat may read what an earlier one wrote: its source must begin at or behind the
/// end of as many elements as were read before it.
bool PackingIssue::check_overlap()
{
    const bool walks_on = packed.block_stride != 0 &&
        (packed.repeats == 1 || uint32_t{packed.repeat_stride} * kBlockBytes >= packed.each * packed.size);
    const uint32_t end = packed.dst + packed.kept * packed.size;
    bool fine = true;
    const auto apart = [&](uint32_t from, uint32_t to) { fine = fine && (end <= from || to <= packed.dst); };
    if (!in_place() || !walks_on) {
        for_each_source(apart);
    }
    for_each_bits(apart);
    return fine ||
        issue.refuse(Rule::Overlap, packed.dst, "%s: the destination, %u to %u, overlaps a source", packed.dst, end);
}

/// Elements that are not chosen may have any value, and so need not have been written.
bool PackingIssue::check_chosen()
{
    bool fine = true;
    for_each_chosen(
        packed, at().ub, [&](uint32_t from) { fine = fine && issue.check_written(from, from + packed.size); });
    return issue.check_reach(issue.operands[kDst], true, packed.dst, packed.dst + packed.kept * packed.size);
}

/// The page says that what follows the chosen elements is undefined, but not how far. Here that
/// extends over as many elements as were read where the number of chosen ones isn't known before,
/// or where they overwrite themselves; and otherwise to the end of the block of 32 bytes.
void PackingIssue::set_end()
{
    const uint64_t kept = uint64_t{packed.kept} * packed.size;
    const bool all = has_bits() || in_place();
    const uint64_t bytes =
        all ? uint64_t{elements()} * packed.size : (kept + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    const uint32_t end = at().reachable(issue.operands[kDst].tensor, packed.dst + bytes);
    packed.end = std::max(end, static_cast<uint32_t>(packed.dst + kept));
}

void PackingIssue::record(uint32_t number)
{
    for_each_source([&](uint32_t begin, uint32_t end) { issue.record(false, begin, end, number); });
    for_each_bits([&](uint32_t begin, uint32_t end) { issue.record(false, begin, end, number); });
    const uint32_t kept_end = packed.dst + packed.kept * packed.size;
    if (packed.end > packed.dst) {
        issue.record(true, packed.dst, packed.end, number);
        at().shadow.mark_written(kept_end, packed.end, false);
    }
}

} // namespace

uint64_t gather_mask(const Packing& given, const Site& site)
{
    Core& at = core();
    if (at.dead) {
        return 0;
    }
    const Operand operands[] = {{given.dst, given.type}, {given.src, given.type}, {given.bits, Type::U8}};
    const uint32_t operand_count = given.pattern == 0 ? 3 : 2;
    VectorIssue issue{at, VectorOp::GatherMask, operands, operand_count, 0, site, Instruction()};
    PackingIssue packing{issue, issue.instruction.packed};
    const uint32_t size = size_of(given.type);
    packing.packed = Packed{given.dst.address, given.src.address, given.bits.address, given.repeats,
        given.repeat_stride, given.block_stride, given.bits_stride, given.pattern, static_cast<uint8_t>(size),
        given.counted ? given.mask : kRepeatBytes / size, 0, 0};
    Packed& packed = packing.packed;
    // The state in which the real function leaves them, in either mode.
    at.mask_mode = AscendC::MaskMode::NORMAL;
    at.set_mask(0, given.mask, Core::MaskOwner::Instruction, site);
    at.settle_scalar();
    if (!at.fast && (!packing.check_parameters(given) || !packing.check_sources())) {
        return 0;
    }
    if (packing.has_bits()) {
        at.schedule.drain(Pipe::V, at);
    }
    for_each_chosen(packed, at.ub, [&](uint32_t) { packed.kept++; });
    if (!at.fast) {
        if (!packing.check_overlap() || !packing.check_chosen()) {
            return 0;
        }
        packing.set_end();
        packing.record(at.clocks.issue(Pipe::V, site));
        issue.instruction.whim = static_cast<uint32_t>(at.schedule.random().next());
    }
    issue.instruction.execute = execute_gather_mask;
    const uint64_t repeats = packed.repeats * ((uint64_t{packed.each} * size + kRepeatBytes - 1) / kRepeatBytes);
    issue.send(Cycles::times(repeats, &cost::Setting::gather_mask), repeats, uint64_t{packed.kept} * size);
    // The scalar unit reads the count from a register at once.
    at.time.read_register_of(Pipe::V);
    return packed.kept;
}

} // namespace ascendc_model
