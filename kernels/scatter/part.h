// Updates of tasks that own a part of the targets of some lanes: of each chunk of index, the vector
// unit finds the updates that go to the part, and packs the place and the position of each into a
// word; the scalar unit applies them in order.
#pragma once

#include "batch.h"
#include "element_chunks.h"
#include "held.h"

/// The word of an update: its target's row among those that are held, and in the low bits its
/// position in the chunk.
constexpr uint32_t kPositionBits = 12;
constexpr uint32_t kMostPositions = 1u << kPositionBits;
/// Words of a batch.
constexpr uint32_t kBatchWords = 8;

/// Converts words to places: a row has 2^shift elements, and an update has `lanes` positions of a
/// chunk, a power of two.
struct WordPlaces {
    uint32_t shift;
    uint32_t lanes;

    __aicore__ inline uint32_t Position(uint32_t word) const { return word & (kMostPositions - 1); }
    __aicore__ inline uint32_t Place(uint32_t word) const
    {
        return (word >> kPositionBits << shift) + (word & (lanes - 1));
    }
};

/// Applies the updates of `count` words in batches. The words that fill the last batch have the
/// place of no target.
template <class Element, class Reduction>
__aicore__ inline void ApplyWords(const AscendC::LocalTensor<uint64_t>& words, uint32_t count, WordPlaces places,
    const Bytes& src, const Bytes& values)
{
    using Value = typename Element::Value;
    using Bits = typename UnsignedOf<sizeof(Value)>::Type;
    const auto from = src.ReinterpretCast<Bits>();
    const auto to = values.ReinterpretCast<Bits>();
    for (uint32_t first = 0; first < count; first += kBatchWords) {
        ValuesOf<uint64_t, uint32_t> some[kBatchWords / 2];
        ValuesOf<Bits, Value> incoming[kBatchWords];
        SCATTER_UNROLL
        for (uint32_t at = 0; at < kBatchWords / 2; at++) {
            some[at].word = words.GetValue(first / 2 + at);
        }
        SCATTER_UNROLL
        for (uint32_t at = 0; at < kBatchWords; at++) {
            incoming[at].word = from.GetValue(places.Position(some[at / 2].values[at % 2]));
        }
        SCATTER_UNROLL
        for (uint32_t at = 0; at < kBatchWords; at++) {
            const uint32_t place = places.Place(some[at / 2].values[at % 2]);
            ValuesOf<Bits, Value> current;
            current.word = to.GetValue(place);
            current.values[0] = Reduction::template Combine<Element>(current.values[0], incoming[at].values[0]);
            to.SetValue(place, current.word);
        }
    }
}

template <class Element, class Reduction, bool kInBatches>
class ElementsByPart {
public:
    __aicore__ inline ElementsByPart(AscendC::TPipe& pipe, const ScatterElementsTiling& tiling)
        : pipe_(pipe), tiling_(tiling), chunks_(tiling)
    {
    }

    __aicore__ inline void Init(GM_ADDR out, GM_ADDR index, GM_ADDR src)
    {
        held_.Init(pipe_, tiling_, out);
        const uint32_t marked = MarkedTargets(tiling_.places);
        pipe_.InitBuffer(targets_, marked * sizeof(float));
        pipe_.InitBuffer(scratch_, marked * sizeof(float));
        pipe_.InitBuffer(positions_, marked * sizeof(uint32_t));
        pipe_.InitBuffer(words_, marked * sizeof(uint32_t));
        pipe_.InitBuffer(marks_, 3 * marked / 8);
        NumberPositions();
        chunks_.Init(pipe_, index, src);
        places_.lanes = tiling_.place_update;
        while (1u << places_.shift < tiling_.held_target) {
            places_.shift++;
        }
    }

    __aicore__ inline void Process(GM_ADDR status)
    {
        const TaskRange tasks = MyTasks(tiling_.tasks);
        for (uint64_t number = tasks.first; number < tasks.last; number++) {
            Update(TaskAt(tiling_, number));
        }
        chunks_.Drain();
        bad_.Write(pipe_, status);
    }

private:
    __aicore__ inline void Update(const Task& task)
    {
        const uint64_t count = chunks_.Count();
        chunks_.Request(task, 0);
        held_.Load(task);
        if (count > 1) {
            chunks_.Request(task, 1);
        }
        Find(task, 0);
        held_.Arrive(task);
        Pack(task, 0);
        for (uint64_t number = 0; number < count; number++) {
            if (number + 1 < count) {
                Find(task, number + 1);
            }
            Apply(number % 2);
            if (number + 1 < count) {
                Pack(task, number + 1);
            }
            if (number + 2 < count) {
                chunks_.Request(task, number + 2);
            }
        }
        held_.Store(task);
    }

    /// Whether this task notes the bad index values of a chunk: of the tasks that read the same
    /// chunk, exactly one does.
    __aicore__ inline bool NotesBad(const Task& task, uint64_t number) const
    {
        return number % tiling_.target_parts == task.target / tiling_.target_part;
    }

    /// The positions that the updates of a chunk have in UB.
    __aicore__ inline uint32_t Entries(const Chunk& chunk) const { return chunk.updates * tiling_.place_update; }

