// Gathers rows: index is the same along an axis on which self and out are contiguous. A row goes
// from self to UB, and with its group from there to out. What is read of index are its values, or
// the list that `scatter_index` has made of them (`ListedRows`).
#pragma once

#include "gather_tasks.h"
#include "row_copies.h"

class GatherRows {
public:
    __aicore__ inline GatherRows(AscendC::TPipe& pipe, const ScatterGatherTiling& tiling)
        : pipe_(pipe),
          tiling_(tiling),
          index_(tiling),
          isListed_(static_cast<ScatterGatherForm>(tiling.form) == ScatterGatherForm::ListedRows)
    {
    }

    __aicore__ inline void Init(GM_ADDR self, GM_ADDR index, GM_ADDR out)
    {
        self_.Init(self);
        out_.SetGlobalBuffer(out);
        index_.Init(pipe_, index);
        Order<AscendC::HardEvent::V_MTE2>();
        if (tiling_.by_scalar == 0 && !isListed_) {
            targets_.Init(pipe_, tiling_);
        }
        pipe_.InitBuffer(numbers_, 2 * NumberBytes());
        pipe_.InitBuffer(rows_, 2 * tiling_.group * RowBytes());
    }

    __aicore__ inline void Process(GM_ADDR status)
    {
        const TaskRange tasks = MyTasks(tiling_.tasks);
        if (tasks.first < tasks.last) {
            Prepare(tasks.first);
        }
        for (uint64_t number = tasks.first; number < tasks.last; number++) {
            if (number + 1 < tasks.last) {
                Prepare(number + 1);
            }
            Gather(GatherTaskAt(tiling_, number), number % 2);
        }
        read_.Drain();
        stored_.Drain();
        // `scatter_index` has reported the bad values of its list.
        if (!isListed_) {
            bad_.Write(pipe_, status);
        }
    }

private:
    /// Has a chunk of index copied to UB, and has the vector unit make the numbers of its rows.
    __aicore__ inline void Prepare(uint64_t number)
    {
        const GatherTask task = GatherTaskAt(tiling_, number);
        const uint32_t turn = number % 2;
        read_.Wait(turn);
        index_.Copy(task.at, task.chunk, turn);
        if (tiling_.by_scalar != 0) {
            come_.Set(turn);
            return;
        }
        arrived_.Set(turn);
        arrived_.Wait(turn);
        const auto targets = isListed_ ? Listed(turn) : targets_.Make(index_.Of(turn), turn);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(Numbers(turn).ReinterpretCast<int32_t>(), targets, AscendC::RoundMode::CAST_RINT, tiling_.places);
        made_.Set(turn);
    }

    __aicore__ inline void Gather(const GatherTask& task, uint32_t turn)
    {
        if (tiling_.by_scalar != 0) {
            come_.Wait(turn);
            MakeNumbers(task, turn);
        } else {
            if (!isListed_ && !targets_.IsGood(turn)) {
                index_.NoteBad(OneLane(task), task.chunk, turn, bad_);
            }
            made_.Wait(turn);
        }
        const uint32_t bytes = task.at.lanes * tiling_.src_box.element;
        const RowShape shape{bytes, Padded(bytes)};
        self_.Begin(task.at.out, tiling_.target_step, shape);
        const int64_t step = LastAxis(tiling_).src;
        for (uint32_t first = 0; first < task.chunk.updates; first += tiling_.group) {
            const uint32_t left = task.chunk.updates - first;
            const uint32_t count = left < tiling_.group ? left : tiling_.group;
            const Bytes rows =
                rows_.GetWithOffset<uint8_t>(tiling_.group * RowBytes(), half_ * tiling_.group * RowBytes());
            stored_.Wait(half_);
            Fetch(rows, Numbers(turn), first, count);
            fetched_.Set(half_);
            fetched_.Wait(half_);
            MoveRuns(Runs{count, bytes, step, shape.step}, rows, 0, out_,
                task.chunk.src + static_cast<int64_t>(first) * step, false);
            stored_.Set(half_);
            half_ = 1 - half_;
        }
        read_.Set(turn);
    }

