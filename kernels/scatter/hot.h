// For inner loops of the scalar unit, in which a call or a jump costs as much as the work itself.
#pragma once

#include "kernel_operator.h"

/// A function that is always inlined.
#define SCATTER_HOT __aicore__ inline __attribute__((always_inline))

/// Unrolls the loop that follows, which has a constant number of passes.
#ifdef __clang__
#define SCATTER_UNROLL _Pragma("unroll")
#else
#define SCATTER_UNROLL _Pragma("GCC unroll 32")
#endif
