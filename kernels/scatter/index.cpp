// scatter_index: turns index into a list of targets, for kernels whose blocks read it several
// times.
//
// Each block converts the values of a part of the entries to f32 on the vector unit, checks them,
// and computes the target of each entry from its components. Behind the list comes a sample of it.
// Where index is not broadcast along the rows (an entry has a column for each element of a row, all
// of which should be equal), it compares the columns and reports whether any differ.
#include "kernels.h"
#include "narrow.h"
#include "sample.h"
#include "task.h"

class ScatterIndex {
public:
    __aicore__ inline ScatterIndex(AscendC::TPipe& pipe, const ScatterIndexTiling& tiling)
        : pipe_(pipe),
          tiling_(tiling),
          isByAxis_(tiling.component_step != 0),
          isPlain_(!isByAxis_ && tiling.values == 1 && tiling.update.out == 0),
          sample_(tiling)
    {
        sample_.Init(pipe);
        const uint32_t values = tiling.chunk * tiling.values;
        const uint32_t entries = MarkedTargets(tiling.chunk);
        pipe.InitBuffer(rawBuffer_, 2 * TurnBytes());
        pipe.InitBuffer(targetBuffer_, entries * sizeof(float));
        pipe.InitBuffer(scratchBuffer_, entries * sizeof(float));
        pipe.InitBuffer(marksBuffer_, 2 * MarkBytes());
        pipe.InitBuffer(noneBuffer_, kPadded * sizeof(float));
        AscendC::Duplicate(noneBuffer_.Get<float>(), -1.0f, static_cast<int32_t>(kPadded));
        if (isPlain_) {
            return;
        }
        pipe.InitBuffer(valueBuffer_, entries * sizeof(float));
        pipe.InitBuffer(errorBuffer_, entries * sizeof(float));
        if (isByAxis_) {
            return;
        }
        pipe.InitBuffer(floatBuffer_, values * sizeof(float));
        pipe.InitBuffer(placesBuffer_, entries * sizeof(int32_t));
        const auto places = placesBuffer_.Get<int32_t>();
        AscendC::CreateVecIndex(places, 0, entries);
        AscendC::PipeBarrier<PIPE_V>();
        const uint32_t step = tiling.values * static_cast<uint32_t>(sizeof(float));
        AscendC::Muls(places, places, static_cast<int32_t>(step), static_cast<int32_t>(entries));
        if (tiling.columns > 1) {
            pipe.InitBuffer(firstBuffer_, entries * kBlockBytes);
            pipe.InitBuffer(mostBuffer_, kRepeat * sizeof(float));
            AscendC::Duplicate(mostBuffer_.Get<float>(), 0.0f, static_cast<int32_t>(kRepeat));
        }
    }

    __aicore__ inline void Process(GM_ADDR index, GM_ADDR targets, GM_ADDR status)
    {
        index_.SetGlobalBuffer(index);
        list_.SetGlobalBuffer(targets);
        const TaskRange mine = MyTasks(tiling_.outers * tiling_.chunks);
        bool differ = false;
        if (mine.first < mine.last) {
            Request(mine.first, 0);
        }
        for (uint64_t number = mine.first; number < mine.last && !differ; number++) {
            const uint32_t turn = (number - mine.first) % 2;
            if (number + 1 < mine.last) {
                Request(number + 1, 1 - turn);
            }
            arrived_.Wait(turn);
            differ = Take(At(number), turn, number == mine.first || number + 1 == mine.last);
        }
        arrived_.Drain();
        taken_.Drain();
        stored_.Drain();
        bad_.Write(pipe_, status, differ);
    }

private:
    static constexpr uint32_t kRepeat = 64;
    static constexpr uint32_t kMostRepeats = 255;
    /// Behind a list there is room for as many targets as fill a repeat.
    static constexpr uint32_t kPadded = 64;

    /// Entries of a coordinate of `outer`.
    struct Part {
        int64_t index;
        uint64_t position;
        uint64_t list;
        uint64_t outer;
        /// Its number among those of the coordinate, and that of its first entry.
        uint64_t chunk;
        uint64_t first;
        uint32_t entries;
        bool isLast;
    };

    /// The bytes of the entries of a chunk; where they lie by axis, of one of their components.
    __aicore__ inline uint32_t RawBytes() const { return Padded(tiling_.chunk * tiling_.values * tiling_.index_bytes); }

    /// The bytes of a chunk.
    __aicore__ inline uint32_t TurnBytes() const { return isByAxis_ ? RawBytes() * tiling_.components : RawBytes(); }

