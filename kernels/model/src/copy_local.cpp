// Issuing DataCopy within UB, which is an instruction of the vector pipe.

#include "copy_limits.h"
#include "execute.h"
#include "lanes.h"

namespace ascendc_model {

void copy_local(const Local& dst, const Local& src, uint32_t count, uint32_t length, uint32_t src_gap, uint32_t dst_gap,
    const Site& site)
{
    Core& at = core();
    if (at.dead || count == 0 || length == 0) {
        return;
    }
    const uint32_t bytes = length * kBlockBytes;
    const uint32_t src_step = bytes + src_gap * kBlockBytes;
    const uint32_t dst_step = bytes + dst_gap * kBlockBytes;
    at.settle_scalar();
    if (!at.fast) {
        const uint64_t src_end = uint64_t{src.address} + uint64_t{count - 1} * src_step + bytes;
        const uint64_t dst_end = uint64_t{dst.address} + uint64_t{count - 1} * dst_step + bytes;
        if (!at.usable(src, site, "V") || !at.usable(dst, site, "V")) {
            return;
        }
        if (count > kMostBlocks) {
            at.report(
                Rule::Parameter, site, {"V", "UB", dst.address}, "DataCopy: %u blocks, at most %u", count, kMostBlocks);
            return;
        }
        if (src.address % kBlockBytes != 0 || dst.address % kBlockBytes != 0) {
            at.report(Rule::Alignment, site, {"V", "UB", dst.address},
                "DataCopy: the addresses %u and %u in UB are not both aligned to 32 bytes", dst.address, src.address);
            return;
        }
        if (!at.inside(src, src.address, src_end, site, "V") || !at.inside(dst, dst.address, dst_end, site, "V")) {
            return;
        }
        if (src.address < dst_end && dst.address < src_end) {
            at.report(Rule::Overlap, site, {"V", "UB", dst.address},
                "DataCopy: the destination at %u overlaps the source at %u", dst.address, src.address);
            return;
        }
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t from = src.address + i * src_step;
            const uint32_t to = dst.address + i * dst_step;
            const Hazard read = at.shadow.check(Pipe::V, false, from, from + bytes, at.clocks);
            const Hazard write = at.shadow.check(Pipe::V, true, to, to + bytes, at.clocks);
            if (read.found) {
                at.report_hazard(Pipe::V, false, read, site);
            }
            if (write.found) {
                at.report_hazard(Pipe::V, true, write, site);
            }
            const uint32_t unwritten = at.shadow.find_unwritten(from, from + bytes);
            if (unwritten != from + bytes) {
                at.report(Rule::UninitialisedRead, site, {"V", "UB", unwritten},
                    "DataCopy reads bytes %u to %u; byte %u was never written", from, from + bytes, unwritten);
            }
        }
        const uint32_t number = at.clocks.issue(Pipe::V, site);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t from = src.address + i * src_step;
            const uint32_t to = dst.address + i * dst_step;
            at.shadow.record(Pipe::V, false, from, from + bytes, number);
            at.shadow.record(Pipe::V, true, to, to + bytes, number);
            at.shadow.mark_written(to, to + bytes, true);
        }
    }
    const uint64_t repeats = (uint64_t{bytes} * count + kRepeatBytes - 1) / kRepeatBytes;
    at.counters.pipe[index_of(Pipe::V)].instructions++;
    at.counters.pipe[index_of(Pipe::V)].repeats += repeats;
    at.counters.pipe[index_of(Pipe::V)].bytes += uint64_t{bytes} * count;
    at.time.issue(Pipe::V, Cycles::same(repeats * costs.vector_repeat), costs.vector_latency);
    Instruction instruction;
    instruction.execute = execute_copy_local;
    instruction.copied =
        Copied{src.address, src_step, dst.address, dst_step, count, bytes, 0, 0, false, AtomicOp::None, Type::U8};
    at.issue(Pipe::V, instruction);
}

} // namespace ascendc_model
