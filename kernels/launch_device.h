// The launch table of a device, for both ways of building it: `launch_device.asc` (bisheng) and
// `launch_device.cpp` (ascendc_library) define in SCATTER_LAUNCH how a kernel is launched, and in
// SCATTER_TILING how a launch takes the tiling. The kernel gets it by value in both, so the host's
// struct is not needed after the call.
#pragma once

#include "include/scatter_entries.h"
#include "launch.h"

#ifndef SCATTER_ARCH
#error "SCATTER_ARCH names the architecture, as in \"dav-2201\""
#endif

namespace {

uint8_t* Address(const ScatterMemory& memory)
{
    return static_cast<uint8_t*>(memory.address);
}

int32_t LaunchRows(const ScatterLaunch* what, const ScatterRowsTiling& tiling)
{
    uint8_t* const out = Address(what->out);
    uint8_t* const src = Address(what->src);
    uint8_t* const targets = Address(what->targets);
    uint8_t* const indexStatuses = Address(what->told);
    switch (ScatterRowsEntryOf(tiling)) {
#define SCATTER_ENTRY(name)           \
    case ScatterRowsEntry::of_##name: \
        return SCATTER_LAUNCH(scatter_rows_##name, what, out, src, targets, indexStatuses, SCATTER_TILING(tiling));
        SCATTER_ROWS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
    }
    return SCATTER_LAUNCH_FAILED;
}

int32_t LaunchElements(const ScatterLaunch* what, const ScatterElementsTiling& tiling)
{
    uint8_t* const out = Address(what->out);
    uint8_t* const index = Address(what->index);
    uint8_t* const src = Address(what->src);
    uint8_t* const status = Address(what->status);
    uint8_t* const indexStatuses = Address(what->told);
    switch (ScatterElementsEntryOf(tiling)) {
#define SCATTER_ENTRY(name, reduce, dtype) \
    case ScatterElementsEntry::of_##name:  \
        return SCATTER_LAUNCH(             \
            scatter_elements_##name, what, out, index, src, status, indexStatuses, SCATTER_TILING(tiling));
        SCATTER_ELEMENTS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
    case ScatterElementsEntry::None: break;
    }
    return SCATTER_LAUNCH_FAILED;
}

int32_t Launch(const ScatterLaunch* what, uint32_t kernel, const void* tiling)
{
    uint8_t* const self = Address(what->self);
    uint8_t* const out = Address(what->out);
    uint8_t* const index = Address(what->index);
    uint8_t* const src = Address(what->src);
    uint8_t* const status = Address(what->status);
    uint8_t* const targets = Address(what->targets);
    switch (kernel) {
    case SCATTER_KERNEL_COPY:
        return SCATTER_LAUNCH(
            scatter_copy, what, self, out, SCATTER_TILING(*static_cast<const ScatterCopyTiling*>(tiling)));
    case SCATTER_KERNEL_GENERAL:
        return SCATTER_LAUNCH(scatter_general, what, out, index, src, status, Address(what->told),
            SCATTER_TILING(*static_cast<const ScatterTiling*>(tiling)));
    case SCATTER_KERNEL_INDEX:
        return SCATTER_LAUNCH(scatter_index, what, index, targets, status,
            SCATTER_TILING(*static_cast<const ScatterIndexTiling*>(tiling)));
    case SCATTER_KERNEL_ROWS: return LaunchRows(what, *static_cast<const ScatterRowsTiling*>(tiling));
    case SCATTER_KERNEL_ELEMENTS: return LaunchElements(what, *static_cast<const ScatterElementsTiling*>(tiling));
    case SCATTER_KERNEL_GATHER:
        return SCATTER_LAUNCH(scatter_gather, what, self, index, out, status, Address(what->told),
            SCATTER_TILING(*static_cast<const ScatterGatherTiling*>(tiling)));
    case SCATTER_KERNEL_WINDOWS:
        return SCATTER_LAUNCH(scatter_windows, what, out, index, src, status,
            SCATTER_TILING(*static_cast<const ScatterWindowsTiling*>(tiling)));
    default: return SCATTER_LAUNCH_FAILED;
    }
}

} // namespace

extern "C" const ScatterKernels* scatter_kernels(void)
{
    // The host reads the architecture behind this prefix, so that it doesn't use kernels for
    // another processor.
    static const ScatterKernels kernels = {
        SCATTER_KERNELS_VERSION,
        0,
        SCATTER_TILING_BYTES,
        "an NPU, " SCATTER_ARCH,
        Launch,
    };
    return &kernels;
}
