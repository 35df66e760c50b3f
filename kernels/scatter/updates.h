// The updates of a block, sorted by their target, from the list of targets that `scatter_index` has
// written.
//
// A chunk of the list is compared with a range of targets, and the targets in that range are packed
// into words of (target, place in the chunk). Those become keys of (target, number), which are all
// different: so the order of updates of one target is that of index, whatever a sort does with
// equal keys. Keys are integers whose bits, read as f32, are normal numbers in the same order.
#pragma once

#include "narrow.h"
#include "sort.h"

/// An update as the sorter leaves it.
struct SortedUpdate {
    /// The target, counted from the first of the range.
    uint32_t target;
    /// The entry of the list.
    uint32_t entry;
};

class Updates {
public:
    /// The most targets of a range, for keys with 2^`bits` numbers.
    static __aicore__ inline uint64_t MostTargets(uint32_t bits) { return 1ULL << (kKeyBits - bits); }

    /// For chunks of 2^`bits` entries, and as many updates.
    __aicore__ inline void Init(AscendC::TPipe& pipe, Sorter& sorter, uint32_t bits)
    {
        sorter_ = &sorter;
        bits_ = bits;
        capacity_ = 1u << bits;
        pipe.InitBuffer(listBuffer_, 2 * capacity_ * sizeof(float));
        pipe.InitBuffer(packedBuffer_, capacity_ * sizeof(uint32_t));
        pipe.InitBuffer(placesBuffer_, capacity_ * sizeof(int32_t));
        pipe.InitBuffer(numbersBuffer_, capacity_ * sizeof(int32_t));
        pipe.InitBuffer(marksBuffer_, 2 * MarkBytes());
        const auto places = placesBuffer_.Get<int32_t>();
        AscendC::CreateVecIndex(places, 0, capacity_);
        AscendC::PipeBarrier<PIPE_V>();
        const auto numbers = numbersBuffer_.Get<int32_t>();
        AscendC::Muls(numbers, places, -1, static_cast<int32_t>(capacity_));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(numbers, numbers, kHighest, static_cast<int32_t>(capacity_));
    }

    /// Opens a list of `entries` entries, a multiple of 64, and has MTE2 copy its first chunk to
    /// UB.
    __aicore__ inline void Open(const GmBytes& list, uint64_t at, uint64_t entries)
    {
        list_ = list;
        at_ = at;
        entries_ = entries;
        Request();
    }

    /// Starts on the updates of the targets [first, last) of the list, `MostTargets` at most.
    __aicore__ inline void Begin(uint64_t first, uint64_t last)
    {
        first_ = static_cast<float>(first);
        last_ = static_cast<float>(last);
        taken_ = 0;
        packed_ = 0;
        Clear();
        if (requested_ == 0) {
            Request();
        }
    }

    /// Collects updates until there are no more, or there is no room for those of the next chunk;
    /// in that case it is to be called again after `Sorted` and `Clear`. Returns whether these were
    /// all.
    __aicore__ inline bool Collect()
    {
        if (packed_ != 0) {
            Append();
        }
        while (taken_ < entries_) {
            Choose();
            if (packed_ == 0) {
                continue;
            }
            if (have_ + packed_ > capacity_) {
                return false;
            }
            Append();
        }
        return true;
    }

    /// How many were collected.
    __aicore__ inline uint32_t Count() const { return count_; }

    /// The collected updates, sorted by their targets, those of one target in the order of index.
    /// The scalar unit may read them.
    __aicore__ inline Sorter::Records Sorted()
    {
        AscendC::PipeBarrier<PIPE_V>();
        const auto records = sorter_->Sort(have_);
        Order<AscendC::HardEvent::V_S>();
        return records;
    }

    SCATTER_HOT SortedUpdate Of(uint64_t record) const
    {
        const uint32_t key = static_cast<uint32_t>(record);
        return SortedUpdate{(static_cast<uint32_t>(kHighest) - key) >> bits_, static_cast<uint32_t>(record >> 32)};
    }

    /// Drops the collected updates, which the scalar unit has read.
    __aicore__ inline void Clear()
    {
        Order<AscendC::HardEvent::S_V>();
        // Padding sorts behind all updates.
        AscendC::Duplicate(sorter_->Keys(), -1.0f, static_cast<int32_t>(capacity_));
        AscendC::Duplicate(sorter_->Words(), 0u, static_cast<int32_t>(capacity_));
        AscendC::PipeBarrier<PIPE_V>();
        have_ = 0;
        count_ = 0;
    }

    /// Ends a range, or closes a list of which no range was read.
    __aicore__ inline void End()
    {
        if (requested_ == 0) {
            return;
        }
        arrived_.Drain();
        free_.Drain();
        // A chunk that was never read may be overwritten by another one.
        Order<AscendC::HardEvent::V_MTE2>();
        requested_ = 0;
    }

private:
    /// The largest key.
    static constexpr int32_t kHighest = 0x7f000000;
    /// A key is `kHighest` less a number of this many bits: a target, and the update's number.
    static constexpr uint32_t kKeyBits = 30;

    __aicore__ inline uint32_t MarkBytes() const { return Padded(capacity_ / 8); }

    __aicore__ inline AscendC::LocalTensor<float> Chunk(uint32_t turn)
    {
        return listBuffer_.GetWithOffset<float>(capacity_, turn * capacity_ * sizeof(float));
    }

