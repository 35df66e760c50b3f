// The scalar that stands for src.
#pragma once

#include "box.h"

/// Fills `bytes` bytes, a multiple of 16, with the value.
__aicore__ inline void FillWithValue(const ScatterTiling& tiling, const Bytes& to, uint32_t bytes)
{
    const auto words = to.ReinterpretCast<uint64_t>();
    for (uint32_t word = 0; word < bytes / sizeof(uint64_t); word++) {
        words.SetValue(word, tiling.value[word % 2]);
    }
}
