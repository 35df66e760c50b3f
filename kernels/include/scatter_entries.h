// The entries of the kernels that are compiled for each dtype class and reduction, and which of them a plan takes.
#pragma once

#include "scatter_tiling.h"

/// `X(name)` for each entry `scatter_rows_name`.
#define SCATTER_ROWS_ENTRIES(X)                                                                                      \
    X(moved) X(moved_bool) X(f32_sum) X(f32_product) X(f16_sum) X(f16_product) X(f16_extreme) X(bf16_sum)            \
    X(bf16_product) X(bf16_extreme) X(i64_sum) X(i32_sum) X(i16_sum) X(i8_sum) X(u8_sum) X(bool_sum) X(f32) X(f64)   \
    X(i64) X(i32) X(i16) X(i8) X(u8) X(bool) X(complex64) X(complex128)

enum class ScatterRowsEntry : uint32_t {
#define SCATTER_ENTRY(name) of_##name,
    SCATTER_ROWS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
};

/// The entry for sums, products, or the extremes.
inline ScatterRowsEntry ScatterRowsEntryOf(ScatterReduce reduce, ScatterRowsEntry sum, ScatterRowsEntry product,
                                           ScatterRowsEntry extreme)
{
    switch (reduce) {
        case ScatterReduce::Mul:
            return product;
        case ScatterReduce::Max:
        case ScatterReduce::Min:
            return extreme;
        default:
            return sum;
    }
}

inline ScatterRowsEntry ScatterRowsEntryOf(const ScatterRowsTiling& tiling)
{
    using Entry = ScatterRowsEntry;
    if (tiling.reduce == ScatterReduce::None) {
        return tiling.dtype == ScatterDType::Bool ? Entry::of_moved_bool : Entry::of_moved;
    }
    const bool isSum = tiling.reduce == ScatterReduce::Add;
    switch (tiling.dtype) {
        case ScatterDType::BF16:
            return ScatterRowsEntryOf(tiling.reduce, Entry::of_bf16_sum, Entry::of_bf16_product, Entry::of_bf16_extreme);
        case ScatterDType::F16:
            return ScatterRowsEntryOf(tiling.reduce, Entry::of_f16_sum, Entry::of_f16_product, Entry::of_f16_extreme);
        case ScatterDType::F32:
            return ScatterRowsEntryOf(tiling.reduce, Entry::of_f32_sum, Entry::of_f32_product, Entry::of_f32);
        case ScatterDType::Complex64:
            return ScatterRowsEntryOf(tiling.reduce, Entry::of_f32_sum, Entry::of_complex64, Entry::of_complex64);
        case ScatterDType::F64:
            return Entry::of_f64;
        case ScatterDType::I64:
            return isSum ? Entry::of_i64_sum : Entry::of_i64;
        case ScatterDType::I32:
            return isSum ? Entry::of_i32_sum : Entry::of_i32;
        case ScatterDType::I16:
            return isSum ? Entry::of_i16_sum : Entry::of_i16;
        case ScatterDType::I8:
            return isSum ? Entry::of_i8_sum : Entry::of_i8;
        case ScatterDType::U8:
            return isSum ? Entry::of_u8_sum : Entry::of_u8;
        case ScatterDType::Bool:
            return isSum ? Entry::of_bool_sum : Entry::of_bool;
        default:
            return Entry::of_complex128;
    }
}
