// The part of out that a task of `scatter_elements` owns, all of which is in UB from its start to
// its end.
//
// Around each run of elements lie some that belong to no target, where bad updates are discarded.
// f16 and bf16 are held as f32, unless they are only copied, and pass through a staging buffer,
// some targets at a time.
#pragma once

#include "dispatch.h"
#include "sync.h"
#include "task.h"
#include "wide.h"

template <class Element, class Reduction>
class Held {
public:
    /// To be called before `ElementChunks::Init`, which has DMA wait for the clearing.
    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterElementsTiling& tiling, GM_ADDR out)
    {
        tiling_ = &tiling;
        wide_ = IsWide(DTypeOf(tiling), ReduceOf(tiling));
        out_.SetGlobalBuffer(out);
        const uint32_t bytes = Padded(tiling.held * sizeof(typename Element::Value));
        pipe.InitBuffer(values_, bytes);
        Clear(values_.template Get<uint8_t>(), bytes);
        if (wide_) {
            pipe.InitBuffer(stage_, 2 * tiling.out_box.bytes);
        }
        if (tiling.counted != 0) {
            pipe.InitBuffer(counts_, Padded(tiling.held * sizeof(uint32_t)));
        }
    }

    __aicore__ inline Bytes Values() { return values_.template Get<uint8_t>(); }

    /// Starts the copy of a task's elements into UB, unless they are held as f32. The scalar unit
    /// may use them after `Arrive`.
    __aicore__ inline void Load(const Task& task)
    {
        if (!wide_) {
            CopyIn(tiling_->out_box, task.targets, task.lanes, First(), out_, OutOf(task, 0));
        }
    }

    __aicore__ inline void Arrive(const Task& task)
    {
        if (wide_) {
            LoadWide(task);
        }
        if (tiling_->counted != 0) {
            Clear(counts_.template Get<uint8_t>(), Padded(tiling_->held * sizeof(uint32_t)));
        }
        if (wide_ || tiling_->counted != 0) {
            Order<AscendC::HardEvent::V_S>();
        }
        if (!wide_) {
            Order<AscendC::HardEvent::MTE2_S>();
        }
    }

    /// Finishes the elements and writes them back.
    __aicore__ inline void Store(const Task& task)
    {
        if constexpr (Reduction::kIsSum) {
            if (ReduceOf(*tiling_) == ScatterReduce::Mean) {
                DivideByCounts(task);
            }
        }
        if (wide_) {
            StoreWide(task);
        } else {
            Order<AscendC::HardEvent::S_MTE3>();
            CopyOut(tiling_->out_box, task.targets, task.lanes, out_, OutOf(task, 0), First());
        }
        // The elements of the next task are copied to where these are read from; and the vector
        // unit waits for that task's first chunk.
        Order<AscendC::HardEvent::MTE3_MTE2>();
    }

    /// One update: applies element `from` of `src` to the element at `place`.
    __aicore__ inline void Update(uint32_t place, const Bytes& src, uint32_t from)
    {
        using Word = typename Element::Word;
        const auto words = values_.template Get<Word>();
        auto current = Element::Load(words, place);
        if (tiling_->counted != 0) {
            const auto counts = counts_.template Get<uint32_t>();
            const uint32_t count = counts.GetValue(place);
            if (count == 0 && tiling_->include_self == 0) {
                current = Reduction::template Start<Element>();
            }
            counts.SetValue(place, count + 1);
        }
        const auto incoming = Element::Load(src.ReinterpretCast<Word>(), from);
        Element::Store(words, place, Reduction::template Combine<Element>(current, incoming));
    }

