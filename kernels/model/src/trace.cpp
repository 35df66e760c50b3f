// Traces the scalar unit's path through the kernel's code: gcc and clang call this at the beginning
// of each basic block of code that is compiled with -fsanitize-coverage=trace-pc.

#include "core.h"

extern "C" __attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc()
{
    // Code that is shared with kernels may also run outside a block.
    if (ascendc_model::current_core != nullptr) {
        ascendc_model::current_core->scalar.enter(reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    }
}
