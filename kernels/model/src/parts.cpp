// The parts of a TBuf that a kernel names by a length, and accesses that run from one into another.

#include "core.h"

namespace ascendc_model {

Local part_of(const Local& whole, uint64_t offset, uint64_t bytes, const Site& site)
{
    Local local = whole;
    local.address = static_cast<uint32_t>(std::min<uint64_t>(whole.address + offset, UINT32_MAX));
    local.bytes = static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
    local.is_part = true;
    Core& at = core();
    if (at.dead || at.fast || whole.buffer >= at.buffers.count) {
        return local;
    }
    std::vector<Part>& parts = at.buffers.all[whole.buffer].parts;
    const Part part{local.address,
        static_cast<uint32_t>(std::min<uint64_t>(local.address + bytes, whole.address + whole.bytes)), site};
    const auto first = std::lower_bound(
        parts.begin(), parts.end(), part.begin, [](const Part& one, uint32_t value) { return one.end <= value; });
    if (first != parts.end() && first->begin == part.begin && first->end == part.end) {
        return local;
    }
    // The kernel has divided the buffer anew: earlier parts that overlap this one no longer count.
    const auto last = std::lower_bound(
        first, parts.end(), part.end, [](const Part& one, uint32_t value) { return one.begin < value; });
    const auto place = parts.erase(first, last);
    if (part.begin < part.end) {
        parts.insert(place, part);
    }
    return local;
}

/// The tensor is the whole buffer, but the kernel has named parts of it: no access may run from one
/// into the next. An access that covers a whole part doesn't run into it.
bool Core::within_parts(const Buffer& buffer, uint64_t begin, uint64_t end, const Site& site, const char* pipe)
{
    for (const Part& part : buffer.parts) {
        const bool starts_inside = begin >= part.begin && begin < part.end;
        const bool ends_inside = end > part.begin && end < part.end;
        if (starts_inside ? end > part.end : begin < part.begin && ends_inside) {
            report(Rule::UbBounds, site, {pipe, "UB", begin},
                "bytes %llu to %llu are touched, which run %s the part of the buffer, %u to %u, named at %s",
                static_cast<unsigned long long>(begin), static_cast<unsigned long long>(end),
                starts_inside ? "out of" : "into", part.begin, part.end, text_of(part.site).c_str());
            return false;
        }
    }
    return true;
}

uint32_t Core::reachable(const Local& tensor, uint64_t end) const
{
    const Buffer& buffer = buffers.all[tensor.buffer];
    uint64_t last = std::min(end, uint64_t{tensor.address} + tensor.bytes);
    last = std::min<uint64_t>(last, buffer.address + buffer.bytes);
    for (const Part& part : buffer.parts) {
        if (!tensor.is_part && part.end > tensor.address) {
            last = std::min<uint64_t>(last, part.begin > tensor.address ? part.begin : part.end);
        }
    }
    return static_cast<uint32_t>(last);
}

} // namespace ascendc_model
