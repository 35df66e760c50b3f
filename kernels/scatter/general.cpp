// scatter_general: any update, element by element on the scalar unit.
//
// A task owns a part of the targets for some lanes. It goes through the updates of its lanes chunk
// by chunk, two chunks in UB at a time, finds the place of each in the window, and applies them in
// order; it skips the updates that go to targets of other tasks.
#include "alpha.h"
#include "chunks.h"
#include "kernels.h"

constexpr uint32_t kNoPlace = ~0u;

/// Applies a range of the updates × lanes of a chunk, in row-major order, at their places.
struct ApplyUpdates {
    const ScatterTiling& tiling;
    Window& window;
    const AscendC::LocalTensor<uint32_t>& places;
    const Bytes& src;
    uint32_t lanes;
    uint32_t first;
    uint32_t last;
    /// alpha, used only if src is multiplied by it.
    const Bytes& alpha;

    template <class Element, class Reduction>
    __aicore__ inline void Run() const
    {
        const AlphaOf<Element, Reduction> factor(tiling.scaled != 0, alpha);
        const auto from = src.ReinterpretCast<typename Element::Word>();
        const auto to = window.Values().template ReinterpretCast<typename Element::Word>();
        const uint32_t updateStep = tiling.src_box.ub[0] / tiling.src_box.element;
        const uint32_t laneStep = tiling.src_box.ub[1] / tiling.src_box.element;
        uint32_t update = first / lanes;
        uint32_t lane = first % lanes;
        for (uint32_t entry = first; entry < last; entry++) {
            const uint32_t place = places.GetValue(entry);
            if (place != kNoPlace) {
                auto held = Element::Load(to, place);
                if (tiling.counted != 0 && window.Count(place) == 0 && tiling.include_self == 0) {
                    held = Reduction::template Start<Element>();
                }
                const auto incoming = factor.Times(Element::Load(from, update * updateStep + lane * laneStep));
                Element::Store(to, place, Reduction::template Combine<Element>(held, incoming));
            }
            if (++lane == lanes) {
                lane = 0;
                update++;
            }
        }
    }
};

class ScatterGeneral : public ChunkLoop<ScatterGeneral> {
public:
    __aicore__ inline ScatterGeneral(AscendC::TPipe& pipe, const ScatterTiling& tiling) : ChunkLoop(pipe, tiling) { }

    __aicore__ inline void Init(GM_ADDR out, GM_ADDR index, GM_ADDR src)
    {
        ChunkLoop::Init(index, src);
        pipe_.InitBuffer(placeBuffer_, tiling_.chunk * tiling_.lane_tile * sizeof(uint32_t));
        window_.Init(pipe_, tiling_, out);
        StoreAlpha(pipe_, alphaBuffer_, tiling_);
    }

private:
    friend class ChunkLoop<ScatterGeneral>;

    __aicore__ inline void Fetch(const Task& task, const Chunk& chunk, uint32_t turn)
    {
        if (tiling_.components != 0) {
            CopyIn(tiling_.index_box, chunk.updates, IndexColumns(task), Index(turn), index_, chunk.index);
        }
        if (tiling_.has_value == 0) {
            CopyIn(tiling_.src_box, chunk.updates, task.lanes, Src(turn), src_, chunk.src);
        }
    }

    /// Applies the updates of a chunk, in groups whose lines fit the window together.
    __aicore__ inline void Take(const Task& task, const Chunk& chunk, uint32_t turn)
    {
        const Bytes src = wide_ ? WideSrc(task, chunk, turn) : Src(turn);
        const auto places = placeBuffer_.Get<uint32_t>();
        const uint32_t laneStep = tiling_.out_box.ub[1] / tiling_.out_box.element;
        uint32_t first = 0;
        uint32_t entry = 0;
        for (uint32_t update = 0; update < chunk.updates; update++) {
            const uint64_t position = chunk.position + update * LastAxis(tiling_).position;
            const uint64_t within = tiling_.window > 1 ? chunk.first + update : 0;
            for (uint32_t lane = 0; lane < task.lanes; lane++, entry++) {
                const uint32_t at = update * tiling_.index_box.ub[0] + lane * tiling_.index_box.ub[1];
                const uint64_t target =
                    targets_.Of(Index(turn), at, position + lane * tiling_.lane.position, within) - task.target;
                uint32_t place = kNoPlace;
                if (target < task.targets) {
                    if (!window_.Claim(target, place)) {
                        Apply(task, places, src, first, entry);
                        first = entry;
                        window_.Claim(target, place);
                    }
                    place += lane * laneStep;
                }
                places.SetValue(entry, place);
            }
        }
        Apply(task, places, src, first, entry);
    }

    __aicore__ inline void Apply(
        const Task& task, const AscendC::LocalTensor<uint32_t>& places, const Bytes& src, uint32_t first, uint32_t last)
    {
        window_.Load();
        const Bytes alpha = alphaBuffer_.Get<uint8_t>();
        WithPolicies(tiling_, ApplyUpdates{tiling_, window_, places, src, task.lanes, first, last, alpha});
    }

    /// The chunk's src as f32.
    __aicore__ inline Bytes WideSrc(const Task& task, const Chunk& chunk, uint32_t turn)
    {
        Order<AscendC::HardEvent::S_V>();
        Widen(DTypeOf(tiling_), tiling_.src_box, chunk.updates, task.lanes, wideBuffer_.Get<float>(), Src(turn));
        Order<AscendC::HardEvent::V_S>();
        return wideBuffer_.Get<uint8_t>();
    }

    /// The columns of index: one for each lane, or, where a task has one lane, one for each
    /// component of an entry.
    __aicore__ inline uint32_t IndexColumns(const Task& task) const
    {
        return tiling_.components > 1 ? tiling_.components : task.lanes;
    }

    /// Where each update of a chunk goes in the window, or `kNoPlace`.
    AscendC::TBuf<AscendC::TPosition::VECCALC> placeBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> alphaBuffer_;
};

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_general(
    GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status, GM_ADDR indexStatuses, ScatterTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    if (DoneByRows(pipe, indexStatuses, tiling.told, status)) {
        return;
    }
    ScatterGeneral kernel(pipe, tiling);
    kernel.Init(out, index, src);
    kernel.Process(status);
}
