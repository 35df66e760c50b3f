// Turns index values in UB into the target of an update.
#pragma once

#include "index_value.h"
#include "status.h"

constexpr uint64_t kNoTarget = ~0ULL;

/// Reads index values, wraps negative ones, and notes bad ones.
class Targets {
public:
    __aicore__ inline explicit Targets(const ScatterTiling& tiling) : tiling_(tiling) {}

    /// The target that the values at byte `at` of `index` name; `kNoTarget` where one of them is
    /// outside [-size, size) of its axis. `position` is their position in the row-major order of
    /// index.
    __aicore__ inline uint64_t Of(const Bytes& index, uint32_t at, uint64_t position)
    {
        uint64_t target = 0;
        bool valid = true;
        for (uint32_t axis = 0; axis < tiling_.components; axis++) {
            const int64_t value = IndexValue(index, tiling_.index_bytes, at);
            const int64_t size = static_cast<int64_t>(tiling_.component[axis]);
            if (value < -size || value >= size) {
                bad.Note(position + axis, value);
                valid = false;
            } else {
                target = target * tiling_.component[axis] + static_cast<uint64_t>(value < 0 ? value + size : value);
            }
            at += tiling_.index_box.ub[1];
        }
        return valid ? target : kNoTarget;
    }

    FirstBad bad;

private:
    const ScatterTiling& tiling_;
};
