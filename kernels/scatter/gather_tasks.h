// What the forms of `scatter_gather` have in common: its tasks, and bad index values.
#pragma once

#include "index_chunks.h"

/// A task: a chunk of the tile of this number.
struct GatherTask {
    uint64_t tile;
    Task at;
    Chunk chunk;
};

__aicore__ inline GatherTask GatherTaskAt(const ScatterGatherTiling& tiling, uint64_t number)
{
    const uint64_t chunks = ChunksPerRun(tiling);
    GatherTask task;
    task.tile = number / chunks;
    task.at = TileAt(tiling, task.tile);
    task.chunk = ChunkAt(tiling, task.at, number % chunks);
    return task;
}

/// The target of an index value; a bad one is noted, and stands for the nearest target. There is at
/// least one.
__aicore__ inline uint64_t NearestTarget(int64_t value, uint64_t targets, uint64_t position, FirstBad& bad)
{
    const int64_t size = static_cast<int64_t>(targets);
    if (value < -size || value >= size) {
        bad.Note(position, value);
        return value < 0 ? 0 : targets - 1;
    }
    return static_cast<uint64_t>(value < 0 ? value + size : value);
}

/// The targets of chunks as f32, by vector instructions, and whether index was good.
class GatherTargets {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterGatherTiling& tiling)
    {
        tiling_ = &tiling;
        const uint32_t bytes = MarkedTargets(tiling.places) * sizeof(float);
        pipe.InitBuffer(targets_, bytes);
        pipe.InitBuffer(scratch_, bytes);
        pipe.InitBuffer(marks_, 3 * MarkBytes());
    }

    /// Has the vector unit make the targets of a chunk, with the nearest target for a bad value,
    /// and tell the scalar unit which values were good. A barrier is needed before the targets are
    /// read.
    __aicore__ inline AscendC::LocalTensor<float> Make(const Bytes& index, uint32_t turn)
    {
        const uint32_t count = tiling_->places;
        const uint32_t size = static_cast<uint32_t>(tiling_->targets);
        const auto targets = targets_.Get<float>();
        AscendC::PipeBarrier<PIPE_V>(); // the chunk before is still read from there
        Narrow(targets, scratch_.Get<float>(), index, tiling_->index_bytes, count, size);
        AscendC::PipeBarrier<PIPE_V>();
        MarkGood(Marks(turn), Marks(2), targets, count, size);
        marked_.Set(turn);
        ClampTo(targets, count, 0.0f, static_cast<float>(size - 1));
        return targets;
    }

    /// Memory as large as the targets, which they no longer need.
    __aicore__ inline AscendC::LocalTensor<float> Scratch() { return scratch_.Get<float>(); }

    /// Waits for what `Make` has found, and returns whether there was no bad value.
    __aicore__ inline bool IsGood(uint32_t turn)
    {
        marked_.Wait(turn);
        return IsAllGood(Marks(turn));
    }

private:
    __aicore__ inline uint32_t MarkBytes() const { return MarkedTargets(tiling_->places) / 8; }
    __aicore__ inline Bytes Marks(uint32_t turn)
    {
        return marks_.GetWithOffset<uint8_t>(MarkBytes(), turn * MarkBytes());
    }

    const ScatterGatherTiling* tiling_ = nullptr;
    /// The vector unit has looked for bad values.
    Turns<AscendC::HardEvent::V_S> marked_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> targets_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> marks_;
};