    __aicore__ inline uint32_t MarkBytes() const { return MarkedTargets(tiling_.chunk) / 8; }

    __aicore__ inline Bytes Raw(uint32_t turn)
    {
        return rawBuffer_.GetWithOffset<uint8_t>(TurnBytes(), turn * TurnBytes());
    }

    __aicore__ inline Part At(uint64_t number) const
    {
        uint64_t outer = number / tiling_.chunks;
        const uint64_t chunk = number % tiling_.chunks;
        const uint64_t first = chunk * tiling_.chunk;
        const uint64_t left = tiling_.update.size - first;
        Part part;
        part.outer = outer;
        part.chunk = chunk;
        part.first = first;
        part.entries = static_cast<uint32_t>(left < tiling_.chunk ? left : tiling_.chunk);
        part.isLast = left <= tiling_.chunk;
        part.list = outer * tiling_.padded + first;
        part.index = tiling_.index_offset + static_cast<int64_t>(first) * tiling_.update.index;
        part.position = first * tiling_.update.position;
        for (uint32_t axis = tiling_.outer_axes; axis-- > 0;) {
            const ScatterAxis& of = tiling_.outer[axis];
            const uint64_t at = outer % of.size;
            outer /= of.size;
            part.index += static_cast<int64_t>(at) * of.index;
            part.position += at * of.position;
        }
        return part;
    }

    __aicore__ inline void Request(uint64_t number, uint32_t turn)
    {
        taken_.Wait(turn);
        const Part part = At(number);
        if (isByAxis_) {
            const Runs runs{1, part.entries * tiling_.index_bytes, 0, 0};
            for (uint32_t axis = 0; axis < tiling_.components; axis++) {
                const int64_t step = static_cast<int64_t>(axis) * tiling_.component_step;
                MoveRuns(runs, Raw(turn), axis * RawBytes(), index_, part.index + step, true);
            }
            arrived_.Set(turn);
            return;
        }
        const uint32_t entry = tiling_.columns > 1 ? tiling_.columns : tiling_.components;
        const uint32_t bytes = entry * tiling_.index_bytes;
        const uint32_t step = tiling_.values * tiling_.index_bytes;
        const bool follows = tiling_.update.index == static_cast<int64_t>(bytes) && step == bytes;
        const Runs runs =
            follows ? Runs{1, part.entries * bytes, 0, 0} : Runs{part.entries, bytes, tiling_.update.index, step};
        MoveRuns(runs, Raw(turn), 0, index_, part.index, true);
        arrived_.Set(turn);
    }

