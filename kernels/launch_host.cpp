// The launch table of the host model: the blocks run on the calling thread and its helpers before a launch returns.
#include "launch.h"

#include "ascendc_model.h"
#include "scatter/kernels.h"

namespace {

using ascendc_model::Access;

GM_ADDR Address(const ScatterMemory& memory)
{
    return static_cast<GM_ADDR>(memory.address);
}

void Name(ascendc_model::Launch& launch, const char* name, const ScatterMemory& memory, Access access)
{
    if (memory.bytes != 0) {
        launch.tensors.push_back({name, memory.address, memory.bytes, access});
    }
}

template <class Body>
int32_t Run(const ascendc_model::Launch& launch, Body&& body)
{
    return ascendc_model::launch(launch, body).ok() ? 0 : SCATTER_LAUNCH_FAILED;
}

/// Nothing is thrown through C: not even for want of the memory for a report.
template <class Launching>
int32_t Caught(Launching&& launching)
{
    try {
        return launching();
    } catch (...) {
        return SCATTER_LAUNCH_FAILED;
    }
}

int32_t LaunchCopy(const ScatterLaunch* what, const ScatterCopyTiling* tiling)
{
    ascendc_model::Launch launch;
    launch.name = "scatter_copy";
    launch.blocks = what->blocks;
    Name(launch, "self", what->self, Access::Read);
    Name(launch, "out", what->out, Access::Write);
    return Run(launch, [&] { scatter_copy(Address(what->self), Address(what->out), *tiling); });
}

int32_t LaunchUpdate(const ScatterLaunch* what, uint32_t algorithm, const ScatterTiling* tiling)
{
    if (algorithm > SCATTER_ALGORITHM_ROWS) {
        return SCATTER_LAUNCH_FAILED;
    }
    const bool rows = algorithm == SCATTER_ALGORITHM_ROWS;
    ascendc_model::Launch launch;
    launch.name = rows ? "scatter_rows" : "scatter_elements";
    launch.blocks = what->blocks;
    Name(launch, "index", what->index, Access::Read);
    Name(launch, "src", what->src, Access::Read);
    Name(launch, "out", what->out, Access::ReadWrite);
    Name(launch, "status", what->status, Access::Write);
    const auto kernel = rows ? scatter_rows : scatter_elements;
    return Run(launch, [&] {
        kernel(Address(what->out), Address(what->index), Address(what->src), Address(what->status), *tiling);
    });
}

int32_t Copy(const ScatterLaunch* what, const ScatterCopyTiling* tiling)
{
    return Caught([&] { return LaunchCopy(what, tiling); });
}

int32_t Update(const ScatterLaunch* what, uint32_t algorithm, const ScatterTiling* tiling)
{
    return Caught([&] { return LaunchUpdate(what, algorithm, tiling); });
}

} // namespace

extern "C" const ScatterKernels* scatter_kernels_host_model(void)
{
    static const ScatterKernels kernels = {
        SCATTER_KERNELS_VERSION,
        sizeof(ScatterTiling),
        sizeof(ScatterCopyTiling),
        0,
        "the host model of Ascend C",
        Copy,
        Update,
    };
    return &kernels;
}
