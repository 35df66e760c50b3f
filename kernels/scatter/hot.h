// For inner loops of the scalar unit, in which a call or a jump costs as much as what is done.
#pragma once

#include "kernel_operator.h"

/// A function without a call.
#define SCATTER_HOT __aicore__ inline __attribute__((always_inline))

/// Eight passes of the loop that follows without a jump.
#ifdef __clang__
#define SCATTER_UNROLL _Pragma("clang loop unroll_count(8)")
#else
#define SCATTER_UNROLL _Pragma("GCC unroll 8")
#endif
