// What the sources of all kernels include.
//
// No kernel is declared before its definition, here or in a source: the script of CANN 8.1 that
// makes the launch functions takes whatever follows `__global__ __aicore__`, up to the next brace,
// for the head of a kernel.
#pragma once

#include "../include/scatter_entries.h"
#include "kernel_operator.h"

// That these are kernels for vector cores is declared here for bisheng, and in their bodies for
// ascendc_library.
#ifdef SCATTER_BISHENG
#define SCATTER_VECTOR __vector__
#define SCATTER_TASK_TYPE
#else
#define SCATTER_VECTOR
#define SCATTER_TASK_TYPE KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY)
#endif
