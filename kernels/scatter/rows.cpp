// scatter_rows: updates that share their index along a contiguous axis of out and src, row by row.
//
// A task owns a part of the targets for some columns. It reads index chunk by chunk, two chunks in UB at a time, and
// collects the updates that are its own until it has a group of them, or one that the window can't hold beside the
// others. Then it fetches their rows of src, two groups in UB at a time, and the vector unit applies them in order (or the
// scalar unit, where the vector unit's arithmetic is not known to be the contract's).
#include "chunks.h"
#include "kernels.h"

/// Whether the vector unit does what an update does. Its integer sums and products may saturate and its extrema may lose a
/// NaN or a zero's sign: no document says.
__aicore__ inline bool IsVector(ScatterDType dtype, ScatterReduce reduce)
{
    const bool real = dtype == ScatterDType::F32 || dtype == ScatterDType::F16 || dtype == ScatterDType::BF16;
    switch (reduce) {
        case ScatterReduce::None:
            return dtype != ScatterDType::Bool;
        case ScatterReduce::Add:
        case ScatterReduce::Mean:
            return real || dtype == ScatterDType::Complex64;
        case ScatterReduce::Mul:
            return real;
        default:
            return false;
    }
}

/// One update of a row by the scalar unit.
struct ApplyRow {
    const Bytes& values;
    const Bytes& src;
    uint32_t place;
    uint32_t from;
    uint32_t lanes;
    bool starts;

    template <class Element, class Reduction>
    __aicore__ inline void Run() const
    {
        const auto to = values.ReinterpretCast<typename Element::Word>();
        const auto row = src.ReinterpretCast<typename Element::Word>();
        for (uint32_t lane = 0; lane < lanes; lane++) {
            const auto held = starts ? Reduction::template Start<Element>() : Element::Load(to, place + lane);
            const auto comes = Element::Load(row, from + lane);
            Element::Store(to, place + lane, Reduction::template Combine<Element>(held, comes));
        }
    }
};

class ScatterRows : public ChunkLoop<ScatterRows> {
public:
    __aicore__ inline ScatterRows(AscendC::TPipe& pipe, const ScatterTiling& tiling) :
        ChunkLoop(pipe, tiling), vector_(IsVector(tiling.dtype, tiling.reduce))
    {}

    __aicore__ inline void Init(GM_ADDR out, GM_ADDR index, GM_ADDR src)
    {
        ChunkLoop::Init(index, src);
        pipe_.InitBuffer(hitUpdates_, tiling_.group * sizeof(uint32_t));
        pipe_.InitBuffer(hitPlaces_, tiling_.group * sizeof(uint32_t));
        const ScatterBox& line = tiling_.out_box;
        window_.Init(pipe_, tiling_, out, vector_, (line.ub[0] != 0 ? line.ub[0] : line.bytes) / line.element);
        if (tiling_.has_value != 0) {
            Order<AscendC::HardEvent::S_V>();
        }
    }

    __aicore__ inline void Process(GM_ADDR status)
    {
        ChunkLoop::Process(status);
        added_.Drain();
        applied_.Drain();
    }

private:
    friend class ChunkLoop<ScatterRows>;

    /// Index only: which rows of src are needed is not known yet.
    __aicore__ inline void Fetch(const Task&, const Chunk& chunk, uint32_t turn)
    {
        if (tiling_.components != 0) {
            CopyIn(tiling_.index_box, chunk.updates, tiling_.components, Index(turn), index_, chunk.index);
        }
    }

    /// Applies the updates of a chunk that go to the task's targets.
    __aicore__ inline void Take(const Task& task, const Chunk& chunk, uint32_t turn)
    {
        const auto updates = hitUpdates_.Get<uint32_t>();
        const auto places = hitPlaces_.Get<uint32_t>();
        for (uint32_t update = 0; update < chunk.updates; update++) {
            const uint64_t position = chunk.position + update * LastAxis(tiling_).position;
            const uint64_t target =
                targets_.Of(Index(turn), update * tiling_.index_box.ub[0], position) - task.target;
            if (target >= task.targets) {
                continue;
            }
            uint32_t place = 0;
            if (hits_ == tiling_.group || !window_.Claim(target, place)) {
                ApplyHits(task, chunk);
                window_.Claim(target, place);
            }
            updates.SetValue(hits_, update);
            places.SetValue(hits_, place);
            hits_++;
        }
        ApplyHits(task, chunk);
    }

