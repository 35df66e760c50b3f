// Applies updates to elements that lie in UB, a few at a time by straight-line code.
//
// The scalar unit waits for each word that it reads, unless further reads follow at once. So a
// batch reads the places of its updates, then their values of src, and then, update by update, the
// elements of all its lanes: lanes never share a place, so all are read before the first of them is
// written.
#pragma once

#include "box.h"
#include "reduction.h"

/// A place is the number of an element among those that a task holds, or the number of the block of
/// UB where its target's row begins. It has 16 bits, so that four are read at once, and is stored
/// with `kPlaceBias` subtracted, as a Cast to int16 gives it.
constexpr int32_t kPlaceBias = 32768;
constexpr uint32_t kPlacesPerWord = 4;
/// Place 0 belongs to no target: updates that are to be skipped go there, and are discarded.
constexpr int16_t kDiscardPlace = static_cast<int16_t>(-kPlaceBias);
constexpr uint64_t kFourDiscardPlaces = 0x8000800080008000ULL;
/// The updates of a step: as many as one word has places, where updates are adjacent.
constexpr uint32_t kStepUpdates = 4;
/// The steps of an iteration: several, because a loop's iteration costs as much as an update.
constexpr uint32_t kBatchSteps = 2;
/// The updates of an iteration.
constexpr uint32_t kBatchUpdates = kStepUpdates * kBatchSteps;
/// Lanes of a batch at the most.
constexpr uint32_t kBatchLanes = 8;

template <class Word, class Value>
union ValuesOf {
    Word word;
    Value values[sizeof(Word) / sizeof(Value)];
};

/// The updates of a chunk, as they lie in UB: strides are in bytes.
struct PlacedUpdates {
    AscendC::LocalTensor<uint64_t> places;
    Bytes src;
    Bytes held;
    uint32_t placeUpdate;
    uint32_t placeLane;
    uint32_t srcUpdate;
    uint32_t srcLane;
    /// The number of updates. Behind them, up to a whole batch, the places are `kDiscardPlace`.
    uint32_t count;
    /// Whether places name rows.
    bool inRows;
};

/// What is adjacent in UB among places and src: updates; or lanes, either with a place for each
/// element, or (`Rows`) with places that name rows, in which a lane's element is always at the same
/// distance.
enum class Adjacent { Updates, Lanes, Rows };

/// The elements of a block of UB: rows begin at blocks.
template <class Value>
constexpr uint32_t kRowElements = kBlockBytes / sizeof(Value);

/// The updates of `kLanes` lanes.
template <class Element, class Reduction, Adjacent kWhat, uint32_t kLanes>
class Batch {
    using Value = typename Element::Value;
    static constexpr bool kLanesAdjacent = kWhat != Adjacent::Updates;
    using Bits = typename UnsignedOf<sizeof(Value)>::Type;
    static constexpr uint32_t kAcross = kLanesAdjacent ? kStepUpdates : kLanes;
    static constexpr uint32_t kRun = kLanesAdjacent ? kLanes : kStepUpdates;
    static constexpr uint32_t kPlaceWords = (kRun + kPlacesPerWord - 1) / kPlacesPerWord;
    static constexpr uint32_t kWordBytes = !kLanesAdjacent && kRun * sizeof(Value) < 8 ? kRun * sizeof(Value) : 8;
    static constexpr uint32_t kPerWord = kWordBytes / sizeof(Value);
    static constexpr uint32_t kSrcWords = (kRun + kPerWord - 1) / kPerWord;
    using Word = typename UnsignedOf<kWordBytes>::Type;

public:
    /// All updates of the lanes from `first` on.
    static __aicore__ inline void Apply(const PlacedUpdates& updates, uint32_t first)
    {
        const Tensors tensors{updates.places, updates.src.ReinterpretCast<Word>(),
            updates.held.ReinterpretCast<Bits>()[kWhat == Adjacent::Rows ? first : 0],
            (kLanesAdjacent ? updates.placeUpdate : updates.placeLane) / static_cast<uint32_t>(sizeof(uint64_t)),
            (kLanesAdjacent ? updates.srcUpdate : updates.srcLane) / kWordBytes};
        uint32_t placeAt = first * updates.placeLane / sizeof(uint64_t);
        uint32_t srcAt = first * updates.srcLane / kWordBytes;
        const uint32_t placeNext = kStepUpdates * updates.placeUpdate / sizeof(uint64_t);
        const uint32_t srcNext = kStepUpdates * updates.srcUpdate / kWordBytes;
        for (uint32_t update = 0; update < updates.count; update += kBatchUpdates) {
            SCATTER_UNROLL
            for (uint32_t step = 0; step < kBatchSteps; step++) {
                Step(tensors, placeAt, srcAt);
                placeAt += placeNext;
                srcAt += srcNext;
            }
        }
    }

private:
    struct Tensors {
        const AscendC::LocalTensor<uint64_t>& places;
        AscendC::LocalTensor<Word> src;
        AscendC::LocalTensor<Bits> held;
        uint32_t placeStep;
        uint32_t srcStep;
    };

