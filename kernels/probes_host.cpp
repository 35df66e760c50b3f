// The launch table of the probes on the host model.
#include "probes.h"

#include "ascendc_model.h"
#include "include/scatter_probes.h"
#include "kernel_operator.h"

extern "C" {
#define SCATTER_PROBE(name) __global__ __aicore__ void scatter_probe_##name(GM_ADDR memory, ScatterProbeTiling tiling);
SCATTER_PROBES_EACH(SCATTER_PROBE)
#undef SCATTER_PROBE
}

namespace {

struct Probe {
    const char* name;
    void (*kernel)(GM_ADDR memory, ScatterProbeTiling tiling);
};

constexpr Probe kProbes[] = {
#define SCATTER_PROBE(name) {"scatter_probe_" #name, scatter_probe_##name},
    SCATTER_PROBES_EACH(SCATTER_PROBE)
#undef SCATTER_PROBE
};

constexpr const char* kNames[] = {
#define SCATTER_PROBE(name) #name,
    SCATTER_PROBES_EACH(SCATTER_PROBE)
#undef SCATTER_PROBE
};

constexpr uint32_t kCount = sizeof(kProbes) / sizeof(kProbes[0]);

/// Exceptions don't leave through C.
int32_t Launch(const ScatterProbeLaunch* what, uint32_t probe)
{
    if (probe >= kCount) {
        return SCATTER_LAUNCH_FAILED;
    }
    try {
        const ScatterProbeTiling tiling = {what->rounds, what->repeats, what->size, what->form};
        auto* const memory = static_cast<GM_ADDR>(what->memory.address);
        ascendc_model::Launch launch;
        launch.name = kProbes[probe].name;
        launch.blocks = what->blocks;
        launch.tensors.push_back(
            {"memory", what->memory.address, what->memory.bytes, ascendc_model::Access::ReadWrite});
        const auto outcome = ascendc_model::launch(launch, [&] { kProbes[probe].kernel(memory, tiling); });
        return outcome.ok() ? 0 : SCATTER_LAUNCH_FAILED;
    } catch (...) {
        return SCATTER_LAUNCH_FAILED;
    }
}

} // namespace

extern "C" const ScatterProbes* scatter_probes_host_model(void)
{
    static const ScatterProbes probes = {SCATTER_PROBES_VERSION, kCount, kNames, Launch};
    return &probes;
}
