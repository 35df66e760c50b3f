// Copies a box of two axes between GM and UB, whatever its strides, by as few DMA instructions as
// its layout allows.
#pragma once

#include "../include/scatter_tiling.h"
#include "hot.h"

using Bytes = AscendC::LocalTensor<uint8_t>;
using GmBytes = AscendC::GlobalTensor<uint8_t>;

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t kMaxBlocks = 4095;

SCATTER_HOT uint32_t Padded(uint32_t bytes)
{
    return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

/// `count` runs of `bytes` bytes; their strides are `gm` in GM and `ub` in UB.
struct Runs {
    uint32_t count;
    uint32_t bytes;
    int64_t gm;
    uint32_t ub;
};

/// A box as `count` groups of runs that all have the same layout; the groups' strides are `gm` in
/// GM and `ub` in UB.
struct Groups {
    Runs runs;
    uint32_t count;
    int64_t gm;
    uint32_t ub;
};

/// The runs of the first n0 × n1 elements of a box.
__aicore__ inline Groups GroupsOf(const ScatterBox& box, uint32_t n0, uint32_t n1)
{
    // Along an axis without a stride there is one element.
    n0 = box.gm[0] == 0 ? 1 : n0;
    n1 = box.gm[1] == 0 ? 1 : n1;
    switch (static_cast<ScatterRun>(box.run)) {
    case ScatterRun::Axis0: return Groups{Runs{n1, n0 * box.element, box.gm[1], box.ub[1]}, 1, 0, 0};
    case ScatterRun::Axis1: return Groups{Runs{n0, n1 * box.element, box.gm[0], box.ub[0]}, 1, 0, 0};
    case ScatterRun::Whole: return Groups{Runs{1, n0 * n1 * box.element, 0, 0}, 1, 0, 0};
    case ScatterRun::None: break;
    }
    return Groups{Runs{n1, box.element, box.gm[1], box.ub[1]}, n0, box.gm[0], box.ub[0]};
}

/// One instruction: `count` runs of `bytes` bytes with gaps between them, in bytes of GM and in
/// blocks of UB.
struct Burst {
    uint32_t count;
    uint32_t bytes;
    uint32_t gmGap;
    uint32_t ubGap;
};

/// From GM to UB; runs are padded to 32 bytes with zeros.
SCATTER_HOT void Move(const Bytes& to, const GmBytes& from, const Burst& burst)
{
    const AscendC::DataCopyExtParams params(
        static_cast<uint16_t>(burst.count), burst.bytes, burst.gmGap, burst.ubGap, 0);
    const uint8_t padding = static_cast<uint8_t>(Padded(burst.bytes) - burst.bytes);
    const AscendC::DataCopyPadExtParams<uint8_t> pad(true, 0, padding, 0);
    AscendC::DataCopyPad(to, from, params, pad);
}

/// From UB to GM; only the runs' own bytes are written.
SCATTER_HOT void Move(const GmBytes& to, const Bytes& from, const Burst& burst)
{
    const AscendC::DataCopyExtParams params(
        static_cast<uint16_t>(burst.count), burst.bytes, burst.ubGap, burst.gmGap, 0);
    AscendC::DataCopyPad(to, from, params);
}

__aicore__ inline void MoveAt(
    const Bytes& ub, uint32_t ubAt, const GmBytes& gm, int64_t gmAt, const Burst& burst, bool in)
{
    if (in) {
        Move(ub[ubAt], gm[static_cast<uint64_t>(gmAt)], burst);
    } else {
        Move(gm[static_cast<uint64_t>(gmAt)], ub[ubAt], burst);
    }
}

/// Copies runs by as few instructions as possible: up to 4095 at once, or each by itself where they
/// are too far apart in GM, overlap, or have a negative stride.
__aicore__ inline void MoveRuns(
    const Runs& runs, const Bytes& ub, uint32_t ubAt, const GmBytes& gm, int64_t gmAt, bool in)
{
    const int64_t gap = runs.gm - static_cast<int64_t>(runs.bytes);
    const bool together = gap >= 0 && gap <= 0xffffffffLL;
    const uint32_t most = together ? kMaxBlocks : 1;
    for (uint32_t done = 0; done < runs.count; done += most) {
        Burst burst{runs.count - done < most ? runs.count - done : most, runs.bytes, 0, 0};
        if (burst.count > 1) {
            burst.gmGap = static_cast<uint32_t>(gap);
            burst.ubGap = (runs.ub - Padded(runs.bytes)) / kBlockBytes;
        }
        MoveAt(ub, ubAt + done * runs.ub, gm, gmAt + static_cast<int64_t>(done) * runs.gm, burst, in);
    }
}

__aicore__ inline void MoveBox(
    const ScatterBox& box, uint32_t n0, uint32_t n1, const Bytes& ub, const GmBytes& gm, int64_t gmAt, bool in)
{
    const Groups groups = GroupsOf(box, n0, n1);
    for (uint32_t i = 0; i < groups.count; i++) {
        MoveRuns(groups.runs, ub, i * groups.ub, gm, gmAt + static_cast<int64_t>(i) * groups.gm, in);
    }
}

/// Copies n0 × n1 elements, the first of which is at `gmAt`, to UB.
__aicore__ inline void CopyIn(
    const ScatterBox& box, uint32_t n0, uint32_t n1, const Bytes& to, const GmBytes& from, int64_t gmAt)
{
    MoveBox(box, n0, n1, to, from, gmAt, true);
}

/// Copies n0 × n1 elements from UB, the first of them to `gmAt`.
__aicore__ inline void CopyOut(
    const ScatterBox& box, uint32_t n0, uint32_t n1, const GmBytes& to, int64_t gmAt, const Bytes& from)
{
    MoveBox(box, n0, n1, from, to, gmAt, false);
}

/// The blocks of UB that a copy fills: `count` times `bytes` adjacent ones, `step` bytes apart.
struct Filled {
    uint32_t count;
    uint32_t bytes;
    uint32_t step;
};

/// What the copy of n0 × n1 elements fills in a box with runs along axis 1 or without runs.
__aicore__ inline Filled FilledBy(const ScatterBox& box, uint32_t n0, uint32_t n1)
{
    const bool isRun = static_cast<ScatterRun>(box.run) == ScatterRun::Axis1;
    const uint32_t bytes = isRun ? Padded(n1 * box.element) : n1 * kBlockBytes;
    if (n0 == 1 || bytes == box.ub[0]) {
        return Filled{1, n0 * bytes, 0};
    }
    return Filled{n0, bytes, box.ub[0]};
}
