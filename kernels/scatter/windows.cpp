// scatter_windows: copies each window of src to where its entry of index says, as a cache of keys
// and values is written. Rows that replace others are windows of one element.
//
// A block has tiles of some windows. The first ones are loaded while the vector unit converts
// index. Where windows may meet, for several entries can name one place, the last one stays: each
// block looks at all entries, and stores of its windows only what no later one has. So every
// element of out is written once, by one block.
#include "booleans.h"
#include "kernels.h"
#include "task.h"
#include "window_places.h"

class ScatterWindows {
public:
    __aicore__ inline ScatterWindows(AscendC::TPipe& pipe, const ScatterWindowsTiling& tiling)
        : pipe_(pipe), tiling_(tiling), places_(tiling)
    {
        pipe.InitBuffer(queue_, kTiles, tiling.src_box.bytes);
        if (tiling.is_bool != 0) {
            pipe.InitBuffer(halves_, tiling.src_box.bytes * sizeof(half));
        }
    }

    __aicore__ inline void Process(GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status)
    {
        out_.SetGlobalBuffer(out);
        src_.SetGlobalBuffer(src);
        const TaskRange mine = MyTasks(tiling_.tasks);
        if (mine.first < mine.last) {
            places_.Init(pipe_, index);
            Order<AscendC::HardEvent::V_MTE2>();
            Copy(mine);
        }
        places_.bad.Write(pipe_, status);
    }

private:
    /// The tiles that are in UB at a time.
    static constexpr uint32_t kTiles = 3;

    /// A tile of a window.
    struct Tile {
        /// The window's entry.
        uint64_t entry;
        /// The tile's coordinates along the outer axes.
        uint64_t outer[SCATTER_MAX_AXES];
        /// Its first element along both of its axes.
        uint64_t at[2];
        /// Where it is in src.
        int64_t src;
        /// Where it is in out, from where the window begins.
        int64_t out;
        /// Its size along both axes.
        uint32_t size[2];
    };

    __aicore__ inline void Copy(TaskRange tasks)
    {
        Tile fetched = TileAt(tasks.first);
        Tile stored = fetched;
        const uint64_t last = (tasks.last - 1) / tiling_.pieces;
        if (tiling_.may_meet != 0) {
            places_.Request(0, static_cast<uint32_t>(tiling_.entry.size));
        } else {
            places_.Request(stored.entry, static_cast<uint32_t>(last + 1 - stored.entry));
        }
        const uint64_t count = tasks.last - tasks.first;
        uint64_t number = 0;
        for (; number < count && number < kTiles; number++) {
            Fetch(fetched);
        }
        places_.Convert();
        WindowOf window = places_.Of(stored.entry);
        for (uint64_t done = 0; done < count; done++, number++) {
            const uint64_t entry = stored.entry;
            Store(stored, window);
            if (number < count) {
                Fetch(fetched);
            }
            if (done + 1 < count && stored.entry != entry) {
                window = places_.Of(stored.entry);
            }
        }
    }

    __aicore__ inline Tile TileAt(uint64_t number) const
    {
        Tile tile;
        tile.entry = number / tiling_.pieces;
        uint64_t piece = number % tiling_.pieces;
        for (uint32_t axis = 2; axis-- > 0;) {
            tile.at[axis] = piece % tiling_.tiles[axis] * tiling_.tile[axis];
            piece /= tiling_.tiles[axis];
        }
        for (uint32_t axis = tiling_.outer_axes; axis-- > 0;) {
            tile.outer[axis] = piece % tiling_.outer[axis].size;
            piece /= tiling_.outer[axis].size;
        }
        Locate(tile);
        return tile;
    }

    /// Goes to the next tile, without a division.
    __aicore__ inline void GoOn(Tile& tile) const
    {
        for (uint32_t axis = 2; axis-- > 0;) {
            tile.at[axis] += tiling_.tile[axis];
            if (tile.at[axis] < tiling_.step[axis].size) {
                return Locate(tile);
            }
            tile.at[axis] = 0;
        }
        for (uint32_t axis = tiling_.outer_axes; axis-- > 0;) {
            if (++tile.outer[axis] < tiling_.outer[axis].size) {
                return Locate(tile);
            }
            tile.outer[axis] = 0;
        }
        tile.entry++;
        Locate(tile);
    }

