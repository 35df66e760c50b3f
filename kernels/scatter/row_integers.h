// Sums of rows of integers on the vector unit, which wrap although no instruction overflows.
//
// No document says what the vector unit's sums of integers do beyond their range. So rows are held
// in wider numbers, or in digits of 16 bits, which can't overflow within a few groups; they are
// wrapped when a run continues over more groups, and when a row is written to out.
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
        bytes_ = tiling.group * row;
        pipe.InitBuffer(sums_, kWords * bytes_);
        pipe.InitBuffer(wide_, kWords * bytes_);
        pipe.InitBuffer(mask_, kBlockBytes);
        // The low half of each word of 32 bits.
        constexpr int32_t kLow = sizeof(Narrow) == 1 ? 0xff : 0xffff;
        AscendC::Duplicate(mask_.Get<int32_t>(), kLow, kBlockWords);
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
    SCATTER_HOT void Apply(const Bytes&, uint32_t row, const Bytes&, uint32_t first, uint32_t count, bool isSameRow)
    {
        const uint32_t from = isSameRow ? 0 : first * step_;
        AscendC::LocalTensor<T> sums[kWords];
        AscendC::LocalTensor<T> wide[kWords];
        SCATTER_UNROLL
        for (uint32_t word = 0; word < kWords; word++) {
            sums[word] = Sums(word)[row * step_];
            wide[word] = Wide(word)[from];
        }
        AddRows<false>(sums, wide, columns_, isSameRow ? 0 : step_, count);
    }
    /// Means of integers are left to the scalar unit.
    __aicore__ inline void Divide(const Bytes&, uint32_t, uint32_t) { }

protected:
    static constexpr int32_t kBlockWords = kBlockBytes / sizeof(int32_t);

    __aicore__ inline AscendC::LocalTensor<T> Sums(uint32_t word)
    {
        return sums_.GetWithOffset<T>(bytes_ / sizeof(T), word * bytes_);
    }
    /// Rows of src. After a group's last sum they may be used as scratch.
    __aicore__ inline AscendC::LocalTensor<T> Wide(uint32_t word)
    {
        return wide_.GetWithOffset<T>(bytes_ / sizeof(T), word * bytes_);
    }
    /// Moves row `last` of the group before to row 0. Returns whether that is to be wrapped now. A
    /// group has 255 rows at the most, so that the sums of 17 groups stay below 2^24 in f32 (255 *
    /// 255 * 17) and below 2^31 in digits (65535 * 255 * 17).
    __aicore__ inline bool MoveToFirst(uint32_t last)
    {
        if (last != 0) {
            for (uint32_t word = 0; word < kWords; word++) {
                AscendC::DataCopy(Sums(word), Sums(word)[last * step_], step_);
            }
            groupsSinceWrap_ = 0;
            return false;
        }
        groupsSinceWrap_ = (groupsSinceWrap_ + 1) % kGroups;
        return groupsSinceWrap_ == 0;
    }
    /// Keeps the low 8 or 16 bits of words of 32 bits.
    __aicore__ inline void KeepLow(
        const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int32_t>& from, uint32_t count)
    {
        Mask(to, from, mask_.Get<uint16_t>(), count);
    }
    /// Keeps the bits of words of 32 bits that are set in `mask`, which has 32 bytes and applies to
    /// every 32 bytes.
    static __aicore__ inline void Mask(const AscendC::LocalTensor<int32_t>& to,
        const AscendC::LocalTensor<int32_t>& from, const AscendC::LocalTensor<uint16_t>& mask, uint32_t count)
    {
        constexpr uint32_t kLanes = 128;
        constexpr uint32_t kMostRepeats = 255;
        const auto halves = from.ReinterpretCast<uint16_t>();
        const auto kept = to.ReinterpretCast<uint16_t>();
        const AscendC::BinaryRepeatParams still(1, 1, 0, 8, 8, 0);
        for (uint32_t at = 0; at < 2 * count; at += kMostRepeats * kLanes) {
            const uint32_t left = 2 * count - at;
            const uint32_t repeats = left / kLanes < kMostRepeats ? left / kLanes : kMostRepeats;
            if (repeats != 0) {
                AscendC::And(kept[at], halves[at], mask, kLanes, static_cast<uint8_t>(repeats), still);
            }
        }
        const uint32_t rest = 2 * count % kLanes;
        if (rest != 0) {
            AscendC::And(kept[2 * count - rest], halves[2 * count - rest], mask, rest, 1, still);
        }
    }

    /// How many times a row is continued before it is wrapped.
    static constexpr uint32_t kGroups = 16;

    /// How many times row 0 was continued since it was last wrapped.
    uint32_t groupsSinceWrap_ = 0;
    uint32_t columns_ = 0;
    /// The stride of rows, in elements.
    uint32_t step_ = 0;
    /// The bytes of one word of all rows of a group, as they are held.
    uint32_t bytes_ = 0;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sums_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> mask_;
};

