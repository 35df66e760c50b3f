// Where the windows of scatter_windows begin: the entries of index as numbers of places in out,
// and, where windows meet, which part of each the later ones leave. (`window.h` has another kind:
// what a task holds of out.)
#pragma once

#include "index_chunks.h"

/// A window: where in GM its first element goes, and its elements from `first` to below `last`
/// along the axis of windows, which no later window overwrites.
struct WindowOf {
    int64_t out;
    uint64_t first;
    uint64_t last;
};

class WindowPlaces {
public:
    __aicore__ inline explicit WindowPlaces(const ScatterWindowsTiling& tiling)
        : tiling_(tiling), length_(tiling.component[tiling.components - 1].size + tiling.extent - 1)
    {
    }

    /// DMA has to wait for what the vector unit is given here.
    __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR index)
    {
        index_.SetGlobalBuffer(index);
        const uint32_t chunk = MarkedTargets(tiling_.chunk);
        const uint32_t entries = MarkedTargets(tiling_.entries);
        // The part that a shorter chunk does not fill is converted, too.
        InitCleared(pipe, raw_, tiling_.index_box.bytes);
        pipe.InitBuffer(floats_, tiling_.index_box.bytes / tiling_.index_bytes * sizeof(float));
        pipe.InitBuffer(offsets_, chunk * sizeof(int32_t));
        pipe.InitBuffer(value_, chunk * sizeof(float));
        pipe.InitBuffer(scratch_, chunk * sizeof(float));
        pipe.InitBuffer(marks_, (tiling_.components + 1) * chunk / 8);
        pipe.InitBuffer(places_, entries * sizeof(float));
        if (tiling_.may_meet != 0) {
            pipe.InitBuffer(distances_, entries * sizeof(float));
            pipe.InitBuffer(found_, 2 * kBlockBytes);
            pipe.InitBuffer(work_, entries * sizeof(float));
            pipe.InitBuffer(numbers_, entries * sizeof(float));
            pipe.InitBuffer(passed_, entries * sizeof(float));
            pipe.InitBuffer(nearest_, entries * sizeof(float));
            AscendC::CreateVecIndex(numbers_.Get<float>(), 0.0f, entries);
            // The places that fill the last block of marks meet no window.
            AscendC::Duplicate(places_.Get<float>(), kNowhere, static_cast<int32_t>(entries));
        }
        const auto offsets = offsets_.Get<int32_t>();
        AscendC::CreateVecIndex(offsets, 0, chunk);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(
            offsets, offsets, static_cast<int32_t>(FloatBytes(tiling_.index_box.ub[0])), static_cast<int32_t>(chunk));
    }

    /// Starts the copy of the index values of `count` windows, from `first` on, or of the first
    /// chunk of them.
    __aicore__ inline void Request(uint64_t first, uint32_t count)
    {
        first_ = first;
        count_ = count;
        RequestChunk(0);
    }

    /// Converts the values that were requested.
    __aicore__ inline void Convert()
    {
        for (uint32_t done = 0; done < count_; done += tiling_.chunk) {
            if (done != 0) {
                RequestChunk(done);
            }
            ConvertChunk(done);
        }
    }

    /// A window of those that were converted. Nothing of it is left where its entry is bad.
    __aicore__ inline WindowOf Of(uint64_t entry)
    {
        const uint32_t number = static_cast<uint32_t>(entry - first_);
        const float place = places_.Get<float>().GetValue(number);
        if (place < 0.0f) {
            return WindowOf{0, 0, 0};
        }
        const uint32_t whole = static_cast<uint32_t>(static_cast<int32_t>(place));
        WindowOf window{tiling_.out_offset + static_cast<int64_t>(entry) * tiling_.entry.out, 0, tiling_.extent};
        if (tiling_.components == 1) {
            window.out += static_cast<int64_t>(whole) * tiling_.component[0].out;
        } else {
            const uint32_t length = static_cast<uint32_t>(length_);
            window.out += static_cast<int64_t>(whole / length) * tiling_.component[0].out;
            window.out += static_cast<int64_t>(whole % length) * tiling_.component[1].out;
        }
        if (tiling_.may_meet != 0 && Meets(number, place)) {
            LeaveToLater(window, number, place);
        }
        return window;
    }

    FirstBad bad;

