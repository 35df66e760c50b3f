// The language extensions of Ascend C, which have no meaning for a host compiler, and the names
// outside the namespace AscendC.
#pragma once

#include <cstdint>

#define __global__
#define __aicore__
#define __gm__
#define __ubuf__

#define GM_ADDR __gm__ uint8_t*

enum KernelMetaType : uint8_t {
    KERNEL_TYPE_AIV_ONLY,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2,
    KERNEL_TYPE_AICORE,
    KERNEL_TYPE_VECTORCORE,
    KERNEL_TYPE_MIX_AICORE,
    KERNEL_TYPE_MIX_VECTOR_CORE,
    KERNEL_TYPE_MAX,
};

// The model only runs vector cores: no cube core, and no SyncAll, which needs a MIX launch.
#define KERNEL_TASK_TYPE_DEFAULT(value) \
    static_assert((value) == KERNEL_TYPE_AIV_ONLY, "the host model runs kernels of the type KERNEL_TYPE_AIV_ONLY")

enum pipe_t { PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL };

enum event_t {
    EVENT_ID0 = 0,
    EVENT_ID1,
    EVENT_ID2,
    EVENT_ID3,
    EVENT_ID4,
    EVENT_ID5,
    EVENT_ID6,
    EVENT_ID7,
};
