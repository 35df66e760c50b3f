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

#define SCATTER_ENTRY(name, reduce, dtype)                                                                           \
    extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_elements_##name(                                    \
        GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status, GM_ADDR told, ScatterElementsTiling tiling);
SCATTER_ELEMENTS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
