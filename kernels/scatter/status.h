// The first bad index value that a block met, and how it is reported to the host.
#pragma once

#include <stddef.h>

#include "box.h"
#include "sync.h"

// The numbers of the words of a `ScatterStatus`.
constexpr uint32_t kStatusWords = sizeof(ScatterStatus) / sizeof(uint64_t);
constexpr uint32_t kPositionWord = offsetof(ScatterStatus, position) / sizeof(uint64_t);
constexpr uint32_t kValueWord = offsetof(ScatterStatus, value) / sizeof(uint64_t);
constexpr uint32_t kColumnsDifferWord = offsetof(ScatterStatus, columns_differ) / sizeof(uint64_t);
constexpr uint32_t kFirstReservedWord = offsetof(ScatterStatus, reserved) / sizeof(uint64_t);

class FirstBad {
public:
    __aicore__ inline void Note(uint64_t position, int64_t value)
    {
        if (position < position_) {
            position_ = position;
            value_ = value;
        }
    }

    /// Writes this block's status, whether or not there was a bad value, by DMA: the scalar unit
    /// never writes GM.
    __aicore__ inline void Write(AscendC::TPipe& pipe, GM_ADDR status, bool columnsDiffer = false)
    {
        AscendC::TBuf<AscendC::TPosition::VECOUT> buffer;
        pipe.InitBuffer(buffer, kScatterStatusBytes);
        const Bytes slot = buffer.Get<uint8_t>();
        const auto words = slot.ReinterpretCast<uint64_t>();
        words.SetValue(kPositionWord, position_);
        words.SetValue(kValueWord, static_cast<uint64_t>(value_));
        words.SetValue(kColumnsDifferWord, static_cast<uint64_t>(columnsDiffer));
        for (uint32_t word = kFirstReservedWord; word < kStatusWords; word++) {
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

/// Whether any block of `scatter_index` found an entry of index whose columns differ. `statuses`
/// are those of its `blocks` blocks.
__aicore__ inline bool ColumnsDiffer(AscendC::TPipe& pipe, GM_ADDR statuses, uint32_t blocks)
{
    AscendC::TBuf<AscendC::TPosition::VECIN> buffer;
    pipe.InitBuffer(buffer, blocks * kScatterStatusBytes);
    GmBytes slots;
    slots.SetGlobalBuffer(statuses);
    Move(buffer.Get<uint8_t>(), slots, Burst{1, blocks * kScatterStatusBytes, 0, 0});
    Order<AscendC::HardEvent::MTE2_S>();
    const auto words = buffer.Get<uint64_t>();
    uint64_t differ = 0;
    for (uint32_t block = 0; block < blocks; block++) {
        differ |= words.GetValue(block * kStatusWords + kColumnsDifferWord);
    }
    return differ != 0;
}

/// Whether rows are left to the kernel that is launched next, because columns of index differ.
/// `blocks` is how many blocks of `scatter_index` compared columns; 0 where none did, and then this
/// is false.
__aicore__ inline bool LeavesRows(AscendC::TPipe& pipe, GM_ADDR indexStatuses, uint32_t blocks)
{
    return blocks != 0 && ColumnsDiffer(pipe, indexStatuses, blocks);
}

/// Whether the kernel that takes rows has done the work of this one, because no columns of index
/// differ; false where none were compared (`blocks` is 0). If true, this block's status is written
/// without a bad value: `scatter_index` has reported those.
__aicore__ inline bool DoneByRows(AscendC::TPipe& pipe, GM_ADDR indexStatuses, uint32_t blocks, GM_ADDR status)
{
    if (blocks == 0 || ColumnsDiffer(pipe, indexStatuses, blocks)) {
        return false;
    }
    FirstBad().Write(pipe, status);
    return true;
}
