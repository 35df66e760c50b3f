// Counts how often a client runs each operator of a library, in whose place it is: its
// functions of phase two count and go on, and everything else is that library's, which it needs.
//
// `operators.inc` has a line OPERATOR(aclnnName) for each; tests/clients/counting.sh writes it.

#include <cstdint>
#include <cstring>
#include <dlfcn.h>

#include <atomic>

namespace {

using PhaseTwo = int (*)(void*, std::uint64_t, void*, void*);

struct Operator {
    const char* name;
    std::atomic<std::uint64_t> calls;

    int run(void* workspace, std::uint64_t size, void* executor, void* stream)
    {
        // The functions may be called by several threads at once.
        calls.fetch_add(1, std::memory_order_relaxed);
        const auto next = reinterpret_cast<PhaseTwo>(dlsym(RTLD_NEXT, name));
        return next(workspace, size, executor, stream);
    }
};

}  // namespace

#define OPERATOR(name) static Operator of_##name{#name, {0}};
#include "operators.inc"
#undef OPERATOR

#define OPERATOR(name)                                                                     \
    extern "C" int name(void* workspace, std::uint64_t size, void* executor, void* stream) \
    {                                                                                      \
        return of_##name.run(workspace, size, executor, stream);                           \
    }
#include "operators.inc"
#undef OPERATOR

// How often an operator has run; -1 for one that the library doesn't have.
extern "C" std::int64_t counted_calls(const char* name)
{
#define OPERATOR(known)                                            \
    if (std::strcmp(name, #known) == 0) {                          \
        return static_cast<std::int64_t>(of_##known.calls.load()); \
    }
#include "operators.inc"
#undef OPERATOR
    return -1;
}