    /// Writes the targets of a part. Returns whether columns have been found to differ so far;
    /// false unless `checksNow`.
    __aicore__ inline bool Take(const Part& part, uint32_t turn, bool checksNow)
    {
        stored_.Drain();
        const auto targets = targetBuffer_.Get<float>();
        const auto scratch = scratchBuffer_.Get<float>();
        bool isGood = true;
        if (isPlain_) {
            Narrow(targets, scratch, Raw(turn), tiling_.index_bytes, part.entries, tiling_.component[0]);
            isGood = Check(targets, part.entries, tiling_.component[0]);
        } else {
            if (!isByAxis_) {
                CastDown(floatBuffer_.Get<float>(), Raw(turn), tiling_.index_bytes, part.entries * tiling_.values);
            }
            isGood = Combine(part.first, part.entries, turn);
        }
        const bool differ = tiling_.columns > 1 && Differ(part.entries, checksNow);
        if (!isGood) {
            Note(part, turn);
            Order<AscendC::HardEvent::S_V>();
        }
        taken_.Set(turn);
        if (tiling_.integers != 0) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(targets.ReinterpretCast<int32_t>(), targets, AscendC::RoundMode::CAST_RINT, part.entries);
        }
        if (sample_.Has(part.chunk)) {
            AscendC::PipeBarrier<PIPE_V>();
            sample_.Take(targets, part.entries, part.chunk);
        }
        Order<AscendC::HardEvent::V_MTE3>();
        Store(part);
        stored_.Set(0);
        return differ;
    }

    /// Whether all targets are inside [0, size). The scalar unit waits for the vector unit here.
    __aicore__ inline bool Check(const AscendC::LocalTensor<float>& targets, uint32_t count, uint32_t size)
    {
        const Bytes marks = marksBuffer_.GetWithOffset<uint8_t>(MarkBytes(), 0);
        AscendC::PipeBarrier<PIPE_V>();
        MarkGood(marks, marksBuffer_.GetWithOffset<uint8_t>(MarkBytes(), MarkBytes()), targets, count, size);
        Order<AscendC::HardEvent::V_S>();
        const bool isGood = IsAllGood(marks);
        Order<AscendC::HardEvent::S_V>();
        return isGood;
    }

    /// Computes the target of each entry from its components; the first entry is number `first` of
    /// its coordinate. If a component is bad, the entry's error, which is above zero then, moves
    /// the target out of range: so far below zero that it doesn't count from the end either. Where
    /// an entry is a single value, which is its target, a bad value is out of range by itself.
    __aicore__ inline bool Combine(uint64_t first, uint32_t entries, uint32_t turn)
    {
        const auto targets = targetBuffer_.Get<float>();
        const auto scratch = scratchBuffer_.Get<float>();
        const auto value = valueBuffer_.Get<float>();
        const auto error = errorBuffer_.Get<float>();
        const int32_t all = static_cast<int32_t>(entries);
        const int64_t apart = tiling_.update.out;
        const bool isTarget = tiling_.components == 1 && apart == 0;
        AscendC::Duplicate(targets, 0.0f, all);
        if (!isTarget) {
            AscendC::Duplicate(error, 0.0f, all);
        }
        bool isGood = true;
        for (uint32_t axis = 0; axis < tiling_.components; axis++) {
            const uint32_t size = tiling_.component[axis];
            AscendC::PipeBarrier<PIPE_V>();
            FillMarked(value, entries);
            if (isByAxis_) {
                CastDown(value, Raw(turn)[axis * RawBytes()], tiling_.index_bytes, entries);
            } else {
                AscendC::Gather(value, floatBuffer_.Get<float>(), placesBuffer_.Get<uint32_t>(),
                    axis * static_cast<uint32_t>(sizeof(float)), entries);
            }
            AscendC::PipeBarrier<PIPE_V>();
            WrapNegative(value, scratch, entries, size);
            isGood = Check(value, entries, size) && isGood;
            if (!isTarget) {
                AddError(value, scratch, error, all, size);
            }
            AscendC::Muls(targets, targets, static_cast<float>(size), all);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Add(targets, targets, value, all);
        }
        if (!isTarget) {
            AscendC::Muls(error, error, -kFar, all);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Add(targets, targets, error, all);
        }
        if (apart != 0) {
            // The scalar unit writes the first block of the entries' numbers.
            Order<AscendC::HardEvent::V_S>();
            AscendC::CreateVecIndex(scratch, static_cast<float>(first), entries);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Muls(scratch, scratch, static_cast<float>(apart), all);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Add(targets, targets, scratch, all);
        }
        return isGood;
    }

    /// Clamps a component to [-1, size], and raises the error to 1 where it is then -1 or `size`.
    __aicore__ inline void AddError(const AscendC::LocalTensor<float>& value,
        const AscendC::LocalTensor<float>& scratch, const AscendC::LocalTensor<float>& error, int32_t all,
        uint32_t size)
    {
        ClampTargets(value, static_cast<uint32_t>(all), size);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(scratch, value, 1.0f - static_cast<float>(size), all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Max(error, error, scratch, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(scratch, value, -1.0f, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Max(error, error, scratch, all);
    }

    /// Compares each entry's columns with its first one. The largest difference is kept across all
    /// parts. Overwrites the values with the differences.
    __aicore__ inline bool Differ(uint32_t entries, bool checksNow)
    {
        const auto values = floatBuffer_.Get<float>();
        const auto first = firstBuffer_.Get<float>();
        const auto most = mostBuffer_.Get<float>();
        const auto scratch = scratchBuffer_.Get<float>();
        FillMarked(scratch, entries);
        AscendC::Gather(scratch, values, placesBuffer_.Get<uint32_t>(), 0, entries);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Brcb(first, scratch, static_cast<uint8_t>((entries + 7) / 8), {1, 8});
        AscendC::PipeBarrier<PIPE_V>();
        const uint32_t repeats = tiling_.columns / kRepeat;
        const uint32_t rest = tiling_.columns % kRepeat;
        const AscendC::BinaryRepeatParams against(1, 1, 0, 8, 8, 0);
        for (uint32_t entry = 0; entry < entries; entry++) {
            const auto row = values[entry * tiling_.values];
            const auto same = first[entry * (kBlockBytes / sizeof(float))];
            if (repeats != 0) {
                AscendC::Sub(row, row, same, kRepeat, static_cast<uint8_t>(repeats), against);
            }
            if (rest != 0) {
                AscendC::Sub(row[repeats * kRepeat], row[repeats * kRepeat], same, rest, 1, against);
            }
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Abs(values, values, static_cast<int32_t>(entries * tiling_.values));
        Raise(most, values, entries * tiling_.values);
        if (!checksNow) {
            return false;
        }
        Order<AscendC::HardEvent::V_S>();
        const auto words = most.ReinterpretCast<uint64_t>();
        uint64_t differ = 0;
        for (uint32_t word = 0; word < kRepeat / 2; word++) {
            differ |= words.GetValue(word);
        }
        return differ != 0;
    }

    /// Raises each of the 64 numbers of `most` to the maximum of itself and of every 64th value.
    __aicore__ inline void Raise(
        const AscendC::LocalTensor<float>& most, const AscendC::LocalTensor<float>& values, uint32_t count)
    {
        const AscendC::BinaryRepeatParams still(1, 1, 1, 0, 8, 0);
        for (uint32_t at = 0; at < count; at += kMostRepeats * kRepeat) {
            const uint32_t left = (count - at) / kRepeat;
            AscendC::PipeBarrier<PIPE_V>();
            if (left != 0) {
                const uint8_t repeats = static_cast<uint8_t>(left < kMostRepeats ? left : kMostRepeats);
                AscendC::Max(most, values[at], most, kRepeat, repeats, still);
            }
        }
        if (count % kRepeat != 0) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Max(most, values[count / kRepeat * kRepeat], most, count % kRepeat, 1, still);
        }
    }

    __aicore__ inline void Note(const Part& part, uint32_t turn)
    {
        for (uint32_t axis = 0; axis < tiling_.components; axis++) {
            const uint32_t bytes = tiling_.index_bytes;
            const uint32_t at = isByAxis_ ? axis * RawBytes() : axis * bytes;
            const IndexRun run{at, tiling_.values * bytes, part.entries, part.position + axis, tiling_.update.position};
            NoteFirstBad(bad_, Raw(turn), bytes, run, tiling_.component[axis]);
        }
    }

    __aicore__ inline void Store(const Part& part)
    {
        constexpr uint32_t kBytes = sizeof(float);
        const uint64_t at = part.list * kBytes;
        Move(list_[at], targetBuffer_.Get<uint8_t>(), Burst{1, part.entries * kBytes, 0, 0});
        const uint32_t behind = static_cast<uint32_t>(tiling_.padded - tiling_.update.size);
        if (part.isLast && behind != 0) {
            Move(list_[at + part.entries * kBytes], noneBuffer_.Get<uint8_t>(), Burst{1, behind * kBytes, 0, 0});
        }
        if (sample_.Has(part.chunk)) {
            sample_.Store(list_, part.outer, part.chunk);
        }
    }

    /// Larger than all targets, and than any number that an entry's components can make together if
    /// several are bad, which is below 2^28.
    static constexpr float kFar = 1073741824.0f;

    AscendC::TPipe& pipe_;
    const ScatterIndexTiling& tiling_;
    /// Whether the components are stored one after the other: the first one of all entries, then
    /// the second one of all entries, and so on.
    bool isByAxis_;
    /// Whether an entry is one value, which is its target, and entries are adjacent.
    bool isPlain_;
    Sample sample_;
    GmBytes index_;
    GmBytes list_;
    FirstBad bad_;
    /// A part has arrived from GM, has been read, and its targets have been written. Two parts are
    /// in UB at a time.
    Turns<AscendC::HardEvent::MTE2_V> arrived_;
    Turns<AscendC::HardEvent::V_MTE2> taken_;
    Turns<AscendC::HardEvent::MTE3_V> stored_;
    AscendC::TBuf<AscendC::TPosition::VECIN> rawBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECOUT> targetBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratchBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> marksBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECOUT> noneBuffer_;
    /// The values as f32.
    AscendC::TBuf<AscendC::TPosition::VECCALC> floatBuffer_;
    /// The byte offsets of the entries among these values.
    AscendC::TBuf<AscendC::TPosition::VECCALC> placesBuffer_;
    /// One component of each entry.
    AscendC::TBuf<AscendC::TPosition::VECCALC> valueBuffer_;
    /// The error of each entry: above zero if a component is bad.
    AscendC::TBuf<AscendC::TPosition::VECCALC> errorBuffer_;
    /// The first column of each entry, eight times.
    AscendC::TBuf<AscendC::TPosition::VECCALC> firstBuffer_;
    /// The largest differences of other columns from the first.
    AscendC::TBuf<AscendC::TPosition::VECCALC> mostBuffer_;
};

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_index(
    GM_ADDR index, GM_ADDR targets, GM_ADDR status, ScatterIndexTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    ScatterIndex kernel(pipe, tiling);
    kernel.Process(index, targets, status);
}
