// scatter_copy: out = self, whatever their strides, before the updates of a call that is not in
// place. Where index is empty and out overlaps self or itself, two launches copy self to the
// workspace and the workspace to out. Where there is no self, out becomes zeros.
//
// The index tensors of a list are copied to the workspace by it, too, those of i32 as i64. Where
// one is broadcast along an axis on which the copy is contiguous, each of its values fills a row in
// UB.
#include "box.h"
#include "index_value.h"
#include "kernels.h"
#include "sync.h"
#include "task.h"

class ScatterCopy {
public:
    __aicore__ inline ScatterCopy(AscendC::TPipe& pipe, const ScatterCopyTiling& tiling) : tiling_(tiling)
    {
        if (tiling.zeros != 0) {
            pipe.InitBuffer(zeros_, tiling.self_box.bytes);
        } else if (tiling.repeated != 0) {
            pipe.InitBuffer(narrow_, 1, tiling.self_box.bytes);
            pipe.InitBuffer(wide_, 2, tiling.out_box.bytes);
        } else if (tiling.widened != 0) {
            pipe.InitBuffer(narrow_, 2, tiling.self_box.bytes);
            pipe.InitBuffer(wide_, 2, tiling.out_box.bytes);
        } else {
            pipe.InitBuffer(queue_, 2, tiling.self_box.bytes);
        }
    }

    __aicore__ inline void Process(GM_ADDR self, GM_ADDR out)
    {
        self_.SetGlobalBuffer(self);
        out_.SetGlobalBuffer(out);
        const TaskRange tasks = MyTasks(tiling_.tasks);
        if (tiling_.zeros != 0) {
            WriteZeros(tasks);
            return;
        }
        for (uint64_t number = tasks.first; number < tasks.last; number++) {
            if (tiling_.repeated != 0) {
                RepeatTile(TileOf(number));
            } else if (tiling_.widened != 0) {
                WidenTile(TileOf(number));
            } else {
                CopyTile(TileOf(number));
            }
        }
    }

private:
    /// A tile of both tensors: where it begins, and its sizes.
    struct Tile {
        int64_t from;
        int64_t to;
        uint32_t n0;
        uint32_t n1;
    };

    __aicore__ inline Tile TileOf(uint64_t number) const
    {
        const uint64_t at1 = number % tiling_.tiles[1] * tiling_.tile[1];
        number /= tiling_.tiles[1];
        const uint64_t at0 = number % tiling_.tiles[0] * tiling_.tile[0];
        number /= tiling_.tiles[0];
        int64_t from = tiling_.self_offset + Offset(at0, tiling_.step[0].index) + Offset(at1, tiling_.step[1].index);
        int64_t to = tiling_.out_offset + Offset(at0, tiling_.step[0].out) + Offset(at1, tiling_.step[1].out);
        for (uint32_t axis = tiling_.outer_axes; axis-- > 0;) {
            const ScatterAxis& outer = tiling_.outer[axis];
            from += Offset(number % outer.size, outer.index);
            to += Offset(number % outer.size, outer.out);
            number /= outer.size;
        }
        return Tile{from, to, Size(at0, 0), Size(at1, 1)};
    }

    __aicore__ inline void CopyTile(const Tile& at)
    {
        Bytes tile = queue_.AllocTensor<uint8_t>();
        CopyIn(tiling_.self_box, at.n0, at.n1, tile, self_, at.from);
        queue_.EnQue(tile);
        tile = queue_.DeQue<uint8_t>();
        Write(at, tile);
        queue_.FreeTensor(tile);
    }

    /// Copies a tile of i32, and writes it as i64.
    __aicore__ inline void WidenTile(const Tile& at)
    {
        Bytes narrow = narrow_.AllocTensor<uint8_t>();
        CopyIn(tiling_.self_box, at.n0, at.n1, narrow, self_, at.from);
        narrow_.EnQue(narrow);
        narrow = narrow_.DeQue<uint8_t>();
        Bytes wide = wide_.AllocTensor<uint8_t>();
        Widen(wide, narrow, at.n0, at.n1);
        narrow_.FreeTensor(narrow);
        wide_.EnQue(wide);
        wide = wide_.DeQue<uint8_t>();
        Write(at, wide);
        wide_.FreeTensor(wide);
    }

