// The launch table of the probes, the small kernels that measure a device's costs. A device library
// has it beside the table of `launch.h`, unless it was built without probes. It is C.
#pragma once

#include "launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Raised when anything below, or `ScatterProbeTiling`, changes.
#define SCATTER_PROBES_VERSION 1u

struct ScatterProbeLaunch {
    /// The `aclrtStream`. `scatter_probes_host_model` ignores it.
    void* stream;
    uint32_t blocks;
    /// The members of `ScatterProbeTiling`.
    uint32_t rounds;
    uint32_t repeats;
    uint32_t size;
    uint32_t form;
    uint32_t reserved;
    struct ScatterMemory memory;
};

struct ScatterProbes {
    uint32_t version;
    /// How many probes there are, and their names.
    uint32_t count;
    const char* const* names;
    /// Launches a probe by its place among the names. Returns 0 or an error, as the launch of
    /// `ScatterKernels` does.
    int32_t (*launch)(const struct ScatterProbeLaunch* launch, uint32_t probe);
};

const struct ScatterProbes* scatter_probes(void);
const struct ScatterProbes* scatter_probes_host_model(void);

#ifdef __cplusplus
}
#endif
