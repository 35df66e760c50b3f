// Sums of rows of integers by the vector unit, which wrap although no instruction overflows.
//
// What the vector unit's sums of integers do beyond their range no document says. So rows are held in wider numbers, or in
// digits of 16 bits, which can't get there in a few groups, and wrap when a row goes on in more of them or to out.
#pragma once

#include "row_arithmetic.h"

/// Rows held in words of 32 bits: `kWords` for each word of `Narrow`. `T` is f32 or int32.
template <class Narrow, class T, uint32_t kWords>
class HeldRows {
public:
    static constexpr bool kIsRounded = false;
    static constexpr bool kReadsOut = true;

    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterRowsTiling& tiling, uint32_t step)
    {
        const uint32_t row = step / sizeof(Narrow) * sizeof(T);
        const uint32_t srcs = tiling.has_value != 0 ? 1 : tiling.group;
        sumBytes_ = tiling.group * row;
        wideBytes_ = srcs * row;
        pipe.InitBuffer(sums_, kWords * sumBytes_);
        pipe.InitBuffer(wide_, kWords * wideBytes_);
        pipe.InitBuffer(mask_, kRepeatBytes);
        // The low half of each word of 32 bits.
        constexpr int32_t kLow = sizeof(Narrow) == 1 ? 0xff : 0xffff;
        AscendC::Duplicate(mask_.Get<int32_t>(), kLow, static_cast<int32_t>(kRepeatBytes / sizeof(int32_t)));
    }
    __aicore__ inline void Resize(const RowShape& shape)
    {
        columns_ = shape.bytes / sizeof(Narrow);
        step_ = shape.step / sizeof(Narrow);
    }
    __aicore__ inline void Start(const Bytes&, uint32_t row)
    {
        for (uint32_t word = 0; word < kWords; word++) {
            AscendC::Duplicate(Sums(word)[row * step_], static_cast<T>(0), static_cast<int32_t>(step_));
        }
    }
    SCATTER_HOT void Apply(const Bytes&, uint32_t row, const Bytes&, uint32_t first, uint32_t count, bool isOne)
    {
        SCATTER_UNROLL
        for (uint32_t word = 0; word < kWords; word++) {
            AddRows<false>(Sums(word)[row * step_], Wide(word)[isOne ? 0 : first * step_], columns_,
                           isOne ? 0 : step_, count);
        }
    }
    /// Means are the scalar unit's.
    __aicore__ inline void Divide(const Bytes&, uint32_t, uint32_t) {}

protected:
    static constexpr uint32_t kRepeatBytes = 256;

    __aicore__ inline AscendC::LocalTensor<T> Sums(uint32_t word)
    {
        return sums_.GetWithOffset<T>(sumBytes_ / sizeof(T), word * sumBytes_);
    }
    __aicore__ inline AscendC::LocalTensor<T> Wide(uint32_t word)
    {
        return wide_.GetWithOffset<T>(wideBytes_ / sizeof(T), word * wideBytes_);
    }
    /// Row 0 takes what row `last` of the group before holds; whether it is to wrap now. A group has
    /// 255 rows at the most, so that the sums of 17 groups stay below 2^24 in f32 (255 * 255 * 17)
    /// and below 2^31 in digits (65535 * 255 * 17).
    __aicore__ inline bool MoveToFirst(uint32_t last)
    {
        goneOn_ = last != 0 ? 0 : (goneOn_ + 1) % kGroups;
        if (goneOn_ != 0) {
            return false;
        }
        for (uint32_t word = 0; word < kWords && last != 0; word++) {
            AscendC::DataCopy(Sums(word), Sums(word)[last * step_], step_);
        }
        AscendC::PipeBarrier<PIPE_V>();
        return true;
    }
    /// Keeps the low 8 or 16 bits of words of 32 bits.
    __aicore__ inline void KeepLow(const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int32_t>& from,
                                   uint32_t count)
    {
        constexpr uint32_t kLanes = 128;
        constexpr uint32_t kMostRepeats = 255;
        const auto halves = from.ReinterpretCast<uint16_t>();
        const auto low = to.ReinterpretCast<uint16_t>();
        const auto mask = mask_.Get<uint16_t>();
        const AscendC::BinaryRepeatParams still(1, 1, 1, 8, 8, 0);
        for (uint32_t at = 0; at < 2 * count; at += kMostRepeats * kLanes) {
            const uint32_t left = 2 * count - at;
            const uint32_t repeats = left / kLanes < kMostRepeats ? left / kLanes : kMostRepeats;
            if (repeats != 0) {
                AscendC::And(low[at], halves[at], mask, kLanes, static_cast<uint8_t>(repeats), still);
            }
        }
        const uint32_t rest = 2 * count % kLanes;
        if (rest != 0) {
            AscendC::And(low[2 * count - rest], halves[2 * count - rest], mask, rest, 1, still);
        }
    }

    /// How many times a row goes on before it wraps.
    static constexpr uint32_t kGroups = 16;

    /// How many times row 0 went on since a row wrapped.
    uint32_t goneOn_ = 0;
    uint32_t columns_ = 0;
    /// Elements from a row to the next.
    uint32_t step_ = 0;
    uint32_t sumBytes_ = 0;
    uint32_t wideBytes_ = 0;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sums_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> mask_;
};