private:
    static __aicore__ inline void Clear(const Bytes& bytes, uint32_t size)
    {
        AscendC::Duplicate(bytes.ReinterpretCast<int32_t>(), 0, static_cast<int32_t>(size / sizeof(int32_t)));
    }

    __aicore__ inline void LoadWide(const Task& task)
    {
        for (uint32_t first = 0, turn = 0; first < task.targets; first += tiling_->piece, turn = 1 - turn) {
            const uint32_t targets = PieceAt(task, first);
            widened_.Wait(turn);
            CopyIn(tiling_->out_box, targets, task.lanes, Stage(turn), out_, OutOf(task, first));
            arrived_.Set(turn);
            arrived_.Wait(turn);
            ConvertPiece(task, first, targets, turn, true);
            widened_.Set(turn);
        }
        widened_.Drain();
    }

    __aicore__ inline void StoreWide(const Task& task)
    {
        Order<AscendC::HardEvent::S_V>();
        for (uint32_t first = 0, turn = 0; first < task.targets; first += tiling_->piece, turn = 1 - turn) {
            const uint32_t targets = PieceAt(task, first);
            stored_.Wait(turn);
            ConvertPiece(task, first, targets, turn, false);
            narrowed_.Set(turn);
            narrowed_.Wait(turn);
            CopyOut(tiling_->out_box, targets, task.lanes, out_, OutOf(task, first), Stage(turn));
            stored_.Set(turn);
        }
        stored_.Drain();
    }

    /// Widens the elements of some targets from the staging buffer, or rounds them into it.
    __aicore__ inline void ConvertPiece(const Task& task, uint32_t first, uint32_t targets, uint32_t turn, bool widen)
    {
        const ScatterBox& box = tiling_->out_box;
        const bool inRows = static_cast<ScatterRun>(box.run) == ScatterRun::Axis1;
        const uint32_t wide = inRows ? tiling_->held_target : tiling_->held_lane;
        const uint32_t narrow = (inRows ? box.ub[0] : box.ub[1]) / box.element;
        const WideRuns runs{inRows ? targets : task.lanes, inRows ? task.lanes : targets, wide, narrow};
        const uint32_t at = tiling_->held_first + first * tiling_->held_target;
        ConvertRuns(DTypeOf(*tiling_), runs, values_.template Get<float>()[at], Stage(turn), widen);
    }

    /// How many targets the piece that begins at `first` has.
    __aicore__ inline uint32_t PieceAt(const Task& task, uint32_t first) const
    {
        const uint64_t left = task.targets - first;
        return static_cast<uint32_t>(left < tiling_->piece ? left : tiling_->piece);
    }

    /// The first target's elements.
    __aicore__ inline Bytes First() { return Values()[tiling_->held_first * tiling_->out_box.element]; }

    __aicore__ inline Bytes Stage(uint32_t turn)
    {
        return stage_.template GetWithOffset<uint8_t>(tiling_->out_box.bytes, turn * tiling_->out_box.bytes);
    }

    __aicore__ inline int64_t OutOf(const Task& task, uint32_t first) const
    {
        return task.out + static_cast<int64_t>(task.target + first) * tiling_->out_box.gm[0];
    }

    /// Divides each sum by the number of its summands.
    __aicore__ inline void DivideByCounts(const Task& task)
    {
        const auto words = values_.template Get<typename Element::Word>();
        const auto counts = counts_.template Get<uint32_t>();
        for (uint32_t lane = 0; lane < task.lanes; lane++) {
            uint32_t place = tiling_->held_first + lane * tiling_->held_lane;
            for (uint32_t target = 0; target < task.targets; target++, place += tiling_->held_target) {
                const uint32_t count = counts.GetValue(place);
                if (count != 0) {
                    const uint32_t summands = count + tiling_->include_self;
                    Element::Store(words, place, Element::Mean(Element::Load(words, place), summands));
                }
            }
        }
    }

    const ScatterElementsTiling* tiling_;
    GmBytes out_;
    bool wide_;
    /// Half of the staging buffer has arrived from GM, was widened, was rounded, and was written to
    /// GM.
    Turns<AscendC::HardEvent::MTE2_V> arrived_;
    Turns<AscendC::HardEvent::V_MTE2> widened_;
    Turns<AscendC::HardEvent::V_MTE3> narrowed_;
    Turns<AscendC::HardEvent::MTE3_V> stored_;
    AscendC::TBuf<AscendC::TPosition::VECOUT> values_;
    AscendC::TBuf<AscendC::TPosition::VECOUT> stage_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> counts_;
};
