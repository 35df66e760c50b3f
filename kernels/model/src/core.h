// A vector core while it runs one block: all the state that belongs to one block.
#pragma once

#include "buffers.h"
#include "global.h"
#include "pending.h"
#include "rules.h"
#include "scalar_sites.h"
#include "scalar_unit.h"
#include "schedule.h"
#include "shadow.h"
#include "timeline.h"

#include <cstdarg>
#include <string>

namespace ascendc_model {

/// What the blocks of a launch share. Only `pending` changes while they run.
struct LaunchState {
    const Launch* launch = nullptr;
    Regions regions;
};

/// Thrown to leave a kernel that can't go on.
struct BlockEnded { };

/// Where a report points to.
struct Place {
    const char* pipe = "";
    const char* tensor = "";
    uint64_t offset = 0;
};

/// `kernel.cpp:12`, for reports.
std::string text_of(const Site& site);

struct Core {
    Core();
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;
    ~Core();

    void begin(const LaunchState& state, uint32_t index);
    /// Runs the remaining instructions and checks for state that a block must not leave behind.
    void end();
    /// Called when the kernel ended by an exception: the remaining instructions are dropped.
    void abandon(const char* what);

    /// Notes a broken rule.
    void report(Rule rule, const Site& site, const Place& place, const char* format, ...)
        __attribute__((format(printf, 5, 6)));
    /// Notes a broken rule after which the kernel can't go on, and leaves it; returns only from a
    /// destructor.
    void fault(Rule rule, const Site& site, const Place& place, const char* format, ...)
        __attribute__((format(printf, 5, 6)));
    void report_hazard(Pipe pipe, bool write, const Hazard& hazard, const Site& site);

    /// The line that issued an instruction of a queued pipe.
    std::string where(Pipe pipe, uint32_t number) const;

    /// False when the tensor may not be used now; then that has been reported.
    bool usable(const Local& tensor, const Site& site, const char* pipe);
    /// Checks the bytes of a tensor from UB address `begin` on against the tensor, its buffer, and
    /// the buffer's parts.
    bool inside(const Local& tensor, uint64_t begin, uint64_t end, const Site& site, const char* pipe);
    /// The end of the bytes that may be accessed from the beginning of a tensor on, `end` at most.
    uint32_t reachable(const Local& tensor, uint64_t end) const;
    /// Queues an instruction, or runs it when nothing is deferred.
    void issue(Pipe pipe, const Instruction& instruction);
    /// Charges the scalar unit for what it did since the last call.
    void settle_scalar();

    uint8_t* const ub;
    /// No rule is checked.
    bool fast = false;
    const LaunchState* state = nullptr;
    uint32_t block = 0;
    /// Whether the kernel's further instructions are ignored.
    bool dead = false;
    /// A destructor is running: it must not be left by an exception.
    bool closing = false;

    Clocks clocks;
    Shadow shadow;
    ScalarSites scalar_sites;
    Schedule schedule;
    Buffers buffers;
    ScalarUnit scalar;
    Timeline time;
    Counters counters;
    GlobalLog global;
    Recent recent_reads;
    Recent recent_writes;
    PendingAtomics pending;

    /// The flags that are set and not yet waited for, in issue order.
    struct Flag {
        bool set = false;
        Clock token;
        Cycles when;
        Site site;
    };
    Flag flags[kEvents][kEventIds];
    uint8_t allocated_events[kEvents] = {};

    AscendC::MaskMode mask_mode = AscendC::MaskMode::NORMAL;
    Site mask_mode_site;
    /// Who wrote the mask register last, and where.
    enum class MaskOwner : uint8_t { Kernel, Instruction };
    void set_mask(uint64_t high, uint64_t low, MaskOwner owner, const Site& site);
    uint64_t mask[2] = {UINT64_MAX, UINT64_MAX};
    MaskOwner mask_owner = MaskOwner::Kernel;
    Site mask_site;
    /// How many records the last MrgSort took from each list, if it was one that ends as soon as a
    /// list does.
    uint16_t merged[4] = {0, 0, 0, 0};
    bool merge_suspended = false;
    AtomicOp atomic = AtomicOp::None;
    Type atomic_type = Type::Count;
    Site atomic_site;

    std::vector<Report> reports;
    uint64_t total_reports = 0;

private:
    bool within_parts(const Buffer& buffer, uint64_t begin, uint64_t end, const Site& site, const char* pipe);
    void check_left_behind();
    void note(Rule rule, const Site& site, const Place& place, const char* format, std::va_list arguments);
    Cycles settled_;
};

/// The core that this thread runs a block on; NULL where it runs none.
extern __thread Core* current_core;

inline Core& core()
{
    return *current_core;
}

} // namespace ascendc_model
