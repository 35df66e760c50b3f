// The kernels. Each says in its file what it does.
#pragma once

#include "../include/scatter_tiling.h"
#include "kernel_operator.h"

// bisheng is told here that these are kernels for vector cores, ascendc_library in their bodies.
#ifdef SCATTER_BISHENG
#define SCATTER_VECTOR __vector__
#else
#define SCATTER_VECTOR
#endif

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_copy(GM_ADDR self, GM_ADDR out, ScatterCopyTiling tiling);

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_general(GM_ADDR out, GM_ADDR index, GM_ADDR src,
                                                                      GM_ADDR status, ScatterTiling tiling);

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_rows(GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status,
                                                                  ScatterTiling tiling);
