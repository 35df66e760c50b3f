// f16 and bf16 as f32 and back, a box at a time.
#pragma once

#include "box.h"

template <class Half>
__aicore__ inline void Convert(const AscendC::LocalTensor<float>& wide, const Bytes& narrow, uint32_t at, uint32_t bytes,
                               bool widen)
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

/// The runs of n0 × n1 elements, with what pads them, between `narrow` and `wide`, where elements have the same places.
template <class Half>
__aicore__ inline void ConvertBox(const ScatterBox& box, uint32_t n0, uint32_t n1, const AscendC::LocalTensor<float>& wide,
                                  const Bytes& narrow, bool widen)
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
