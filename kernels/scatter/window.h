// The elements of out that a task is updating, held in UB.
//
// A task's targets × lanes are cut into lines; the window has a slot for each. Where it has fewer
// slots than there are lines, a line is evicted, and written back, when another one needs its slot.
// Lines are loaded when they are first needed, so a line that no update goes to is neither read nor
// written.
//
// The caller claims the places of a group of updates, loads, and applies the updates:
//
//     // Until a claim is refused, because its slot holds a line that the group needs.
//     while (window.Claim(target, place) ...)
//     window.Load();
//     ... updates at the places ...
//
// and flushes at the end of the task. f16 and bf16 are held as f32. For these, and for updates that
// are counted, plans have a slot for every line, so that none is evicted: an accumulator is rounded
// once.
#pragma once

#include "mean.h"
#include "sync.h"
#include "task.h"
#include "wide.h"

class Window {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterTiling& tiling, GM_ADDR out)
    {
        tiling_ = &tiling;
        box_ = &tiling.out_box;
        wide_ = IsWide(DTypeOf(tiling), ReduceOf(tiling));
        lineElements_ = box_->bytes / box_->element;
        lineBytes_ = wide_ ? lineElements_ * sizeof(float) : box_->bytes;
        out_.SetGlobalBuffer(out);

        pipe.InitBuffer(values_, tiling.lines * lineBytes_);
        if (wide_) {
            pipe.InitBuffer(stage_, box_->bytes);
        }
        if (tiling.counted != 0) {
            pipe.InitBuffer(counts_, tiling.lines * lineElements_ * sizeof(uint32_t));
        }
        pipe.InitBuffer(held_, tiling.lines * sizeof(int64_t));
        pipe.InitBuffer(claims_, tiling.lines * sizeof(uint32_t));
        pipe.InitBuffer(leaving_, tiling.lines * sizeof(int64_t));
        pipe.InitBuffer(loading_, tiling.lines * sizeof(uint32_t));
    }

    /// Empties the window, for the targets of a task.
    __aicore__ inline void Begin(const Task& task)
    {
        task_ = &task;
        group_ = 1;
        loads_ = 0;
        const auto held = held_.Get<int64_t>();
        const auto claims = claims_.Get<uint32_t>();
        for (uint32_t slot = 0; slot < tiling_->lines; slot++) {
            held.SetValue(slot, kEmpty);
            claims.SetValue(slot, 0);
        }
    }

    /// Gives the place of the first lane of a target of the task (numbered from the task's first);
    /// it holds from the next `Load` to the one after that. Returns false where the slot has been
    /// claimed for another line since the last `Load`.
    __aicore__ inline bool Claim(uint64_t target, uint32_t& place)
    {
        const int64_t line = static_cast<int64_t>(target >> tiling_->line_shift);
        const uint32_t slot = static_cast<uint32_t>(line) & tiling_->slot_mask;
        const auto held = held_.Get<int64_t>();
        const auto claims = claims_.Get<uint32_t>();
        const int64_t current = held.GetValue(slot);
        if (current != line) {
            if (claims.GetValue(slot) == group_) {
                return false;
            }
            leaving_.Get<int64_t>().SetValue(loads_, current);
            loading_.Get<uint32_t>().SetValue(loads_, slot);
            loads_++;
            held.SetValue(slot, line);
        }
        claims.SetValue(slot, group_);
        const uint32_t within = static_cast<uint32_t>(target & ((1ULL << tiling_->line_shift) - 1));
        place = slot * lineElements_ + within * (box_->ub[0] / box_->element);
        return true;
    }

    /// Loads the claimed lines that are not in their slots. Afterwards the scalar unit may use
    /// them.
    __aicore__ inline void Load()
    {
        group_++;
        if (loads_ == 0) {
            return;
        }
        MakeWay();
        const auto held = held_.Get<int64_t>();
        for (uint32_t i = 0; i < loads_; i++) {
            const uint32_t slot = loading_.Get<uint32_t>().GetValue(i);
            LoadLine(slot, held.GetValue(slot));
        }
        if (tiling_->counted != 0) {
            ClearCounts();
        }
        if (wide_) {
            Order<AscendC::HardEvent::V_S>();
        } else {
            Order<AscendC::HardEvent::MTE2_S>();
        }
        loads_ = 0;
    }

    /// Finishes the elements and writes back what is held.
    __aicore__ inline void Flush()
    {
        const bool mean = ReduceOf(*tiling_) == ScatterReduce::Mean;
        const auto held = held_.Get<int64_t>();
        if (mean) {
            for (uint32_t slot = 0; slot < tiling_->lines; slot++) {
                if (held.GetValue(slot) != kEmpty) {
                    FinishMeans(slot);
                }
            }
        }
        BeforeStore();
        for (uint32_t slot = 0; slot < tiling_->lines; slot++) {
            if (held.GetValue(slot) != kEmpty) {
                StoreLine(slot, held.GetValue(slot));
            }
        }
        // The next lines are loaded into the slots from which these are written.
        Order<AscendC::HardEvent::MTE3_MTE2>();
    }

    __aicore__ inline Bytes Values() { return values_.Get<uint8_t>(); }

    /// Returns how many updates the element at a place has had, and counts one more.
    __aicore__ inline uint32_t Count(uint32_t place)
    {
        const auto counts = counts_.Get<uint32_t>();
        const uint32_t count = counts.GetValue(place);
        counts.SetValue(place, count + 1);
        return count;
    }

