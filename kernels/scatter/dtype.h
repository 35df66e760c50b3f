// What an element of each dtype is in UB, and its arithmetic: one policy for each. The rules are
// those of docs/semantics.md, "Dtypes".
//
// A policy has `Word`, the type in which UB is read and written; `Value`, the type of the
// arithmetic; and Load, Store, Stored (what a plain scatter writes of a value of src), Add, Mul,
// Max, Min, Mean and Identity.
#pragma once

#include "../include/scatter_tiling.h"
#include "kernel_operator.h"
#include "soft_float.h"

/// The dtype that a tiling names.
template <class Tiling>
__aicore__ inline ScatterDType DTypeOf(const Tiling& tiling)
{
    return static_cast<ScatterDType>(tiling.dtype);
}

/// The reduction that a tiling names.
template <class Tiling>
__aicore__ inline ScatterReduce ReduceOf(const Tiling& tiling)
{
    return static_cast<ScatterReduce>(tiling.reduce);
}

/// The number that a touched element starts from when self is not included: 0, 1, or the lowest or
/// the highest.
template <class T>
__aicore__ inline T IdentityOf(ScatterReduce reduce, T zero, T one, T lowest, T highest)
{
    switch (reduce) {
    case ScatterReduce::Mul: return one;
    case ScatterReduce::Max: return lowest;
    case ScatterReduce::Min: return highest;
    case ScatterReduce::Add:
    case ScatterReduce::Mean:
    case ScatterReduce::None: break;
    }
    return zero;
}

/// The unsigned integer of `bytes` bytes.
template <uint32_t bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
    using Type = uint8_t;
};
template <>
struct UnsignedOf<2> {
    using Type = uint16_t;
};
template <>
struct UnsignedOf<4> {
    using Type = uint32_t;
};
template <>
struct UnsignedOf<8> {
    using Type = uint64_t;
};

/// Elements that are one word.
template <class T>
struct OneWord {
    using Word = T;
    using Value = T;

    static __aicore__ inline Value Load(const AscendC::LocalTensor<Word>& tensor, uint32_t at)
    {
        return tensor.GetValue(at);
    }
    static __aicore__ inline void Store(const AscendC::LocalTensor<Word>& tensor, uint32_t at, Value value)
    {
        tensor.SetValue(at, value);
    }
    static __aicore__ inline Value Stored(Value value) { return value; }
};

/// Integers wrap: U is unsigned and at least as wide as an int, so that no intermediate result
/// overflows.
template <class T, class U>
struct Integer : OneWord<T> {
    static constexpr T kLowest = static_cast<T>(T(-1) < T(0) ? U(1) << (sizeof(T) * 8 - 1) : U(0));
    static constexpr T kHighest = static_cast<T>(~kLowest);

    static __aicore__ inline T Add(T a, T b) { return static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); }
    static __aicore__ inline T Mul(T a, T b) { return static_cast<T>(static_cast<U>(a) * static_cast<U>(b)); }
    static __aicore__ inline T Max(T held, T incoming) { return incoming > held ? incoming : held; }
    static __aicore__ inline T Min(T held, T incoming) { return incoming < held ? incoming : held; }
    static __aicore__ inline T Mean(T sum, uint32_t count)
    {
        const int64_t wide = static_cast<int64_t>(sum);
        const int64_t quotient = wide / static_cast<int64_t>(count);
        return static_cast<T>(wide % static_cast<int64_t>(count) < 0 ? quotient - 1 : quotient); // floor
    }
    static __aicore__ inline T Identity(ScatterReduce reduce) { return IdentityOf<T>(reduce, 0, 1, kLowest, kHighest); }
};

/// A byte that reads as true when it is not zero; 0 or 1 is written.
struct Boolean : OneWord<uint8_t> {
    static __aicore__ inline uint8_t Stored(uint8_t value) { return value != 0 ? 1 : 0; }
    static __aicore__ inline uint8_t Add(uint8_t a, uint8_t b) { return Stored(a | b); }
    static __aicore__ inline uint8_t Mul(uint8_t a, uint8_t b) { return a != 0 && b != 0 ? 1 : 0; }
    static __aicore__ inline uint8_t Max(uint8_t held, uint8_t incoming) { return Add(held, incoming); }
    static __aicore__ inline uint8_t Min(uint8_t held, uint8_t incoming) { return Mul(held, incoming); }
    static __aicore__ inline uint8_t Mean(uint8_t sum, uint32_t)
    {
        return sum; // refused on the host: a bool has no mean
    }
    static __aicore__ inline uint8_t Identity(ScatterReduce reduce) { return IdentityOf<uint8_t>(reduce, 0, 1, 0, 1); }
};

union SingleBits {
    uint32_t bits;
    float value;
};

__aicore__ inline uint32_t BitsOf(float value)
{
    SingleBits single;
    single.value = value;
    return single.bits;
}

__aicore__ inline float FloatOf(uint32_t bits)
{
    SingleBits single;
    single.bits = bits;
    return single.value;
}

union DoubleBits {
    uint64_t bits;
    double value;
};

