// Runs every planted bug, and the same kernel without it, under several seeds and thread counts.
//
// Each broken kernel must be reported first under the rule that it names, whatever the seed; each
// right one must give its result without a report.

#include "planted.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

using ascendc_model::Access;
using planted::Bug;
using planted::kElements;

namespace {

constexpr uint64_t kSeeds = 12;

struct Memory {
    alignas(512) float in[kElements];
    // Not a tensor of the launch: an overrun of `in` lands here.
    float between[kElements];
    alignas(512) float out[kElements];

    Memory()
    {
        for (uint32_t i = 0; i < kElements; i++) {
            in[i] = static_cast<float>(i);
            between[i] = 0;
            out[i] = -1;
        }
    }
};

ascendc_model::Outcome run(const Bug& bug, bool broken, uint64_t seed, Memory& memory)
{
    ascendc_model::Launch launch;
    launch.name = bug.name;
    launch.blocks = bug.blocks;
    launch.options = ascendc_model::Options();
    launch.options.seed = seed;
    launch.options.threads = 1 + seed % 2;
    launch.tensors = {
        {"in", memory.in, sizeof memory.in, Access::Read},
        {"out", memory.out, sizeof memory.out, Access::ReadWrite},
    };
    const planted::Call call{broken, reinterpret_cast<GM_ADDR>(memory.in), reinterpret_cast<GM_ADDR>(memory.out),
        reinterpret_cast<GM_ADDR>(memory.between + 8)};
    return ascendc_model::launch(launch, [&] { bug.kernel(call); });
}

/// Whether a report names the line of the kernel that caused it, and the line of each other access.
bool names_its_lines(const ascendc_model::Report& report)
{
    // The line where an exception left the kernel is not known.
    const bool known = report.rule == "fault" || report.line != 0;
    const bool others_known =
        report.detail.find("unknown") == std::string::npos && report.detail.find(":0") == std::string::npos;
    if (!known || !others_known) {
        std::printf("FAILED: a report without a line: %s\n", report.text().c_str());
    }
    return known && others_known;
}

bool is_caught(const Bug& bug, uint64_t seed)
{
    Memory memory;
    const ascendc_model::Outcome outcome = run(bug, true, seed, memory);
    if (!outcome.ok() && outcome.reports[0].rule == bug.rule) {
        return std::all_of(outcome.reports.begin(), outcome.reports.end(), names_its_lines);
    }
    std::printf("FAILED: %s, seed %llu: expected %s first, got:\n%s\n", bug.name, static_cast<unsigned long long>(seed),
        bug.rule, outcome.ok() ? "nothing" : outcome.text().c_str());
    return false;
}

bool is_clean(const Bug& bug, uint64_t seed)
{
    Memory memory;
    const ascendc_model::Outcome outcome = run(bug, false, seed, memory);
    const bool right = bug.right == nullptr || bug.right(memory.out);
    if (outcome.ok() && right) {
        return true;
    }
    std::printf(
        "FAILED: %s, seed %llu: without the bug, expected no report and the right result, got a %s result and:\n%s\n",
        bug.name, static_cast<unsigned long long>(seed), right ? "right" : "wrong", outcome.text().c_str());
    return false;
}

/// Whether a bug shows in the result under some seed. A missing flag must, because instructions
/// really execute late.
bool is_wrong_under_some_seed(const Bug& bug)
{
    for (uint64_t seed = 0; seed < 64; seed++) {
        Memory memory;
        run(bug, true, seed, memory);
        if (!bug.right(memory.out)) {
            return true;
        }
    }
    std::printf("FAILED: %s: the result is right under each of 64 seeds\n", bug.name);
    return false;
}

/// The first bugs of the list: a flag from a pipe whose data the next one needs.
const char* const kVisible[] = {"no flag from MTE2 to V", "no flag from V to MTE3", "no flag from V to S",
    "no flag from MTE2 to S", "no flag from MTE2 to MTE3", "no EnQue and DeQue on the way in",
    "no EnQue and DeQue on the way out", "GM read back without a flag"};

} // namespace

int main()
{
    std::vector<Bug> bugs;
    for (auto list :
        {planted::flag_bugs, planted::queue_bugs, planted::copy_bugs, planted::vector_bugs, planted::extent_bugs,
            planted::global_bugs, planted::line_bugs, planted::part_bugs, planted::packing_bugs, planted::sorting_bugs,
            planted::accumulation_bugs, planted::block_bugs, planted::progression_bugs, planted::transposition_bugs}) {
        for (const Bug& bug : list()) {
            bugs.push_back(bug);
        }
    }
    uint32_t failed = 0;
    for (const Bug& bug : bugs) {
        bool fine = true;
        for (uint64_t seed = 0; seed < kSeeds && fine; seed++) {
            fine = is_caught(bug, seed) && is_clean(bug, seed);
        }
        for (const char* name : kVisible) {
            if (std::strcmp(name, bug.name) == 0) {
                fine = is_wrong_under_some_seed(bug) && fine;
            }
        }
        failed += !fine;
    }
    std::printf("%zu planted bugs, %u not as they should be\n", bugs.size(), failed);
    return failed == 0 ? 0 : 1;
}
