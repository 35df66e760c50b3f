// Issuing copies between GM and UB.

#include "copy_limits.h"
#include "execute.h"
#include "lanes.h"

#include <cstring>

namespace ascendc_model {

namespace {

constexpr uint64_t rounded_up(uint64_t bytes)
{
    return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

/// A copy that is being checked; `pipe` decides the direction.
struct CopyIssue {
    Core& at;
    const Transfer& transfer;
    Pipe pipe;
    Site site;
    /// Bytes that a block takes in UB, padding included.
    uint64_t ub_block;
    uint64_t ub_step;
    uint64_t gm_step;

    CopyIssue(Core& core, const Transfer& what, Pipe on, const Site& where)
        : at(core),
          transfer(what),
          pipe(on),
          site(where),
          ub_block(rounded_up(uint64_t{what.length} + (what.left + what.right) * uint64_t{size_of(what.type)})),
          ub_step(ub_block + uint64_t{what.ub_gap} * kBlockBytes),
          gm_step(what.length + what.gm_gap)
    {
    }

    bool in() const { return pipe == Pipe::MTE2; }
    const char* name() const { return transfer.pad ? "DataCopyPad" : "DataCopy"; }

    template <typename... Arguments> bool refuse(Rule rule, const char* format, Arguments... arguments)
    {
        at.report(rule, site, {name_of(pipe), "UB", transfer.ub.address}, format, name(), arguments...);
        return false;
    }

    Place gm_place(uint64_t address) const
    {
        if (transfer.gm.region == UINT32_MAX) {
            return {name_of(pipe), "GM", address};
        }
        const Region& region = at.state->regions[transfer.gm.region];
        return {name_of(pipe), region.name.c_str(), address - region.begin};
    }

    bool check_parameters();
    bool check_ub();
    bool check_gm();
    void check_gm_order(uint64_t begin, uint64_t end);
    void record(uint32_t number);

    /// Visits the ranges of UB that the copy accesses: whole blocks of 32 bytes when it writes,
    /// only its bytes when it reads.
    template <typename Visit> void for_each_ub(Visit visit) const
    {
        const uint64_t length = in() ? ub_block : transfer.length;
        if (length == ub_step) {
            visit(uint64_t{transfer.ub.address}, transfer.ub.address + length * transfer.count);
            return;
        }
        for (uint32_t i = 0; i < transfer.count; i++) {
            visit(transfer.ub.address + i * ub_step, transfer.ub.address + i * ub_step + length);
        }
    }

    template <typename Visit> void for_each_gm(Visit visit) const
    {
        if (transfer.gm_gap == 0) {
            visit(transfer.gm.address, transfer.gm.address + gm_step * transfer.count);
            return;
        }
        for (uint32_t i = 0; i < transfer.count; i++) {
            visit(transfer.gm.address + i * gm_step, transfer.gm.address + i * gm_step + transfer.length);
        }
    }
};

bool CopyIssue::check_parameters()
{
    const uint32_t size = size_of(transfer.type);
    if (transfer.count > kMostBlocks) {
        return refuse(Rule::Parameter, "%s: %u blocks, at most %u", transfer.count, kMostBlocks);
    }
    if (!transfer.pad) {
        if (transfer.gm.address % size != 0) {
            at.report(Rule::Alignment, site, gm_place(transfer.gm.address),
                "DataCopy: the address in GM is no multiple of the element's %u bytes", size);
            return false;
        }
        return true;
    }
    if (transfer.length > kLongestPadBlock) {
        return refuse(Rule::Parameter, "%s: a block of %u bytes, at most %u", transfer.length, kLongestPadBlock);
    }
    if (transfer.length % size != 0) {
        return refuse(
            Rule::CopySize, "%s: a block of %u bytes is no multiple of the element's %u", transfer.length, size);
    }
    if (transfer.left * size > kBlockBytes || transfer.right * size > kBlockBytes) {
        return refuse(
            Rule::Parameter, "%s: padding of %u and %u elements, at most 32 bytes each", transfer.left, transfer.right);
    }
    if (transfer.count > 1 && transfer.gm_gap % size != 0) {
        return refuse(Rule::Stride,
            "%s: a gap of %llu bytes in GM between blocks of elements of %u: GM's stride is in bytes",
            static_cast<unsigned long long>(transfer.gm_gap), size);
    }
    if (size == 8 && transfer.pad_given && transfer.pad_value != 0) {
        return refuse(Rule::Parameter, "%s: the padding of a 64-bit type can only be 0");
    }
    return true;
}

bool CopyIssue::check_ub()
{
    if (!at.usable(transfer.ub, site, name_of(pipe))) {
        return false;
    }
    if (transfer.ub.address % kBlockBytes != 0) {
        return refuse(Rule::Alignment, "%s: the address %u in UB is not aligned to 32 bytes", transfer.ub.address);
    }
    const uint64_t begin = transfer.ub.address;
    const uint64_t end = begin + (transfer.count - 1) * ub_step + (in() ? ub_block : transfer.length);
    if (!at.inside(transfer.ub, begin, end, site, name_of(pipe))) {
        return false;
    }
    for_each_ub([&](uint64_t from, uint64_t to) {
        const auto first = static_cast<uint32_t>(from);
        const auto last = static_cast<uint32_t>(to);
        const Hazard hazard = at.shadow.check(pipe, in(), first, last, at.clocks);
        if (hazard.found) {
            at.report_hazard(pipe, in(), hazard, site);
        }
        if (!in()) {
            const uint32_t unwritten = at.shadow.find_unwritten(first, last);
            if (unwritten != last) {
                at.report(Rule::UninitialisedRead, site, {name_of(pipe), "UB", unwritten},
                    "%s copies bytes %u to %u to GM; byte %u was never written", name(), first, last, unwritten);
            }
        }
    });
    return true;
}

bool CopyIssue::check_gm()
{
    const uint64_t begin = transfer.gm.address;
    const uint64_t bytes = (transfer.count - 1) * gm_step + transfer.length;
    if (transfer.gm.region == UINT32_MAX) {
        at.report(Rule::GmBounds, site, gm_place(begin), "%s: the address is in no tensor of the launch", name());
        return false;
    }
    const Region& region = at.state->regions[transfer.gm.region];
    if (begin < region.begin || bytes > region.end - region.begin ||
        begin - region.begin > region.end - region.begin - bytes) {
        at.report(Rule::GmBounds, site, gm_place(begin), "%s touches %llu bytes; the tensor has %llu", name(),
            static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(region.end - region.begin));
        return false;
    }
    if (in() ? !region.readable : !region.writable) {
        at.report(Rule::GmAccess, site, gm_place(begin), "%s: the launch may not %s this tensor", name(),
            in() ? "read" : "write");
        return false;
    }
    if (!in() && at.atomic != AtomicOp::None && at.atomic_type != transfer.type) {
        at.report(Rule::DataType, site, gm_place(begin), "%s: the atomic's data type is not the tensor's", name());
        return false;
    }
    if (region.writable) {
        for_each_gm([&](uint64_t from, uint64_t to) { check_gm_order(from, to); });
    }
    return true;
}

void CopyIssue::check_gm_order(uint64_t begin, uint64_t end)
{
    const bool atomic = !in() && at.atomic != AtomicOp::None;
    const uint32_t written = at.clocks.known(pipe, Pipe::MTE3);
    const Recent::Copy* write = at.recent_writes.find(begin, end, written, atomic);
    if (write != nullptr) {
        at.report(in() ? Rule::MissingFlag : Rule::MissingBarrier, site, gm_place(std::max(begin, write->begin)),
            "%s %s GM that MTE3 wrote at %s, and no %s orders them", name_of(pipe), in() ? "reads" : "writes",
            at.where(Pipe::MTE3, write->number).c_str(), in() ? "flag" : "PipeBarrier");
    }
    if (in()) {
        return;
    }
    const Recent::Copy* read = at.recent_reads.find(begin, end, at.clocks.known(Pipe::MTE3, Pipe::MTE2), false);
    if (read != nullptr) {
        at.report(Rule::MissingFlag, site, gm_place(std::max(begin, read->begin)),
            "MTE3 writes GM that MTE2 read at %s, and no flag orders them", at.where(Pipe::MTE2, read->number).c_str());
    }
}

void CopyIssue::record(uint32_t number)
{
    const bool tail = in() && (transfer.left != 0 || transfer.right != 0);
    const uint64_t size = size_of(transfer.type);
    for_each_ub([&](uint64_t from, uint64_t to) {
        at.shadow.record(pipe, in(), static_cast<uint32_t>(from), static_cast<uint32_t>(to), number);
    });
    for (uint32_t i = 0; in() && i < transfer.count; i++) {
        // Bytes that only fill up a block, and padding without a given value, count as never
        // written.
        const auto block = static_cast<uint32_t>(transfer.ub.address + i * ub_step);
        const auto data = static_cast<uint32_t>(block + transfer.left * size);
        at.shadow.mark_written(block, block + static_cast<uint32_t>(ub_block), tail && transfer.pad_given);
        at.shadow.mark_written(data, data + transfer.length, true);
    }
    if (!at.state->regions[transfer.gm.region].writable) {
        return;
    }
    const bool atomic = !in() && at.atomic != AtomicOp::None;
    Intervals& log = in() ? at.global.reads : atomic ? at.global.atomics : at.global.writes;
    Recent& recent = in() ? at.recent_reads : at.recent_writes;
    for_each_gm([&](uint64_t from, uint64_t to) {
        log.add(from, to, site);
        recent.add(Recent::Copy{from, to, number, atomic});
        // DataCopyPad writes its own bytes and no others (see README.md, "Lines of GM").
        if (!in() && (atomic || !transfer.pad)) {
            Intervals& beside = atomic ? at.global.beside_atomics : at.global.beside_blocks;
            const Region& region = at.state->regions[transfer.gm.region];
            beside.add(from - (from - region.begin) % kBlockBytes, from, site);
            beside.add(to, std::min(region.end, region.begin + rounded_up(to - region.begin)), site);
        }
    });
}

/// What a copy costs: a head, each further block, and the bytes, longer where GM is not aligned to
/// 512 bytes.
uint64_t cost_of(const CopyIssue& issue)
{
    const Transfer& transfer = issue.transfer;
    const uint64_t bytes = transfer.length * cost::kCycle / costs.gm_bytes_per_cycle;
    const uint64_t skewed = bytes * costs.unaligned_percent / 100;
    const bool start = transfer.gm.address % 512 == 0;
    const bool step = issue.gm_step % 512 == 0;
    // With a step that is no multiple of 512 bytes only the first block can be aligned.
    const uint64_t first = start ? bytes : skewed;
    const uint64_t other = start && step ? bytes : skewed;
    return costs.copy_head + first + (transfer.count - 1) * (costs.copy_block + other);
}

void copy(const Transfer& transfer, Pipe pipe, const Site& site)
{
    Core& at = core();
    if (at.dead || transfer.count == 0 || transfer.length == 0) {
        return;
    }
    CopyIssue issue(at, transfer, pipe, site);
    at.settle_scalar();
    if (!at.fast) {
        if (!issue.check_parameters() || !issue.check_gm() || !issue.check_ub()) {
            return;
        }
        issue.record(at.clocks.issue(pipe, site));
    }
    const bool in = issue.in();
    const uint64_t moved = uint64_t{transfer.length} * transfer.count;
    PipeCounters& counters = at.counters.pipe[index_of(pipe)];
    counters.instructions++;
    counters.bytes += moved;
    counters.repeats += transfer.count;
    (in ? at.counters.gm_read_bytes : at.counters.gm_written_bytes) += moved;
    at.time.issue(pipe, Cycles::same(cost_of(issue)), in ? costs.read_latency : costs.write_latency);

    Instruction instruction;
    instruction.execute = in ? execute_copy_in : execute_copy_out;
    instruction.scalar = transfer.pad_value;
    instruction.whim = at.fast ? 0 : static_cast<uint32_t>(at.schedule.random().next());
    const uint32_t size = size_of(transfer.type);
    instruction.copied = Copied{transfer.gm.address, issue.gm_step, transfer.ub.address,
        static_cast<uint32_t>(issue.ub_step), transfer.count, transfer.length, transfer.left * size,
        transfer.right * size, transfer.pad_given, in ? AtomicOp::None : at.atomic, transfer.type};
    at.issue(pipe, instruction);
}

} // namespace

void copy_in(const Transfer& transfer, const Site& site)
{
    copy(transfer, Pipe::MTE2, site);
}

void copy_out(const Transfer& transfer, const Site& site)
{
    copy(transfer, Pipe::MTE3, site);
}

void copy_remainder(const char* name, uint64_t bytes, const Site& site)
{
    Core& at = core();
    if (bytes % kBlockBytes != 0 && !at.fast) {
        at.report(Rule::CopySize, site, {}, "%s: %llu bytes are no multiple of 32; the last %llu would be left out",
            name, static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(bytes % kBlockBytes));
    }
}

} // namespace ascendc_model