    /// Sets where a tile is, and its size, by its coordinates.
    __aicore__ inline void Locate(Tile& tile) const
    {
        tile.src = tiling_.src_offset + static_cast<int64_t>(tile.entry) * tiling_.entry.src;
        tile.out = 0;
        for (uint32_t axis = 0; axis < 2; axis++) {
            const uint64_t left = tiling_.step[axis].size - tile.at[axis];
            tile.size[axis] = static_cast<uint32_t>(left < tiling_.tile[axis] ? left : tiling_.tile[axis]);
            tile.src += static_cast<int64_t>(tile.at[axis]) * tiling_.step[axis].src;
            tile.out += static_cast<int64_t>(tile.at[axis]) * tiling_.step[axis].out;
        }
        for (uint32_t axis = 0; axis < tiling_.outer_axes; axis++) {
            tile.src += static_cast<int64_t>(tile.outer[axis]) * tiling_.outer[axis].src;
            tile.out += static_cast<int64_t>(tile.outer[axis]) * tiling_.outer[axis].out;
        }
    }

    /// Starts the copy of a tile into UB, and goes to the next one.
    __aicore__ inline void Fetch(Tile& tile)
    {
        const Bytes elements = queue_.AllocTensor<uint8_t>();
        CopyIn(tiling_.src_box, tile.size[0], tile.size[1], elements, src_, tile.src);
        queue_.EnQue(elements);
        GoOn(tile);
    }

    /// Stores the part of a tile that is left to its window, and goes to the next tile.
    __aicore__ inline void Store(Tile& next, const WindowOf& window)
    {
        Bytes elements = queue_.DeQue<uint8_t>();
        Tile tile = next;
        GoOn(next);
        if (window.first != 0 || window.last != tiling_.extent) {
            if (!CutTo(tile, window)) {
                queue_.FreeTensor(elements);
                return;
            }
            // What is left need not begin at a block of UB, so it is loaded again.
            AscendC::PipeBarrier<PIPE_MTE2>();
            CopyIn(tiling_.src_box, tile.size[0], tile.size[1], elements, src_, tile.src);
            Order<AscendC::HardEvent::MTE2_MTE3>();
        }
        if (tiling_.is_bool != 0) {
            Order<AscendC::HardEvent::MTE2_V>();
            Normalize(elements, tile);
            Order<AscendC::HardEvent::V_MTE3>();
        }
        CopyOut(tiling_.out_box, tile.size[0], tile.size[1], out_, window.out + tile.out, elements);
        queue_.FreeTensor(elements);
    }

    /// Cuts a tile to the part that is left to its window. Returns false if nothing is left.
    __aicore__ inline bool CutTo(Tile& tile, const WindowOf& window) const
    {
        const uint32_t along = tiling_.along;
        const uint64_t at = tile.at[along];
        const uint64_t end = at + tile.size[along];
        const uint64_t first = window.first * tiling_.unit;
        const uint64_t last = window.last * tiling_.unit;
        const uint64_t from = at > first ? at : first;
        const uint64_t to = end < last ? end : last;
        if (from >= to) {
            return false;
        }
        tile.src += static_cast<int64_t>(from - at) * tiling_.step[along].src;
        tile.out += static_cast<int64_t>(from - at) * tiling_.step[along].out;
        tile.size[along] = static_cast<uint32_t>(to - from);
        return true;
    }

    /// Makes the elements of a tile 0 or 1.
    __aicore__ inline void Normalize(const Bytes& elements, const Tile& tile)
    {
        const Filled filled = FilledBy(tiling_.src_box, tile.size[0], tile.size[1]);
        for (uint32_t run = 0; run < filled.count; run++) {
            MakeBooleans(elements[run * filled.step], halves_.Get<half>(), filled.bytes);
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    AscendC::TPipe& pipe_;
    const ScatterWindowsTiling& tiling_;
    WindowPlaces places_;
    GmBytes out_;
    GmBytes src_;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, kTiles> queue_;
    /// A tile of booleans as f16.
    AscendC::TBuf<AscendC::TPosition::VECCALC> halves_;
};

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_windows(
    GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status, ScatterWindowsTiling tiling)
{
    SCATTER_TASK_TYPE;
    AscendC::TPipe pipe;
    ScatterWindows kernel(pipe, tiling);
    kernel.Process(out, index, src, status);
}
