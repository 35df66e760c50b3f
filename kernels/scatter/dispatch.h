// Chooses the policies for the dtype and the reduction that a tiling names.
#pragma once

#include "dtype.h"
#include "reduction.h"

/// Whether elements are accumulated in f32: f16 and bf16, unless they are only moved.
__aicore__ inline bool IsWide(ScatterDType dtype, ScatterReduce reduce)
{
    return reduce != ScatterReduce::None && (dtype == ScatterDType::F16 || dtype == ScatterDType::BF16);
}

/// The policy of the type in which a dtype is accumulated.
template <ScatterDType dtype>
struct AccumulatedOf;
template <>
struct AccumulatedOf<ScatterDType::BF16> {
    using Element = Single<soft::BFloat16>;
};
template <>
struct AccumulatedOf<ScatterDType::F16> {
    using Element = Single<soft::Binary16>;
};
template <>
struct AccumulatedOf<ScatterDType::F32> {
    using Element = Single<soft::Binary32>;
};
template <>
struct AccumulatedOf<ScatterDType::F64> {
    using Element = Double;
};
template <>
struct AccumulatedOf<ScatterDType::I64> {
    using Element = Integer<int64_t, uint64_t>;
};
template <>
struct AccumulatedOf<ScatterDType::I32> {
    using Element = Integer<int32_t, uint32_t>;
};
template <>
struct AccumulatedOf<ScatterDType::I16> {
    using Element = Integer<int16_t, uint32_t>;
};
template <>
struct AccumulatedOf<ScatterDType::I8> {
    using Element = Integer<int8_t, uint32_t>;
};
template <>
struct AccumulatedOf<ScatterDType::U8> {
    using Element = Integer<uint8_t, uint32_t>;
};
template <>
struct AccumulatedOf<ScatterDType::Bool> {
    using Element = Boolean;
};
template <>
struct AccumulatedOf<ScatterDType::Complex64> {
    using Element = Complex<Single<soft::Binary32>>;
};
template <>
struct AccumulatedOf<ScatterDType::Complex128> {
    using Element = Complex<Double>;
};

/// `work.template Run<Element>()` with the policy of the type in which a dtype is accumulated.
template <class Work>
__aicore__ inline void WithElement(ScatterDType dtype, const Work& work)
{
    switch (dtype) {
    case ScatterDType::BF16: return work.template Run<typename AccumulatedOf<ScatterDType::BF16>::Element>();
    case ScatterDType::F16: return work.template Run<typename AccumulatedOf<ScatterDType::F16>::Element>();
    case ScatterDType::F32: return work.template Run<typename AccumulatedOf<ScatterDType::F32>::Element>();
    case ScatterDType::F64: return work.template Run<typename AccumulatedOf<ScatterDType::F64>::Element>();
    case ScatterDType::I64: return work.template Run<typename AccumulatedOf<ScatterDType::I64>::Element>();
    case ScatterDType::I32: return work.template Run<typename AccumulatedOf<ScatterDType::I32>::Element>();
    case ScatterDType::I16: return work.template Run<typename AccumulatedOf<ScatterDType::I16>::Element>();
    case ScatterDType::I8: return work.template Run<typename AccumulatedOf<ScatterDType::I8>::Element>();
    case ScatterDType::U8: return work.template Run<typename AccumulatedOf<ScatterDType::U8>::Element>();
    case ScatterDType::Bool: return work.template Run<typename AccumulatedOf<ScatterDType::Bool>::Element>();
    case ScatterDType::Complex64: return work.template Run<typename AccumulatedOf<ScatterDType::Complex64>::Element>();
    case ScatterDType::Complex128:
        return work.template Run<typename AccumulatedOf<ScatterDType::Complex128>::Element>();
    }
}

/// The policy that copies elements of `bytes` bytes bit by bit.
template <uint32_t bytes>
struct MovedOf {
    using Element = OneWord<typename UnsignedOf<bytes>::Type>;
};
template <>
struct MovedOf<16> {
    using Element = Pair<uint64_t>;
};

/// `work.template Run<Element>()` with the policy that copies elements of `bytes` bytes bit by bit.
template <class Work>
__aicore__ inline void WithBits(uint32_t bytes, const Work& work)
{
    switch (bytes) {
    case 1: return work.template Run<typename MovedOf<1>::Element>();
    case 2: return work.template Run<typename MovedOf<2>::Element>();
    case 4: return work.template Run<typename MovedOf<4>::Element>();
    case 8: return work.template Run<typename MovedOf<8>::Element>();
    default: return work.template Run<typename MovedOf<16>::Element>();
    }
}

/// `work.template Run<Element>()` with a policy that copies elements of a dtype: bit by bit, except
/// that a bool becomes 0 or 1.
template <class Work>
__aicore__ inline void WithMoved(ScatterDType dtype, uint32_t bytes, const Work& work)
{
    if (dtype == ScatterDType::Bool) {
        return work.template Run<Boolean>();
    }
    WithBits(bytes, work);
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
    switch (ReduceOf(tiling)) {
    case ScatterReduce::None:
        return WithMoved(DTypeOf(tiling), tiling.out_box.element, WithReduction<Work, ScatterReduce::None>{work});
    case ScatterReduce::Add:
    case ScatterReduce::Mean: return WithElement(DTypeOf(tiling), WithReduction<Work, ScatterReduce::Add>{work});
    case ScatterReduce::Mul: return WithElement(DTypeOf(tiling), WithReduction<Work, ScatterReduce::Mul>{work});
    case ScatterReduce::Max: return WithElement(DTypeOf(tiling), WithReduction<Work, ScatterReduce::Max>{work});
    case ScatterReduce::Min: return WithElement(DTypeOf(tiling), WithReduction<Work, ScatterReduce::Min>{work});
    }
}
