// The scalar unit's reads and writes, and its conversions.

#include "core.h"

#include <cstring>

namespace ascendc_model {

namespace {

/// Checks a scalar access to UB and runs the instructions that its bytes depend on. False when it
/// may not be made.
bool may_access(Core& at, const Local& tensor, uint64_t offset, uint32_t bytes, bool write, const Site& site)
{
    const uint64_t begin = uint64_t{tensor.address} + offset;
    if (at.dead || !at.usable(tensor, site, "S") || !at.inside(tensor, begin, begin + bytes, site, "S")) {
        return false;
    }
    const auto from = static_cast<uint32_t>(begin);
    if (from % bytes != 0) {
        at.report(Rule::Alignment, site, {"S", "UB", from},
            "a scalar of %u bytes at an address that is no multiple of it", bytes);
        return false;
    }
    const Hazard hazard = at.shadow.check(Pipe::S, write, from, from + bytes, at.clocks);
    at.shadow.record(Pipe::S, write, from, from + bytes, at.clocks.scalar_epoch());
    at.scalar_sites.note(from, write, site);
    if (hazard.found) {
        at.report_hazard(Pipe::S, write, hazard, site);
    }
    if (write) {
        at.shadow.mark_written(from, from + bytes, true);
    } else if (at.shadow.find_unwritten(from, from + bytes) != from + bytes) {
        at.report(Rule::UninitialisedRead, site, {"S", "UB", from}, "S reads bytes that nothing has written");
    }
    return true;
}

} // namespace

void scalar_read(const Local& tensor, uint64_t offset, void* value, uint32_t bytes, const Site& site)
{
    Core& at = core();
    at.scalar.read(tensor.buffer);
    if (at.fast || may_access(at, tensor, offset, bytes, false, site)) {
        std::memcpy(value, at.ub + tensor.address + offset, bytes);
    }
}

void scalar_write(const Local& tensor, uint64_t offset, const void* value, uint32_t bytes, const Site& site)
{
    Core& at = core();
    at.scalar.write();
    if (at.fast || may_access(at, tensor, offset, bytes, true, site)) {
        std::memcpy(at.ub + tensor.address + offset, value, bytes);
    }
}

Global global_at(const void* address)
{
    const auto value = reinterpret_cast<uint64_t>(address);
    return Global{value, core().state->regions.find(value)};
}

namespace {

/// Where an address is, for reports.
Place place_in(const Core& at, const Global& tensor, uint64_t begin)
{
    if (tensor.region == UINT32_MAX) {
        return {"S", "GM", begin};
    }
    const Region& region = at.state->regions[tensor.region];
    return {"S", region.name.c_str(), begin - region.begin};
}

} // namespace

bool read_global(const Global& tensor, uint64_t offset, void* value, uint32_t bytes, const Site& site)
{
    Core& at = core();
    if (at.dead) {
        return false;
    }
    at.scalar.gm_reads++;
    const uint64_t begin = tensor.address + offset;
    if (at.fast) {
        std::memcpy(value, reinterpret_cast<const void*>(begin), bytes);
        return true;
    }
    const Place place = place_in(at, tensor, begin);
    if (tensor.region == UINT32_MAX || begin < at.state->regions[tensor.region].begin ||
        begin + bytes > at.state->regions[tensor.region].end) {
        at.report(Rule::GmBounds, site, place, "S reads %u bytes outside the tensor", bytes);
        return false;
    }
    const Region& region = at.state->regions[tensor.region];
    if (!region.readable) {
        at.report(Rule::GmAccess, site, place, "S reads a tensor that the launch only writes");
        return false;
    }
    if (region.writable) {
        if (at.global.writes.find(begin, begin + bytes) != nullptr ||
            at.global.atomics.find(begin, begin + bytes) != nullptr) {
            at.report(Rule::GmScalarStale, site, place,
                "S reads what this launch wrote: its data cache may hold the old bytes");
        }
        at.global.reads.add(begin, begin + bytes, site);
    }
    std::memcpy(value, reinterpret_cast<const void*>(begin), bytes);
    return true;
}

void write_global(const Global& tensor, uint64_t offset, uint32_t bytes, const Site& site)
{
    Core& at = core();
    if (at.dead) {
        return;
    }
    at.report(Rule::GmScalarWrite, site, place_in(at, tensor, tensor.address + offset),
        "S writes %u bytes of GM; two cores in one cache line overwrite each other, so kernels write by DMA", bytes);
}

float half_to_float(uint16_t bits)
{
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 31;
    uint32_t fraction = bits & 0x3ff;
    uint32_t wide;
    if (exponent == 31) {
        wide = sign | 0x7f800000 | fraction << 13 | (fraction != 0 ? 0x400000u : 0u);
    } else if (exponent != 0) {
        wide = sign | (exponent + 112) << 23 | fraction << 13;
    } else if (fraction == 0) {
        wide = sign;
    } else {
        exponent = 113;
        while ((fraction & 0x400) == 0) {
            fraction <<= 1;
            exponent--;
        }
        wide = sign | exponent << 23 | (fraction & 0x3ff) << 13;
    }
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

uint16_t float_to_half(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) {
        return static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    }
    // Half's largest number is 65504; from 65520 on, nearest is infinity.
    if (magnitude >= 0x477ff000) {
        return sign | 0x7c00;
    }
    uint32_t shift = 13;
    uint32_t kept = magnitude - (112u << 23);
    if (magnitude < 0x38800000) {
        // Subnormal in half: the fraction with its leading one, in steps of 2^-24.
        const uint32_t exponent = magnitude >> 23;
        if (exponent < 102) {
            return sign;
        }
        shift = 126 - exponent;
        kept = (magnitude & 0x7fffff) | 0x800000;
    }
    const uint32_t lost = kept & ((1u << shift) - 1);
    const uint32_t half_step = 1u << (shift - 1);
    uint32_t result = kept >> shift;
    result += lost > half_step || (lost == half_step && (result & 1) != 0);
    return static_cast<uint16_t>(sign | result);
}

uint16_t float_to_bfloat16(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) {
        return static_cast<uint16_t>(bits >> 16 | 0x40);
    }
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

} // namespace ascendc_model