    /// Has MTE2 copy the next chunk to UB.
    __aicore__ inline void Request()
    {
        if (requested_ >= entries_) {
            return;
        }
        const uint32_t turn = static_cast<uint32_t>(requested_ >> bits_) % 2;
        free_.Wait(turn);
        const uint64_t left = entries_ - requested_;
        const uint32_t bytes = static_cast<uint32_t>((left < capacity_ ? left : capacity_) * sizeof(float));
        Move(Chunk(turn).ReinterpretCast<uint8_t>(), list_[at_ + requested_ * sizeof(float)], Burst{1, bytes, 0, 0});
        arrived_.Set(turn);
        requested_ += capacity_;
    }

    /// Packs the targets of the next chunk that are in the range.
    __aicore__ inline void Choose()
    {
        Request();
        const uint32_t turn = static_cast<uint32_t>(taken_ >> bits_) % 2;
        arrived_.Wait(turn);
        const uint64_t left = entries_ - taken_;
        const uint32_t size = static_cast<uint32_t>(left < capacity_ ? left : capacity_);
        const int32_t count = static_cast<int32_t>(size);
        const auto targets = Chunk(turn);
        const Bytes above = marksBuffer_.GetWithOffset<uint8_t>(MarkBytes(), 0);
        const Bytes below = marksBuffer_.GetWithOffset<uint8_t>(MarkBytes(), MarkBytes());
        AscendC::CompareScalar(above, targets, first_, AscendC::CMPMODE::GE, size);
        AscendC::CompareScalar(below, targets, last_, AscendC::CMPMODE::LT, size);
        AscendC::PipeBarrier<PIPE_V>();
        const auto marks = above.ReinterpretCast<uint16_t>();
        AscendC::And(marks, marks, below.ReinterpretCast<uint16_t>(), count / 16);
        AscendC::Adds(targets, targets, -first_, count);
        AscendC::PipeBarrier<PIPE_V>();
        const auto words = targets.ReinterpretCast<int32_t>();
        AscendC::Cast(words, targets, AscendC::RoundMode::CAST_FLOOR, size);
        AscendC::PipeBarrier<PIPE_V>();
        const auto unsignedWords = words.ReinterpretCast<uint32_t>();
        AscendC::ShiftLeft(unsignedWords, unsignedWords, bits_, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(words, words, placesBuffer_.Get<int32_t>(), count);
        AscendC::PipeBarrier<PIPE_V>();
        uint64_t chosen = 0;
        AscendC::GatherMask(packedBuffer_.Get<uint32_t>(), unsignedWords, above.ReinterpretCast<uint32_t>(), true, size,
            {1, 1, 8, 1}, chosen);
        AscendC::PipeBarrier<PIPE_V>();
        packed_ = static_cast<uint32_t>(chosen);
        packedAt_ = static_cast<uint32_t>(taken_);
        taken_ += capacity_;
        free_.Set(turn);
    }

    /// Turns the packed words into keys and entries. The places that pad them to a block of UB stay
    /// as `Clear` left them.
    __aicore__ inline void Append()
    {
        const int32_t count = static_cast<int32_t>(packed_);
        const auto packed = packedBuffer_.Get<uint32_t>();
        const auto keys = sorter_->Keys()[have_].ReinterpretCast<uint32_t>();
        const auto entries = sorter_->Words()[have_];
        AscendC::ShiftRight(keys, packed, bits_, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ShiftLeft(keys, keys, bits_, count);
        AscendC::PipeBarrier<PIPE_V>();
        const auto places = entries.ReinterpretCast<int32_t>();
        const auto targets = keys.ReinterpretCast<int32_t>();
        AscendC::Sub(places, packed.ReinterpretCast<int32_t>(), targets, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(places, places, static_cast<int32_t>(packedAt_), count);
        AscendC::Sub(targets, numbersBuffer_.Get<int32_t>()[have_], targets, count);
        count_ += packed_;
        have_ += (packed_ + kBlockWords - 1) / kBlockWords * kBlockWords;
        packed_ = 0;
    }

    static constexpr uint32_t kBlockWords = kBlockBytes / sizeof(uint32_t);

    Sorter* sorter_ = nullptr;
    GmBytes list_;
    uint64_t at_ = 0;
    uint64_t entries_ = 0;
    uint64_t requested_ = 0;
    uint64_t taken_ = 0;
    float first_ = 0.0f;
    float last_ = 0.0f;
    uint32_t bits_ = 0;
    uint32_t capacity_ = 0;
    /// The updates collected.
    uint32_t count_ = 0;
    /// The records of the sorter that they take, with their padding.
    uint32_t have_ = 0;
    /// The packed words of the chunk that begins at the entry `packedAt_`.
    uint32_t packed_ = 0;
    uint32_t packedAt_ = 0;
    /// A chunk has arrived from GM, and has been read. Two are in UB at a time.
    Turns<AscendC::HardEvent::MTE2_V> arrived_;
    Turns<AscendC::HardEvent::V_MTE2> free_;
    AscendC::TBuf<AscendC::TPosition::VECIN> listBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> packedBuffer_;
    /// 0, 1, 2, ...
    AscendC::TBuf<AscendC::TPosition::VECCALC> placesBuffer_;
    /// The highest key less each of these.
    AscendC::TBuf<AscendC::TPosition::VECCALC> numbersBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> marksBuffer_;
};
