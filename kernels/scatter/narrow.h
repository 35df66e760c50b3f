// Converts index values in UB to targets as f32, by vector instructions.
//
// A target is a whole number below 2^24, which f32 holds exactly. The Cast rounds down, so it is
// monotone, and exact up to 2^24: a value that is out of range stays out of range, whatever its
// upper bits are, and nothing depends on how a conversion or an integer sum overflows.
#pragma once

#include "index_value.h"
#include "status.h"

/// The targets whose marks fill a block of UB. `MarkGood` works on whole blocks, and so reads
/// beyond the last target.
constexpr uint32_t kMarksPerBlock = kBlockBytes * 8;

__aicore__ inline uint32_t MarkedTargets(uint32_t count)
{
    return (count + kMarksPerBlock - 1) / kMarksPerBlock * kMarksPerBlock;
}

/// Index values as floats that are exact up to 2^24 and monotone beyond.
__aicore__ inline void CastDown(
    const AscendC::LocalTensor<float>& values, const Bytes& index, uint32_t indexBytes, uint32_t count)
{
    if (indexBytes == sizeof(int64_t)) {
        AscendC::Cast(values, index.ReinterpretCast<int64_t>(), AscendC::RoundMode::CAST_FLOOR, count);
    } else {
        AscendC::Cast(values, index.ReinterpretCast<int32_t>(), AscendC::RoundMode::CAST_FLOOR, count);
    }
}

/// Adds `size` to what is negative; `scratch` is as large as `targets`. No barrier behind the last
/// instruction.
__aicore__ inline void WrapNegative(const AscendC::LocalTensor<float>& targets,
    const AscendC::LocalTensor<float>& scratch, uint32_t count, uint32_t size)
{
    const int32_t all = static_cast<int32_t>(count);
    AscendC::Mins(scratch, targets, 0.0f, all);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Maxs(scratch, scratch, -1.0f, all); // -1 for what is negative, and 0 for the rest
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(scratch, scratch, -static_cast<float>(size), all);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Add(targets, targets, scratch, all);
}

/// Pads `count` targets with target 0 up to `MarkedTargets(count)`. No barrier behind the last
/// instruction.
__aicore__ inline void FillMarked(const AscendC::LocalTensor<float>& targets, uint32_t count)
{
    const uint32_t whole = count / 64 * 64; // where a repeat begins
    if (whole != MarkedTargets(count)) {
        AscendC::Duplicate(targets[whole], 0.0f, static_cast<int32_t>(MarkedTargets(count) - whole));
        AscendC::PipeBarrier<PIPE_V>();
    }
}

/// Converts `count` index values of `indexBytes` bytes to targets of an axis of `size`: negative
/// ones wrap, and bad ones become numbers outside [0, size). Behind them, up to
/// `MarkedTargets(count)`, comes target 0. `scratch` is as large as `targets`. Vector instructions
/// only, without a barrier behind the last one.
__aicore__ inline void Narrow(const AscendC::LocalTensor<float>& targets, const AscendC::LocalTensor<float>& scratch,
    const Bytes& index, uint32_t indexBytes, uint32_t count, uint32_t size)
{
    FillMarked(targets, count);
    CastDown(targets, index, indexBytes, count);
    AscendC::PipeBarrier<PIPE_V>();
    WrapNegative(targets, scratch, count, size);
}

/// Clamps targets to [lowest, highest]. No barrier behind the last instruction.
__aicore__ inline void ClampTo(const AscendC::LocalTensor<float>& targets, uint32_t count, float lowest, float highest)
{
    AscendC::Maxs(targets, targets, lowest, static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mins(targets, targets, highest, static_cast<int32_t>(count));
}

/// Clamps bad targets to -1 and `size`, so that they have places of their own.
__aicore__ inline void ClampTargets(const AscendC::LocalTensor<float>& targets, uint32_t count, uint32_t size)
{
    ClampTo(targets, count, -1.0f, static_cast<float>(size));
}

/// Has the vector unit look for targets outside [0, size); `IsAllGood` returns the result when the
/// scalar unit has waited for it. Afterwards `targets` may be written again without a barrier.
/// `marks` and `scratch` hold `MarkedTargets(count) / 8` bytes, and `targets` holds
/// `MarkedTargets(count)` targets.
__aicore__ inline void MarkGood(
    const Bytes& marks, const Bytes& scratch, const AscendC::LocalTensor<float>& targets, uint32_t count, uint32_t size)
{
    const uint32_t marked = MarkedTargets(count);
    AscendC::CompareScalar(marks, targets, 0.0f, AscendC::CMPMODE::GE, marked);
    AscendC::CompareScalar(scratch, targets, static_cast<float>(size), AscendC::CMPMODE::LT, marked);
    AscendC::PipeBarrier<PIPE_V>();
    constexpr uint32_t kWords = kBlockBytes / sizeof(uint16_t);
    const auto all = marks.ReinterpretCast<uint16_t>();
    uint32_t blocks = marked / kMarksPerBlock;
    AscendC::And(all, all, scratch.ReinterpretCast<uint16_t>(), static_cast<int32_t>(blocks * kWords));
    while (blocks > 1) {
        const uint32_t half = blocks / 2;
        blocks -= half;
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::And(all, all, all[blocks * kWords], static_cast<int32_t>(half * kWords));
    }
}

/// Whether `MarkGood` found no target out of range.
__aicore__ inline bool IsAllGood(const Bytes& marks)
{
    const auto words = marks.ReinterpretCast<uint64_t>();
    const uint64_t first = words.GetValue(0);
    const uint64_t second = words.GetValue(1);
    const uint64_t third = words.GetValue(2);
    const uint64_t fourth = words.GetValue(3);
    return (first & second & third & fourth) == ~0ULL;
}

/// `count` index values in UB from byte `at` on: their stride is `apart` bytes there, and `step` in
/// the row-major order of index.
struct IndexRun {
    uint32_t at;
    uint32_t apart;
    uint32_t count;
    uint64_t position;
    uint64_t step;
};

/// Notes the first bad value of a run, on the scalar unit; for use where `IsAllGood` is false.
__aicore__ inline void NoteFirstBad(
    FirstBad& bad, const Bytes& index, uint32_t indexBytes, const IndexRun& run, uint32_t size)
{
    const int64_t most = static_cast<int64_t>(size);
    for (uint32_t entry = 0; entry < run.count; entry++) {
        const int64_t value = IndexValue(index, indexBytes, run.at + entry * run.apart);
        if (value < -most || value >= most) {
            bad.Note(run.position + entry * run.step, value);
            return;
        }
    }
}
