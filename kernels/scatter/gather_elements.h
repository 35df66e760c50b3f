// Gathers elements in UB: a tile has all targets of some lanes there, from which the vector unit
// picks those that a chunk of index names.
//
// Its Gather takes elements of 2 and of 4 bytes, at byte offsets. So elements of 8 and of 16 bytes
// are words of 4, and those of one byte are held as f16, in which all their values are exact.
#pragma once

#include "fill.h"
#include "gather_tasks.h"

class GatherElements {
public:
    __aicore__ inline GatherElements(AscendC::TPipe& pipe, const ScatterGatherTiling& tiling)
        : pipe_(pipe), tiling_(tiling), index_(tiling)
    {
    }

    __aicore__ inline void Init(GM_ADDR self, GM_ADDR index, GM_ADDR out)
    {
        const uint32_t places = tiling_.places;
        const uint32_t element = tiling_.src_box.element;
        self_.SetGlobalBuffer(self);
        out_.SetGlobalBuffer(out);
        index_.Init(pipe_, index);
        // The part that a shorter tile doesn't fill may be picked for updates that don't exist.
        InitCleared(pipe_, selfBuffer_, tiling_.held * tiling_.out_box.bytes);
        Order<AscendC::HardEvent::V_MTE2>();
        pipe_.InitBuffer(outBuffer_, 2 * OutBytes());
        if (IsByte()) {
            pipe_.InitBuffer(wideSelfBuffer_, tiling_.out_box.bytes * sizeof(half));
            pipe_.InitBuffer(wideOutBuffer_, places * sizeof(half));
        }
        targets_.Init(pipe_, tiling_);
        pipe_.InitBuffer(shiftBuffer_, places * sizeof(float));
        MakeShifts();
        if (Words() > 1) {
            const uint32_t bytes = places * element;
            pipe_.InitBuffer(lowerBuffer_, bytes);
            pipe_.InitBuffer(upperBuffer_, bytes);
            if (Words() > 2) {
                pipe_.InitBuffer(halfBuffer_, bytes);
            }
        }
    }

    __aicore__ inline void Process(GM_ADDR status)
    {
        const TaskRange tasks = MyTasks(tiling_.tasks);
        if (tasks.first < tasks.last) {
            Request(GatherTaskAt(tiling_, tasks.first), tasks.first % 2);
        }
        for (uint64_t number = tasks.first; number < tasks.last; number++) {
            const uint32_t turn = number % 2;
            const GatherTask task = GatherTaskAt(tiling_, number);
            const bool isLast = number + 1 == tasks.last;
            const GatherTask next = GatherTaskAt(tiling_, isLast ? number : number + 1);
            Pick(turn);
            if (isLast || next.tile != task.tile) {
                free_.Set(held_);
            }
            CopyOut(tiling_.src_box, task.chunk.updates, task.at.lanes, out_, task.chunk.src, Out(turn));
            stored_.Set(turn);
            if (!isLast) {
                Request(next, 1 - turn);
            }
            if (!targets_.IsGood(turn)) {
                index_.NoteBad(task.at, task.chunk, turn, bad_);
            }
            read_.Set(turn);
        }
        read_.Drain();
        stored_.Drain();
        free_.Drain();
        bad_.Write(pipe_, status);
    }

private:
    /// Has MTE2 copy a chunk of index to UB; and self, where another tile begins.
    __aicore__ inline void Request(const GatherTask& task, uint32_t turn)
    {
        read_.Wait(turn);
        index_.Copy(task.at, task.chunk, turn);
        if (task.tile != tile_) {
            tile_ = task.tile;
            isNew_ = true;
            held_ = tiling_.held - 1 - held_;
            free_.Wait(held_);
            CopyIn(tiling_.out_box, static_cast<uint32_t>(tiling_.targets), task.at.lanes, Self(), self_, task.at.out);
        }
        arrived_.Set(turn);
    }