    /// Has the vector unit compute a chunk's words, and mark those that go to the task's targets.
    __aicore__ inline void Find(const Task& task, uint64_t number)
    {
        const uint32_t turn = number % 2;
        const Chunk chunk = ChunkAt(tiling_, task, number);
        const uint32_t entries = Entries(chunk);
        const int32_t all = static_cast<int32_t>(entries);
        const uint32_t marked = MarkedTargets(entries);
        const uint32_t size = static_cast<uint32_t>(tiling_.targets);
        const auto targets = targets_.Get<float>();
        const auto words = scratch_.Get<uint32_t>();
        chunks_.Await(turn);
        Narrow(targets, scratch_.Get<float>(), chunks_.Index(turn), tiling_.index_bytes, entries, size);
        AscendC::PipeBarrier<PIPE_V>();
        if (NotesBad(task, number)) {
            if (tiling_.target_parts == 1 && number != 0) {
                // This task noted the bad values of the chunk before, too: the scalar unit has read
                // its marks. With more parts the flag of the `Pack` between orders that.
                Order<AscendC::HardEvent::S_V>();
            }
            MarkGood(Marks(0), Marks(2), targets, entries, size); // and is through with targets then
        }
        chunks_.WidenSrc(task, chunk, turn);
        // The first target's row is not the first row of all: before it are some that belong to no
        // target.
        const float first = static_cast<float>(tiling_.held_first / tiling_.held_target);
        AscendC::Adds(targets, targets, first - static_cast<float>(task.target), all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::CompareScalar(Marks(1), targets, first, AscendC::CMPMODE::GE, marked);
        AscendC::CompareScalar(
            Marks(2), targets, first + static_cast<float>(task.targets), AscendC::CMPMODE::LT, marked);
        // What does not fit an int32 is no target of the task, and the result, whatever it is, is
        // not used.
        AscendC::Cast(scratch_.Get<int32_t>(), targets, AscendC::RoundMode::CAST_RINT, entries);
        AscendC::PipeBarrier<PIPE_V>();
        const auto mine = Marks(1).template ReinterpretCast<uint16_t>();
        AscendC::And(mine, mine, Marks(2).template ReinterpretCast<uint16_t>(), static_cast<int32_t>(marked / 16));
        AscendC::ShiftLeft(words, words, kPositionBits, all);
        AscendC::PipeBarrier<PIPE_V>();
        const auto halves = scratch_.Get<uint16_t>();
        AscendC::Or(halves, halves, positions_.Get<uint16_t>(), 2 * all);
    }

    /// Packs the words of the task's targets, for the scalar unit.
    __aicore__ inline void Pack(const Task& task, uint64_t number)
    {
        const uint32_t turn = number % 2;
        const Chunk chunk = ChunkAt(tiling_, task, number);
        const auto words = words_.Get<uint32_t>();
        Order<AscendC::HardEvent::S_V>(); // those before were applied
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::GatherMaskParams once(1, 1, 8, 0);
        uint64_t found = 0;
        const auto mine = Marks(1).template ReinterpretCast<uint32_t>();
        AscendC::GatherMask(words, scratch_.Get<uint32_t>(), mine, true, Entries(chunk), once, found);
        Order<AscendC::HardEvent::V_S>();
        found_ = static_cast<uint32_t>(found);
        // Fills the last batch up with the place of no target and any position.
        for (uint32_t at = found_; at % kBatchWords != 0; at++) {
            words.SetValue(at, 0);
        }
        if (NotesBad(task, number) && !IsAllGood(Marks(0))) {
            chunks_.NoteBad(task, chunk, turn, bad_);
        }
    }

    /// Applies the updates that were packed.
    __aicore__ inline void Apply(uint32_t turn)
    {
        const Bytes src = chunks_.Src(turn);
        if (!kInBatches || tiling_.counted != 0) {
            const auto words = words_.Get<uint32_t>();
            for (uint32_t at = 0; at < found_; at++) {
                const uint32_t word = words.GetValue(at);
                held_.Update(places_.Place(word), src, places_.Position(word));
            }
        } else if constexpr (kInBatches) {
            ApplyWords<Element, Reduction>(words_.Get<uint64_t>(), found_, places_, src, held_.Values());
        }
        chunks_.Release(turn);
    }

    /// Numbers the positions of a chunk, doubling how many there are with each instruction.
    __aicore__ inline void NumberPositions()
    {
        constexpr uint32_t kFirst = kBlockBytes / sizeof(int32_t);
        const auto positions = positions_.Get<int32_t>();
        for (uint32_t at = 0; at < kFirst; at++) {
            positions.SetValue(at, static_cast<int32_t>(at));
        }
        Order<AscendC::HardEvent::S_V>();
        const uint32_t all = MarkedTargets(tiling_.places);
        for (uint32_t done = kFirst; done < all; done *= 2) {
            const uint32_t more = all - done < done ? all - done : done;
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Adds(positions[done], positions, static_cast<int32_t>(done), static_cast<int32_t>(more));
        }
    }

    /// Marks of good index values (0), marks of the task's own updates (1), and scratch (2).
    __aicore__ inline Bytes Marks(uint32_t which)
    {
        const uint32_t bytes = MarkedTargets(tiling_.places) / 8;
        return marks_.GetWithOffset<uint8_t>(bytes, which * bytes);
    }

    AscendC::TPipe& pipe_;
    const ScatterElementsTiling& tiling_;
    ElementChunks chunks_;
    Held<Element, Reduction> held_;
    WordPlaces places_{0, 1};
    FirstBad bad_;
    /// The words that were packed.
    uint32_t found_ = 0;
    AscendC::TBuf<AscendC::TPosition::VECCALC> targets_;
    /// Scratch for computing targets, and then the words of all updates of a chunk.
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> positions_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> words_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> marks_;
};
