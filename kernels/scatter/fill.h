// Fills buffers of UB: with the scalar of a call, and with what they begin with.
#pragma once

#include "box.h"

/// Has the scalar unit fill the first bytes of a buffer with the scalar that a call has instead of
/// src.
template <class Tiling>
__aicore__ inline void FillWithValue(const Tiling& tiling, const Bytes& to, uint32_t bytes)
{
    const auto words = to.ReinterpretCast<uint64_t>();
    for (uint32_t word = 0; word < bytes / sizeof(uint64_t); word++) {
        words.SetValue(word, tiling.value[word % 2]);
    }
}

/// Has the vector unit repeat the first `done` elements of each tensor, which are whole blocks of
/// UB, until there are `all`.
template <class... Tensors>
__aicore__ inline void Repeat(uint32_t done, uint32_t all, const Tensors&... each)
{
    for (; done < all; done *= 2) {
        const uint32_t left = all - done;
        AscendC::PipeBarrier<PIPE_V>();
        (AscendC::DataCopy(each[done], each, left < done ? left : done), ...);
    }
}
