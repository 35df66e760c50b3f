// What the probes share.
#pragma once

#include "../include/scatter_probes.h"
#include "../scatter/kernels.h"
#include "../scatter/sync.h"

namespace probes {

using Words = AscendC::LocalTensor<uint32_t>;

/// The places that a chain of dependent reads goes through.
constexpr uint32_t kPlaces = 256;

/// A buffer of UB with the words of a chain, and a way to store a result.
class Scalar {
public:
    __aicore__ inline Scalar(AscendC::TPipe& pipe, GM_ADDR memory)
    {
        memory_.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t*>(memory));
        pipe.InitBuffer(buffer_, kPlaces * sizeof(uint32_t));
        words_ = buffer_.Get<uint32_t>();
        // Each word names the place of the next one, some way behind it, and all of them form one
        // circle.
        for (uint32_t place = 0; place < kPlaces; place++) {
            words_.SetValue(place, (place + 37) % kPlaces);
        }
    }

    __aicore__ inline const Words& Chain() const { return words_; }
    __aicore__ inline const AscendC::GlobalTensor<uint32_t>& Memory() const { return memory_; }

    /// Stores a result in the first bytes of the memory.
    __aicore__ inline void Leave(uint32_t result)
    {
        constexpr uint32_t kBlock = 32;
        words_.SetValue(0, result);
        Order<AscendC::HardEvent::S_MTE3>();
        AscendC::DataCopy(memory_, words_, kBlock / sizeof(uint32_t));
    }

private:
    AscendC::GlobalTensor<uint32_t> memory_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
    Words words_;
};

} // namespace probes