    /// Has MTE2 copy the rows of a group to UB.
    __aicore__ inline void Fetch(
        const Bytes& rows, const AscendC::LocalTensor<uint32_t>& numbers, uint32_t first, uint32_t count)
    {
        uint32_t row = 0;
        for (; row + kTogether <= count; row += kTogether) {
            FetchSome<kTogether>(rows, numbers, first, row);
        }
        for (; row + 2 <= count; row += 2) {
            FetchSome<2>(rows, numbers, first, row);
        }
        if (row < count) {
            FetchSome<1>(rows, numbers, first, row);
        }
    }

    template <uint32_t count>
    SCATTER_HOT void FetchSome(
        const Bytes& rows, const AscendC::LocalTensor<uint32_t>& numbers, uint32_t first, uint32_t row)
    {
        uint32_t read[count];
        SCATTER_UNROLL
        for (uint32_t i = 0; i < count; i++) {
            read[i] = numbers.GetValue(first + row + i);
        }
        self_.Move<true>(rows, row, read);
    }

    /// The targets of a chunk of the list, with the nearest target for a bad one. A barrier is
    /// needed before they are read.
    __aicore__ inline AscendC::LocalTensor<float> Listed(uint32_t turn)
    {
        const auto targets = index_.Of(turn).ReinterpretCast<float>();
        ClampTo(targets, tiling_.places, 0.0f, static_cast<float>(tiling_.targets - 1));
        return targets;
    }

    /// Makes the numbers of a chunk's rows on the scalar unit.
    __aicore__ inline void MakeNumbers(const GatherTask& task, uint32_t turn)
    {
        const auto numbers = Numbers(turn);
        for (uint32_t update = 0; update < task.chunk.updates; update++) {
            const int64_t value = IndexValue(index_.Of(turn), tiling_.index_bytes, update * tiling_.index_box.ub[0]);
            const uint64_t position = task.chunk.position + update * LastAxis(tiling_).position;
            numbers.SetValue(update, static_cast<uint32_t>(NearestTarget(value, tiling_.targets, position, bad_)));
        }
    }

    /// Along the lanes index is one value.
    static __aicore__ inline Task OneLane(const GatherTask& task)
    {
        Task one = task.at;
        one.lanes = 1;
        return one;
    }

    __aicore__ inline AscendC::LocalTensor<uint32_t> Numbers(uint32_t turn)
    {
        return numbers_.GetWithOffset<uint32_t>(NumberBytes() / sizeof(uint32_t), turn * NumberBytes());
    }
    __aicore__ inline uint32_t NumberBytes() const { return Padded(tiling_.places * sizeof(uint32_t)); }
    /// The bytes of UB that the longest row takes.
    __aicore__ inline uint32_t RowBytes() const
    {
        return Padded(static_cast<uint32_t>(tiling_.lane_tile) * tiling_.src_box.element);
    }

    /// Rows that are read together.
    static constexpr uint32_t kTogether = 16;

    AscendC::TPipe& pipe_;
    const ScatterGatherTiling& tiling_;
    IndexChunks<ScatterGatherTiling> index_;
    bool isListed_;
    GatherTargets targets_;
    FirstBad bad_;
    RowCopies self_;
    GmBytes out_;
    /// Which half of the rows the next group gets.
    uint32_t half_ = 0;
    /// A chunk of index has arrived from GM, for the vector unit.
    Turns<AscendC::HardEvent::MTE2_V> arrived_;
    /// A chunk of index has arrived from GM, for the scalar unit.
    Turns<AscendC::HardEvent::MTE2_S> come_;
    /// The numbers of a chunk's rows have been made.
    Turns<AscendC::HardEvent::V_S> made_;
    /// All of a chunk has been read.
    Turns<AscendC::HardEvent::S_MTE2> read_;
    /// A group of rows has arrived from GM.
    Turns<AscendC::HardEvent::MTE2_MTE3> fetched_;
    /// A group of rows has been written to GM.
    Turns<AscendC::HardEvent::MTE3_MTE2> stored_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_;
    AscendC::TBuf<AscendC::TPosition::VECIN> rows_;
};
