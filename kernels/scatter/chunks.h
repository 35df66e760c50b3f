// The loop over the tasks of a block, and over the chunks of each task's updates. Chunks are
// double-buffered in UB: DMA copies one in while the other is applied.
#pragma once

#include "fill.h"
#include "targets.h"
#include "window.h"

/// What the update kernels share. `Kernel` derives from it and has
///
///     // Starts the copy of a chunk into the buffers `turn` by MTE2.
///     void Fetch(const Task& task, const Chunk& chunk, uint32_t turn);
///     // Applies a chunk. When it returns, the scalar unit no longer uses the buffers `turn`.
///     void Take(const Task& task, const Chunk& chunk, uint32_t turn);
template <class Kernel>
class ChunkLoop {
public:
    /// Updates the block's tasks, and writes its status.
    __aicore__ inline void Process(GM_ADDR status)
    {
        const TaskRange tasks = MyTasks(tiling_.tasks);
        for (uint64_t number = tasks.first; number < tasks.last; number++) {
            Update(TaskAt(tiling_, number));
        }
        taken_.Drain();
        targets_.bad.Write(pipe_, status);
    }

protected:
    __aicore__ inline ChunkLoop(AscendC::TPipe& pipe, const ScatterTiling& tiling)
        : pipe_(pipe), tiling_(tiling), targets_(tiling), wide_(IsWide(DTypeOf(tiling), ReduceOf(tiling)))
    {
    }

    __aicore__ inline void Init(GM_ADDR index, GM_ADDR src)
    {
        index_.SetGlobalBuffer(index);
        src_.SetGlobalBuffer(src);
        pipe_.InitBuffer(indexBuffer_, 2 * tiling_.index_box.bytes);
        pipe_.InitBuffer(srcBuffer_, 2 * tiling_.src_box.bytes);
        if (wide_) {
            pipe_.InitBuffer(wideBuffer_, tiling_.src_box.bytes / sizeof(half) * sizeof(float));
        }
        if (tiling_.has_value != 0) {
            FillWithValue(tiling_, Src(0), tiling_.src_box.bytes);
            FillWithValue(tiling_, Src(1), tiling_.src_box.bytes);
        }
    }

    __aicore__ inline Bytes Index(uint32_t turn)
    {
        return indexBuffer_.GetWithOffset<uint8_t>(tiling_.index_box.bytes, turn * tiling_.index_box.bytes);
    }

    __aicore__ inline Bytes Src(uint32_t turn)
    {
        return srcBuffer_.GetWithOffset<uint8_t>(tiling_.src_box.bytes, turn * tiling_.src_box.bytes);
    }

    AscendC::TPipe& pipe_;
    const ScatterTiling& tiling_;
    Targets targets_;
    Window window_;
    GmBytes index_;
    GmBytes src_;
    /// Whether src is widened to f32, in `wideBuffer_`.
    bool wide_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer_;

private:
    __aicore__ inline void Update(const Task& task)
    {
        window_.Begin(task);
        const uint64_t chunks = tiling_.runs * ChunksPerRun(tiling_);
        Request(task, ChunkAt(tiling_, task, 0), 0);
        for (uint64_t number = 0; number < chunks; number++) {
            const uint32_t turn = number % 2;
            if (number + 1 < chunks) {
                Request(task, ChunkAt(tiling_, task, number + 1), 1 - turn);
            }
            arrived_.Wait(turn);
            static_cast<Kernel*>(this)->Take(task, ChunkAt(tiling_, task, number), turn);
            taken_.Set(turn);
        }
        window_.Flush();
    }

    __aicore__ inline void Request(const Task& task, const Chunk& chunk, uint32_t turn)
    {
        taken_.Wait(turn);
        static_cast<Kernel*>(this)->Fetch(task, chunk, turn);
        arrived_.Set(turn);
    }

    /// A chunk has arrived from GM, and has been applied.
    Turns<AscendC::HardEvent::MTE2_S> arrived_;
    Turns<AscendC::HardEvent::S_MTE2> taken_;
    AscendC::TBuf<AscendC::TPosition::VECIN> indexBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECIN> srcBuffer_;
};