private:
    /// The place of a bad entry: further from all others than a window is long.
    static constexpr float kNowhere = -33554432.0f;
    /// Further than any window is from such a place.
    static constexpr uint32_t kFarthest = 1u << 28;
    static constexpr float kFar = kFarthest;

    __aicore__ inline uint32_t Left(uint32_t done) const
    {
        const uint32_t left = count_ - done;
        return left < tiling_.chunk ? left : tiling_.chunk;
    }

    /// The bytes that `bytes` bytes of index values take as f32.
    __aicore__ inline uint32_t FloatBytes(uint32_t bytes) const
    {
        return bytes / tiling_.index_bytes * static_cast<uint32_t>(sizeof(float));
    }

    __aicore__ inline Bytes Marks(uint32_t number)
    {
        const uint32_t bytes = MarkedTargets(tiling_.chunk) / 8;
        return marks_.GetWithOffset<uint8_t>(bytes, number * bytes);
    }

    __aicore__ inline void RequestChunk(uint32_t done)
    {
        const int64_t at = static_cast<int64_t>(first_ + done) * tiling_.entry.index;
        CopyIn(
            tiling_.index_box, Left(done), tiling_.components, raw_.Get<uint8_t>(), index_, tiling_.index_offset + at);
        arrived_.Set(0);
    }

    __aicore__ inline void ConvertChunk(uint32_t done)
    {
        const uint32_t count = Left(done);
        const auto places = places_.Get<float>()[done];
        const auto value = value_.Get<float>();
        const auto floats = floats_.Get<float>();
        arrived_.Wait(0);
        CastDown(floats, raw_.Get<uint8_t>(), tiling_.index_bytes, tiling_.index_box.bytes / tiling_.index_bytes);
        for (uint32_t axis = 0; axis < tiling_.components; axis++) {
            const uint32_t size = static_cast<uint32_t>(tiling_.component[axis].size);
            AscendC::PipeBarrier<PIPE_V>();
            FillMarked(value, count);
            AscendC::Gather(value, floats, offsets_.Get<uint32_t>(), FloatBytes(axis * tiling_.index_box.ub[1]), count);
            AscendC::PipeBarrier<PIPE_V>();
            WrapNegative(value, scratch_.Get<float>(), count, size);
            AscendC::PipeBarrier<PIPE_V>();
            MarkGood(Marks(axis), Marks(tiling_.components), value, count, size);
            if (axis == 0) {
                AscendC::Adds(places, value, 0.0f, static_cast<int32_t>(count));
            } else {
                AscendC::Muls(places, places, static_cast<float>(length_), static_cast<int32_t>(count));
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::Add(places, places, value, static_cast<int32_t>(count));
            }
        }
        Order<AscendC::HardEvent::V_S>();
        bool isGood = true;
        for (uint32_t axis = 0; axis < tiling_.components; axis++) {
            isGood = IsAllGood(Marks(axis)) && isGood;
        }
        if (!isGood) {
            LeaveOutBad(done, count);
        }
        // The next chunk comes where the scalar unit has read this one.
        Order<AscendC::HardEvent::S_V>();
        Order<AscendC::HardEvent::S_MTE2>();
    }

    /// Notes the bad values of a chunk, and puts the windows of their entries nowhere.
    __aicore__ inline void LeaveOutBad(uint32_t done, uint32_t count)
    {
        for (uint32_t number = 0; number < count; number++) {
            const uint64_t position = (first_ + done + number) * tiling_.entry.position;
            for (uint32_t axis = 0; axis < tiling_.components; axis++) {
                const uint32_t at = number * tiling_.index_box.ub[0] + axis * tiling_.index_box.ub[1];
                const int64_t value = IndexValue(raw_.Get<uint8_t>(), tiling_.index_bytes, at);
                const int64_t size = static_cast<int64_t>(tiling_.component[axis].size);
                if (value < -size || value >= size) {
                    bad.Note(position + axis, value);
                    places_.Get<float>().SetValue(done + number, kNowhere);
                }
            }
        }
    }

    /// Whether another window has elements of the one at `place`: one that is less than a window's
    /// length away.
    __aicore__ inline bool Meets(uint32_t number, float place)
    {
        const auto distances = distances_.Get<float>();
        const Bytes marks = work_.Get<uint8_t>();
        const int32_t all = static_cast<int32_t>(MarkedTargets(count_));
        const float extent = static_cast<float>(tiling_.extent);
        AscendC::Adds(distances, places_.Get<float>(), -place, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Abs(distances, distances, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(distances, distances, -extent, all);
        Order<AscendC::HardEvent::V_S>();
        // The window's distance from itself counts as far enough.
        distances.SetValue(number, 0.0f);
        Order<AscendC::HardEvent::S_V>();
        MarkGood(marks, marks[MarkedTargets(tiling_.entries) / 8], distances, count_, kFarthest);
        Order<AscendC::HardEvent::V_S>();
        const bool meets = !IsAllGood(marks);
        Order<AscendC::HardEvent::S_V>();
        return meets;
    }

    /// Cuts a window to the elements that no later window has. All windows are equally long, so
    /// that later ones that begin before it have its first elements, and later ones that begin
    /// behind it its last elements.
    __aicore__ inline void LeaveToLater(WindowOf& window, uint32_t number, float place)
    {
        const auto ahead = distances_.Get<float>();
        const auto passed = passed_.Get<float>();
        const auto nearest = nearest_.Get<float>();
        const auto found = found_.Get<float>();
        const auto work = work_.Get<float>();
        const int32_t all = static_cast<int32_t>(count_);
        // `ahead` says how far behind this window each one begins; `passed` is 1 for the window
        // itself and for those of earlier entries, which it overwrites.
        AscendC::Adds(ahead, places_.Get<float>(), -place, all);
        AscendC::Muls(passed, numbers_.Get<float>(), -1.0f, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(passed, passed, static_cast<float>(number + 1), all);
        AscendC::PipeBarrier<PIPE_V>();
        OneIfPositive(passed, passed);
        // Finds, among the windows of later entries, the nearest that begins before this one or
        // with it, and the nearest that begins behind it or with it.
        OneIfPositive(nearest, ahead);
        MoveAway(nearest, passed, ahead, -kFar);
        AscendC::ReduceMax(found, nearest, work, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(nearest, ahead, -1.0f, all);
        AscendC::PipeBarrier<PIPE_V>();
        OneIfPositive(nearest, nearest);
        MoveAway(nearest, passed, ahead, kFar);
        AscendC::ReduceMin(found[kBlockBytes / sizeof(float)], nearest, work, all);
        Order<AscendC::HardEvent::V_S>();
        const float extent = static_cast<float>(tiling_.extent);
        const float before = found.GetValue(0) + extent;
        const float behind = found.GetValue(kBlockBytes / sizeof(float));
        if (before > 0.0f) {
            window.first = static_cast<uint32_t>(static_cast<int32_t>(before));
        }
        if (behind < extent) {
            window.last = static_cast<uint32_t>(static_cast<int32_t>(behind));
        }
    }

    /// 1 for each whole number that is positive, and 0 for the others.
    __aicore__ inline void OneIfPositive(const AscendC::LocalTensor<float>& to, const AscendC::LocalTensor<float>& from)
    {
        const int32_t all = static_cast<int32_t>(count_);
        AscendC::Maxs(to, from, 0.0f, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(to, to, 1.0f, all);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// Sets `to` to `ahead`, moved by `far` for each of `to` and `other` that is 1.
    __aicore__ inline void MoveAway(const AscendC::LocalTensor<float>& to, const AscendC::LocalTensor<float>& other,
        const AscendC::LocalTensor<float>& ahead, float far)
    {
        const int32_t all = static_cast<int32_t>(count_);
        AscendC::Add(to, to, other, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(to, to, far, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(to, to, ahead, all);
        AscendC::PipeBarrier<PIPE_V>();
    }

    const ScatterWindowsTiling& tiling_;
    /// The places of a sequence.
    uint64_t length_;
    GmBytes index_;
    /// The windows that are converted.
    uint64_t first_ = 0;
    uint32_t count_ = 0;
    /// A chunk of index, of which there is one buffer only, has arrived. Copies that MTE2 was given
    /// behind it may still be on their way.
    Turns<AscendC::HardEvent::MTE2_V> arrived_;
    /// A chunk of index.
    AscendC::TBuf<AscendC::TPosition::VECIN> raw_;
    /// Its values as f32.
    AscendC::TBuf<AscendC::TPosition::VECCALC> floats_;
    /// The byte offsets of the entries among these values.
    AscendC::TBuf<AscendC::TPosition::VECCALC> offsets_;
    /// One component of each entry.
    AscendC::TBuf<AscendC::TPosition::VECCALC> value_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch_;
    /// For each component, marks of its good values; and scratch.
    AscendC::TBuf<AscendC::TPosition::VECCALC> marks_;
    /// The number of the place at which each window begins, counted through all sequences.
    AscendC::TBuf<AscendC::TPosition::VECCALC> places_;
    /// How far each window is from one of them.
    AscendC::TBuf<AscendC::TPosition::VECCALC> distances_;
    /// Marks of the windows that are far enough from it; and scratch of reductions.
    AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
    /// How far the nearest later windows before and behind it are.
    AscendC::TBuf<AscendC::TPosition::VECCALC> found_;
    /// The numbers of the windows.
    AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_;
    /// For one window, 1 for each window that it overwrites.
    AscendC::TBuf<AscendC::TPosition::VECCALC> passed_;
    /// For one window, how far the others are that may have its first, or its last, elements.
    AscendC::TBuf<AscendC::TPosition::VECCALC> nearest_;
};
