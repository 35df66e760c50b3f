// Sorted updates applied to rows, in groups.
//
// The updates of one target are a run. For each run its row of out is copied to UB, unless it
// starts from the identity; the rows of src are added to it in their order; and it is written back
// to out. A run that is longer than a group continues in the next one, and the last run of a group
// stays open until it is known whether it does.
#pragma once

#include "fill.h"
#include "mean.h"
#include "row_arithmetic.h"
#include "task.h"
#include "updates.h"

template <class Arithmetic>
class RowGroups {
public:
    __aicore__ inline explicit RowGroups(const ScatterRowsTiling& tiling) : tiling_(tiling) { }

    __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR out, GM_ADDR src)
    {
        out_.Init(out);
        src_.Init(src);
        const uint32_t step = Padded(tiling_.piece);
        pipe.InitBuffer(rowBuffer_, 2 * tiling_.group * step);
        pipe.InitBuffer(srcBuffer_, tiling_.has_value != 0 ? step : 2 * tiling_.group * step);
        pipe.InitBuffer(runBuffer_, 2 * RunBytes());
        arithmetic_.Init(pipe, tiling_, step);
        if (tiling_.has_value != 0) {
            // The vector unit reads it behind the flag of `Updates::Clear`.
            FillWithValue(tiling_, srcBuffer_.Get<uint8_t>(), step);
        }
    }

    /// The rows of a coordinate of `outer`.
    __aicore__ inline void At(uint64_t outer)
    {
        outAt_ = tiling_.out_offset;
        srcAt_ = tiling_.src_offset;
        for (uint32_t axis = tiling_.outer_axes; axis-- > 0;) {
            const ScatterAxis& of = tiling_.outer[axis];
            const int64_t at = static_cast<int64_t>(outer % of.size);
            outer /= of.size;
            outAt_ += at * of.out;
            srcAt_ += at * of.src;
        }
    }

    /// Whether a row must not be written and read again before its last update.
    __aicore__ inline bool IsWrittenOnce() const { return Arithmetic::kIsRounded || IsCounted(); }

    /// From now on groups have the bytes [from, from + bytes) of rows, none of which are in UB yet.
    /// `isOneTarget`: all updates are of one row of out. Then a group has one run, and as many rows
    /// of src as fit if they are short.
    __aicore__ inline void Begin(uint32_t from, uint32_t bytes, bool isOneTarget)
    {
        shape_ = RowShape{bytes, Padded(bytes)};
        most_ = tiling_.group;
        if (isOneTarget) {
            const uint32_t fit = tiling_.group * Padded(tiling_.piece) / shape_.step;
            most_ = fit < kMostRows ? fit : kMostRows;
        }
        out_.Begin(outAt_ + from, tiling_.out_step, shape_);
        src_.Begin(srcAt_ + from, tiling_.src_step, shape_);
        arithmetic_.Resize(shape_);
        target_ = kNone;
    }

    /// Applies `count` updates, at least one, in their order, but keeps the last run open. Their
    /// targets are counted from `base`.
    __aicore__ inline void Apply(const Updates& updates, const Sorter::Records& records, uint32_t count, uint64_t base)
    {
        Group group = Load(updates, records, 0, count, base);
        Arrive(group, open_);
        while (group.first + group.rows < count) {
            const Group next = Load(updates, records, group.first + group.rows, count, base);
            Compute(group);
            Store(group, 0, next.continues ? group.runs - 1 : group.runs);
            Arrive(next, group);
            group = next;
        }
        Compute(group);
        Store(group, 0, group.runs - 1);
        open_ = group;
    }

    /// Writes the row that is open, if there is one.
    __aicore__ inline void Close()
    {
        if (open_.rows != 0) {
            Store(open_, open_.runs - 1, open_.runs);
            Release(open_);
        }
    }

    /// Waits for all pending copies, so that no flag is left for the next kernel.
    __aicore__ inline void Drain()
    {
        free_.Drain();
        stored_.Drain();
    }

