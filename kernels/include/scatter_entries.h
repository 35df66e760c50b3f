// The entry points of the kernels that are compiled once for each dtype class and reduction, to
// keep the machine code of each small (its size on a device is not known yet), and which of them a
// plan uses.
#pragma once

#include "scatter_tiling.h"

// clang-format off
/// `X(name)` for each entry `scatter_rows_name`.
#define SCATTER_ROWS_ENTRIES(X)                                                                                      \
    X(moved) X(moved_bool) X(f32_sum) X(f32_product) X(f16_sum) X(f16_product) X(f16_extreme) X(bf16_sum)            \
    X(bf16_product) X(bf16_extreme) X(i64_sum) X(i32_sum) X(i16_sum) X(i8_sum) X(u8_sum) X(bool_sum) X(f32) X(f64)   \
    X(i64) X(i32) X(i16) X(i8) X(u8) X(bool) X(complex64) X(complex128)
// clang-format on

enum class ScatterRowsEntry : uint32_t {
#define SCATTER_ENTRY(name) of_##name,
    SCATTER_ROWS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
};

/// The entry for sums, products, or the extremes.
inline ScatterRowsEntry ScatterRowsEntryOf(
    ScatterReduce reduce, ScatterRowsEntry sum, ScatterRowsEntry product, ScatterRowsEntry extreme)
{
    switch (reduce) {
    case ScatterReduce::Mul: return product;
    case ScatterReduce::Max:
    case ScatterReduce::Min: return extreme;
    case ScatterReduce::Add:
    case ScatterReduce::Mean:
    case ScatterReduce::None: break;
    }
    return sum;
}

inline ScatterRowsEntry ScatterRowsEntryOf(const ScatterRowsTiling& tiling)
{
    using Entry = ScatterRowsEntry;
    const ScatterReduce reduce = static_cast<ScatterReduce>(tiling.reduce);
    const ScatterDType dtype = static_cast<ScatterDType>(tiling.dtype);
    if (reduce == ScatterReduce::None) {
        return dtype == ScatterDType::Bool ? Entry::of_moved_bool : Entry::of_moved;
    }
    // The vector unit multiplies by alpha only what it holds as f32.
    const bool isSum = reduce == ScatterReduce::Add && tiling.scaled == 0;
    switch (dtype) {
    case ScatterDType::BF16:
        return ScatterRowsEntryOf(reduce, Entry::of_bf16_sum, Entry::of_bf16_product, Entry::of_bf16_extreme);
    case ScatterDType::F16:
        return ScatterRowsEntryOf(reduce, Entry::of_f16_sum, Entry::of_f16_product, Entry::of_f16_extreme);
    case ScatterDType::F32: return ScatterRowsEntryOf(reduce, Entry::of_f32_sum, Entry::of_f32_product, Entry::of_f32);
    case ScatterDType::Complex64:
        return tiling.scaled != 0
            ? Entry::of_complex64
            : ScatterRowsEntryOf(reduce, Entry::of_f32_sum, Entry::of_complex64, Entry::of_complex64);
    case ScatterDType::F64: return Entry::of_f64;
    case ScatterDType::I64: return isSum ? Entry::of_i64_sum : Entry::of_i64;
    case ScatterDType::I32: return isSum ? Entry::of_i32_sum : Entry::of_i32;
    case ScatterDType::I16: return isSum ? Entry::of_i16_sum : Entry::of_i16;
    case ScatterDType::I8: return isSum ? Entry::of_i8_sum : Entry::of_i8;
    case ScatterDType::U8: return isSum ? Entry::of_u8_sum : Entry::of_u8;
    case ScatterDType::Bool: return isSum ? Entry::of_bool_sum : Entry::of_bool;
    case ScatterDType::Complex128: break;
    }
    return Entry::of_complex128;
}

// clang-format off
#define SCATTER_ELEMENTS_OF_NUMBERS(X, name, reduce)                                                                 \
    X(name##_bf16, reduce, BF16) X(name##_f16, reduce, F16) X(name##_f32, reduce, F32) X(name##_f64, reduce, F64)    \
    X(name##_i64, reduce, I64) X(name##_i32, reduce, I32) X(name##_i16, reduce, I16) X(name##_i8, reduce, I8)        \
    X(name##_u8, reduce, U8) X(name##_bool, reduce, Bool)
#define SCATTER_ELEMENTS_OF_COMPLEX(X, name, reduce)                                                                 \
    X(name##_complex64, reduce, Complex64) X(name##_complex128, reduce, Complex128)
/// `X(name, reduce, dtype)` for each entry `scatter_elements_name`. Elements that are only copied
/// have an entry for each width, named by a dtype of that width.
#define SCATTER_ELEMENTS_ENTRIES(X)                                                                                  \
    X(move_1, None, U8) X(move_2, None, I16) X(move_4, None, I32) X(move_8, None, I64) X(move_16, None, Complex128)  \
    X(move_bool, None, Bool)                                                                                         \
    SCATTER_ELEMENTS_OF_NUMBERS(X, add, Add) SCATTER_ELEMENTS_OF_COMPLEX(X, add, Add)                                \
    SCATTER_ELEMENTS_OF_NUMBERS(X, mul, Mul) SCATTER_ELEMENTS_OF_COMPLEX(X, mul, Mul)                                \
    SCATTER_ELEMENTS_OF_NUMBERS(X, max, Max) SCATTER_ELEMENTS_OF_NUMBERS(X, min, Min)
// clang-format on

enum class ScatterElementsEntry : uint32_t {
#define SCATTER_ENTRY(name, reduce, dtype) of_##name,
    SCATTER_ELEMENTS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
    /// No entry: complex numbers have no order, and so no extremes.
    None,
};

/// The dtype whose entry copies the elements of a tiling.
inline ScatterDType ScatterMovedDType(const ScatterElementsTiling& tiling)
{
    const ScatterDType dtype = static_cast<ScatterDType>(tiling.dtype);
    if (dtype == ScatterDType::Bool) {
        return dtype;
    }
    switch (tiling.out_box.element) {
    case 1: return ScatterDType::U8;
    case 2: return ScatterDType::I16;
    case 4: return ScatterDType::I32;
    case 8: return ScatterDType::I64;
    default: return ScatterDType::Complex128;
    }
}

inline ScatterElementsEntry ScatterElementsEntryOf(const ScatterElementsTiling& tiling)
{
    // A mean is a sum that is divided at the end.
    const ScatterReduce named = static_cast<ScatterReduce>(tiling.reduce);
    const ScatterReduce reduction = named == ScatterReduce::Mean ? ScatterReduce::Add : named;
    const ScatterDType type =
        reduction == ScatterReduce::None ? ScatterMovedDType(tiling) : static_cast<ScatterDType>(tiling.dtype);
#define SCATTER_ENTRY(name, reduce, dtype)                                   \
    if (reduction == ScatterReduce::reduce && type == ScatterDType::dtype) { \
        return ScatterElementsEntry::of_##name;                              \
    }
    SCATTER_ELEMENTS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
    return ScatterElementsEntry::None;
}
