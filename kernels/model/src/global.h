// What the model keeps of GM for a launch: the ranges that it may access, and which bytes its
// blocks read and wrote.
//
// No memory here grows with the size of a tensor: accesses are kept as intervals, and adjacent ones
// are joined.
#pragma once

#include "ascendc_model.h"
#include "clocks.h"

#include <string>
#include <vector>

namespace ascendc_model {

/// A range of GM: one tensor of the launch, or several that overlap.
struct Region {
    std::string name;
    uint64_t begin;
    uint64_t end;
    bool readable;
    bool writable;
};

/// The ranges of a launch, sorted and disjoint.
class Regions {
public:
    /// Empty text, or what is wrong with the tensors.
    std::string build(const std::vector<Tensor>& tensors);
    /// The range that an address lies in, or just behind; UINT32_MAX when there is none.
    uint32_t find(uint64_t address) const;
    const Region& operator[](uint32_t index) const { return regions_[index]; }
    /// The bytes of all.
    uint64_t bytes() const
    {
        uint64_t all = 0;
        for (const Region& region : regions_) {
            all += region.end - region.begin;
        }
        return all;
    }

private:
    std::vector<Region> regions_;
};

struct Interval {
    uint64_t begin;
    uint64_t end;
    Site site;
};

/// A set of intervals, to which intervals are appended; it is sorted when it is queried.
class Intervals {
public:
    void add(uint64_t begin, uint64_t end, const Site& site);
    void clear();
    /// Sorted and disjoint.
    const std::vector<Interval>& sorted();
    /// One that overlaps the range, or NULL.
    const Interval* find(uint64_t begin, uint64_t end);

private:
    void compact();
    std::vector<Interval> intervals_;
    /// How many of them are in order already.
    size_t ordered_ = 0;
    size_t limit_ = 4096;
};

/// The accesses of one block to the ranges that may be written.
struct GlobalLog {
    Intervals writes;
    Intervals atomics;
    Intervals reads;
    /// The rest of the lines of 32 bytes that DataCopy writes in part, and of those that atomic
    /// copies write in part.
    Intervals beside_blocks;
    Intervals beside_atomics;

    void clear()
    {
        writes.clear();
        atomics.clear();
        reads.clear();
        beside_blocks.clear();
        beside_atomics.clear();
    }
};

/// The copies of one pipe that another may still have to wait for.
class Recent {
public:
    struct Copy {
        uint64_t begin;
        uint64_t end;
        uint32_t number;
        bool atomic;
    };

    void clear();
    void add(const Copy& copy);
    /// Drops the copies up to a number that both pipes know.
    void forget(uint32_t known);
    /// A copy above `known` that overlaps the range, or NULL. With `atomic`, atomic copies don't
    /// count. Copies that are kept as one count as unordered until the last of them is known.
    const Copy* find(uint64_t begin, uint64_t end, uint32_t known, bool atomic);

private:
    /// Keeps the older half of the copies as one.
    void merge();

    /// The most copies that are kept one by one: a search looks at each.
    static constexpr size_t kKept = 1 << 15;
    std::vector<Copy> copies_;
    /// The ranges of older ones, atomic copies apart, and the last one's number.
    Intervals merged_[2];
    uint32_t merged_number_ = 0;
    /// What `find` returns of them.
    Copy found_{};
    /// The number up to which both pipes knew all at the last call of `forget`.
    uint32_t forgotten_ = 0;
    uint64_t lowest_ = UINT64_MAX;
    uint64_t highest_ = 0;
};

} // namespace ascendc_model