    static __aicore__ inline void Step(const Tensors& tensors, uint32_t placeAt, uint32_t srcAt)
    {
        uint64_t places[kAcross * kPlaceWords];
        ValuesOf<Word, Value> incoming[kAcross * kSrcWords];
        SCATTER_UNROLL
        for (uint32_t at = 0; at < kAcross * kPlaceWords; at++) {
            places[at] = tensors.places.GetValue(placeAt + at / kPlaceWords * tensors.placeStep + at % kPlaceWords);
        }
        SCATTER_UNROLL
        for (uint32_t at = 0; at < kAcross * kSrcWords; at++) {
            incoming[at].word = tensors.src.GetValue(srcAt + at / kSrcWords * tensors.srcStep + at % kSrcWords);
        }
        SCATTER_UNROLL
        for (uint32_t at = 0; at < kStepUpdates; at++) {
            Combine(tensors.held, places, incoming, at);
        }
    }

    static __aicore__ inline void Combine(const AscendC::LocalTensor<Bits>& held, const uint64_t* places,
        const ValuesOf<Word, Value>* incoming, uint32_t update)
    {
        ValuesOf<Bits, Value> current[kLanes];
        SCATTER_UNROLL
        for (uint32_t lane = 0; lane < kLanes; lane++) {
            current[lane].word = held.GetValue(Place(places, update, lane));
        }
        SCATTER_UNROLL
        for (uint32_t lane = 0; lane < kLanes; lane++) {
            const uint32_t across = kLanesAdjacent ? update : lane;
            const uint32_t along = kLanesAdjacent ? lane : update;
            const Value value = incoming[across * kSrcWords + along / kPerWord].values[along % kPerWord];
            current[lane].values[0] = Reduction::template Combine<Element>(current[lane].values[0], value);
        }
        SCATTER_UNROLL
        for (uint32_t lane = 0; lane < kLanes; lane++) {
            held.SetValue(Place(places, update, lane), current[lane].word);
        }
    }

    static __aicore__ inline uint32_t Place(const uint64_t* places, uint32_t update, uint32_t lane)
    {
        const uint32_t across = kLanesAdjacent ? update : lane;
        const uint32_t along = kLanesAdjacent ? lane : update;
        const uint64_t word = places[across * kPlaceWords + along / kPlacesPerWord] ^ kFourDiscardPlaces;
        const uint32_t place = static_cast<uint16_t>(word >> along % kPlacesPerWord * 16);
        return kWhat == Adjacent::Rows ? place * kRowElements<Value> + lane : place;
    }
};

/// All updates of `lanes` lanes, in batches of as many lanes as there is code for: the places of a
/// lane beyond the last are `kDiscardPlace`.
template <class Element, class Reduction, Adjacent kWhat>
__aicore__ inline void ApplyInBatches(const PlacedUpdates& updates, uint32_t lanes)
{
    for (uint32_t first = 0; first < lanes; first += kBatchLanes) {
        const uint32_t left = lanes - first;
        if (left > 6) {
            Batch<Element, Reduction, kWhat, 8>::Apply(updates, first);
        } else if (left > 4) {
            Batch<Element, Reduction, kWhat, 6>::Apply(updates, first);
        } else if (left > 3) {
            Batch<Element, Reduction, kWhat, 4>::Apply(updates, first);
        } else if (left == 3) {
            Batch<Element, Reduction, kWhat, 3>::Apply(updates, first);
        } else if (left == 2) {
            Batch<Element, Reduction, kWhat, 2>::Apply(updates, first);
        } else {
            Batch<Element, Reduction, kWhat, 1>::Apply(updates, first);
        }
    }
}
