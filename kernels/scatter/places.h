// Computes the places of a chunk's updates among the elements that a task holds from the chunk's
// index values, by vector instructions.
#pragma once

#include "batch.h"
#include "fill.h"
#include "narrow.h"
#include "task.h"

class Places {
public:
    /// `rowElements`: how many elements a block of UB holds.
    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterElementsTiling& tiling, uint32_t rowElements)
    {
        tiling_ = &tiling;
        rowElements_ = rowElements;
        const uint32_t targets = MarkedTargets(tiling.places) * sizeof(float);
        pipe.InitBuffer(targets_, targets);
        pipe.InitBuffer(scratch_, targets);
        pipe.InitBuffer(places_, 2 * PlaceBytes());
        pipe.InitBuffer(marks_, 3 * MarkBytes());
        if (LanesAreAdjacent() && !NamesRows()) {
            pipe.InitBuffer(scale_, kRepeat * sizeof(float));
            pipe.InitBuffer(shift_, kRepeat * sizeof(float));
        }
    }

    /// Whether a place is the number of a block of UB where a target's row begins, and stands for
    /// all lanes; otherwise it is the number of an element.
    __aicore__ inline bool NamesRows() const
    {
        return LanesAreAdjacent() && static_cast<ScatterRun>(tiling_->out_box.run) == ScatterRun::Axis1;
    }

    /// The places of updates × lanes in buffer `turn`.
    __aicore__ inline AscendC::LocalTensor<int16_t> Of(uint32_t turn)
    {
        return places_.GetWithOffset<int16_t>(PlaceBytes() / sizeof(int16_t), turn * PlaceBytes());
    }

    /// Prepares for a task's lanes. The vector unit has finished the task before, for which the
    /// scalar unit has waited.
    __aicore__ inline void Begin(const Task& task)
    {
        if (!LanesAreAdjacent() || NamesRows() || task.lanes == lanes_) {
            return;
        }
        lanes_ = task.lanes;
        const auto scale = scale_.Get<float>();
        const auto shift = shift_.Get<float>();
        const float discard = static_cast<float>(kDiscardPlace);
        // The scalar unit writes one row, or several short ones that fill a block; the vector unit
        // copies them until they fill a repeat.
        constexpr uint32_t kBlock = kBlockBytes / sizeof(float);
        const uint32_t row = tiling_->place_update;
        const uint32_t first = row < kBlock ? kBlock : row;
        for (uint32_t at = 0; at < first; at++) {
            const uint32_t lane = at % row;
            const bool exists = lane < task.lanes;
            scale.SetValue(at, exists ? static_cast<float>(tiling_->held_target) : 0.0f);
            shift.SetValue(at, exists ? PlaceOf(lane) : discard);
        }
        Order<AscendC::HardEvent::S_V>();
        Repeat(first, kRepeat, scale, shift);
    }

    /// Has the vector unit compute the places of a chunk.
    __aicore__ inline void Make(const Bytes& index, const Task& task, uint32_t updates, uint32_t turn)
    {
        const uint32_t count = LanesAreAdjacent() ? updates * tiling_->place_update : tiling_->places;
        const uint32_t size = static_cast<uint32_t>(tiling_->targets);
        const auto targets = targets_.Get<float>();
        AscendC::PipeBarrier<PIPE_V>(); // the chunk before is still read from there
        Narrow(targets, scratch_.Get<float>(), index, tiling_->index_bytes, count, size);
        AscendC::PipeBarrier<PIPE_V>();
        MarkGood(Marks(turn), Marks(2), targets, count, size); // and is through with targets then
        ClampTargets(targets, count, size);
        AscendC::PipeBarrier<PIPE_V>();
        if (NamesRows()) {
            NameRows(targets, static_cast<int32_t>(count));
        } else if (LanesAreAdjacent()) {
            ShiftLanes(targets, (count + kRepeat - 1) / kRepeat);
        } else {
            AscendC::Muls(targets, targets, static_cast<float>(tiling_->held_target), static_cast<int32_t>(count));
            AscendC::PipeBarrier<PIPE_V>();
            ShiftRuns(targets, task);
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(Of(turn), targets, AscendC::RoundMode::CAST_RINT, count);
    }

    /// Whether a chunk has no bad index value.
    __aicore__ inline bool IsGood(uint32_t turn) { return IsAllGood(Marks(turn)); }

    /// Sets the places behind the last update, up to a whole batch, to `kDiscardPlace`.
    __aicore__ inline void FillBatch(uint32_t updates, uint32_t turn)
    {
        const auto places = Of(turn);
        for (uint32_t update = updates; update % kBatchUpdates != 0; update++) {
            for (uint32_t lane = 0; lane < Lanes(); lane++) {
                places.SetValue(update * tiling_->place_update + lane * tiling_->place_lane, kDiscardPlace);
            }
        }
    }

private:
    static constexpr uint32_t kRepeat = 64;
    static constexpr uint32_t kMostRepeats = 255;

    /// Whether lanes are adjacent in UB; otherwise updates are.
    __aicore__ inline bool LanesAreAdjacent() const { return tiling_->place_lane == 1; }

    /// How many lanes have places.
    __aicore__ inline uint32_t Lanes() const
    {
        return LanesAreAdjacent() ? tiling_->place_update : tiling_->places / tiling_->place_lane;
    }

    __aicore__ inline uint32_t PlaceBytes() const { return Padded(tiling_->places * sizeof(int16_t)); }

    __aicore__ inline uint32_t MarkBytes() const { return MarkedTargets(tiling_->places) / 8; }

    __aicore__ inline Bytes Marks(uint32_t turn)
    {
        return marks_.GetWithOffset<uint8_t>(MarkBytes(), turn * MarkBytes());
    }

    /// The place of the first target of a lane.
    __aicore__ inline float PlaceOf(uint32_t lane) const
    {
        const int32_t place = static_cast<int32_t>(tiling_->held_first + lane * tiling_->held_lane);
        return static_cast<float>(place - kPlaceBias);
    }

    /// Turns targets into the numbers of the blocks where their rows begin. A lane beyond the last
    /// may have any place: its element belongs to no target.
    __aicore__ inline void NameRows(const AscendC::LocalTensor<float>& targets, int32_t count)
    {
        const uint32_t blocks = tiling_->held_target / rowElements_;
        if (blocks > 1) {
            AscendC::Muls(targets, targets, static_cast<float>(blocks), count);
            AscendC::PipeBarrier<PIPE_V>();
        }
        const int32_t first = static_cast<int32_t>(tiling_->held_first / rowElements_);
        AscendC::Adds(targets, targets, static_cast<float>(first - kPlaceBias), count);
    }

    __aicore__ inline void ShiftLanes(const AscendC::LocalTensor<float>& targets, uint32_t repeats)
    {
        const AscendC::BinaryRepeatParams strides(1, 1, 1, 8, 8, 0);
        for (uint32_t done = 0; done < repeats; done += kMostRepeats) {
            const uint8_t now = static_cast<uint8_t>(repeats - done < kMostRepeats ? repeats - done : kMostRepeats);
            const auto some = targets[done * kRepeat];
            AscendC::Mul(some, some, scale_.Get<float>(), kRepeat, now, strides);
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t done = 0; done < repeats; done += kMostRepeats) {
            const uint8_t now = static_cast<uint8_t>(repeats - done < kMostRepeats ? repeats - done : kMostRepeats);
            const auto some = targets[done * kRepeat];
            AscendC::Add(some, some, shift_.Get<float>(), kRepeat, now, strides);
        }
    }

    __aicore__ inline void ShiftRuns(const AscendC::LocalTensor<float>& targets, const Task& task)
    {
        const int32_t run = static_cast<int32_t>(tiling_->place_lane);
        for (uint32_t lane = 0; lane < task.lanes; lane++) {
            const auto some = targets[lane * tiling_->place_lane];
            AscendC::Adds(some, some, PlaceOf(lane), run);
        }
        if (task.lanes < Lanes()) {
            const auto rest = targets[task.lanes * tiling_->place_lane];
            AscendC::Duplicate(
                rest, static_cast<float>(kDiscardPlace), static_cast<int32_t>(Lanes() - task.lanes) * run);
        }
    }

    const ScatterElementsTiling* tiling_;
    uint32_t rowElements_ = 1;
    uint32_t lanes_ = 0;
    AscendC::TBuf<AscendC::TPosition::VECCALC> targets_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> places_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> marks_;
    /// Factors and summands that turn 64 targets into places of elements, where lanes are adjacent.
    AscendC::TBuf<AscendC::TPosition::VECCALC> scale_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> shift_;
};
