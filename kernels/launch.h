// How a host launches the kernels: a table of functions with C linkage. There are two: that of the device library
// (`launch_device.cpp`, which `scatter_kernels` returns), and that of the host model (`launch_host.cpp`, which
// `scatter_kernels_host_model` returns). `kernels/launch.rs` has it in Rust.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ScatterTiling;
struct ScatterCopyTiling;

/// Raised when anything below, or a tiling struct, changes.
#define SCATTER_KERNELS_VERSION 1u

#define SCATTER_ALGORITHM_ELEMENTS 0u
#define SCATTER_ALGORITHM_ROWS 1u

/// The launch was refused: an algorithm that there isn't, or, by the host model, a kernel that broke a rule.
#define SCATTER_LAUNCH_FAILED 1

/// A tensor's storage. A device does not look at `bytes`; the host model holds the kernels to it.
struct ScatterMemory {
    void* address;
    uint64_t bytes;
};

struct ScatterLaunch {
    /// The `aclrtStream`. The host model does not look at it: it runs the blocks before it returns.
    void* stream;
    uint32_t blocks;
    uint32_t reserved;
    struct ScatterMemory self;
    struct ScatterMemory index;
    struct ScatterMemory src;
    struct ScatterMemory out;
    /// 64 bytes for each block of an update, aligned to 64.
    struct ScatterMemory status;
};

struct ScatterKernels {
    uint32_t version;
    /// The sizes of `ScatterTiling` and `ScatterCopyTiling`.
    uint32_t tiling_bytes;
    uint32_t copy_tiling_bytes;
    uint32_t reserved;
    /// What runs the kernels, for people.
    const char* description;
    /// Both return 0 or an error: `SCATTER_LAUNCH_FAILED`, or what the runtime returned.
    int32_t (*copy)(const struct ScatterLaunch* launch, const struct ScatterCopyTiling* tiling);
    int32_t (*update)(const struct ScatterLaunch* launch, uint32_t algorithm, const struct ScatterTiling* tiling);
};

const struct ScatterKernels* scatter_kernels(void);
const struct ScatterKernels* scatter_kernels_host_model(void);

#ifdef __cplusplus
}
#endif
