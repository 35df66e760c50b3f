// The launch table of the host model: the blocks run on the calling thread and its helpers before a
// launch returns.
#include "launch_memory.h"

#include "ascendc_model.h"
#include "scatter/kernels.h"

// The kernels' sources have no declarations of them; `scatter/kernels.h` says why.
extern "C" {
__global__ __aicore__ void scatter_copy(GM_ADDR self, GM_ADDR out, ScatterCopyTiling tiling);
__global__ __aicore__ void scatter_general(
    GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status, GM_ADDR told, ScatterTiling tiling);
__global__ __aicore__ void scatter_gather(
    GM_ADDR self, GM_ADDR index, GM_ADDR out, GM_ADDR status, GM_ADDR told, ScatterGatherTiling tiling);
__global__ __aicore__ void scatter_index(GM_ADDR index, GM_ADDR targets, GM_ADDR status, ScatterIndexTiling tiling);
__global__ __aicore__ void scatter_windows(
    GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status, ScatterWindowsTiling tiling);
#define SCATTER_ENTRY(name)                         \
    __global__ __aicore__ void scatter_rows_##name( \
        GM_ADDR out, GM_ADDR src, GM_ADDR targets, GM_ADDR told, ScatterRowsTiling tiling);
SCATTER_ROWS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
#define SCATTER_ENTRY(name, reduce, dtype)              \
    __global__ __aicore__ void scatter_elements_##name( \
        GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status, GM_ADDR told, ScatterElementsTiling tiling);
SCATTER_ELEMENTS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
}

namespace {

GM_ADDR Address(const ScatterMemory& memory)
{
    return static_cast<GM_ADDR>(memory.address);
}

template <class Body>
int32_t Run(const ScatterLaunch& what, uint32_t kernel, Body&& body)
{
    ScatterLaunch named = what;
    const ScatterUses uses = ScatterUsesOf(named, kernel);
    ascendc_model::Launch launch;
    launch.name = uses.kernel;
    launch.blocks = what.blocks;
    for (uint32_t i = 0; i < uses.count; i++) {
        const ScatterUse& use = uses.all[i];
        if (use.memory->bytes != 0) {
            const auto access = static_cast<ascendc_model::Access>(use.access);
            launch.tensors.push_back({use.name, use.memory->address, use.memory->bytes, access});
        }
    }
    return ascendc_model::launch(launch, body).ok() ? 0 : SCATTER_LAUNCH_FAILED;
}

/// Exceptions don't leave through C, not even one for the lack of memory for a report.
template <class Launching>
int32_t Caught(Launching&& launching)
{
    try {
        return launching();
    } catch (...) {
        return SCATTER_LAUNCH_FAILED;
    }
}

int32_t LaunchCopy(const ScatterLaunch& what, const ScatterCopyTiling& tiling)
{
    return Run(what, SCATTER_KERNEL_COPY, [&] { scatter_copy(Address(what.self), Address(what.out), tiling); });
}

template <class Tiling>
using Update = void(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, Tiling);

template <class Tiling>
int32_t LaunchUpdate(const ScatterLaunch& what, uint32_t number, Update<Tiling>& kernel, const Tiling& tiling)
{
    return Run(what, number, [&] {
        kernel(Address(what.out), Address(what.index), Address(what.src), Address(what.status), Address(what.told),
            tiling);
    });
}

int32_t LaunchIndex(const ScatterLaunch& what, const ScatterIndexTiling& tiling)
{
    return Run(what, SCATTER_KERNEL_INDEX,
        [&] { scatter_index(Address(what.index), Address(what.targets), Address(what.status), tiling); });
}

using Rows = void(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, ScatterRowsTiling);

int32_t LaunchRows(const ScatterLaunch& what, Rows& kernel, const ScatterRowsTiling& tiling)
{
    return Run(what, SCATTER_KERNEL_ROWS,
        [&] { kernel(Address(what.out), Address(what.src), Address(what.targets), Address(what.told), tiling); });
}

int32_t LaunchRows(const ScatterLaunch& what, const ScatterRowsTiling& tiling)
{
    switch (ScatterRowsEntryOf(tiling)) {
#define SCATTER_ENTRY(name) \
    case ScatterRowsEntry::of_##name: return LaunchRows(what, scatter_rows_##name, tiling);
        SCATTER_ROWS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
    }
    return SCATTER_LAUNCH_FAILED;
}

int32_t LaunchElements(const ScatterLaunch& what, const ScatterElementsTiling& tiling)
{
    switch (ScatterElementsEntryOf(tiling)) {
#define SCATTER_ENTRY(name, reduce, dtype) \
    case ScatterElementsEntry::of_##name:  \
        return LaunchUpdate(what, SCATTER_KERNEL_ELEMENTS, scatter_elements_##name, tiling);
        SCATTER_ELEMENTS_ENTRIES(SCATTER_ENTRY)
#undef SCATTER_ENTRY
    case ScatterElementsEntry::None: break;
    }
    return SCATTER_LAUNCH_FAILED;
}

int32_t LaunchGather(const ScatterLaunch& what, const ScatterGatherTiling& tiling)
{
    return Run(what, SCATTER_KERNEL_GATHER, [&] {
        scatter_gather(Address(what.self), Address(what.index), Address(what.out), Address(what.status),
            Address(what.told), tiling);
    });
}

int32_t LaunchWindows(const ScatterLaunch& what, const ScatterWindowsTiling& tiling)
{
    return Run(what, SCATTER_KERNEL_WINDOWS, [&] {
        scatter_windows(Address(what.out), Address(what.index), Address(what.src), Address(what.status), tiling);
    });
}

int32_t LaunchKernel(const ScatterLaunch* what, uint32_t kernel, const void* tiling)
{
    return Caught([&] {
        switch (kernel) {
        case SCATTER_KERNEL_COPY: return LaunchCopy(*what, *static_cast<const ScatterCopyTiling*>(tiling));
        case SCATTER_KERNEL_GENERAL:
            return LaunchUpdate(
                *what, SCATTER_KERNEL_GENERAL, scatter_general, *static_cast<const ScatterTiling*>(tiling));
        case SCATTER_KERNEL_INDEX: return LaunchIndex(*what, *static_cast<const ScatterIndexTiling*>(tiling));
        case SCATTER_KERNEL_ROWS: return LaunchRows(*what, *static_cast<const ScatterRowsTiling*>(tiling));
        case SCATTER_KERNEL_ELEMENTS: return LaunchElements(*what, *static_cast<const ScatterElementsTiling*>(tiling));
        case SCATTER_KERNEL_GATHER: return LaunchGather(*what, *static_cast<const ScatterGatherTiling*>(tiling));
        case SCATTER_KERNEL_WINDOWS: return LaunchWindows(*what, *static_cast<const ScatterWindowsTiling*>(tiling));
        default: return SCATTER_LAUNCH_FAILED;
        }
    });
}

} // namespace

extern "C" const ScatterKernels* scatter_kernels_host_model(void)
{
    static const ScatterKernels kernels = {
        SCATTER_KERNELS_VERSION,
        0,
        SCATTER_TILING_BYTES,
        "the host model of Ascend C",
        LaunchKernel,
    };
    return &kernels;
}