private:
    /// Updates [first, first + rows) of the sorted ones.
    struct Group {
        uint32_t turn;
        uint32_t first;
        uint32_t rows;
        uint32_t runs;
        /// Whether its first run continues the last one of the group before.
        bool continues;
    };

    /// How many updates are read together.
    static constexpr uint32_t kTogether = 16;
    /// How many runs are read together.
    static constexpr uint32_t kRunsTogether = 8;
    /// For how many updates one branch decides whether a run begins among them.
    static constexpr uint32_t kChecked = 4;
    /// Runs whose ends are read together.
    static constexpr uint32_t kEndsTogether = 4;
    /// Rows of a group at the most: repeats of an instruction.
    static constexpr uint32_t kMostRows = 255;
    static constexpr uint64_t kNone = ~0ULL;
    /// A run is stored as one word: its first row in the group in this many low bits, and its
    /// target above them.
    static constexpr uint32_t kRowBits = 16;
    static constexpr uint32_t kRowMask = (1u << kRowBits) - 1;

    __aicore__ inline bool IsCounted() const { return ReduceOf(tiling_) == ScatterReduce::Mean || StartsAnew(); }

    /// Whether runs start from the identity.
    __aicore__ inline bool StartsAnew() const
    {
        return ReduceOf(tiling_) != ScatterReduce::None && tiling_.include_self == 0;
    }

    __aicore__ inline uint32_t RunBytes() const { return Padded(tiling_.group * sizeof(uint64_t)); }
    SCATTER_HOT Bytes Rows(uint32_t turn)
    {
        const uint32_t bytes = tiling_.group * Padded(tiling_.piece);
        return rowBuffer_.GetWithOffset<uint8_t>(bytes, turn * bytes);
    }
    SCATTER_HOT Bytes Src(uint32_t turn)
    {
        const uint32_t bytes = tiling_.group * Padded(tiling_.piece);
        return tiling_.has_value != 0 ? srcBuffer_.Get<uint8_t>()
                                      : srcBuffer_.GetWithOffset<uint8_t>(bytes, turn * bytes);
    }
    SCATTER_HOT AscendC::LocalTensor<uint64_t> Runs(uint32_t turn)
    {
        return runBuffer_.GetWithOffset<uint64_t>(RunBytes() / sizeof(uint64_t), turn * RunBytes());
    }

    /// Has MTE2 copy the rows of the next group to UB.
    __aicore__ inline Group Load(
        const Updates& updates, const Sorter::Records& records, uint32_t first, uint32_t count, uint64_t base)
    {
        const uint32_t left = count - first;
        Group group{turn_, first, left < most_ ? left : most_, 0, false};
        turn_ = 1 - turn_;
        free_.Wait(group.turn);
        stored_.Wait(group.turn);
        if (tiling_.has_value == 0) {
            Read<true>(updates, records, base, group);
        } else {
            Read<false>(updates, records, base, group);
        }
        if (Arithmetic::kReadsOut && !StartsAnew()) {
            MoveOut<true>(group, group.continues ? 1 : 0, group.runs);
        }
        arrived_.Set(group.turn);
        return group;
    }

    /// Cuts the updates of a group into runs, the first of which may continue one of the group
    /// before; `kMoves`: also has MTE2 copy their rows of src to UB.
    template <bool kMoves>
    __aicore__ inline void Read(const Updates& updates, const Sorter::Records& records, uint64_t base, Group& group)
    {
        const Bytes src = Src(group.turn);
        const auto runs = Runs(group.turn);
        const uint64_t before = target_;
        target_ = kNone;
        uint32_t at = 0;
        for (; at + kTogether <= group.rows; at += kTogether) {
            ReadSome<kMoves, kTogether>(updates, records, at, base, src, runs, group);
        }
        for (; at + 2 <= group.rows; at += 2) {
            ReadSome<kMoves, 2>(updates, records, at, base, src, runs, group);
        }
        if (at < group.rows) {
            ReadSome<kMoves, 1>(updates, records, at, base, src, runs, group);
        }
        group.continues = runs.GetValue(0) >> kRowBits == before;
    }

    template <bool kMoves, uint32_t count>
    SCATTER_HOT void ReadSome(const Updates& updates, const Sorter::Records& records, uint32_t row, uint64_t base,
        const Bytes& src, const AscendC::LocalTensor<uint64_t>& runs, Group& group)
    {
        uint64_t read[count];
        SCATTER_UNROLL
        for (uint32_t i = 0; i < count; i++) {
            read[i] = records.GetValue(group.first + row + i);
        }
        uint32_t entries[count];
        SCATTER_UNROLL
        for (uint32_t i = 0; i < count; i++) {
            entries[i] = updates.Of(read[i]).entry;
        }
        constexpr uint32_t kAtOnce = count < kChecked ? 1 : kChecked;
        SCATTER_UNROLL
        for (uint32_t i = 0; i < count; i += kAtOnce) {
            // Targets ascend: where the last one is that of the update before, so are the others.
            if (kAtOnce == 1 || base + updates.Of(read[i + kAtOnce - 1]).target != target_) {
                NoteRuns<kAtOnce>(updates, read + i, row + i, base, runs, group);
            }
        }
        if constexpr (kMoves) {
            src_.Move<true>(src, row, entries);
        }
    }

    /// Notes the runs that begin among `count` updates, the first of which has row `row` of src.
    template <uint32_t count>
    SCATTER_HOT void NoteRuns(const Updates& updates, const uint64_t* read, uint32_t row, uint64_t base,
        const AscendC::LocalTensor<uint64_t>& runs, Group& group)
    {
        SCATTER_UNROLL
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t target = base + updates.Of(read[i]).target;
            if (target != target_) {
                target_ = target;
                runs.SetValue(group.runs++, target << kRowBits | (row + i));
            }
        }
    }

    /// Has DMA copy the rows of out of runs [first, last) to UB, or write them.
    template <bool kIn>
    __aicore__ inline void MoveOut(const Group& group, uint32_t first, uint32_t last)
    {
        const Bytes rows = Rows(group.turn);
        const auto runs = Runs(group.turn);
        uint32_t run = first;
        for (; run + kRunsTogether <= last; run += kRunsTogether) {
            MoveSome<kIn, kRunsTogether>(rows, runs, run);
        }
        for (; run + 2 <= last; run += 2) {
            MoveSome<kIn, 2>(rows, runs, run);
        }
        if (run < last) {
            MoveSome<kIn, 1>(rows, runs, run);
        }
    }

    template <bool kIn, uint32_t count>
    SCATTER_HOT void MoveSome(const Bytes& rows, const AscendC::LocalTensor<uint64_t>& runs, uint32_t run) const
    {
        uint32_t targets[count];
        SCATTER_UNROLL
        for (uint32_t i = 0; i < count; i++) {
            targets[i] = static_cast<uint32_t>(runs.GetValue(run + i) >> kRowBits);
        }
        out_.Move<kIn>(rows, run, targets);
    }

    /// Waits until the vector unit may use a group, and releases the one before.
    __aicore__ inline void Arrive(const Group& group, const Group& before)
    {
        arrived_.Wait(group.turn);
        carried_ = 0;
        if (group.continues) {
            carried_ = lastCount_;
            AscendC::PipeBarrier<PIPE_V>();
            arithmetic_.Continue(Rows(group.turn), Rows(before.turn), before.runs - 1);
        }
        if (before.rows != 0) {
            Release(before);
        }
    }

    /// The buffers of a group may be filled again.
    __aicore__ inline void Release(const Group& group)
    {
        free_.Set(group.turn);
        stored_.Set(group.turn);
        open_.rows = 0;
    }

    /// Applies the rows of src of a group.
    __aicore__ inline void Compute(const Group& group)
    {
        const Bytes rows = Rows(group.turn);
        const Bytes src = Src(group.turn);
        const uint32_t first = group.continues ? 1 : 0;
        AscendC::PipeBarrier<PIPE_V>();
        if (StartsAnew()) {
            for (uint32_t run = first; run < group.runs; run++) {
                arithmetic_.Start(rows, run);
            }
        } else if (first < group.runs) {
            arithmetic_.Take(rows, first, group.runs - first);
        }
        arithmetic_.Prepare(src, tiling_.has_value != 0 ? 1 : group.rows);
        AscendC::PipeBarrier<PIPE_V>();
        const auto runs = Runs(group.turn);
        const bool isSameRow = tiling_.has_value != 0;
        uint32_t begin = 0;
        uint32_t run = 0;
        for (; run + kEndsTogether < group.runs; run += kEndsTogether) {
            uint32_t ends[kEndsTogether];
            SCATTER_UNROLL
            for (uint32_t i = 0; i < kEndsTogether; i++) {
                ends[i] = static_cast<uint32_t>(runs.GetValue(run + i + 1)) & kRowMask;
            }
            SCATTER_UNROLL
            for (uint32_t i = 0; i < kEndsTogether; i++) {
                arithmetic_.Apply(rows, run + i, src, begin, ends[i] - begin, isSameRow);
                begin = ends[i];
            }
        }
        for (; run < group.runs; run++) {
            const uint32_t end = End(group, runs, run);
            arithmetic_.Apply(rows, run, src, begin, end - begin, isSameRow);
            lastCount_ = end - begin + (run == 0 ? carried_ : 0);
            begin = end;
        }
    }

    /// The row behind the last one of a run.
    static SCATTER_HOT uint32_t End(const Group& group, const AscendC::LocalTensor<uint64_t>& runs, uint32_t run)
    {
        return run + 1 < group.runs ? static_cast<uint32_t>(runs.GetValue(run + 1)) & kRowMask : group.rows;
    }

    /// Writes the rows of runs [first, last).
    __aicore__ inline void Store(const Group& group, uint32_t first, uint32_t last)
    {
        if (first == last) {
            return;
        }
        AscendC::PipeBarrier<PIPE_V>();
        if (ReduceOf(tiling_) == ScatterReduce::Mean) {
            Divide(group, first, last);
        }
        arithmetic_.Finish(Rows(group.turn), first, last - first);
        Order<AscendC::HardEvent::V_MTE3>();
        MoveOut<false>(group, first, last);
    }

    /// Divides the sums of runs by the number of their summands.
    __aicore__ inline void Divide(const Group& group, uint32_t first, uint32_t last)
    {
        const auto runs = Runs(group.turn);
        Order<AscendC::HardEvent::V_S>();
        for (uint32_t run = first; run < last; run++) {
            const uint32_t begin = static_cast<uint32_t>(runs.GetValue(run)) & kRowMask;
            const uint32_t count = End(group, runs, run) - begin + (run == 0 ? carried_ : 0) + tiling_.include_self;
            arithmetic_.Divide(Rows(group.turn), run, count);
        }
        Order<AscendC::HardEvent::S_V>();
    }

    const ScatterRowsTiling& tiling_;
    Arithmetic arithmetic_;
    RowShape shape_{0, 0};
    RowCopies out_;
    RowCopies src_;
    int64_t outAt_ = 0;
    int64_t srcAt_ = 0;
    /// Rows of a group at the most.
    uint32_t most_ = 0;
    uint32_t turn_ = 0;
    /// The target of the last update.
    uint64_t target_ = kNone;
    /// The group whose last run is open, and whose buffers aren't released yet; it has no rows
    /// where there is none.
    Group open_{0, 0, 0, 0, false};
    /// The updates that a group's first run had in earlier groups.
    uint32_t carried_ = 0;
    /// All updates of the last run so far.
    uint32_t lastCount_ = 0;
    /// Rows have arrived from GM, have been read by the vector unit, and have been written to GM.
    Turns<AscendC::HardEvent::MTE2_V> arrived_;
    Turns<AscendC::HardEvent::V_MTE2> free_;
    Turns<AscendC::HardEvent::MTE3_MTE2> stored_;
    AscendC::TBuf<AscendC::TPosition::VECOUT> rowBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECIN> srcBuffer_;
    /// For each run of a group, its target and its first row.
    AscendC::TBuf<AscendC::TPosition::VECCALC> runBuffer_;
};