/// i8 and u8, held as f32, which is exact below 2^24; and bool, whose sums are limited to 1.
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
    __aicore__ inline void Continue(const Bytes&, const Bytes&, uint32_t last)
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

    /// Wraps whole numbers into the range of T: keeps their low 8 bits, for a signed T with an
    /// offset of 128 before and after.
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
        if constexpr (isPair) {
            // The upper half of each lower word.
            pipe.InitBuffer(upperHalves_, kBlockBytes);
            AscendC::Duplicate(upperHalves_.Get<int32_t>(), 0, kBlockWords);
            AscendC::PipeBarrier<PIPE_V>();
            uint64_t lowerWords[] = {0x55, 0};
            AscendC::Duplicate(upperHalves_.Get<int32_t>(), static_cast<int32_t>(0xffff0000), lowerWords, 1, 1, 8);
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
    __aicore__ inline void Continue(const Bytes&, const Bytes&, uint32_t last)
    {
        if (MoveToFirst(last)) {
            Carry(0, step_);
            AscendC::PipeBarrier<PIPE_V>();
            KeepLow(Sums(1), Sums(1), step_);
        }
    }
    __aicore__ inline void Finish(const Bytes& rows, uint32_t first, uint32_t count)
    {
        const uint32_t at = first * step_;
        const uint32_t all = count * step_;
        Carry(at, all);
        AscendC::PipeBarrier<PIPE_V>();
        const auto high = Sums(1)[at].ReinterpretCast<uint32_t>();
        AscendC::ShiftLeft(high, high, kDigit, static_cast<int32_t>(all));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Or(rows.ReinterpretCast<uint16_t>()[2 * at], Sums(0)[at].ReinterpretCast<uint16_t>(),
            high.ReinterpretCast<uint16_t>(), static_cast<int32_t>(2 * all));
    }

private:
    /// The bits of a digit.
    static constexpr uint32_t kDigit = 16;

    __aicore__ inline void Split(const AscendC::LocalTensor<int32_t>& low, const AscendC::LocalTensor<int32_t>& high,
        const AscendC::LocalTensor<int32_t>& words, uint32_t count)
    {
        KeepLow(low, words, count);
        AscendC::ShiftRight(
            high.ReinterpretCast<uint32_t>(), words.ReinterpretCast<uint32_t>(), kDigit, static_cast<int32_t>(count));
    }

    /// Carries from digit to digit in `count` words from `at` on. Afterwards the lower digits are
    /// below 2^16; what the upper digits have beyond that has been carried into the next word.
    __aicore__ inline void Carry(uint32_t at, uint32_t count)
    {
        const int32_t all = static_cast<int32_t>(count);
        const auto low = Sums(0)[at];
        const auto high = Sums(1)[at];
        const auto carries = Wide(0);
        if constexpr (isPair) {
            CarryToUpperWords(low, high, count);
        }
        ShiftRight(carries, low, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(high, high, carries, all);
        KeepLow(low, low, count);
    }

    /// Adds the carry of each lower word to the lower digit of its upper word.
    __aicore__ inline void CarryToUpperWords(
        const AscendC::LocalTensor<int32_t>& low, const AscendC::LocalTensor<int32_t>& high, uint32_t count)
    {
        const int32_t all = static_cast<int32_t>(count);
        const uint32_t pairs = count / 2;
        const auto scratch = Wide(0);
        const auto carries = Wide(1);
        ShiftRight(scratch, low, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(carries, high, scratch, all);
        AscendC::PipeBarrier<PIPE_V>();
        Mask(carries, carries, upperHalves_.Get<uint16_t>(), count);
        AscendC::PipeBarrier<PIPE_V>();
        // A pair of words is now an integer of 64 bits, the carry times 2^16. Multiplying by 2^16
        // again moves the carry to the upper word; this is done in f32, which holds carries of less
        // than 24 bits exactly.
        const auto wholes = carries.ReinterpretCast<int64_t>();
        const auto floats = scratch.ReinterpretCast<float>();
        AscendC::Cast(floats, wholes, AscendC::RoundMode::CAST_RINT, pairs);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(floats, floats, static_cast<float>(1u << kDigit), static_cast<int32_t>(pairs));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(wholes, floats, AscendC::RoundMode::CAST_RINT, pairs);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(low, low, carries, all);
        AscendC::PipeBarrier<PIPE_V>();
    }

    static __aicore__ inline void ShiftRight(
        const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int32_t>& from, uint32_t count)
    {
        AscendC::ShiftRight(
            to.ReinterpretCast<uint32_t>(), from.ReinterpretCast<uint32_t>(), kDigit, static_cast<int32_t>(count));
    }

    AscendC::TBuf<AscendC::TPosition::VECCALC> upperHalves_;
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
    __aicore__ inline void Continue(const Bytes&, const Bytes&, uint32_t last)
    {
        if (!MoveToFirst(last)) {
            return;
        }
        // The low half, sign-extended.
        const auto words = Sums(0).ReinterpretCast<uint32_t>();
        AscendC::ShiftLeft(words, words, 16u, static_cast<int32_t>(step_));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ShiftRight(Sums(0), Sums(0), 16, static_cast<int32_t>(step_));
    }
    __aicore__ inline void Finish(const Bytes& rows, uint32_t first, uint32_t count)
    {
        // The low halves: the halves with even numbers.
        uint64_t chosen = 0;
        AscendC::GatherMask(rows.ReinterpretCast<uint16_t>()[first * step_],
            Sums(0)[first * step_].ReinterpretCast<uint16_t>(), static_cast<uint8_t>(1), true, 2 * count * step_,
            {1, 1, 8, 0}, chosen);
    }

private:
    static __aicore__ inline void Widen(
        const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int16_t>& from, uint32_t count)
    {
        const auto floats = to.ReinterpretCast<float>();
        AscendC::Cast(floats, from, AscendC::RoundMode::CAST_NONE, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(to, floats, AscendC::RoundMode::CAST_RINT, count);
    }
};
