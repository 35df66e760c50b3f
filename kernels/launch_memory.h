// Which memory of a launch each kernel accesses: the host model reports any other access, and a
// stand-in for a device looks up the addresses before it runs a kernel. It is C, except the
// functions.
#pragma once

#include "launch.h"

// What a kernel does with its memory.
#define SCATTER_READS 1u
#define SCATTER_WRITES 2u

struct ScatterUse {
    /// For messages.
    const char* name;
    /// A member of the launch. 0 bytes mean that there is no memory.
    struct ScatterMemory* memory;
    /// `SCATTER_READS`, `SCATTER_WRITES`, or both.
    uint32_t access;
};

#ifdef __cplusplus

struct ScatterUses {
    const char* kernel;
    uint32_t count;
    ScatterUse all[5];
};

/// What the kernel of a number does with the memory of a launch; nothing where there is no such
/// kernel.
inline ScatterUses ScatterUsesOf(ScatterLaunch& launch, uint32_t kernel)
{
    const ScatterUse self = {"self", &launch.self, SCATTER_READS};
    const ScatterUse index = {"index", &launch.index, SCATTER_READS};
    const ScatterUse src = {"src", &launch.src, SCATTER_READS};
    const ScatterUse copied = {"out", &launch.out, SCATTER_WRITES};
    const ScatterUse out = {"out", &launch.out, SCATTER_READS | SCATTER_WRITES};
    const ScatterUse status = {"status", &launch.status, SCATTER_WRITES};
    const ScatterUse listed = {"targets", &launch.targets, SCATTER_WRITES};
    const ScatterUse targets = {"targets", &launch.targets, SCATTER_READS};
    const ScatterUse told = {"told", &launch.told, SCATTER_READS};
    switch (kernel) {
    case SCATTER_KERNEL_COPY: return {"scatter_copy", 2, {self, copied}};
    case SCATTER_KERNEL_GENERAL: return {"scatter_general", 5, {index, src, out, status, told}};
    case SCATTER_KERNEL_INDEX: return {"scatter_index", 3, {index, listed, status}};
    case SCATTER_KERNEL_ROWS: return {"scatter_rows", 4, {src, out, targets, told}};
    case SCATTER_KERNEL_ELEMENTS: return {"scatter_elements", 5, {index, src, out, status, told}};
    case SCATTER_KERNEL_GATHER: return {"scatter_gather", 5, {self, index, copied, status, told}};
    case SCATTER_KERNEL_WINDOWS: return {"scatter_windows", 4, {index, src, copied, status}};
    default: return {"", 0, {}};
    }
}

#endif
