// Which part of a call a block does, and the chunks in which its updates are read.
#pragma once

#include "../include/scatter_tiling.h"
#include "kernel_operator.h"

/// The tasks of this block: from `first` to below `last`.
struct TaskRange {
    uint64_t first;
    uint64_t last;
};

__aicore__ inline TaskRange MyTasks(uint64_t tasks)
{
    const uint64_t block = static_cast<uint64_t>(AscendC::GetBlockIdx());
    const uint64_t blocks = static_cast<uint64_t>(AscendC::GetBlockNum());
    const uint64_t each = tasks / blocks;
    const uint64_t more = tasks % blocks; // the first blocks have one more
    const uint64_t first = block * each + (block < more ? block : more);
    return TaskRange{first, first + each + (block < more ? 1 : 0)};
}

/// A task: where its first update is, and which targets it owns, unless it reads any. Offsets are
/// in bytes of GM.
struct Task {
    int64_t out;
    int64_t index;
    int64_t src;
    uint64_t position;
    uint32_t lanes;
    /// The first target, and the number of targets.
    uint64_t target;
    uint64_t targets;
};

/// The task of a tile of lanes of a coordinate of `outer`, without targets.
template <class Tiling>
__aicore__ inline Task TileAt(const Tiling& tiling, uint64_t number)
{
    const uint64_t lane = number % tiling.lane_tiles * tiling.lane_tile;
    number /= tiling.lane_tiles;

    Task task;
    const int64_t lanes = static_cast<int64_t>(lane);
    task.out = tiling.out_offset + lanes * tiling.lane.out;
    task.index = tiling.index_offset + lanes * tiling.lane.index;
    task.src = tiling.src_offset + lanes * tiling.lane.src;
    task.position = lane * tiling.lane.position;
    for (uint32_t axis = tiling.outer_axes; axis-- > 0;) {
        const ScatterAxis& outer = tiling.outer[axis];
        const uint64_t at = number % outer.size;
        number /= outer.size;
        task.out += static_cast<int64_t>(at) * outer.out;
        task.index += static_cast<int64_t>(at) * outer.index;
        task.src += static_cast<int64_t>(at) * outer.src;
        task.position += at * outer.position;
    }
    const uint64_t lanesLeft = tiling.lane.size - lane;
    task.lanes = static_cast<uint32_t>(lanesLeft < tiling.lane_tile ? lanesLeft : tiling.lane_tile);
    task.target = 0;
    task.targets = 0;
    return task;
}

template <class Tiling>
__aicore__ inline Task TaskAt(const Tiling& tiling, uint64_t number)
{
    const uint64_t part = number % tiling.target_parts;
    Task task = TileAt(tiling, number / tiling.target_parts);
    task.target = part * tiling.target_part;
    const uint64_t targetsLeft = tiling.targets - task.target;
    task.targets = targetsLeft < tiling.target_part ? targetsLeft : tiling.target_part;
    return task;
}

/// Consecutive updates of a task along the last update axis.
struct Chunk {
    int64_t index;
    int64_t src;
    uint64_t position;
    /// The position of the first one along that axis.
    uint64_t first;
    uint32_t updates;
};

/// The last update axis.
template <class Tiling>
__aicore__ inline const ScatterAxis& LastAxis(const Tiling& tiling)
{
    return tiling.update[tiling.update_axes - 1];
}

template <class Tiling>
__aicore__ inline uint64_t ChunksPerRun(const Tiling& tiling)
{
    return (LastAxis(tiling).size + tiling.chunk - 1) / tiling.chunk;
}

template <class Tiling>
__aicore__ inline Chunk ChunkAt(const Tiling& tiling, const Task& task, uint64_t number)
{
    const ScatterAxis& last = LastAxis(tiling);
    const uint64_t perRun = ChunksPerRun(tiling);
    const uint64_t first = number % perRun * tiling.chunk;
    uint64_t run = number / perRun;

    Chunk chunk;
    chunk.first = first;
    chunk.index = task.index + static_cast<int64_t>(first) * last.index;
    chunk.src = task.src + static_cast<int64_t>(first) * last.src;
    chunk.position = task.position + first * last.position;
    for (uint32_t axis = tiling.update_axes - 1; axis-- > 0;) {
        const ScatterAxis& update = tiling.update[axis];
        const uint64_t at = run % update.size;
        run /= update.size;
        chunk.index += static_cast<int64_t>(at) * update.index;
        chunk.src += static_cast<int64_t>(at) * update.src;
        chunk.position += at * update.position;
    }
    const uint64_t left = last.size - first;
    chunk.updates = static_cast<uint32_t>(left < tiling.chunk ? left : tiling.chunk);
    return chunk;
}