private:
    static constexpr int64_t kEmpty = -1;

    /// How many targets a line has: the last one of a part may have fewer.
    __aicore__ inline uint32_t TargetsOf(int64_t line) const
    {
        const uint64_t most = 1ULL << tiling_->line_shift;
        const uint64_t left = task_->targets - (static_cast<uint64_t>(line) << tiling_->line_shift);
        return static_cast<uint32_t>(left < most ? left : most);
    }

    /// Where the first element of a line is in GM.
    __aicore__ inline int64_t OffsetOf(int64_t line) const
    {
        uint64_t target = task_->target + (static_cast<uint64_t>(line) << tiling_->line_shift);
        int64_t offset = task_->out;
        for (uint32_t axis = tiling_->target_axes; axis-- > 0;) {
            offset += static_cast<int64_t>(target % tiling_->target[axis].size) * tiling_->target[axis].out;
            target /= tiling_->target[axis].size;
        }
        return offset;
    }

    /// A slot's line, in a tensor of its own that ends where the line ends.
    template <class T>
    __aicore__ inline AscendC::LocalTensor<T> Line(uint32_t slot)
    {
        return values_.GetWithOffset<T>(lineBytes_ / sizeof(T), slot * lineBytes_);
    }

    __aicore__ inline void LoadLine(uint32_t slot, int64_t line)
    {
        const uint32_t targets = TargetsOf(line);
        if (!wide_) {
            CopyIn(*box_, targets, task_->lanes, Line<uint8_t>(slot), out_, OffsetOf(line));
            return;
        }
        CopyIn(*box_, targets, task_->lanes, stage_.Get<uint8_t>(), out_, OffsetOf(line));
        Order<AscendC::HardEvent::MTE2_V>();
        Widen(DTypeOf(*tiling_), *box_, targets, task_->lanes, Line<float>(slot), stage_.Get<uint8_t>());
        Order<AscendC::HardEvent::V_MTE2>();
    }

    /// Has MTE3, or the vector unit where elements are narrowed first, wait for the scalar unit.
    __aicore__ inline void BeforeStore()
    {
        if (wide_) {
            Order<AscendC::HardEvent::S_V>();
        } else {
            Order<AscendC::HardEvent::S_MTE3>();
        }
    }

    __aicore__ inline void StoreLine(uint32_t slot, int64_t line)
    {
        const uint32_t targets = TargetsOf(line);
        if (!wide_) {
            CopyOut(*box_, targets, task_->lanes, out_, OffsetOf(line), Line<uint8_t>(slot));
            return;
        }
        Narrow(DTypeOf(*tiling_), *box_, targets, task_->lanes, stage_.Get<uint8_t>(), Line<float>(slot));
        Order<AscendC::HardEvent::V_MTE3>();
        CopyOut(*box_, targets, task_->lanes, out_, OffsetOf(line), stage_.Get<uint8_t>());
        Order<AscendC::HardEvent::MTE3_V>();
    }

    /// Writes back the lines that are evicted.
    __aicore__ inline void MakeWay()
    {
        const auto leaving = leaving_.Get<int64_t>();
        bool any = false;
        for (uint32_t i = 0; i < loads_; i++) {
            any = any || leaving.GetValue(i) != kEmpty;
        }
        if (!any) {
            return;
        }
        BeforeStore();
        for (uint32_t i = 0; i < loads_; i++) {
            if (leaving.GetValue(i) != kEmpty) {
                StoreLine(loading_.Get<uint32_t>().GetValue(i), leaving.GetValue(i));
            }
        }
        // A line that was written may be loaded again, and into a slot from which another one was
        // written.
        Order<AscendC::HardEvent::MTE3_MTE2>();
    }

    __aicore__ inline void ClearCounts()
    {
        const auto counts = counts_.Get<uint32_t>();
        for (uint32_t i = 0; i < loads_; i++) {
            const uint32_t slot = loading_.Get<uint32_t>().GetValue(i);
            for (uint32_t at = slot * lineElements_; at < (slot + 1) * lineElements_; at++) {
                counts.SetValue(at, 0);
            }
        }
    }

    /// Divides the sums of a slot by their counts.
    __aicore__ inline void FinishMeans(uint32_t slot)
    {
        const auto counts = counts_.Get<uint32_t>();
        for (uint32_t at = slot * lineElements_; at < (slot + 1) * lineElements_; at++) {
            const uint32_t count = counts.GetValue(at);
            if (count != 0) {
                DivideByCount(*tiling_, values_.Get<uint8_t>(), at, count);
            }
        }
    }

    const ScatterTiling* tiling_;
    const ScatterBox* box_;
    const Task* task_;
    GmBytes out_;
    bool wide_;
    uint32_t lineElements_;
    uint32_t lineBytes_;
    uint32_t group_;
    uint32_t loads_;
    /// The lines' elements, slot by slot.
    AscendC::TBuf<AscendC::TPosition::VECOUT> values_;
    /// The staging buffer for a line of f16 or bf16.
    AscendC::TBuf<AscendC::TPosition::VECOUT> stage_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> counts_;
    /// For each slot, the line that it holds.
    AscendC::TBuf<AscendC::TPosition::VECCALC> held_;
    /// For each slot, the last group that claimed it.
    AscendC::TBuf<AscendC::TPosition::VECCALC> claims_;
    /// The slots to load.
    AscendC::TBuf<AscendC::TPosition::VECCALC> loading_;
    /// The lines that are evicted from these slots.
    AscendC::TBuf<AscendC::TPosition::VECCALC> leaving_;
};
