// The chunks of index and src that a task of `scatter_elements` goes through, double-buffered in
// UB: DMA copies one in while the other is applied.
#pragma once

#include "dispatch.h"
#include "fill.h"
#include "index_chunks.h"
#include "wide.h"

class ElementChunks {
public:
    __aicore__ inline explicit ElementChunks(const ScatterElementsTiling& tiling)
        : tiling_(tiling), index_(tiling), wide_(IsWide(DTypeOf(tiling), ReduceOf(tiling)))
    {
    }

    /// DMA waits for what the vector unit was given before this.
    __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR index, GM_ADDR src)
    {
        src_.SetGlobalBuffer(src);
        index_.Init(pipe, index);
        // As with index, the part that a shorter chunk does not fill is read, too.
        InitCleared(pipe, srcBuffer_, 2 * tiling_.src_box.bytes);
        if (wide_) {
            InitCleared(pipe, wideBuffer_, 2 * WideBytes());
        }
        if (tiling_.has_value != 0) {
            FillSrc();
        }
        Order<AscendC::HardEvent::V_MTE2>();
    }

    __aicore__ inline uint64_t Count() const { return tiling_.runs * ChunksPerRun(tiling_); }

    /// Starts the copy of a chunk into UB.
    __aicore__ inline void Request(const Task& task, uint64_t number)
    {
        const uint32_t turn = number % 2;
        const Chunk chunk = ChunkAt(tiling_, task, number);
        read_.Wait(turn);
        index_.Copy(task, chunk, turn);
        if (tiling_.has_value == 0) {
            CopyIn(tiling_.src_box, chunk.updates, task.lanes, StoredSrc(turn), src_, chunk.src);
        }
        arrived_.Set(turn);
    }

    /// Has the vector unit wait for a chunk. The scalar unit waits for what the vector unit makes
    /// of it, and so for the chunk too.
    __aicore__ inline void Await(uint32_t turn) { arrived_.Wait(turn); }

    /// Has the vector unit widen a chunk's src to f32, if it is accumulated in f32.
    __aicore__ inline void WidenSrc(const Task& task, const Chunk& chunk, uint32_t turn)
    {
        if (wide_) {
            const auto wide = wideBuffer_.Get<float>()[turn * WideBytes() / sizeof(float)];
            const bool inRows = IsInRows();
            const uint32_t narrow = tiling_.src_box.ub[inRows ? 0 : 1] / sizeof(half);
            const uint32_t apart = SrcStep(inRows ? 0 : 1) / sizeof(float);
            const WideRuns runs{
                inRows ? chunk.updates : task.lanes, inRows ? task.lanes : chunk.updates, apart, narrow};
            ConvertRuns(DTypeOf(tiling_), runs, wide, StoredSrc(turn), true);
        }
    }

    /// The scalar unit no longer uses a chunk, nor what the vector unit made of it. The vector unit
    /// writes there again when the next chunk has arrived in its buffer, and not before.
    __aicore__ inline void Release(uint32_t turn) { read_.Set(turn); }

    __aicore__ inline void Drain() { read_.Drain(); }

    __aicore__ inline Bytes Index(uint32_t turn) { return index_.Of(turn); }

    /// A chunk's src in the type of the arithmetic, and its strides in bytes.
    __aicore__ inline Bytes Src(uint32_t turn)
    {
        return wide_ ? wideBuffer_.GetWithOffset<uint8_t>(WideBytes(), turn * WideBytes()) : StoredSrc(turn);
    }
    __aicore__ inline uint32_t SrcStep(uint32_t axis) const
    {
        return axis == 0 ? tiling_.src_update : tiling_.src_lane;
    }

    /// Notes the first bad index value of a chunk, on the scalar unit.
    __aicore__ inline void NoteBad(const Task& task, const Chunk& chunk, uint32_t turn, FirstBad& bad)
    {
        index_.NoteBad(task, chunk, turn, bad);
    }

private:
    __aicore__ inline Bytes StoredSrc(uint32_t turn)
    {
        return srcBuffer_.GetWithOffset<uint8_t>(tiling_.src_box.bytes, turn * tiling_.src_box.bytes);
    }

    __aicore__ inline uint32_t WideBytes() const
    {
        return IsInRows() ? tiling_.chunk * tiling_.src_update : tiling_.src_box.bytes / sizeof(half) * sizeof(float);
    }

    /// Whether lanes are adjacent in a chunk's src; otherwise updates are.
    __aicore__ inline bool IsInRows() const
    {
        return static_cast<ScatterRun>(tiling_.src_box.run) == ScatterRun::Axis1;
    }

    /// Fills the buffers of src with the scalar that a call has instead of src.
    __aicore__ inline void FillSrc()
    {
        Order<AscendC::HardEvent::V_S>();
        FillWithValue(tiling_, srcBuffer_.Get<uint8_t>(), kBlockBytes);
        Order<AscendC::HardEvent::S_V>();
        constexpr uint32_t kBlock = kBlockBytes / sizeof(int32_t);
        Repeat(kBlock, 2 * tiling_.src_box.bytes / sizeof(int32_t), srcBuffer_.Get<int32_t>());
    }

    const ScatterElementsTiling& tiling_;
    IndexChunks<ScatterElementsTiling> index_;
    bool wide_;
    GmBytes src_;
    /// A chunk has arrived from GM, and the scalar unit no longer uses it.
    Turns<AscendC::HardEvent::MTE2_V> arrived_;
    Turns<AscendC::HardEvent::S_MTE2> read_;
    AscendC::TBuf<AscendC::TPosition::VECIN> srcBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer_;
};