/// i8 and u8, held as f32, which is exact below 2^24; and bool, which is no more than 1.
template <class T, bool isBool>
class ByteRows : public HeldRows<T, float, 1> {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterRowsTiling& tiling, uint32_t step)
    {
        HeldRows<T, float, 1>::Init(pipe, tiling, step);
        pipe.InitBuffer(halves_, tiling.group * step * sizeof(half));
    }
    __aicore__ inline void Take(const Bytes& rows, uint32_t first, uint32_t count)
    {
        Widen(this->Sums(0)[first * this->step_], rows[first * this->step_], count * this->step_);
    }
    __aicore__ inline void Prepare(const Bytes& src, uint32_t count) { Widen(this->Wide(0), src, count * this->step_); }
    __aicore__ inline void GoOn(const Bytes&, const Bytes&, uint32_t last)
    {
        if (this->MoveToFirst(last)) {
            Wrap(this->Sums(0), this->step_);
        }
    }
    __aicore__ inline void Finish(const Bytes& rows, uint32_t first, uint32_t count)
    {
        const uint32_t all = count * this->step_;
        const auto sums = this->Sums(0)[first * this->step_];
        Wrap(sums, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(halves_.Get<half>(), sums, AscendC::RoundMode::CAST_NONE, all);
        AscendC::PipeBarrier<PIPE_V>();
        const auto bytes = rows[first * this->step_].template ReinterpretCast<T>();
        AscendC::Cast(bytes, halves_.Get<half>(), AscendC::RoundMode::CAST_NONE, all);
    }

private:
    __aicore__ inline void Widen(const AscendC::LocalTensor<float>& to, const Bytes& from, uint32_t count)
    {
        const auto halves = halves_.Get<half>();
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(halves, from.ReinterpretCast<T>(), AscendC::RoundMode::CAST_NONE, count);
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (isBool) {
            AscendC::Mins(halves, halves, half(1.0f), static_cast<int32_t>(count));
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Cast(to, halves, AscendC::RoundMode::CAST_NONE, count);
    }

    /// Brings whole numbers into the range of T: its lowest is added and taken off again around the 8 bits that stay.
    __aicore__ inline void Wrap(const AscendC::LocalTensor<float>& sums, uint32_t count)
    {
        const int32_t all = static_cast<int32_t>(count);
        if constexpr (isBool) {
            AscendC::Mins(sums, sums, 1.0f, all);
            return;
        }
        constexpr float kLowest = T(-1) < T(0) ? 128.0f : 0.0f;
        const auto words = sums.ReinterpretCast<int32_t>();
        AscendC::Adds(sums, sums, kLowest, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(words, sums, AscendC::RoundMode::CAST_RINT, count);
        AscendC::PipeBarrier<PIPE_V>();
        this->KeepLow(words, words, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(sums, words, AscendC::RoundMode::CAST_NONE, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(sums, sums, -kLowest, all);
    }

    AscendC::TBuf<AscendC::TPosition::VECCALC> halves_;
};

/// Words of 32 bits as two digits of 16 bits each: i32, and i64 as pairs of words.
template <bool isPair>
class DigitRows : public HeldRows<int32_t, int32_t, 2> {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterRowsTiling& tiling, uint32_t step)
    {
        HeldRows::Init(pipe, tiling, step);
        pipe.InitBuffer(carries_, kBlockBytes + tiling.group * step);
        if constexpr (isPair) {
            AscendC::Duplicate(carries_.Get<int32_t>(), 0, static_cast<int32_t>(kBlockBytes / sizeof(int32_t)));
            pipe.InitBuffer(moved_, tiling.group * step);
            pipe.InitBuffer(places_, tiling.group * step);
            MakePlaces(tiling.group * step / sizeof(int32_t));
        }
    }
    __aicore__ inline void Take(const Bytes& rows, uint32_t first, uint32_t count)
    {
        const uint32_t at = first * step_;
        Split(Sums(0)[at], Sums(1)[at], rows.ReinterpretCast<int32_t>()[at], count * step_);
    }
    __aicore__ inline void Prepare(const Bytes& src, uint32_t count)
    {
        Split(Wide(0), Wide(1), src.ReinterpretCast<int32_t>(), count * step_);
    }
    __aicore__ inline void GoOn(const Bytes&, const Bytes&, uint32_t last)
    {
        if (MoveToFirst(last)) {
            Wrap(0, step_);
        }
    }
    __aicore__ inline void Finish(const Bytes& rows, uint32_t first, uint32_t count)
    {
        const uint32_t at = first * step_;
        const uint32_t all = count * step_;
        Wrap(at, all);
        AscendC::PipeBarrier<PIPE_V>();
        const auto high = Sums(1)[at].ReinterpretCast<uint32_t>();
        AscendC::ShiftLeft(high, high, 16u, static_cast<int32_t>(all));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Or(rows.ReinterpretCast<uint16_t>()[2 * at], Sums(0)[at].ReinterpretCast<uint16_t>(),
                    high.ReinterpretCast<uint16_t>(), static_cast<int32_t>(2 * all));
    }

private:
    __aicore__ inline void Split(const AscendC::LocalTensor<int32_t>& low, const AscendC::LocalTensor<int32_t>& high,
                                 const AscendC::LocalTensor<int32_t>& words, uint32_t count)
    {
        KeepLow(low, words, count);
        AscendC::ShiftRight(high.ReinterpretCast<uint32_t>(), words.ReinterpretCast<uint32_t>(), 16u,
                            static_cast<int32_t>(count));
    }

    /// Brings the digits of `count` words from `at` on below 2^16 again; what is carried out of a number is dropped.
    __aicore__ inline void Wrap(uint32_t at, uint32_t count)
    {
        Carry(at, count);
        if constexpr (isPair) {
            // From the lower word of each pair to the upper one.
            const auto moved = moved_.Get<int32_t>();
            AscendC::Gather(moved, carries_.Get<int32_t>(), places_.Get<uint32_t>(), 0, count);
            AscendC::PipeBarrier<PIPE_V>();
            const auto low = Sums(0)[at];
            AscendC::Add(low, low, moved, static_cast<int32_t>(count));
            AscendC::PipeBarrier<PIPE_V>();
            Carry(at, count);
        }
    }

    /// Carries from the lower digit of each word to the upper one, and what that one carries to `carries_`.
    __aicore__ inline void Carry(uint32_t at, uint32_t count)
    {
        const int32_t all = static_cast<int32_t>(count);
        const auto low = Sums(0)[at];
        const auto high = Sums(1)[at];
        const auto carries = carries_.Get<int32_t>()[kBlockBytes / sizeof(int32_t)];
        AscendC::ShiftRight(carries.ReinterpretCast<uint32_t>(), low.ReinterpretCast<uint32_t>(), 16u, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(high, high, carries, all);
        KeepLow(low, low, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ShiftRight(carries.ReinterpretCast<uint32_t>(), high.ReinterpretCast<uint32_t>(), 16u, all);
        AscendC::PipeBarrier<PIPE_V>();
        KeepLow(high, high, count);
    }

    /// For each upper word, at which byte of `carries_` the carry of its lower word is; for a lower word, where a zero is.
    __aicore__ inline void MakePlaces(uint32_t count)
    {
        constexpr int32_t kWord = sizeof(int32_t);
        const int32_t all = static_cast<int32_t>(count);
        const auto places = places_.Get<int32_t>();
        const auto odd = moved_.Get<int32_t>();
        AscendC::CreateVecIndex(places, 0, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ShiftRight(odd, places, 1, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(odd, odd, -2, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(odd, odd, places, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(places, places, kWord, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(places, places, static_cast<int32_t>(kBlockBytes) - kWord, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(places, places, odd, all);
    }

    /// Behind a block of zeros, what each word carries.
    AscendC::TBuf<AscendC::TPosition::VECCALC> carries_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> moved_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> places_;
};

/// i16, held as int32.
class ShortRows : public HeldRows<int16_t, int32_t, 1> {
public:
    __aicore__ inline void Take(const Bytes& rows, uint32_t first, uint32_t count)
    {
        Widen(Sums(0)[first * step_], rows.ReinterpretCast<int16_t>()[first * step_], count * step_);
    }
    __aicore__ inline void Prepare(const Bytes& src, uint32_t count)
    {
        Widen(Wide(0), src.ReinterpretCast<int16_t>(), count * step_);
    }
    __aicore__ inline void GoOn(const Bytes&, const Bytes&, uint32_t last)
    {
        if (!MoveToFirst(last)) {
            return;
        }
        // The low half, with its sign.
        const auto words = Sums(0).ReinterpretCast<uint32_t>();
        AscendC::ShiftLeft(words, words, 16u, static_cast<int32_t>(step_));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ShiftRight(Sums(0), Sums(0), 16, static_cast<int32_t>(step_));
    }
    __aicore__ inline void Finish(const Bytes& rows, uint32_t first, uint32_t count)
    {
        // The low halves: the even ones of all.
        uint64_t chosen = 0;
        AscendC::GatherMask(rows.ReinterpretCast<uint16_t>()[first * step_],
                            Sums(0)[first * step_].ReinterpretCast<uint16_t>(), static_cast<uint8_t>(1), true,
                            2 * count * step_, {1, 1, 8, 0}, chosen);
    }

private:
    static __aicore__ inline void Widen(const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int16_t>& from,
                                        uint32_t count)
    {
        const auto floats = to.ReinterpretCast<float>();
        AscendC::Cast(floats, from, AscendC::RoundMode::CAST_NONE, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(to, floats, AscendC::RoundMode::CAST_RINT, count);
    }
};
