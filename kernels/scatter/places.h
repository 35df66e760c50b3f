// The places of a chunk's updates among the elements that a task holds, from its index values, by vector instructions.
#pragma once

#include "batch.h"
#include "narrow.h"
#include "task.h"

class Places {
public:
    /// `rowElements`: the elements of a block of UB, as they are held.
    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterElementsTiling& tiling, uint32_t rowElements)
    {
        tiling_ = &tiling;
        rowElements_ = rowElements;
        const uint32_t targets = MarkedTargets(tiling.places) * sizeof(float);
        pipe.InitBuffer(targets_, targets);
        pipe.InitBuffer(scratch_, targets);
        pipe.InitBuffer(places_, 2 * PlaceBytes());
        pipe.InitBuffer(marks_, 3 * MarkBytes());
        if (IsAlong() && !NamesRows()) {
            pipe.InitBuffer(scale_, kRepeat * sizeof(float));
            pipe.InitBuffer(shift_, kRepeat * sizeof(float));
        }
    }

    /// Whether a place is the number of a block of UB, where a target's row begins, for all lanes; else it is an element's.
    __aicore__ inline bool NamesRows() const
    {
        return IsAlong() && static_cast<ScatterRun>(tiling_->out_box.run) == ScatterRun::Axis1;
    }

    /// The places of updates × lanes, by turns.
    __aicore__ inline AscendC::LocalTensor<int16_t> Of(uint32_t turn)
    {
        return places_.GetWithOffset<int16_t>(PlaceBytes() / sizeof(int16_t), turn * PlaceBytes());
    }

    /// Prepares for a task's lanes. The vector unit is through with the task before, for which the scalar unit has waited.
    __aicore__ inline void Begin(const Task& task)
    {
        if (!IsAlong() || NamesRows() || task.lanes == lanes_) {
            return;
        }
        lanes_ = task.lanes;
        const auto scale = scale_.Get<float>();
        const auto shift = shift_.Get<float>();
        const float nobody = static_cast<float>(kNobody);
        // One row, or two short ones, and then the same for all rows of a repeat.
        constexpr uint32_t kBlock = kBlockBytes / sizeof(float);
        const uint32_t row = tiling_->place_update;
        const uint32_t first = row < kBlock ? kBlock : row;
        for (uint32_t at = 0; at < first; at++) {
            const uint32_t lane = at % row;
            const bool isThere = lane < task.lanes;
            scale.SetValue(at, isThere ? static_cast<float>(tiling_->held_target) : 0.0f);
            shift.SetValue(at, isThere ? PlaceOf(lane) : nobody);
        }
        Order<AscendC::HardEvent::S_V>();
        for (uint32_t done = first; done < kRepeat; done *= 2) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::DataCopy(scale[done], scale, done);
            AscendC::DataCopy(shift[done], shift, done);
        }
    }

    /// Has the vector unit make the places of a chunk.
    __aicore__ inline void Make(const Bytes& index, const Task& task, uint32_t updates, uint32_t turn)
    {
        const uint32_t count = IsAlong() ? updates * tiling_->place_update : tiling_->places;
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
        } else if (IsAlong()) {
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
    __aicore__ inline bool IsGood(uint32_t turn)
    {
        return IsAllGood(Marks(turn));
    }

    /// Has the places behind the last update, up to a whole batch, be nobody's.
    __aicore__ inline void FillBatch(uint32_t updates, uint32_t turn)
    {
        const auto places = Of(turn);
        for (uint32_t update = updates; update % kBatchUpdates != 0; update++) {
            for (uint32_t lane = 0; lane < Lanes(); lane++) {
                places.SetValue(update * tiling_->place_update + lane * tiling_->place_lane, kNobody);
            }
        }
    }

private:
    static constexpr uint32_t kRepeat = 64;
    static constexpr uint32_t kMostRepeats = 255;

    /// Whether lanes follow each other in UB, or updates do.
    __aicore__ inline bool IsAlong() const
    {
        return tiling_->place_lane == 1;
    }

    /// The lanes that there are places for.
    __aicore__ inline uint32_t Lanes() const
    {
        return IsAlong() ? tiling_->place_update : tiling_->places / tiling_->place_lane;
    }

    __aicore__ inline uint32_t PlaceBytes() const
    {
        return Padded(tiling_->places * sizeof(int16_t));
    }

    __aicore__ inline uint32_t MarkBytes() const
    {
        return MarkedTargets(tiling_->places) / 8;
    }

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

    /// The blocks where targets' rows begin. A lane that is not there may have any place: its element is nobody's.
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
            AscendC::Duplicate(rest, static_cast<float>(kNobody), static_cast<int32_t>(Lanes() - task.lanes) * run);
        }
    }

    const ScatterElementsTiling* tiling_;
    uint32_t rowElements_ = 1;
    uint32_t lanes_ = 0;
    AscendC::TBuf<AscendC::TPosition::VECCALC> targets_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> places_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> marks_;
    /// What turns 64 targets into places of elements, where lanes follow each other.
    AscendC::TBuf<AscendC::TPosition::VECCALC> scale_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> shift_;
};
