// The host model for a runtime with streams (`launch_streams.cpp`). It is C.
#pragma once

#include "launch_memory.h"
#include "probes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the launches ask of the runtime.
struct ScatterRuntime {
    /// Puts `run(argument)` into a stream, as `aclrtLaunchHostFunc` does; 0, or an error and `run` is
    /// never called.
    int32_t (*enqueue)(void* stream, void (*run)(void*), void* argument);
    /// From inside `run`: sets the address of each memory to where this process touches it, and keeps
    /// it until `run` returns. Not 0: the device could not touch it, and the stream has failed.
    int32_t (*reach)(const char* kernel, const struct ScatterUse* uses, uint32_t count);
};

/// The runtime stays; the last that is given is that of all launches.
const struct ScatterKernels* scatter_kernels_on_streams(const struct ScatterRuntime* runtime);
const struct ScatterProbes* scatter_probes_on_streams(const struct ScatterRuntime* runtime);

#ifdef __cplusplus
}
#endif
