#include "conflicts.h"

#include "rules.h"

#include <algorithm>

namespace ascendc_model {

namespace {

/// An interval and the block that accessed it.
struct Touch {
    uint64_t begin;
    uint64_t end;
    uint32_t block;
    const Site* site;
};

std::vector<Touch> gather(std::vector<GlobalLog>& blocks, Intervals GlobalLog::* kind)
{
    std::vector<Touch> all;
    for (uint32_t block = 0; block < blocks.size(); block++) {
        for (const Interval& interval : (blocks[block].*kind).sorted()) {
            all.push_back(Touch{interval.begin, interval.end, block, &interval.site});
        }
    }
    std::sort(all.begin(), all.end(),
        [](const Touch& a, const Touch& b) { return a.begin != b.begin ? a.begin < b.begin : a.block < b.block; });
    return all;
}

class Finder {
public:
    Finder(const Regions& regions, uint32_t max_reports, Outcome& outcome)
        : regions_(regions), max_reports_(max_reports), outcome_(outcome)
    {
    }

    void report(Rule rule, const Touch& a, const Touch& b, const char* pipe, const char* what)
    {
        outcome_.total_reports++;
        if (outcome_.reports.size() >= max_reports_) {
            return;
        }
        const uint64_t at = std::max(a.begin, b.begin);
        const uint64_t end = std::min(a.end, b.end);
        const Region& region = regions_[regions_.find(at)];
        Report one;
        one.rule = name_of(rule);
        one.file = a.site->file;
        one.line = a.site->line;
        one.block = a.block;
        one.pipe = pipe;
        one.tensor = region.name;
        one.offset = at - region.begin;
        one.detail = std::to_string(end - at) + " bytes that this block " + what + " block " + std::to_string(b.block) +
            ", at " + b.site->file + ":" + std::to_string(b.site->line);
        outcome_.reports.push_back(std::move(one));
    }

    /// Pairs of one kind. An interval is compared with those that begin before it ends, so each
    /// pair is found once.
    void among(const std::vector<Touch>& all, Rule rule, const char* what)
    {
        for (size_t i = 0; i < all.size(); i++) {
            for (size_t j = i + 1; j < all.size() && all[j].begin < all[i].end; j++) {
                if (all[j].block != all[i].block) {
                    report(rule, all[j], all[i], "MTE3", what);
                    break;
                }
            }
        }
    }

    /// Pairs of two kinds: for each of `ones`, the first of `others` by another block.
    void between(
        const std::vector<Touch>& ones, const std::vector<Touch>& others, Rule rule, const char* pipe, const char* what)
    {
        // `reach[j]` is the largest end among others[0..=j], by which the search to the left can
        // stop.
        std::vector<uint64_t> reach(others.size());
        for (size_t j = 0; j < others.size(); j++) {
            reach[j] = std::max(others[j].end, j > 0 ? reach[j - 1] : 0);
        }
        for (const Touch& one : ones) {
            auto next = std::lower_bound(others.begin(), others.end(), one.end,
                [](const Touch& touch, uint64_t value) { return touch.begin < value; });
            for (size_t j = static_cast<size_t>(next - others.begin()); j-- > 0 && reach[j] > one.begin;) {
                if (others[j].block != one.block && others[j].end > one.begin) {
                    report(rule, one, others[j], pipe, what);
                    break;
                }
            }
        }
    }

private:
    const Regions& regions_;
    uint32_t max_reports_;
    Outcome& outcome_;
};

} // namespace

void find_conflicts(std::vector<GlobalLog>& blocks, const Regions& regions, uint32_t max_reports, Outcome& outcome)
{
    if (blocks.size() < 2) {
        return;
    }
    const std::vector<Touch> writes = gather(blocks, &GlobalLog::writes);
    const std::vector<Touch> atomics = gather(blocks, &GlobalLog::atomics);
    const std::vector<Touch> reads = gather(blocks, &GlobalLog::reads);
    const std::vector<Touch> beside_blocks = gather(blocks, &GlobalLog::beside_blocks);
    const std::vector<Touch> beside_atomics = gather(blocks, &GlobalLog::beside_atomics);
    Finder finder(regions, max_reports, outcome);
    finder.among(writes, Rule::GmOverlap, "writes are also written by");
    finder.between(atomics, writes, Rule::GmAtomicMix, "MTE3", "adds to are plainly written by");
    const char* shared = "has in one line of 32 bytes with what it copies are written by";
    finder.between(beside_blocks, writes, Rule::GmSharedLine, "MTE3", shared);
    finder.between(beside_blocks, atomics, Rule::GmSharedLine, "MTE3", shared);
    finder.between(beside_atomics, writes, Rule::GmSharedLine, "MTE3", shared);
    finder.between(reads, writes, Rule::GmReadOfWrite, "", "reads are written in the same launch by");
    finder.between(reads, atomics, Rule::GmReadOfWrite, "", "reads are added to in the same launch by");
}

} // namespace ascendc_model
