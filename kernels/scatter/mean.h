// The division at the end of Mean.
#pragma once

#include "box.h"
#include "dispatch.h"

struct DivideWork {
    const Bytes& values;
    uint32_t first;
    uint32_t elements;
    uint32_t count;

    template <class Element>
    __aicore__ inline void Run() const
    {
        const auto words = values.ReinterpretCast<typename Element::Word>();
        for (uint32_t at = first; at < first + elements; at++) {
            Element::Store(words, at, Element::Mean(Element::Load(words, at), count));
        }
    }
};

/// Divides a sum by the number of its summands: `updates`, and one more if self is included.
__aicore__ inline void DivideByCount(const ScatterTiling& tiling, const Bytes& values, uint32_t at, uint32_t updates)
{
    WithElement(DTypeOf(tiling), DivideWork{values, at, 1, updates + tiling.include_self});
}
