// The kernels. Each says in its file what it does.
#pragma once

#include "../include/scatter_entries.h"
#include "kernel_operator.h"

// bisheng is told here that these are kernels for vector cores, ascendc_library in their bodies.
#ifdef SCATTER_BISHENG
#define SCATTER_VECTOR __vector__
#define SCATTER_TASK_TYPE
#else
#define SCATTER_VECTOR
#define SCATTER_TASK_TYPE KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY)
#endif

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_copy(GM_ADDR self, GM_ADDR out, ScatterCopyTiling tiling);

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_general(GM_ADDR out, GM_ADDR index, GM_ADDR src,
                                                                     GM_ADDR status, GM_ADDR told, ScatterTiling tiling);

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_index(GM_ADDR index, GM_ADDR targets, GM_ADDR status,
                                                                   ScatterIndexTiling tiling);

#define SCATTER_ENTRY(name)                                                                                          \
    extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_rows_##name(                                        \
        GM_ADDR out, GM_ADDR src, GM_ADDR targets, GM_ADDR told, ScatterRowsTiling tiling);
SCATTER_ROWS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY

// scatter_elements has a kernel for each reduction and dtype, so that the text of each fits the instruction cache. What is
// only moved goes by the width of its elements, which a dtype of that width stands for.
#define SCATTER_ELEMENTS_OF_NUMBERS(DO, name, reduce) \
    DO(name##_bf16, reduce, BF16)                     \
    DO(name##_f16, reduce, F16)                       \
    DO(name##_f32, reduce, F32)                       \
    DO(name##_f64, reduce, F64)                       \
    DO(name##_i64, reduce, I64)                       \
    DO(name##_i32, reduce, I32)                       \
    DO(name##_i16, reduce, I16)                       \
    DO(name##_i8, reduce, I8)                         \
    DO(name##_u8, reduce, U8)                         \
    DO(name##_bool, reduce, Bool)
#define SCATTER_ELEMENTS_OF_COMPLEX(DO, name, reduce) \
    DO(name##_complex64, reduce, Complex64)           \
    DO(name##_complex128, reduce, Complex128)
#define SCATTER_ELEMENTS_KERNELS(DO)               \
    DO(move_1, None, U8)                           \
    DO(move_2, None, I16)                          \
    DO(move_4, None, I32)                          \
    DO(move_8, None, I64)                          \
    DO(move_16, None, Complex128)                  \
    DO(move_bool, None, Bool)                      \
    SCATTER_ELEMENTS_OF_NUMBERS(DO, add, Add)      \
    SCATTER_ELEMENTS_OF_COMPLEX(DO, add, Add)      \
    SCATTER_ELEMENTS_OF_NUMBERS(DO, mul, Mul)      \
    SCATTER_ELEMENTS_OF_COMPLEX(DO, mul, Mul)      \
    SCATTER_ELEMENTS_OF_NUMBERS(DO, max, Max)      \
    SCATTER_ELEMENTS_OF_NUMBERS(DO, min, Min)

#define SCATTER_ELEMENTS_DECLARE(name, reduce, dtype)                                                              \
    extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_elements_##name(GM_ADDR out, GM_ADDR index, GM_ADDR src, \
                                                                                 GM_ADDR status,                   \
                                                                                 GM_ADDR told, ScatterElementsTiling tiling);
SCATTER_ELEMENTS_KERNELS(SCATTER_ELEMENTS_DECLARE)
