// The first bad index value that a block met, and how the host learns of it.
#pragma once

#include "box.h"
#include "sync.h"

class FirstBad {
public:
    __aicore__ inline void Note(uint64_t position, int64_t value)
    {
        if (position < position_) {
            position_ = position;
            value_ = value;
        }
    }

    /// Writes this block's slot, whether or not there was a bad value, by DMA: the scalar unit never writes GM.
    __aicore__ inline void Write(AscendC::TPipe& pipe, GM_ADDR status)
    {
        AscendC::TBuf<AscendC::TPosition::VECOUT> buffer;
        pipe.InitBuffer(buffer, kScatterStatusBytes);
        const Bytes slot = buffer.Get<uint8_t>();
        const auto words = slot.ReinterpretCast<uint64_t>();
        words.SetValue(0, position_);
        words.SetValue(1, static_cast<uint64_t>(value_));
        for (uint32_t word = 2; word < kScatterStatusBytes / sizeof(uint64_t); word++) {
            words.SetValue(word, 0);
        }
        Order<AscendC::HardEvent::S_MTE3>();
        GmBytes slots;
        slots.SetGlobalBuffer(status);
        const uint64_t block = static_cast<uint64_t>(AscendC::GetBlockIdx());
        Move(slots[block * kScatterStatusBytes], slot, Burst{1, kScatterStatusBytes, 0, 0});
    }

private:
    uint64_t position_ = ~0ULL;
    int64_t value_ = 0;
};
