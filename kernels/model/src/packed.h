// Walking the elements that a GatherMask chooses.
#pragma once

#include "lanes.h"

namespace ascendc_model {

/// Where element `e` of repeat `r` is.
inline uint32_t element_address(const Packed& packed, uint32_t r, uint32_t e)
{
    const uint32_t byte = e * packed.size;
    return packed.src + byte % kBlockBytes +
        kBlockBytes * (r * packed.repeat_stride + byte / kBlockBytes * packed.block_stride);
}

/// The numbered patterns are counted from the first element of each repeat.
inline bool is_chosen(const Packed& packed, const uint8_t* ub, uint32_t r, uint32_t e)
{
    switch (packed.pattern) {
    case 0: return (ub[packed.bits + kBlockBytes * r * packed.bits_stride + e / 8] >> (e % 8) & 1) != 0;
    case 1: return e % 2 == 0;
    case 2: return e % 2 == 1;
    case 7: return true;
    default: return e % 4 == packed.pattern - 3u;
    }
}

/// Calls `visit(address)` for each chosen element, in order.
template <typename Visit> void for_each_chosen(const Packed& packed, const uint8_t* ub, Visit visit)
{
    for (uint32_t r = 0; r < packed.repeats; r++) {
        for (uint32_t e = 0; e < packed.each; e++) {
            if (is_chosen(packed, ub, r, e)) {
                visit(element_address(packed, r, e));
            }
        }
    }
}

} // namespace ascendc_model
