// Turns index values in UB into the target of an update.
#pragma once

#include "index_value.h"
#include "status.h"

constexpr uint64_t kNoTarget = ~0ULL;

/// Reads index values, wraps negative ones, and notes bad ones.
class Targets {
public:
    __aicore__ inline explicit Targets(const ScatterTiling& tiling) : tiling_(tiling) { }

    /// The target that the values at byte `at` of `index` name; `kNoTarget` where one of them is
    /// outside [-places, places): the size of its axis, or how many times a window fits there.
    /// `position` is their position in the row-major order of index, and `within` the update's
    /// place in the window that the last of them names, or 0.
    __aicore__ inline uint64_t Of(const Bytes& index, uint32_t at, uint64_t position, uint64_t within)
    {
        uint64_t target = 0;
        bool valid = true;
        for (uint32_t axis = 0; axis < tiling_.components; axis++) {
            const int64_t value = IndexValue(index, tiling_.index_bytes, at);
            const bool isLast = axis + 1 == tiling_.components;
            const uint64_t size = tiling_.component[axis];
            const int64_t places = static_cast<int64_t>(isLast ? size + 1 - tiling_.window : size);
            if (value < -places || value >= places) {
                bad.Note(position + axis, value);
                valid = false;
            } else {
                target = target * size + static_cast<uint64_t>(value < 0 ? value + places : value);
            }
            at += tiling_.index_box.ub[1];
        }
        return valid ? target + within : kNoTarget;
    }

    FirstBad bad;

private:
    const ScatterTiling& tiling_;
};
