// What the model keeps for every byte of UB: whether it was written, and the last access of each
// pipe.
#pragma once

#include "clocks.h"
#include "instruction.h"

#include <memory>

namespace ascendc_model {

/// The largest UB, that of Ascend 950.
constexpr uint32_t kUbBytes = 256 * 1024;
/// The bytes of UB that the real headers reserve: 8 KB for their own use and 256 bytes for
/// debugging.
constexpr uint32_t kUbKept = 8 * 1024 + 256;
/// The bytes that a kernel may use on A2 and A3, of 192 KiB.
constexpr uint32_t kUbUsable = 192 * 1024 - kUbKept;

/// An access that should have been ordered before another.
struct Hazard {
    bool found = false;
    /// The pipe of the earlier access, whether it wrote, its number, and the byte.
    Pipe pipe = Pipe::S;
    bool wrote = false;
    uint32_t number = 0;
    uint32_t offset = 0;
};

/// The number of the last access to each byte, for each pipe, separately for reads and writes. Kept
/// per block of 32 bytes; for a block that was accessed in part it is kept per byte, so that
/// neighbours in a block are never confused.
class Shadow {
public:
    Shadow();
    /// Drops all accesses.
    void clear();

    /// An earlier access that is not ordered before this one of `pipe`.
    Hazard check(Pipe pipe, bool write, uint32_t begin, uint32_t end, const Clocks& clocks) const;
    /// Remembers an access. The operands of one instruction are all checked before any is recorded.
    void record(Pipe pipe, bool write, uint32_t begin, uint32_t end, uint32_t number);

    void mark_written(uint32_t begin, uint32_t end, bool written);
    /// The first byte that was never written; `end` when there is none.
    uint32_t find_unwritten(uint32_t begin, uint32_t end) const;

private:
    static constexpr uint32_t kGranules = kUbBytes / kBlockBytes;
    static constexpr uint32_t kLanes = 2 * kPipes;
    /// Those of writes come first.
    static constexpr uint32_t lane_of(Pipe pipe, bool write) { return index_of(pipe) + (write ? 0 : kPipes); }

    /// For each lane twice the number, plus one when the bytes differ: then the number is their
    /// largest. Signed, for comparisons of all lanes at once.
    struct alignas(4 * kLanes) Granule {
        int32_t lane[kLanes];
    };
    struct Bytes {
        uint32_t lane[kLanes][kBlockBytes];
    };

    uint32_t find_above(uint32_t lane, uint32_t begin, uint32_t end, uint32_t known, uint32_t& number) const;

    std::unique_ptr<Granule[]> granules_;
    /// Pages that no partial access needs cost nothing.
    std::unique_ptr<Bytes[], void (*)(void*)> bytes_;
    std::unique_ptr<uint8_t[]> written_;
};

} // namespace ascendc_model
