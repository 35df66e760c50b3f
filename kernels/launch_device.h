// The launch table of a device, for both ways of building it: `launch_device.asc` (bisheng) and `launch_device.cpp`
// (ascendc_library) say in SCATTER_LAUNCH how a kernel is launched.
#pragma once

#include "include/scatter_tiling.h"
#include "launch.h"

#ifndef SCATTER_ARCH
#error "SCATTER_ARCH names the architecture, as in \"dav-2201\""
#endif

namespace {

uint8_t* Address(const ScatterMemory& memory)
{
    return static_cast<uint8_t*>(memory.address);
}

int32_t Copy(const ScatterLaunch* what, const ScatterCopyTiling* tiling)
{
    return SCATTER_LAUNCH(scatter_copy, what, Address(what->self), Address(what->out), *tiling);
}

int32_t Update(const ScatterLaunch* what, uint32_t algorithm, const ScatterTiling* tiling)
{
    uint8_t* const out = Address(what->out);
    uint8_t* const index = Address(what->index);
    uint8_t* const src = Address(what->src);
    uint8_t* const status = Address(what->status);
    switch (algorithm) {
        case SCATTER_ALGORITHM_ELEMENTS:
            return SCATTER_LAUNCH(scatter_elements, what, out, index, src, status, *tiling);
        case SCATTER_ALGORITHM_ROWS:
            return SCATTER_LAUNCH(scatter_rows, what, out, index, src, status, *tiling);
        default:
            return SCATTER_LAUNCH_FAILED;
    }
}

} // namespace

extern "C" const ScatterKernels* scatter_kernels(void)
{
    static const ScatterKernels kernels = {
        SCATTER_KERNELS_VERSION, sizeof(ScatterTiling), sizeof(ScatterCopyTiling), 0, "an NPU, " SCATTER_ARCH, Copy, Update,
    };
    return &kernels;
}
