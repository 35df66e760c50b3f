// For inner loops of the scalar unit, in which a call or a jump costs as much as what is done.
#pragma once

#include "kernel_operator.h"

/// A function without a call.
#define SCATTER_HOT __aicore__ inline __attribute__((always_inline))

/// The loop that follows, of a constant number of passes, without a jump.
#ifdef __clang__
#define SCATTER_UNROLL _Pragma("unroll")
#else
#define SCATTER_UNROLL _Pragma("GCC unroll 32")
#endif
