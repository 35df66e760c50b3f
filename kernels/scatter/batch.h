// Updates of elements that lie in UB, a few at a time by straight-line code.
//
// The scalar unit waits for what it reads, unless it reads more meanwhile. So a batch reads the places of its updates, then
// what they bring, and then, update by update, the elements of all its lanes: lanes never share a place, so all are read
// before the first of them is written.
#pragma once

#include "box.h"
#include "reduction.h"

/// A place is the number of an element among those that a task holds, or of the block of UB where its target's row begins. It
/// has 16 bits, for four of them to be read at once, and is kept less `kPlaceBias`: as a Cast gives it.
constexpr int32_t kPlaceBias = 32768;
constexpr uint32_t kPlacesPerWord = 4;
/// Place 0 is nobody's: what is to be left out goes there.
constexpr int16_t kNobody = static_cast<int16_t>(-kPlaceBias);
constexpr uint64_t kFourNobodies = 0x8000800080008000ULL;
/// Updates of a step: what one word of places has, where updates follow each other. The steps of an iteration, which costs
/// as much as an update; and the updates of both.
constexpr uint32_t kStepUpdates = 4;
constexpr uint32_t kBatchSteps = 2;
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
    /// Behind so many, up to a whole batch, come some of nobody's.
    uint32_t count;
    /// Whether places are of rows.
    bool inRows;
};

/// What follows each other in UB among places and src: updates; or lanes, with a place for each element, or with places that
/// name rows, in which a lane's element is always at the same distance.
enum class Along { Updates, Lanes, Rows };

/// The elements of a block of UB, which begins a row.
template <class Value>
constexpr uint32_t kRowElements = kBlockBytes / sizeof(Value);

/// The updates of `kLanes` lanes.
template <class Element, class Reduction, Along kWhat, uint32_t kLanes>
class Batch {
    using Value = typename Element::Value;
    static constexpr bool kAlong = kWhat != Along::Updates;
    using Bits = typename UnsignedOf<sizeof(Value)>::Type;
    static constexpr uint32_t kAcross = kAlong ? kStepUpdates : kLanes;
    static constexpr uint32_t kRun = kAlong ? kLanes : kStepUpdates;
    static constexpr uint32_t kPlaceWords = (kRun + kPlacesPerWord - 1) / kPlacesPerWord;
    static constexpr uint32_t kWordBytes = !kAlong && kRun * sizeof(Value) < 8 ? kRun * sizeof(Value) : 8;
    static constexpr uint32_t kPerWord = kWordBytes / sizeof(Value);
    static constexpr uint32_t kSrcWords = (kRun + kPerWord - 1) / kPerWord;
    using Word = typename UnsignedOf<kWordBytes>::Type;

public:
    /// All updates of the lanes from `first` on.
    static __aicore__ inline void Apply(const PlacedUpdates& updates, uint32_t first)
    {
        const Tensors of{updates.places, updates.src.ReinterpretCast<Word>(),
                         updates.held.ReinterpretCast<Bits>()[kWhat == Along::Rows ? first : 0],
                         (kAlong ? updates.placeUpdate : updates.placeLane) / static_cast<uint32_t>(sizeof(uint64_t)),
                         (kAlong ? updates.srcUpdate : updates.srcLane) / kWordBytes};
        uint32_t placeAt = first * updates.placeLane / sizeof(uint64_t);
        uint32_t srcAt = first * updates.srcLane / kWordBytes;
        const uint32_t placeNext = kStepUpdates * updates.placeUpdate / sizeof(uint64_t);
        const uint32_t srcNext = kStepUpdates * updates.srcUpdate / kWordBytes;
        for (uint32_t update = 0; update < updates.count; update += kBatchUpdates) {
            SCATTER_UNROLL
            for (uint32_t step = 0; step < kBatchSteps; step++) {
                Step(of, placeAt, srcAt);
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

    static __aicore__ inline void Step(const Tensors& of, uint32_t placeAt, uint32_t srcAt)
    {
        uint64_t places[kAcross * kPlaceWords];
        ValuesOf<Word, Value> comes[kAcross * kSrcWords];
        SCATTER_UNROLL
        for (uint32_t at = 0; at < kAcross * kPlaceWords; at++) {
            places[at] = of.places.GetValue(placeAt + at / kPlaceWords * of.placeStep + at % kPlaceWords);
        }
        SCATTER_UNROLL
        for (uint32_t at = 0; at < kAcross * kSrcWords; at++) {
            comes[at].word = of.src.GetValue(srcAt + at / kSrcWords * of.srcStep + at % kSrcWords);
        }
        SCATTER_UNROLL
        for (uint32_t at = 0; at < kStepUpdates; at++) {
            Combine(of.held, places, comes, at);
        }
    }

    static __aicore__ inline void Combine(const AscendC::LocalTensor<Bits>& held, const uint64_t* places,
                                          const ValuesOf<Word, Value>* comes, uint32_t update)
    {
        ValuesOf<Bits, Value> holds[kLanes];
        SCATTER_UNROLL
        for (uint32_t lane = 0; lane < kLanes; lane++) {
            holds[lane].word = held.GetValue(Place(places, update, lane));
        }
        SCATTER_UNROLL
        for (uint32_t lane = 0; lane < kLanes; lane++) {
            const uint32_t across = kAlong ? update : lane;
            const uint32_t along = kAlong ? lane : update;
            const Value value = comes[across * kSrcWords + along / kPerWord].values[along % kPerWord];
            holds[lane].values[0] = Reduction::template Combine<Element>(holds[lane].values[0], value);
        }
        SCATTER_UNROLL
        for (uint32_t lane = 0; lane < kLanes; lane++) {
            held.SetValue(Place(places, update, lane), holds[lane].word);
        }
    }

    static __aicore__ inline uint32_t Place(const uint64_t* places, uint32_t update, uint32_t lane)
    {
        const uint32_t across = kAlong ? update : lane;
        const uint32_t along = kAlong ? lane : update;
        const uint64_t word = places[across * kPlaceWords + along / kPlacesPerWord] ^ kFourNobodies;
        const uint32_t place = static_cast<uint16_t>(word >> along % kPlacesPerWord * 16);
        return kWhat == Along::Rows ? place * kRowElements<Value> + lane : place;
    }
};

/// All updates of `lanes` lanes, in batches of as many as there is code for: a lane that is not there has nobody's places.
template <class Element, class Reduction, Along kWhat>
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