    /// Has the vector unit pick the elements of a chunk, and MTE3 wait for them.
    __aicore__ inline void Pick(uint32_t turn)
    {
        const uint32_t places = tiling_.places;
        arrived_.Wait(turn);
        if (IsByte() && isNew_) {
            // Nothing is picked from the tile before: its last elements were cast behind a barrier.
            AscendC::Cast(wideSelfBuffer_.Get<half>(), Self(), AscendC::RoundMode::CAST_NONE, tiling_.out_box.bytes);
        }
        isNew_ = false;
        const auto offsets = Offsets(turn);
        stored_.Wait(turn);
        AscendC::PipeBarrier<PIPE_V>();
        if (IsByte()) {
            const auto picked = wideOutBuffer_.Get<half>();
            AscendC::Gather(picked, wideSelfBuffer_.Get<half>(), offsets, 0, places);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(Out(turn), picked, AscendC::RoundMode::CAST_NONE, places);
        } else if (tiling_.src_box.element == sizeof(uint16_t)) {
            AscendC::Gather(
                Out(turn).ReinterpretCast<uint16_t>(), Self().ReinterpretCast<uint16_t>(), offsets, 0, places);
        } else {
            AscendC::Gather(Out(turn).ReinterpretCast<uint32_t>(), Self().ReinterpretCast<uint32_t>(), offsets, 0,
                places * Words());
        }
        picked_.Set(turn);
        picked_.Wait(turn);
    }

