#include "global.h"

#include <algorithm>

namespace ascendc_model {

std::string Regions::build(const std::vector<Tensor>& tensors)
{
    regions_.clear();
    std::vector<Region> all;
    for (const Tensor& tensor : tensors) {
        const uint64_t begin = reinterpret_cast<uint64_t>(tensor.address);
        const uint64_t end = begin + tensor.bytes;
        if (end < begin || (begin == 0 && tensor.bytes > 0)) {
            return std::string("the range of tensor ") + tensor.name + " wraps around or starts at address 0";
        }
        const auto access = static_cast<uint32_t>(tensor.access);
        all.push_back(Region{tensor.name, begin, end, (access & 1) != 0, (access & 2) != 0});
    }
    std::stable_sort(all.begin(), all.end(), [](const Region& a, const Region& b) { return a.begin < b.begin; });
    for (Region& region : all) {
        if (!regions_.empty() && region.begin < regions_.back().end && region.begin < region.end) {
            Region& joined = regions_.back();
            joined.name += "+" + region.name;
            joined.end = std::max(joined.end, region.end);
            joined.readable |= region.readable;
            joined.writable |= region.writable;
        } else {
            regions_.push_back(std::move(region));
        }
    }
    return "";
}

uint32_t Regions::find(uint64_t address) const
{
    // Where one range ends at the beginning of the next, the address belongs to the next.
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < regions_.size(); i++) {
        if (address >= regions_[i].begin && address <= regions_[i].end) {
            found = i;
        }
    }
    return found;
}

void Intervals::add(uint64_t begin, uint64_t end, const Site& site)
{
    if (begin >= end) {
        return;
    }
    if (!intervals_.empty()) {
        Interval& last = intervals_.back();
        if (begin >= last.begin && begin <= last.end) {
            last.end = std::max(last.end, end);
            return;
        }
    }
    if (intervals_.size() >= limit_) {
        compact();
        limit_ = std::max<size_t>(4096, intervals_.size() * 2);
    }
    intervals_.push_back(Interval{begin, end, site});
}

void Intervals::clear()
{
    intervals_.clear();
    ordered_ = 0;
    limit_ = 4096;
}

void Intervals::compact()
{
    std::sort(
        intervals_.begin(), intervals_.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    size_t kept = 0;
    for (size_t i = 1; i < intervals_.size(); i++) {
        if (intervals_[i].begin <= intervals_[kept].end) {
            intervals_[kept].end = std::max(intervals_[kept].end, intervals_[i].end);
        } else {
            intervals_[++kept] = intervals_[i];
        }
    }
    if (!intervals_.empty()) {
        intervals_.resize(kept + 1);
    }
    ordered_ = intervals_.size();
}

const std::vector<Interval>& Intervals::sorted()
{
    compact();
    return intervals_;
}

const Interval* Intervals::find(uint64_t begin, uint64_t end)
{
    if (ordered_ != intervals_.size()) {
        compact();
    }
    auto next = std::lower_bound(intervals_.begin(), intervals_.end(), end,
        [](const Interval& interval, uint64_t value) { return interval.begin < value; });
    if (next == intervals_.begin()) {
        return nullptr;
    }
    --next;
    return next->end > begin ? &*next : nullptr;
}

void Recent::clear()
{
    copies_.clear();
    for (Intervals& ranges : merged_) {
        ranges.clear();
    }
    merged_number_ = forgotten_ = 0;
    lowest_ = UINT64_MAX;
    highest_ = 0;
}

void Recent::merge()
{
    const auto end = copies_.begin() + kKept / 2;
    for (auto copy = copies_.begin(); copy != end; ++copy) {
        if (copy->number > forgotten_) {
            merged_[copy->atomic ? 1 : 0].add(copy->begin, copy->end, Site{});
            merged_number_ = copy->number;
        }
    }
    copies_.erase(copies_.begin(), end);
}

void Recent::add(const Copy& copy)
{
    if (!copies_.empty()) {
        Copy& last = copies_.back();
        if (last.number == copy.number && last.end == copy.begin && last.atomic == copy.atomic) {
            last.end = copy.end;
            highest_ = std::max(highest_, copy.end);
            return;
        }
    }
    if (copies_.size() >= kKept) {
        merge();
    }
    copies_.push_back(copy);
    lowest_ = std::min(lowest_, copy.begin);
    highest_ = std::max(highest_, copy.end);
}

void Recent::forget(uint32_t known)
{
    forgotten_ = known;
    if (merged_number_ != 0 && merged_number_ <= known) {
        for (Intervals& ranges : merged_) {
            ranges.clear();
        }
        merged_number_ = 0;
    }
    size_t old = 0;
    while (old < copies_.size() && copies_[old].number <= known) {
        old++;
    }
    // Not one by one: erasing from the front moves the rest.
    if (old == copies_.size()) {
        copies_.clear();
        lowest_ = UINT64_MAX;
        highest_ = 0;
    } else if (old > copies_.size() / 2) {
        copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(old));
    }
}

const Recent::Copy* Recent::find(uint64_t begin, uint64_t end, uint32_t known, bool atomic)
{
    if (begin >= highest_ || end <= lowest_) {
        return nullptr;
    }
    // The newest are the likeliest to be unordered; numbers only grow.
    for (size_t i = copies_.size(); i-- > 0;) {
        const Copy& copy = copies_[i];
        if (copy.number <= known) {
            return nullptr;
        }
        if (copy.begin < end && begin < copy.end && !(atomic && copy.atomic)) {
            return &copy;
        }
    }
    for (bool adds : {false, true}) {
        const bool counts = merged_number_ > known && !(atomic && adds);
        const Interval* range = counts ? merged_[adds ? 1 : 0].find(begin, end) : nullptr;
        if (range != nullptr) {
            // No number, and so no line, of which the last one's may be another copy's.
            found_ = Copy{range->begin, range->end, 0, adds};
            return &found_;
        }
    }
    return nullptr;
}

} // namespace ascendc_model
