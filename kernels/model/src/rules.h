// The rules that the model checks, by the names that reports and kernels/model/README.md use.
#pragma once

#include <cstdint>

namespace ascendc_model {

// X(identifier, name)
#define ASCENDC_MODEL_RULES(X)                   \
    X(Launch, "launch")                          \
    X(Fault, "fault")                            \
    X(Unsupported, "unsupported")                \
    X(TooManyReports, "too-many-reports")        \
    X(MissingFlag, "missing-flag")               \
    X(MissingBarrier, "missing-barrier")         \
    X(FlagSetTwice, "flag-set-twice")            \
    X(WaitWithoutSet, "wait-without-set")        \
    X(FlagLeftSet, "flag-left-set")              \
    X(EventId, "event-id")                       \
    X(EventIdsExhausted, "event-ids-exhausted")  \
    X(UninitialisedRead, "uninitialised-read")   \
    X(UbBounds, "ub-bounds")                     \
    X(UbOverflow, "ub-overflow")                 \
    X(BufferCount, "buffer-count")               \
    X(BufferLeak, "buffer-leak")                 \
    X(UseAfterFree, "use-after-free")            \
    X(DoubleFree, "double-free")                 \
    X(QueueState, "queue-state")                 \
    X(QueueDepth, "queue-depth")                 \
    X(QueueEmpty, "queue-empty")                 \
    X(QueueForeign, "queue-foreign")             \
    X(QueueUninitialised, "queue-uninitialised") \
    X(NoFreeBuffer, "no-free-buffer")            \
    X(Pipe, "pipe")                              \
    X(Alignment, "alignment")                    \
    X(CopySize, "copy-size")                     \
    X(Parameter, "parameter")                    \
    X(Stride, "stride")                          \
    X(Mask, "mask")                              \
    X(MaskLeftSet, "mask-left-set")              \
    X(DataType, "data-type")                     \
    X(Overlap, "overlap")                        \
    X(GatherOffset, "gather-offset")             \
    X(SortOrder, "sort-order")                   \
    X(GmBounds, "gm-bounds")                     \
    X(GmAccess, "gm-access")                     \
    X(GmOverlap, "gm-overlap")                   \
    X(GmSharedLine, "gm-shared-line")            \
    X(GmAtomicMix, "gm-atomic-mix")              \
    X(GmReadOfWrite, "gm-read-of-write")         \
    X(GmScalarWrite, "gm-scalar-write")          \
    X(GmScalarStale, "gm-scalar-stale")          \
    X(AtomicLeftOn, "atomic-left-on")

enum class Rule : uint8_t {
#define ASCENDC_MODEL_RULE(identifier, name) identifier,
    ASCENDC_MODEL_RULES(ASCENDC_MODEL_RULE)
#undef ASCENDC_MODEL_RULE
};

inline const char* name_of(Rule rule)
{
    static constexpr const char* names[] = {
#define ASCENDC_MODEL_RULE(identifier, name) name,
        ASCENDC_MODEL_RULES(ASCENDC_MODEL_RULE)
#undef ASCENDC_MODEL_RULE
    };
    return names[static_cast<uint8_t>(rule)];
}

} // namespace ascendc_model
