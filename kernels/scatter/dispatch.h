// From the dtype and the reduction that the host names to the policies that compute them.
#pragma once

#include "dtype.h"
#include "reduction.h"

/// Whether elements are accumulated in f32: f16 and bf16, unless they are only moved.
__aicore__ inline bool IsWide(ScatterDType dtype, ScatterReduce reduce)
{
    return reduce != ScatterReduce::None && (dtype == ScatterDType::F16 || dtype == ScatterDType::BF16);
}

/// `work.template Run<Element>()` with the policy of what a dtype is accumulated in.
template <class Work>
__aicore__ inline void WithElement(ScatterDType dtype, const Work& work)
{
    switch (dtype) {
        case ScatterDType::BF16:
            return work.template Run<Single<soft::BFloat16>>();
        case ScatterDType::F16:
            return work.template Run<Single<soft::Binary16>>();
        case ScatterDType::F32:
            return work.template Run<Single<soft::Binary32>>();
        case ScatterDType::F64:
            return work.template Run<Double>();
        case ScatterDType::I64:
            return work.template Run<Integer<int64_t, uint64_t>>();
        case ScatterDType::I32:
            return work.template Run<Integer<int32_t, uint32_t>>();
        case ScatterDType::I16:
            return work.template Run<Integer<int16_t, uint32_t>>();
        case ScatterDType::I8:
            return work.template Run<Integer<int8_t, uint32_t>>();
        case ScatterDType::U8:
            return work.template Run<Integer<uint8_t, uint32_t>>();
        case ScatterDType::Bool:
            return work.template Run<Boolean>();
        case ScatterDType::Complex64:
            return work.template Run<Complex<Single<soft::Binary32>>>();
        case ScatterDType::Complex128:
            return work.template Run<Complex<Double>>();
    }
}

/// `work.template Run<Element>()` with a policy that moves elements of a dtype, bit by bit but for bool.
template <class Work>
__aicore__ inline void WithMoved(ScatterDType dtype, uint32_t bytes, const Work& work)
{
    if (dtype == ScatterDType::Bool) {
        return work.template Run<Boolean>();
    }
    switch (bytes) {
        case 1:
            return work.template Run<OneWord<uint8_t>>();
        case 2:
            return work.template Run<OneWord<uint16_t>>();
        case 4:
            return work.template Run<OneWord<uint32_t>>();
        case 8:
            return work.template Run<OneWord<uint64_t>>();
        default:
            return work.template Run<Pair<uint64_t>>();
    }
}

/// `Work::Run<Element, Reduction<reduce>>()` from `Run<Element>()`.
template <class Work, ScatterReduce reduce>
struct WithReduction {
    const Work& work;

    template <class Element>
    __aicore__ inline void Run() const
    {
        work.template Run<Element, Reduction<reduce>>();
    }
};

/// `work.template Run<Element, Reduction>()` with the policies of a plan.
template <class Work>
__aicore__ inline void WithPolicies(const ScatterTiling& tiling, const Work& work)
{
    switch (tiling.reduce) {
        case ScatterReduce::None:
            return WithMoved(tiling.dtype, tiling.out_box.element, WithReduction<Work, ScatterReduce::None>{work});
        case ScatterReduce::Add:
        case ScatterReduce::Mean:
            return WithElement(tiling.dtype, WithReduction<Work, ScatterReduce::Add>{work});
        case ScatterReduce::Mul:
            return WithElement(tiling.dtype, WithReduction<Work, ScatterReduce::Mul>{work});
        case ScatterReduce::Max:
            return WithElement(tiling.dtype, WithReduction<Work, ScatterReduce::Max>{work});
        case ScatterReduce::Min:
            return WithElement(tiling.dtype, WithReduction<Work, ScatterReduce::Min>{work});
    }
}
