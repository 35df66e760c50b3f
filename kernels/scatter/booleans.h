// Booleans in UB, of which any byte but 0 counts as 1.
#pragma once

#include "box.h"

/// Makes each of `count` bytes 0 or 1, by way of as many f16 in `halves`. No barrier behind the
/// last instruction.
__aicore__ inline void MakeBooleans(const Bytes& bytes, const AscendC::LocalTensor<half>& halves, uint32_t count)
{
    AscendC::Cast(halves, bytes, AscendC::RoundMode::CAST_NONE, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mins(halves, halves, half(1.0f), static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Cast(bytes, halves, AscendC::RoundMode::CAST_NONE, count);
}
