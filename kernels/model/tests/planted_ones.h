// A buffer of UB full of ones, for kernels whose bug comes after it is filled.

#ifndef PLANTED_ONES_H
#define PLANTED_ONES_H

#include "planted.h"

namespace planted {

inline constexpr uint32_t kTile = 256;

struct Ones {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> memory;
    AscendC::LocalTensor<float> a;

    Ones()
    {
        pipe.InitBuffer(memory, 2 * kTile * sizeof(float));
        a = memory.Get<float>();
        AscendC::Duplicate(a, 1.0f, 2 * kTile);
        AscendC::PipeBarrier<PIPE_V>();
    }

    void ready() { sync<AscendC::HardEvent::V_MTE3>(pipe); }
};

} // namespace planted

#endif
