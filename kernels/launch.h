// How a host launches the kernels: a table of functions with C linkage. There are two: that of the
// device library (`launch_device.cpp`, which `scatter_kernels` returns), and that of the host model
// (`launch_host.cpp`, which `scatter_kernels_host_model` returns; `launch_streams.h` has it for a
// runtime with streams). `kernels/launch.rs` has it in Rust.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Raised when anything below, or a tiling struct, changes.
#define SCATTER_KERNELS_VERSION 12u

// The kernels' numbers.
#define SCATTER_KERNEL_COPY 0u
#define SCATTER_KERNEL_GENERAL 1u
#define SCATTER_KERNEL_INDEX 2u
#define SCATTER_KERNEL_ROWS 3u
#define SCATTER_KERNEL_ELEMENTS 4u
#define SCATTER_KERNEL_GATHER 5u
#define SCATTER_KERNEL_WINDOWS 6u
#define SCATTER_KERNEL_COUNT 7u

/// The launch failed: there is no such kernel, or, on the host model, the kernel broke a rule.
#define SCATTER_LAUNCH_FAILED 1

/// A tensor's storage. A device ignores `bytes`; the host model reports accesses beyond it.
struct ScatterMemory {
    void* address;
    uint64_t bytes;
};

struct ScatterLaunch {
    /// The `aclrtStream`. `scatter_kernels_host_model` ignores it: it runs the blocks before it
    /// returns.
    void* stream;
    uint32_t blocks;
    uint32_t reserved;
    /// self; for `scatter_copy` what it copies, which may be an index tensor of a list.
    struct ScatterMemory self;
    /// index; for what goes by a list of `scatter_index` (elements that index names by several
    /// axes, a gather of listed rows) that list, `targets`.
    struct ScatterMemory index;
    struct ScatterMemory src;
    struct ScatterMemory out;
    /// 64 bytes for each block of a kernel that reads index, aligned to 64. Of a kernel that reads
    /// a list instead the host doesn't look at them.
    struct ScatterMemory status;
    /// What `scatter_index` writes for the kernels behind it: its list of targets, and its status.
    struct ScatterMemory targets;
    struct ScatterMemory told;
};

struct ScatterKernels {
    uint32_t version;
    uint32_t reserved;
    /// The bytes of each kernel's tiling.
    uint32_t tiling_bytes[SCATTER_KERNEL_COUNT];
    /// What runs the kernels, in words.
    const char* description;
    /// Launches a kernel by its number. Returns 0 or an error: `SCATTER_LAUNCH_FAILED`, or what the
    /// runtime returned.
    int32_t (*launch)(const struct ScatterLaunch* launch, uint32_t kernel, const void* tiling);
};

const struct ScatterKernels* scatter_kernels(void);
const struct ScatterKernels* scatter_kernels_host_model(void);

#ifdef __cplusplus
}
#endif
