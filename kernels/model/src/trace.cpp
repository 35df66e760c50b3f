// Where the scalar unit is in the kernel's code: gcc and clang call this at the beginning of each basic block of what
// is compiled with -fsanitize-coverage=trace-pc.

#include "core.h"

extern "C" __attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc()
{
    // Code that is shared with kernels may run outside of a block, too.
    if (ascendc_model::current_core != nullptr) {
        ascendc_model::current_core->scalar.enter(reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    }
}