    /// The byte offsets, in the held part of self, of the words that a chunk names. A barrier is
    /// needed before they are read.
    __aicore__ inline AscendC::LocalTensor<uint32_t> Offsets(uint32_t turn)
    {
        const uint32_t places = tiling_.places;
        const int32_t all = static_cast<int32_t>(places);
        const auto targets = targets_.Make(index_.Of(turn), turn);
        AscendC::PipeBarrier<PIPE_V>();
        // f32 has all whole numbers up to 2^24, and UB fewer bytes. Of elements of two bytes no
        // more than 2^17 bytes are held on dav-3510, whose Gather keeps 16 bits of their numbers.
        AscendC::Muls(targets, targets, static_cast<float>(HeldBytes(tiling_.out_box.ub[0])), all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(targets, targets, shiftBuffer_.Get<float>(), all);
        AscendC::PipeBarrier<PIPE_V>();
        if (Words() > 1) {
            return WordOffsets(targets);
        }
        const auto offsets = targets_.Scratch().ReinterpretCast<int32_t>();
        AscendC::Cast(offsets, targets, AscendC::RoundMode::CAST_RINT, places);
        return offsets.ReinterpretCast<uint32_t>();
    }

    /// For each place of a chunk, where its lane begins in the held part of self. A lane that a
    /// tile has no room for counts as the last one. A barrier is needed before they are read.
    __aicore__ inline void MakeShifts()
    {
        const auto shifts = shiftBuffer_.Get<float>();
        const ScatterBox& box = tiling_.src_box;
        const uint32_t lanes = static_cast<uint32_t>(tiling_.lane_tile);
        const float apart = static_cast<float>(HeldBytes(tiling_.out_box.ub[1]));
        if (static_cast<ScatterRun>(box.run) == ScatterRun::Axis0) {
            const uint32_t row = tiling_.places / lanes;
            for (uint32_t lane = 0; lane < lanes; lane++) {
                AscendC::Duplicate(shifts[lane * row], static_cast<float>(lane) * apart, static_cast<int32_t>(row));
            }
            return;
        }
        const uint32_t row = box.ub[0] / box.element;
        AscendC::CreateVecIndex(shifts, 0.0f, row);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(shifts, shifts, static_cast<float>(lanes - 1), static_cast<int32_t>(row));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(shifts, shifts, apart, static_cast<int32_t>(row));
        Repeat(row, tiling_.places, shifts);
    }

    /// The offsets of the words of elements, from those of the elements. A barrier is needed before
    /// they are read.
    __aicore__ inline AscendC::LocalTensor<uint32_t> WordOffsets(const AscendC::LocalTensor<float>& elements)
    {
        const uint32_t places = tiling_.places;
        constexpr uint32_t kWord = sizeof(uint32_t);
        if (Words() == 2) {
            Double(elements, targets_.Scratch(), places, kWord);
        } else {
            Double(elements, targets_.Scratch(), places, 2 * kWord);
            AscendC::PipeBarrier<PIPE_V>();
            const auto halves = halfBuffer_.Get<float>();
            AscendC::Cast(halves, lowerBuffer_.Get<int32_t>(), AscendC::RoundMode::CAST_RINT, 2 * places);
            AscendC::PipeBarrier<PIPE_V>();
            Double(halves, halves[2 * places], 2 * places, kWord);
        }
        return lowerBuffer_.Get<uint32_t>();
    }

    /// Makes two offsets of each: the offset itself, and the one `apart` bytes further on. A Cast
    /// of an offset to 64 bits makes a word with the offset and a word of 0; a Cast of an offset
    /// times 2^32 makes a word of 0 and a word with the offset. Offsets are below 2^18, so that all
    /// of this is exact.
    __aicore__ inline void Double(const AscendC::LocalTensor<float>& offsets, const AscendC::LocalTensor<float>& scaled,
        uint32_t count, uint32_t apart)
    {
        constexpr float kUpperWord = 4294967296.0f;
        const int32_t all = static_cast<int32_t>(count);
        AscendC::Cast(lowerBuffer_.Get<int64_t>(), offsets, AscendC::RoundMode::CAST_RINT, count);
        AscendC::Muls(scaled, offsets, kUpperWord, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(scaled, scaled, static_cast<float>(apart) * kUpperWord, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(upperBuffer_.Get<int64_t>(), scaled, AscendC::RoundMode::CAST_RINT, count);
        AscendC::PipeBarrier<PIPE_V>();
        const auto sums = lowerBuffer_.Get<int32_t>();
        AscendC::Add(sums, sums, upperBuffer_.Get<int32_t>(), 2 * all);
    }

    __aicore__ inline bool IsByte() const { return tiling_.src_box.element == 1; }
    /// The words of 4 bytes of an element; 1 where it is shorter.
    __aicore__ inline uint32_t Words() const
    {
        return tiling_.src_box.element > sizeof(uint32_t) ? tiling_.src_box.element / sizeof(uint32_t) : 1;
    }
    /// The bytes that `bytes` bytes of the box of self take where it is held: bytes are held as
    /// f16.
    __aicore__ inline uint32_t HeldBytes(uint32_t bytes) const { return IsByte() ? bytes * sizeof(half) : bytes; }
    __aicore__ inline uint32_t OutBytes() const { return Padded(tiling_.places * tiling_.src_box.element); }
    __aicore__ inline Bytes Out(uint32_t turn)
    {
        return outBuffer_.GetWithOffset<uint8_t>(OutBytes(), turn * OutBytes());
    }
    __aicore__ inline Bytes Self()
    {
        return selfBuffer_.GetWithOffset<uint8_t>(tiling_.out_box.bytes, held_ * tiling_.out_box.bytes);
    }

    AscendC::TPipe& pipe_;
    const ScatterGatherTiling& tiling_;
    IndexChunks<ScatterGatherTiling> index_;
    GatherTargets targets_;
    FirstBad bad_;
    GmBytes self_;
    GmBytes out_;
    /// The tile whose part of self is held.
    uint64_t tile_ = ~0ULL;
    /// The box that holds it.
    uint32_t held_ = 0;
    /// Whether nothing has been picked from it yet.
    bool isNew_ = false;
    /// A chunk of index has arrived from GM, with self if a tile begins.
    Turns<AscendC::HardEvent::MTE2_V> arrived_;
    /// A chunk of index has been read.
    Turns<AscendC::HardEvent::S_MTE2> read_;
    /// The elements that a chunk names have been picked.
    Turns<AscendC::HardEvent::V_MTE3> picked_;
    /// They have been written to GM.
    Turns<AscendC::HardEvent::MTE3_V> stored_;
    /// A tile of self is no longer needed.
    Turns<AscendC::HardEvent::V_MTE2> free_;
    AscendC::TBuf<AscendC::TPosition::VECIN> selfBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECOUT> outBuffer_;
    /// The held part of self as f16, if elements have one byte.
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideSelfBuffer_;
    /// The picked elements as f16, if elements have one byte.
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideOutBuffer_;
    /// For each place of a chunk, where its lane begins in the held part of self.
    AscendC::TBuf<AscendC::TPosition::VECCALC> shiftBuffer_;
    /// For elements of several words: the offsets of the words, made by adding `upperBuffer_`.
    AscendC::TBuf<AscendC::TPosition::VECCALC> lowerBuffer_;
    /// For elements of several words: the offsets of every second word, with a 0 between them.
    AscendC::TBuf<AscendC::TPosition::VECCALC> upperBuffer_;
    /// For elements of four words: the offsets of their two halves, as f32, and scratch.
    AscendC::TBuf<AscendC::TPosition::VECCALC> halfBuffer_;
};
