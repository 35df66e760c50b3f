// Updates of tasks that own all the targets of some lanes. Chunks are double-buffered in UB: DMA
// copies one in, and the vector unit computes its places, while the scalar unit applies the other.
#pragma once

#include "batch.h"
#include "element_chunks.h"
#include "held.h"
#include "places.h"

/// Applies the updates of `lanes` lanes one by one: those that are counted, or whose arithmetic is
/// too long to be inlined in a batch.
template <class Element, class Reduction>
__aicore__ inline void ApplyOneByOne(const AscendC::LocalTensor<int16_t>& places, const PlacedUpdates& updates,
    Held<Element, Reduction>& held, uint32_t lanes)
{
    constexpr uint32_t kBytes = sizeof(typename Element::Value);
    for (uint32_t update = 0; update < updates.count; update++) {
        for (uint32_t lane = 0; lane < lanes; lane++) {
            const int32_t biased =
                places.GetValue((update * updates.placeUpdate + lane * updates.placeLane) / sizeof(int16_t));
            const uint32_t place = static_cast<uint32_t>(biased + kPlaceBias);
            held.Update(updates.inRows ? place * kRowElements<typename Element::Value> + lane : place, updates.src,
                (update * updates.srcUpdate + lane * updates.srcLane) / kBytes);
        }
    }
}

template <class Element, class Reduction, bool kInBatches>
class ElementsByLanes {
public:
    __aicore__ inline ElementsByLanes(AscendC::TPipe& pipe, const ScatterElementsTiling& tiling)
        : pipe_(pipe), tiling_(tiling), chunks_(tiling)
    {
    }

    __aicore__ inline void Init(GM_ADDR out, GM_ADDR index, GM_ADDR src)
    {
        held_.Init(pipe_, tiling_, out);
        places_.Init(pipe_, tiling_, kRowElements<typename Element::Value>);
        chunks_.Init(pipe_, index, src);
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
        places_.Begin(task);
        Prepare(task, 0);
        if (count > 1) {
            chunks_.Request(task, 1);
        }
        held_.Arrive(task);
        for (uint64_t number = 0; number < count; number++) {
            if (number + 1 < count) {
                Prepare(task, number + 1);
            }
            Apply(task, number);
            if (number + 2 < count) {
                chunks_.Request(task, number + 2);
            }
        }
        held_.Store(task);
    }

    /// Has the vector unit compute the places of a chunk, and widen its src.
    __aicore__ inline void Prepare(const Task& task, uint64_t number)
    {
        const uint32_t turn = number % 2;
        const Chunk chunk = ChunkAt(tiling_, task, number);
        chunks_.Await(turn);
        places_.Make(chunks_.Index(turn), task, chunk.updates, turn);
        chunks_.WidenSrc(task, chunk, turn);
        prepared_.Set(turn);
    }

    __aicore__ inline void Apply(const Task& task, uint64_t number)
    {
        const uint32_t turn = number % 2;
        const Chunk chunk = ChunkAt(tiling_, task, number);
        prepared_.Wait(turn);
        if (!places_.IsGood(turn)) {
            chunks_.NoteBad(task, chunk, turn, bad_);
        }
        places_.FillBatch(chunk.updates, turn);
        const auto places = places_.Of(turn);
        const PlacedUpdates updates{places.template ReinterpretCast<uint64_t>(), chunks_.Src(turn), held_.Values(),
            tiling_.place_update * static_cast<uint32_t>(sizeof(int16_t)),
            tiling_.place_lane * static_cast<uint32_t>(sizeof(int16_t)), chunks_.SrcStep(0), chunks_.SrcStep(1),
            chunk.updates, places_.NamesRows()};
        if (!kInBatches || tiling_.counted != 0) {
            ApplyOneByOne(places, updates, held_, task.lanes);
        } else if constexpr (kInBatches) {
            if (updates.inRows) {
                ApplyInBatches<Element, Reduction, Adjacent::Rows>(updates, task.lanes);
            } else if (tiling_.place_lane == 1) {
                ApplyInBatches<Element, Reduction, Adjacent::Lanes>(updates, task.lanes);
            } else {
                ApplyInBatches<Element, Reduction, Adjacent::Updates>(updates, task.lanes);
            }
        }
        chunks_.Release(turn);
    }

    AscendC::TPipe& pipe_;
    const ScatterElementsTiling& tiling_;
    ElementChunks chunks_;
    Held<Element, Reduction> held_;
    Places places_;
    FirstBad bad_;
    /// The vector unit has computed the places of a chunk.
    Turns<AscendC::HardEvent::V_S> prepared_;
};
