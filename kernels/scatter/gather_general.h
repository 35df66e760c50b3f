// Gathers element by element: each comes to UB by a copy of its own, and the scalar unit puts it
// where it goes in a tile of out. For any strides, and any number of targets.
#pragma once

#include "dispatch.h"
#include "gather_tasks.h"

/// Copies elements, each of which has a block of UB, to a range of the updates × lanes of a tile,
/// in row-major order.
struct TakeElements {
    const ScatterBox& box;
    const Bytes& blocks;
    const Bytes& tile;
    uint32_t lanes;
    uint32_t first;
    uint32_t count;

    template <class Element>
    __aicore__ inline void Run() const
    {
        using Word = typename Element::Word;
        constexpr uint32_t kApart = kBlockBytes / sizeof(typename Element::Value);
        const auto from = blocks.ReinterpretCast<Word>();
        const auto to = tile.ReinterpretCast<Word>();
        const uint32_t updateStep = box.ub[0] / box.element;
        const uint32_t laneStep = box.ub[1] / box.element;
        uint32_t update = first / lanes;
        uint32_t lane = first % lanes;
        for (uint32_t i = 0; i < count; i++) {
            Element::Store(to, update * updateStep + lane * laneStep, Element::Load(from, i * kApart));
            if (++lane == lanes) {
                lane = 0;
                update++;
            }
        }
    }
};

class GatherGeneral {
public:
    __aicore__ inline GatherGeneral(AscendC::TPipe& pipe, const ScatterGatherTiling& tiling)
        : pipe_(pipe), tiling_(tiling), index_(tiling)
    {
    }

    __aicore__ inline void Init(GM_ADDR self, GM_ADDR index, GM_ADDR out)
    {
        self_.SetGlobalBuffer(self);
        out_.SetGlobalBuffer(out);
        index_.Init(pipe_, index);
        Order<AscendC::HardEvent::V_MTE2>();
        pipe_.InitBuffer(tiles_, 2 * tiling_.src_box.bytes);
        pipe_.InitBuffer(blocks_, 2 * tiling_.group * kBlockBytes);
    }

    __aicore__ inline void Process(GM_ADDR status)
    {
        const TaskRange tasks = MyTasks(tiling_.tasks);
        if (tasks.first < tasks.last) {
            Request(tasks.first);
        }
        for (uint64_t number = tasks.first; number < tasks.last; number++) {
            if (number + 1 < tasks.last) {
                Request(number + 1);
            }
            Gather(GatherTaskAt(tiling_, number), number % 2);
        }
        read_.Drain();
        stored_.Drain();
        taken_.Drain();
        bad_.Write(pipe_, status);
    }

private:
    __aicore__ inline void Request(uint64_t number)
    {
        const GatherTask task = GatherTaskAt(tiling_, number);
        const uint32_t turn = number % 2;
        read_.Wait(turn);
        index_.Copy(task.at, task.chunk, turn);
        arrived_.Set(turn);
    }

    __aicore__ inline void Gather(const GatherTask& task, uint32_t turn)
    {
        arrived_.Wait(turn);
        stored_.Wait(turn);
        const uint32_t count = task.chunk.updates * task.at.lanes;
        // Elements of the next group are under way while those of one are put where they go.
        uint32_t half = 0;
        for (uint32_t first = 0; first < count; first += tiling_.group) {
            Fetch(task, turn, first, count, half);
            if (first != 0) {
                Take(task, turn, first - tiling_.group, count, 1 - half);
            }
            half = 1 - half;
        }
        Take(task, turn, (count - 1) / tiling_.group * tiling_.group, count, 1 - half);
        read_.Set(turn);
        Order<AscendC::HardEvent::S_MTE3>();
        if (tiling_.targets != 0) {
            CopyOut(tiling_.src_box, task.chunk.updates, task.at.lanes, out_, task.chunk.src, Tile(turn));
        }
        stored_.Set(turn);
    }

    /// How many elements a group has.
    __aicore__ inline uint32_t GroupAt(uint32_t first, uint32_t count) const
    {
        return count - first < tiling_.group ? count - first : tiling_.group;
    }

    /// Has MTE2 copy the elements of a group to UB. Where self has none, all index values are bad.
    __aicore__ inline void Fetch(const GatherTask& task, uint32_t turn, uint32_t first, uint32_t count, uint32_t half)
    {
        const ScatterBox& box = tiling_.index_box;
        const Bytes index = index_.Of(turn);
        const Bytes blocks = Blocks(half);
        const uint32_t group = GroupAt(first, count);
        uint32_t update = first / task.at.lanes;
        uint32_t lane = first % task.at.lanes;
        taken_.Wait(half);
        for (uint32_t i = 0; i < group; i++) {
            const int64_t value = IndexValue(index, tiling_.index_bytes, update * box.ub[0] + lane * box.ub[1]);
            const uint64_t position =
                task.chunk.position + update * LastAxis(tiling_).position + lane * tiling_.lane.position;
            if (tiling_.targets == 0) {
                bad_.Note(position, value);
            } else {
                const uint64_t target = NearestTarget(value, tiling_.targets, position, bad_);
                const int64_t at = task.at.out + static_cast<int64_t>(lane) * tiling_.lane.out +
                    static_cast<int64_t>(target) * tiling_.target_step;
                Move(
                    blocks[i * kBlockBytes], self_[static_cast<uint64_t>(at)], Burst{1, tiling_.src_box.element, 0, 0});
            }
            if (++lane == task.at.lanes) {
                lane = 0;
                update++;
            }
        }
        fetched_.Set(half);
    }

    __aicore__ inline void Take(const GatherTask& task, uint32_t turn, uint32_t first, uint32_t count, uint32_t half)
    {
        fetched_.Wait(half);
        if (tiling_.targets != 0) {
            const Bytes blocks = Blocks(half);
            const Bytes tile = Tile(turn);
            WithBits(tiling_.src_box.element,
                TakeElements{tiling_.src_box, blocks, tile, task.at.lanes, first, GroupAt(first, count)});
        }
        taken_.Set(half);
    }

    __aicore__ inline Bytes Tile(uint32_t turn)
    {
        return tiles_.GetWithOffset<uint8_t>(tiling_.src_box.bytes, turn * tiling_.src_box.bytes);
    }

    __aicore__ inline Bytes Blocks(uint32_t half)
    {
        const uint32_t bytes = tiling_.group * kBlockBytes;
        return blocks_.GetWithOffset<uint8_t>(bytes, half * bytes);
    }

    AscendC::TPipe& pipe_;
    const ScatterGatherTiling& tiling_;
    IndexChunks<ScatterGatherTiling> index_;
    FirstBad bad_;
    GmBytes self_;
    GmBytes out_;
    /// A chunk of index has arrived from GM, and has been read; a tile has been written to GM.
    Turns<AscendC::HardEvent::MTE2_S> arrived_;
    Turns<AscendC::HardEvent::S_MTE2> read_;
    Turns<AscendC::HardEvent::MTE3_S> stored_;
    /// A group of elements has arrived from GM, and has been put where it goes.
    Turns<AscendC::HardEvent::MTE2_S> fetched_;
    Turns<AscendC::HardEvent::S_MTE2> taken_;
    AscendC::TBuf<AscendC::TPosition::VECOUT> tiles_;
    AscendC::TBuf<AscendC::TPosition::VECIN> blocks_;
};
