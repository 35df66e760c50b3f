// The launch table of the probes on a device, for both ways of building it: SCATTER_LAUNCH and
// SCATTER_TILING are those of `launch_device.h`.
#pragma once

#include "include/scatter_probes.h"
#include "probes.h"

namespace {

using LaunchProbe = int32_t (*)(const ScatterProbeLaunch* what, const ScatterProbeTiling& tiling);

#define SCATTER_PROBE(name)                                                                      \
    int32_t LaunchProbe_##name(const ScatterProbeLaunch* what, const ScatterProbeTiling& tiling) \
    {                                                                                            \
        uint8_t* const memory = static_cast<uint8_t*>(what->memory.address);                     \
        return SCATTER_LAUNCH(scatter_probe_##name, what, memory, SCATTER_TILING(tiling));       \
    }
SCATTER_PROBES_EACH(SCATTER_PROBE)
#undef SCATTER_PROBE

constexpr LaunchProbe kProbeLaunches[] = {
#define SCATTER_PROBE(name) LaunchProbe_##name,
    SCATTER_PROBES_EACH(SCATTER_PROBE)
#undef SCATTER_PROBE
};

constexpr const char* kProbeNames[] = {
#define SCATTER_PROBE(name) #name,
    SCATTER_PROBES_EACH(SCATTER_PROBE)
#undef SCATTER_PROBE
};

constexpr uint32_t kProbeCount = sizeof(kProbeNames) / sizeof(kProbeNames[0]);

int32_t LaunchProbeOf(const ScatterProbeLaunch* what, uint32_t probe)
{
    if (probe >= kProbeCount) {
        return SCATTER_LAUNCH_FAILED;
    }
    return kProbeLaunches[probe](what, ScatterProbeTiling{what->rounds, what->repeats, what->size, what->form});
}

} // namespace

extern "C" const ScatterProbes* scatter_probes(void)
{
    static const ScatterProbes probes = {SCATTER_PROBES_VERSION, kProbeCount, kProbeNames, LaunchProbeOf};
    return &probes;
}
