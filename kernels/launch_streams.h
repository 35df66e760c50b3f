// The host model for a runtime with streams (`launch_streams.cpp`). It is C.
#pragma once

#include "launch_memory.h"
#include "probes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the launches need from the runtime.
struct ScatterRuntime {
    /// Puts `run(argument)` into a stream, as `aclrtLaunchHostFunc` does; 0, or an error and `run`
    /// is never called.
    int32_t (*enqueue)(void* stream, void (*run)(void*), void* argument);
    /// Called from `run`: sets the address of each memory to where this process can access it, and
    /// keeps it there until `run` returns. Not 0: the device could not access it, and the stream
    /// has failed.
    int32_t (*reach)(const char* kernel, const struct ScatterUse* uses, uint32_t count);
};

/// `runtime` must live as long as the process; all launches use the one of the last call.
const struct ScatterKernels* scatter_kernels_on_streams(const struct ScatterRuntime* runtime);
const struct ScatterProbes* scatter_probes_on_streams(const struct ScatterRuntime* runtime);

#ifdef __cplusplus
}
#endif
