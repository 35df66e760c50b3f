#include "shadow.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace ascendc_model {

namespace {

void* lazy_zeroes(size_t bytes)
{
    void* memory = std::calloc(1, bytes);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

/// A number for each pipe, all of which one instruction of a CPU takes.
using Numbers = int32_t __attribute__((vector_size(4 * kPipes)));

/// Those of an array.
template <typename T>
Numbers numbers(const T* of)
{
    Numbers loaded;
    static_assert(sizeof(T) * kPipes == sizeof loaded);
    std::memcpy(&loaded, of, sizeof loaded);
    return loaded;
}

} // namespace

Shadow::Shadow()
    : granules_(std::make_unique<Granule[]>(kGranules)),
      bytes_(static_cast<Bytes*>(lazy_zeroes(sizeof(Bytes) * kGranules)), std::free),
      written_(std::make_unique<uint8_t[]>(kUbBytes))
{
}

void Shadow::clear()
{
    // A granule that is not split holds for all its bytes; `bytes_` is not used then.
    std::memset(granules_.get(), 0, sizeof(Granule) * kGranules);
}

void Shadow::record(Pipe pipe, bool write, uint32_t begin, uint32_t end, uint32_t number)
{
    const uint32_t lane = lane_of(pipe, write);
    while (begin < end) {
        const uint32_t granule = begin / kBlockBytes;
        const uint32_t from = granule * kBlockBytes;
        const uint32_t to = std::min(end, from + kBlockBytes);
        int32_t& whole = granules_[granule].lane[lane];
        if (to - begin == kBlockBytes) {
            whole = static_cast<int32_t>(number << 1);
        } else {
            uint32_t* bytes = bytes_[granule].lane[lane];
            if ((whole & 1) == 0) {
                std::fill_n(bytes, kBlockBytes, static_cast<uint32_t>(whole) >> 1);
            }
            std::fill(bytes + (begin - from), bytes + (to - from), number);
            whole = static_cast<int32_t>(number << 1 | 1);
        }
        begin = to;
    }
}

uint32_t Shadow::find_above(uint32_t lane, uint32_t begin, uint32_t end, uint32_t known, uint32_t& number) const
{
    for (uint32_t granule = begin / kBlockBytes; granule * kBlockBytes < end; granule++) {
        const auto whole = static_cast<uint32_t>(granules_[granule].lane[lane]);
        if (whole >> 1 <= known) {
            continue;
        }
        const uint32_t from = std::max(begin, granule * kBlockBytes);
        if ((whole & 1) == 0) {
            number = whole >> 1;
            return from;
        }
        const uint32_t to = std::min(end, (granule + 1) * kBlockBytes);
        for (uint32_t byte = from; byte < to; byte++) {
            number = bytes_[granule].lane[lane][byte % kBlockBytes];
            if (number > known) {
                return byte;
            }
        }
    }
    return end;
}

Hazard Shadow::check(Pipe pipe, bool write, uint32_t begin, uint32_t end, const Clocks& clocks) const
{
    // The numbers that are allowed in the lanes of writes, and for a write in those of reads: what
    // the pipe knows of, and any number for the scalar unit's own accesses, which are in order. The
    // other pipes' own instructions start in order but overlap.
    const Clock& known = clocks.known(pipe);
    Numbers limit = numbers(known.seen) << 1 | 1;
    if (pipe == Pipe::S) {
        limit[index_of(Pipe::S)] = INT32_MAX;
    }
    // A number above its limit makes the difference negative, and with it the bitwise or of all
    // differences of its pipe. None overflows, for no number is negative.
    static_assert(kPipes == 4 && index_of(Pipe::S) == 0);
    Numbers differences = {};
    for (uint32_t granule = begin / kBlockBytes; granule * kBlockBytes < end; granule++) {
        const int32_t* lanes = granules_[granule].lane;
        differences |= limit - numbers(lanes + lane_of(Pipe::S, true));
        if (write) {
            differences |= limit - numbers(lanes + lane_of(Pipe::S, false));
        }
    }
    if ((differences[0] | differences[1] | differences[2] | differences[3]) >= 0) {
        return Hazard{};
    }
    // The other pipes are checked first: a missing flag often makes the pipe's own accesses
    // unordered too, and is the cause then.
    for (const bool own : {false, true}) {
        for (Pipe earlier : {Pipe::S, Pipe::V, Pipe::MTE2, Pipe::MTE3}) {
            for (const bool wrote : {true, false}) {
                if ((earlier == pipe) != own || (own && pipe == Pipe::S) || (!wrote && !write)) {
                    continue;
                }
                uint32_t number = 0;
                const uint32_t at =
                    find_above(lane_of(earlier, wrote), begin, end, known.seen[index_of(earlier)], number);
                if (at != end) {
                    return Hazard{true, earlier, wrote, number, at};
                }
            }
        }
    }
    return Hazard{};
}

void Shadow::mark_written(uint32_t begin, uint32_t end, bool written)
{
    std::memset(written_.get() + begin, written ? 1 : 0, end - begin);
}

uint32_t Shadow::find_unwritten(uint32_t begin, uint32_t end) const
{
    const void* found = std::memchr(written_.get() + begin, 0, end - begin);
    return found == nullptr ? end : static_cast<uint32_t>(static_cast<const uint8_t*>(found) - written_.get());
}

} // namespace ascendc_model