    /// Converts all blocks of a tile that a copy has filled: whole blocks, because a copy fills up
    /// its last one.
    __aicore__ inline void Widen(const Bytes& wide, const Bytes& narrow, uint32_t n0, uint32_t n1)
    {
        const Filled filled = FilledBy(tiling_.self_box, n0, n1);
        for (uint32_t run = 0; run < filled.count; run++) {
            const auto to = wide[2 * run * filled.step].ReinterpretCast<int64_t>();
            const auto from = narrow[run * filled.step].ReinterpretCast<int32_t>();
            AscendC::Cast(to, from, AscendC::RoundMode::CAST_NONE, filled.bytes / sizeof(int32_t));
        }
    }

    /// Copies a column of index values, and writes a row for each.
    __aicore__ inline void RepeatTile(const Tile& at)
    {
        Bytes values = narrow_.AllocTensor<uint8_t>();
        CopyIn(tiling_.self_box, at.n0, 1, values, self_, at.from);
        narrow_.EnQue(values);
        values = narrow_.DeQue<uint8_t>();
        // The queue has the vector unit wait for the values, but the scalar unit reads them.
        Order<AscendC::HardEvent::MTE2_S>();
        for (uint32_t row = 0; row < at.n0; row++) {
            const int64_t value = IndexValue(values, tiling_.self_box.element, row * tiling_.self_box.ub[0]);
            Bytes wide = wide_.AllocTensor<uint8_t>();
            Fill(wide.ReinterpretCast<int32_t>(), value, at.n1);
            wide_.EnQue(wide);
            wide = wide_.DeQue<uint8_t>();
            Move(out_[static_cast<uint64_t>(at.to + Offset(row, tiling_.step[0].out))], wide,
                Burst{1, at.n1 * static_cast<uint32_t>(sizeof(int64_t)), 0, 0});
            wide_.FreeTensor(wide);
        }
        Order<AscendC::HardEvent::S_MTE2>();
        narrow_.FreeTensor(values);
    }

    /// Fills `count` words of 64 bits with a value: first their lower halves, then their upper
    /// ones.
    __aicore__ inline void Fill(const AscendC::LocalTensor<int32_t>& words, int64_t value, uint32_t count)
    {
        constexpr uint32_t kPlaces = 32; // of a repeat
        const uint8_t repeats = static_cast<uint8_t>((count + kPlaces - 1) / kPlaces);
        uint64_t lower[] = {0x5555555555555555, 0};
        uint64_t upper[] = {0xaaaaaaaaaaaaaaaa, 0};
        AscendC::Duplicate(words, static_cast<int32_t>(value), lower, repeats, 1, 8);
        AscendC::Duplicate(words, static_cast<int32_t>(value >> 32), upper, repeats, 1, 8);
    }

    /// Every tile of out is written from the same zeros.
    __aicore__ inline void WriteZeros(TaskRange tasks)
    {
        const uint32_t words = tiling_.self_box.bytes / sizeof(int32_t);
        AscendC::Duplicate(zeros_.Get<int32_t>(), 0, static_cast<int32_t>(words));
        Order<AscendC::HardEvent::V_MTE3>();
        for (uint64_t number = tasks.first; number < tasks.last; number++) {
            Write(TileOf(number), zeros_.Get<uint8_t>());
        }
    }

    __aicore__ inline void Write(const Tile& at, const Bytes& tile)
    {
        CopyOut(tiling_.out_box, at.n0, at.n1, out_, at.to, tile);
        if (tiling_.in_order != 0) {
            AscendC::PipeBarrier<PIPE_MTE3>();
        }
    }

    static __aicore__ inline int64_t Offset(uint64_t at, int64_t stride) { return static_cast<int64_t>(at) * stride; }

    __aicore__ inline uint32_t Size(uint64_t at, uint32_t axis) const
    {
        const uint64_t left = tiling_.step[axis].size - at;
        return static_cast<uint32_t>(left < tiling_.tile[axis] ? left : tiling_.tile[axis]);
    }

    const ScatterCopyTiling& tiling_;
    GmBytes self_;
    GmBytes out_;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue_;
    /// Tiles of index values as they are read.
    AscendC::TQue<AscendC::TPosition::VECIN, 1> narrow_;
    /// Tiles of index values as i64.
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> wide_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> zeros_;
};

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_copy(GM_ADDR self, GM_ADDR out, ScatterCopyTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    ScatterCopy kernel(pipe, tiling);
    kernel.Process(self, out);
}
