// The work of the scalar unit: its accesses, and the path that it took through the kernel's code.
#pragma once

#include "timeline.h"

#include <cstdint>
#include <vector>

namespace ascendc_model {

struct ScalarUnit {
    uint64_t reads = 0;
    /// Of the reads, those that overlap with the one before.
    uint64_t next_reads = 0;
    uint64_t writes = 0;
    uint64_t gm_reads = 0;
    uint64_t iterations = 0;
    uint64_t blocks = 0;

    /// Starts a block.
    void begin()
    {
        reads = next_reads = writes = gm_reads = iterations = blocks = 0;
        last_read_ = kNone;
        entered_.begin();
    }

    void read(uint32_t buffer)
    {
        reads++;
        next_reads += buffer == last_read_;
        last_read_ = buffer;
    }

    void write()
    {
        writes++;
        last_read_ = kNone;
    }

    /// A basic block of the kernel begins. If it was already entered in the current iteration, a
    /// new iteration begins: of a loop, however loops are nested, or a new call of a function,
    /// which costs about as much.
    void enter(uintptr_t address)
    {
        blocks++;
        if (entered_.note(address)) {
            iterations++;
            last_read_ = kNone;
            entered_.begin();
            entered_.note(address);
        }
    }

    /// All of it, in each setting.
    Cycles cost() const
    {
        const uint64_t all = (reads - next_reads) * costs.scalar_read + next_reads * costs.scalar_next_read +
            writes * costs.scalar_write + gm_reads * costs.scalar_gm + iterations * costs.scalar_iteration +
            blocks * costs.scalar_block;
        return Cycles::of_scalar_unit(all);
    }

private:
    /// The basic blocks that were entered since an iteration began. Two whose distance is a
    /// multiple of `kReach` bytes share an entry, in which the later one replaces the other,
    /// whatever address the code was loaded to.
    class Entered {
    public:
        void begin() { now_++; }

        /// Adds a block, and returns whether it was there already.
        bool note(uintptr_t address)
        {
            Entry& entry = entries_[address % kReach / kStep];
            const bool is_there = entry.address == address && entry.when == now_;
            entry = Entry{address, now_};
            return is_there;
        }

    private:
        /// The distance of two basic blocks is at least this: a call of the trace function is
        /// longer.
        static constexpr uintptr_t kStep = 4;
        static constexpr uintptr_t kReach = 64 * 1024;
        struct Entry {
            uintptr_t address = 0;
            uint64_t when = 0;
        };
        std::vector<Entry> entries_ = std::vector<Entry>(kReach / kStep);
        uint64_t now_ = 1;
    };

    Entered entered_;
    static constexpr uint32_t kNone = UINT32_MAX;
    /// The buffer that was read last, if nothing else was done since.
    uint32_t last_read_ = kNone;
};

} // namespace ascendc_model