    /// Applies the updates that were collected.
    __aicore__ inline void ApplyHits(const Task& task, const Chunk& chunk)
    {
        if (hits_ == 0) {
            return;
        }
        const uint32_t turn = groups_++ % 2;
        FetchRows(task, chunk, turn);
        window_.Load();
        const Bytes src = wide_ ? WideSrc(task, turn) : Src(turn);
        const auto places = hitPlaces_.Get<uint32_t>();
        for (uint32_t hit = 0; hit < hits_; hit++) {
            const uint32_t place = places.GetValue(hit);
            const bool starts = tiling_.counted != 0 && window_.Count(place) == 0 && tiling_.include_self == 0;
            const uint32_t from = hit * (tiling_.src_box.ub[0] / tiling_.src_box.element);
            if (vector_) {
                ApplyByVector(src, place, from, task.lanes, starts);
            } else {
                WithPolicies(tiling_, ApplyRow{window_.Values(), src, place, from, task.lanes, starts});
            }
        }
        if (vector_) {
            added_.Set(turn);
        } else {
            applied_.Set(turn);
        }
        hits_ = 0;
    }

    /// The hits' rows of src; consecutive updates together.
    __aicore__ inline void FetchRows(const Task& task, const Chunk& chunk, uint32_t turn)
    {
        added_.Wait(turn);
        applied_.Wait(turn);
        if (tiling_.has_value != 0) {
            return;
        }
        const auto updates = hitUpdates_.Get<uint32_t>();
        const uint32_t rows = RowsOfHits();
        for (uint32_t hit = 0; hit < rows;) {
            const uint32_t update = updates.GetValue(hit);
            uint32_t run = 1;
            while (hit + run < rows && updates.GetValue(hit + run) == update + run) {
                run++;
            }
            const int64_t offset = chunk.src + static_cast<int64_t>(update) * LastAxis(tiling_).src;
            CopyIn(tiling_.src_box, run, task.lanes, Src(turn)[hit * tiling_.src_box.ub[0]], src_, offset);
            hit += run;
        }
        if (vector_ || wide_) {
            Order<AscendC::HardEvent::MTE2_V>();
        } else {
            Order<AscendC::HardEvent::MTE2_S>();
        }
    }

    /// How many rows of src the hits need: one, where src doesn't move along the updates.
    __aicore__ inline uint32_t RowsOfHits() const
    {
        return tiling_.src_box.gm[0] == 0 ? 1 : hits_;
    }

    /// The rows of src as f32.
    __aicore__ inline Bytes WideSrc(const Task& task, uint32_t turn)
    {
        if (vector_) {
            AscendC::PipeBarrier<PIPE_V>(); // the group before is read from there
        } else {
            Order<AscendC::HardEvent::S_V>();
        }
        Widen(tiling_.dtype, tiling_.src_box, RowsOfHits(), task.lanes, wideBuffer_.Get<float>(), Src(turn));
        if (!vector_) {
            Order<AscendC::HardEvent::V_S>();
        }
        return wideBuffer_.Get<uint8_t>();
    }

    /// One update of a row. The barriers are for a row that is updated twice in a row.
    __aicore__ inline void ApplyByVector(const Bytes& src, uint32_t place, uint32_t from, uint32_t lanes, bool starts)
    {
        AscendC::PipeBarrier<PIPE_V>();
        const uint32_t element = tiling_.src_box.element;
        if (tiling_.reduce == ScatterReduce::None) {
            const auto to = window_.Values()[place * element].ReinterpretCast<int32_t>();
            const auto row = src[from * element].ReinterpretCast<int32_t>();
            AscendC::DataCopy(to, row, Padded(lanes * element) / sizeof(int32_t));
            return;
        }
        const uint32_t parts = tiling_.dtype == ScatterDType::Complex64 ? 2 : 1;
        const int32_t count = static_cast<int32_t>(lanes * parts);
        const auto to = window_.Values().ReinterpretCast<float>()[place * parts];
        const auto row = src.ReinterpretCast<float>()[from * parts];
        const bool product = tiling_.reduce == ScatterReduce::Mul;
        if (starts) {
            AscendC::Duplicate(to, product ? 1.0f : 0.0f, count);
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (product) {
            AscendC::Mul(to, to, row, count);
        } else {
            AscendC::Add(to, to, row, count);
        }
    }

    bool vector_;
    uint32_t hits_ = 0;
    uint32_t groups_ = 0;
    /// Rows of src have been applied, by the vector unit or by the scalar unit.
    Turns<AscendC::HardEvent::V_MTE2> added_;
    Turns<AscendC::HardEvent::S_MTE2> applied_;
    /// The updates of a chunk that were collected, and their places in the window.
    AscendC::TBuf<AscendC::TPosition::VECCALC> hitUpdates_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> hitPlaces_;
};

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_rows(GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status,
                                                   ScatterTiling tiling)
{
#ifndef SCATTER_BISHENG
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
#endif
    AscendC::TPipe pipe;
    ScatterRows kernel(pipe, tiling);
    kernel.Init(out, index, src);
    kernel.Process(status);
}
