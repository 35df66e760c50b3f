// The probes: small kernels, each of which repeats one operation, so that the difference between
// the times of two launches is what the operation costs. `conformance device-report` runs them;
// docs/kernels/cost.md says what is computed from them.
#pragma once

#include <stdint.h>

/// The parameters of a probe. A block works on `memory` from its byte 512 on; before that a probe
/// of the scalar unit stores what it computed, so that no compiler optimises the work away.
///
/// As in scatter_tiling.h, CANN 8.1's script copies this struct.
struct ScatterProbeTiling {
    /// How often the operation is done; the preparation and the end are done once.
    uint32_t rounds;
    /// Instructions in a round, where a round has several.
    uint32_t repeats;
    /// Bytes or elements of an instruction.
    uint32_t size;
    /// A further parameter, described in the comment of each probe that uses it.
    uint32_t form;
};

/// Where the memory begins that a probe works on.
constexpr uint32_t kScatterProbeData = 512;
/// Bytes of UB that the probes of copies fill.
constexpr uint32_t kScatterProbeRoom = 128 * 1024;

/// The probes: for each, SCATTER_PROBE(name), whose kernel is scatter_probe_<name>.
#define SCATTER_PROBES_EACH(SCATTER_PROBE) \
    SCATTER_PROBE(launch)                  \
    SCATTER_PROBE(loop)                    \
    SCATTER_PROBE(read)                    \
    SCATTER_PROBE(reads)                   \
    SCATTER_PROBE(write)                   \
    SCATTER_PROBE(gm)                      \
    SCATTER_PROBE(copy_in)                 \
    SCATTER_PROBE(copy_out)                \
    SCATTER_PROBE(bandwidth)               \
    SCATTER_PROBE(add)                     \
    SCATTER_PROBE(cast)                    \
    SCATTER_PROBE(gather)                  \
    SCATTER_PROBE(gather_mask)             \
    SCATTER_PROBE(sort)                    \
    SCATTER_PROBE(merge)