/// A float by the scalar unit's own arithmetic.
template <class T>
struct Native : OneWord<T> {
    static __aicore__ inline T Add(T a, T b) { return a + b; }
    static __aicore__ inline T Sub(T a, T b) { return a - b; }
    static __aicore__ inline T Mul(T a, T b) { return a * b; }
    /// A NaN among the updates is taken, and one that is held stays: every comparison with it is
    /// false.
    static __aicore__ inline T Max(T held, T incoming)
    {
        return incoming > held || incoming != incoming ? incoming : held;
    }
    static __aicore__ inline T Min(T held, T incoming)
    {
        return incoming < held || incoming != incoming ? incoming : held;
    }
};

/// f32, also as the accumulator of f16 and bf16: Rounded is the format that a mean is rounded to,
/// once.
template <class Rounded>
struct Single : Native<float> {
    static __aicore__ inline float Mean(float sum, uint32_t count)
    {
        const uint64_t mean = soft::DivideByCount<soft::Binary32, Rounded>(BitsOf(sum), count);
        return FloatOf(static_cast<uint32_t>(soft::Widen<Rounded, soft::Binary32>(mean)));
    }
    static __aicore__ inline float Identity(ScatterReduce reduce)
    {
        return IdentityOf<float>(reduce, 0.0f, 1.0f, FloatOf(0xff800000u), FloatOf(0x7f800000u));
    }
};

/// f64 by software, because no document says how the scalar unit of A2 computes with it.
struct SoftDouble : OneWord<uint64_t> {
    using F = soft::Binary64;

    static __aicore__ inline uint64_t Add(uint64_t a, uint64_t b) { return soft::Add<F>(a, b); }
    static __aicore__ inline uint64_t Mul(uint64_t a, uint64_t b) { return soft::Mul<F>(a, b); }
    static __aicore__ inline uint64_t Sub(uint64_t a, uint64_t b) { return soft::Add<F>(a, b ^ F::kSign); }
    static __aicore__ inline uint64_t Max(uint64_t held, uint64_t incoming)
    {
        return soft::Less<F>(held, incoming) || soft::IsNan<F>(incoming) ? incoming : held;
    }
    static __aicore__ inline uint64_t Min(uint64_t held, uint64_t incoming)
    {
        return soft::Less<F>(incoming, held) || soft::IsNan<F>(incoming) ? incoming : held;
    }
    static __aicore__ inline uint64_t Mean(uint64_t sum, uint32_t count)
    {
        return soft::DivideByCount<F, F>(sum, count);
    }
    static __aicore__ inline uint64_t Identity(ScatterReduce reduce)
    {
        return IdentityOf<uint64_t>(reduce, 0, 0x3ff0000000000000ULL, F::kSign | F::kInfinity, F::kInfinity);
    }
};

/// f64 on the scalar unit: the build option SCATTER_NATIVE_F64.
struct NativeDouble : Native<double> {
    static __aicore__ inline double Mean(double sum, uint32_t count) { return sum / static_cast<double>(count); }
    static __aicore__ inline double Identity(ScatterReduce reduce)
    {
        DoubleBits highest;
        highest.bits = soft::Binary64::kInfinity;
        return IdentityOf<double>(reduce, 0.0, 1.0, -highest.value, highest.value);
    }
};

#ifdef SCATTER_NATIVE_F64
using Double = NativeDouble;
#else
using Double = SoftDouble;
#endif

/// Elements that are two words.
template <class T>
struct Pair {
    using Word = T;
    struct Value {
        T first;
        T second;
    };

    static __aicore__ inline Value Load(const AscendC::LocalTensor<Word>& tensor, uint32_t at)
    {
        return Value{tensor.GetValue(2 * at), tensor.GetValue(2 * at + 1)};
    }
    static __aicore__ inline void Store(const AscendC::LocalTensor<Word>& tensor, uint32_t at, Value value)
    {
        tensor.SetValue(2 * at, value.first);
        tensor.SetValue(2 * at + 1, value.second);
    }
    static __aicore__ inline Value Stored(Value value) { return value; }
};

/// Complex numbers, real part first. They have no order: Max and Min are refused on the host.
template <class Part>
struct Complex : Pair<typename Part::Value> {
    using Value = typename Pair<typename Part::Value>::Value;

    static __aicore__ inline Value Add(Value a, Value b)
    {
        return Value{Part::Add(a.first, b.first), Part::Add(a.second, b.second)};
    }
    static __aicore__ inline Value Mul(Value a, Value b)
    {
        return Value{Part::Sub(Part::Mul(a.first, b.first), Part::Mul(a.second, b.second)),
            Part::Add(Part::Mul(a.first, b.second), Part::Mul(a.second, b.first))};
    }
    static __aicore__ inline Value Max(Value held, Value) { return held; }
    static __aicore__ inline Value Min(Value held, Value) { return held; }
    static __aicore__ inline Value Mean(Value sum, uint32_t count)
    {
        return Value{Part::Mean(sum.first, count), Part::Mean(sum.second, count)};
    }
    static __aicore__ inline Value Identity(ScatterReduce reduce)
    {
        return Value{Part::Identity(reduce), Part::Identity(ScatterReduce::Add)};
    }
};
