// Converts f16 and bf16 to f32 and back: a box at a time, or runs whose strides differ between the
// two.
#pragma once

#include "box.h"

template <class Half>
__aicore__ inline void Convert(
    const AscendC::LocalTensor<float>& wide, const Bytes& narrow, uint32_t at, uint32_t bytes, bool widen)
{
    const uint32_t element = at / sizeof(Half);
    const uint32_t count = bytes / sizeof(Half);
    const AscendC::LocalTensor<Half> half = narrow[at].template ReinterpretCast<Half>();
    if (widen) {
        AscendC::Cast(wide[element], half, AscendC::RoundMode::CAST_NONE, count);
    } else {
        AscendC::Cast(half, wide[element], AscendC::RoundMode::CAST_RINT, count);
    }
}

/// Converts the runs of n0 × n1 elements, with their padding, between `narrow` and `wide`, in which
/// an element has the same number.
template <class Half>
__aicore__ inline void ConvertBox(const ScatterBox& box, uint32_t n0, uint32_t n1,
    const AscendC::LocalTensor<float>& wide, const Bytes& narrow, bool widen)
{
    const Groups groups = GroupsOf(box, n0, n1);
    const uint32_t padded = Padded(groups.runs.bytes);
    const bool together = groups.runs.count == 1 || groups.runs.ub == padded;
    const uint32_t pieces = together ? 1 : groups.runs.count;
    const uint32_t bytes = together ? padded * groups.runs.count : padded;
    for (uint32_t i = 0; i < groups.count; i++) {
        for (uint32_t piece = 0; piece < pieces; piece++) {
            Convert<Half>(wide, narrow, i * groups.ub + piece * groups.runs.ub, bytes, widen);
        }
    }
}

__aicore__ inline void Widen(ScatterDType dtype, const ScatterBox& box, uint32_t n0, uint32_t n1,
    const AscendC::LocalTensor<float>& to, const Bytes& from)
{
    if (dtype == ScatterDType::F16) {
        ConvertBox<half>(box, n0, n1, to, from, true);
    } else {
        ConvertBox<bfloat16_t>(box, n0, n1, to, from, true);
    }
}

/// Rounds to nearest, to even on a tie.
__aicore__ inline void Narrow(ScatterDType dtype, const ScatterBox& box, uint32_t n0, uint32_t n1, const Bytes& to,
    const AscendC::LocalTensor<float>& from)
{
    if (dtype == ScatterDType::F16) {
        ConvertBox<half>(box, n0, n1, from, to, false);
    } else {
        ConvertBox<bfloat16_t>(box, n0, n1, from, to, false);
    }
}

/// `runs` runs of `count` elements. Their strides in elements are `wide` as f32 and `narrow` as f16
/// or bf16, both whole blocks of UB.
struct WideRuns {
    uint32_t runs;
    uint32_t count;
    uint32_t wide;
    uint32_t narrow;
};

template <class Half>
__aicore__ inline void ConvertRuns(
    const WideRuns& of, const AscendC::LocalTensor<float>& wide, const AscendC::LocalTensor<Half>& narrow, bool widen)
{
    constexpr uint32_t kRepeat = 64;
    constexpr uint32_t kMostRepeats = 255;
    constexpr uint32_t kMostStep = 255;
    const uint32_t wideBlocks = of.wide * sizeof(float) / kBlockBytes;
    const uint32_t narrowBlocks = of.narrow * sizeof(Half) / kBlockBytes;
    // One repeat converts one run, unless runs are longer than a repeat, or their stride is larger
    // than that of repeats can be.
    if (of.count > kRepeat || wideBlocks > kMostStep || narrowBlocks > kMostStep) {
        for (uint32_t run = 0; run < of.runs; run++) {
            Convert<Half>(wide[run * of.wide], narrow[run * of.narrow].template ReinterpretCast<uint8_t>(), 0,
                of.count * sizeof(Half), widen);
        }
        return;
    }
    const uint8_t wideStep = static_cast<uint8_t>(wideBlocks);
    const uint8_t narrowStep = static_cast<uint8_t>(narrowBlocks);
    for (uint32_t run = 0; run < of.runs; run += kMostRepeats) {
        const uint8_t repeats = static_cast<uint8_t>(of.runs - run < kMostRepeats ? of.runs - run : kMostRepeats);
        const auto some = wide[run * of.wide];
        const auto half = narrow[run * of.narrow];
        if (widen) {
            AscendC::Cast(some, half, AscendC::RoundMode::CAST_NONE, of.count, repeats, {1, 1, wideStep, narrowStep});
        } else {
            AscendC::Cast(half, some, AscendC::RoundMode::CAST_RINT, of.count, repeats, {1, 1, narrowStep, wideStep});
        }
    }
}

/// Converts runs to f32; or from f32, rounded to nearest, to even on a tie.
__aicore__ inline void ConvertRuns(
    ScatterDType dtype, const WideRuns& of, const AscendC::LocalTensor<float>& wide, const Bytes& narrow, bool widen)
{
    if (dtype == ScatterDType::F16) {
        ConvertRuns<half>(of, wide, narrow.ReinterpretCast<half>(), widen);
    } else {
        ConvertRuns<bfloat16_t>(of, wide, narrow.ReinterpretCast<bfloat16_t>(), widen);
    }
}
