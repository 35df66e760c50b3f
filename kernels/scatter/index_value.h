// Reads index values in UB on the scalar unit.
#pragma once

#include "box.h"

/// The index value of `indexBytes` bytes at byte `at` of `index`.
__aicore__ inline int64_t IndexValue(const Bytes& index, uint32_t indexBytes, uint32_t at)
{
    if (indexBytes == sizeof(int64_t)) {
        return index.ReinterpretCast<int64_t>().GetValue(at / sizeof(int64_t));
    }
    return index.ReinterpretCast<int32_t>().GetValue(at / sizeof(int32_t));
}
